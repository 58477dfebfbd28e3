package mqscope.apache;

import org.apache.rocketmq.broker.BrokerStartup;
import org.apache.rocketmq.namesrv.NamesrvStartup;

/**
 * Starts Apache's name server or broker in this JVM: {@code namesrv ARG...} or {@code broker ARG...}.
 *
 * With -Dmqscope.tether=true the JVM ends at once when standard input does, so a test that is killed
 * leaves no server behind.
 */
public final class Server {
    public static void main(String[] args) {
        if (Boolean.getBoolean("mqscope.tether")) {
            Tether.whenInputEnds(() -> Runtime.getRuntime().halt(0));
        }
        String[] rest = java.util.Arrays.copyOfRange(args, 1, args.length);
        switch (args[0]) {
            case "namesrv" -> NamesrvStartup.main(rest);
            case "broker" -> BrokerStartup.main(rest);
            default -> throw new IllegalArgumentException("namesrv or broker, not " + args[0]);
        }
    }

    private Server() {
    }
}
