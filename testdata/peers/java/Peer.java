package mqscope.apache;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Apache's Java client as a contestant of the bench: the same jobs, checks and lines as the Go ones, see
 * rows.go and meter.go. What comes only once in the life of a process, a start and waiting, is measured of a
 * second consumer, after a first one has warmed the JVM with messages of its own.
 */
public final class Peer {
    private static final Set<String> KNOWN = Set.of("do", "who", "namesrv", "topic", "warm-topic", "group", "orderly",
        "first", "warm", "n", "rate", "rates", "size", "queues", "idle-queues", "batch", "pull", "settle", "idle",
        "cpuprofile");
    private static final int HEAD = 16;

    private final Args args;
    private final String group;
    private final boolean orderly;
    private final int warm;
    private final int count;

    private Peer(Args args) {
        this.args = args;
        group = args.must("group");
        orderly = args.yes("orderly");
        warm = args.number("warm", 0);
        count = args.number("n", 0);
    }

    public static void main(String[] argv) {
        Tether.whenInputEnds(() -> Runtime.getRuntime().halt(3));
        int code = 0;
        try {
            new Peer(new Args(argv, KNOWN)).run();
        } catch (Exception e) {
            e.printStackTrace();
            code = 1;
        }
        // The client library has threads that would hold up the end.
        Runtime.getRuntime().halt(code);
    }

    private void run() throws Exception {
        switch (args.must("do")) {
            case "catchup" -> catchUp();
            case "latency" -> latency();
            case "start" -> start();
            case "idle" -> idle();
            default -> throw new IllegalArgumentException("job " + args.must("do") + " is unknown");
        }
    }

    private void catchUp() throws Exception {
        Meter meter = new Meter(warm, count, false);
        DefaultMQPushConsumer consumer = open(args.must("topic"), group, meter);
        meter.done.await();
        consumer.shutdown();
        meter.check(true);
        say("done", "\"Measured\":" + count + ",\"Seconds\":" + (meter.endAt - meter.startAt) / 1e9 + ",\"CPU\":"
            + (double) (meter.endCpu - meter.startCpu) / count);
    }

    private void latency() throws Exception {
        Meter meter = new Meter(warm, count, true);
        DefaultMQPushConsumer consumer = open(args.must("topic"), group, meter);
        meter.warm.await();
        say("ready", "");
        meter.done.await();
        consumer.shutdown();
        meter.check(true);
        StringBuilder list = new StringBuilder("\"Latencies\":[");
        for (int n = 0; n < count; n++) {
            if (meter.latencies[n] <= 0) {
                throw new IllegalStateException("message " + (warm + n) + " took " + meter.latencies[n] + " ns: was the clock set back?");
            }
            list.append(n > 0 ? "," : "").append(meter.latencies[n]);
        }
        say("done", list.append(']').toString());
    }

    private void start() throws Exception {
        warmUp();
        Meter meter = new Meter(0, 1, false);
        long began = System.nanoTime();
        DefaultMQPushConsumer consumer = open(args.must("topic"), group, meter);
        meter.done.await();
        consumer.shutdown();
        meter.check(false);
        say("done", "\"StartMs\":" + (meter.startAt - began) / 1e6);
    }

    private void idle() throws Exception {
        warmUp();
        Meter meter = new Meter(0, count, false);
        DefaultMQPushConsumer consumer = open(args.must("topic"), group, meter);
        say("open", "");
        Thread.sleep(millis("settle"));
        long cpu = cpu();
        long at = System.nanoTime();
        Thread.sleep(millis("idle"));
        double share = 100.0 * (cpu() - cpu) / (System.nanoTime() - at);
        if (meter.seen.get() > 0) {
            throw new IllegalStateException(meter.seen + " messages came while the topic was to be empty");
        }
        say("ready", "");
        meter.done.await();
        consumer.shutdown();
        meter.check(true);
        say("done", "\"Idle\":" + share);
    }

    private void warmUp() throws Exception {
        if (warm > 0) {
            Meter meter = new Meter(0, warm, false);
            DefaultMQPushConsumer consumer = open(args.must("warm-topic"), group + "_warm", meter);
            meter.done.await();
            consumer.shutdown();
        }
    }

    /** Starts the client at its defaults, but for the knobs. */
    private DefaultMQPushConsumer open(String topic, String group, Meter meter) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group);
        consumer.setNamesrvAddr(args.must("namesrv"));
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setConsumeMessageBatchMaxSize(args.number("batch", 1));
        consumer.setPullBatchSize(args.number("pull", 32));
        consumer.subscribe(topic, "*");
        if (orderly) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) -> {
                meter.take(messages);
                return ConsumeOrderlyStatus.SUCCESS;
            });
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                meter.take(messages);
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
        }
        consumer.start();
        return consumer;
    }

    /** A duration as Go writes it, of minutes and seconds: 1m0s, 10s, 1.5s. */
    private long millis(String name) {
        double seconds = 0;
        for (String part : args.must(name).split("(?<=[hms])")) {
            double value = Double.parseDouble(part.substring(0, part.length() - 1));
            seconds += switch (part.charAt(part.length() - 1)) {
                case 'h' -> value * 3600;
                case 'm' -> value * 60;
                case 's' -> value;
                default -> throw new IllegalArgumentException(name + " is " + args.must(name) + ": write it in seconds");
            };
        }
        return Math.round(seconds * 1000);
    }

    private static void say(String event, String fields) {
        System.out.println("{\"Event\":\"" + event + "\"" + (fields.isEmpty() ? "" : "," + fields) + "}");
        System.out.flush();
    }

    /** What the kernel says the process has used, user and system, in ns. */
    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Counts, times and checks messages as meter.go does. */
    private final class Meter {
        final CountDownLatch warm = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        final AtomicLong seen = new AtomicLong();
        final long[] latencies;
        volatile long startAt;
        volatile long startCpu;
        volatile long endAt;
        volatile long endCpu;

        private final int skip;
        private final int total;
        private final int size = args.number("size", 128);
        private final int batch = args.number("batch", 1);
        private final AtomicLong numbers = new AtomicLong();
        private final AtomicInteger spoiled = new AtomicInteger();
        private final AtomicInteger unordered = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final AtomicLongArray last =
            new AtomicLongArray(Math.max(args.number("queues", 1), args.number("idle-queues", 1)));

        Meter(int skip, int count, boolean timed) {
            this.skip = skip;
            total = skip + count;
            latencies = timed ? new long[count] : null;
        }

        void take(List<MessageExt> messages) {
            if (messages.size() > most.get()) {
                most.set(messages.size());
            }
            for (MessageExt message : messages) {
                take(message.getQueueId(), message.getQueueOffset(), message.getBody());
            }
        }

        private void take(int queue, long offset, byte[] body) {
            ByteBuffer head = ByteBuffer.wrap(body);
            if (latencies != null) {
                java.time.Instant now = java.time.Instant.now();
                long n = head.getLong(0) - skip;
                if (n >= 0 && n < latencies.length) {
                    latencies[(int) n] = now.getEpochSecond() * 1_000_000_000L + now.getNano() - head.getLong(8);
                }
            }
            long sum = 0;
            for (int i = HEAD; i < body.length; i++) {
                sum += body[i];
            }
            if (body.length != size || sum != (long) 'x' * (body.length - HEAD)) {
                spoiled.incrementAndGet();
            }
            if (orderly && last.getAndSet(queue, offset + 1) > offset) {
                unordered.incrementAndGet();
            }
            numbers.addAndGet(head.getLong(0));
            count(seen.incrementAndGet());
        }

        private void count(long n) {
            if (n == skip) {
                warm.countDown();
            }
            if (n == skip + 1) {
                startAt = System.nanoTime();
                startCpu = cpu();
            }
            if (n == total) {
                endAt = System.nanoTime();
                endCpu = cpu();
                done.countDown();
            }
        }

        void check(boolean whole) {
            long n = total;
            if (whole && (seen.get() != n || numbers.get() != n * (n - 1) / 2)) {
                throw new IllegalStateException("handled " + seen + " messages with the sum of numbers " + numbers
                    + ": each of " + n + " was to come once");
            }
            if (spoiled.get() > 0 || unordered.get() > 0 || most.get() > batch) {
                throw new IllegalStateException(spoiled + " bodies were not as they were sent, " + unordered
                    + " messages came after a later one of their queue, the handler got up to " + most + " at once");
            }
        }
    }
}
