package mqscope.apache;

import java.io.IOException;

/** Ties a program to whoever holds the other end of its standard input. */
final class Tether {
    /** Runs then once on a thread of its own after the input has ended. */
    static void whenInputEnds(Runnable then) {
        Thread thread = new Thread(() -> {
            byte[] ignored = new byte[256];
            try {
                while (System.in.read(ignored) >= 0) {
                    continue;
                }
            } catch (IOException e) {
                // A broken input has ended, too.
            }
            then.run();
        }, "tether");
        thread.setDaemon(true);
        thread.start();
    }

    private Tether() {
    }
}
