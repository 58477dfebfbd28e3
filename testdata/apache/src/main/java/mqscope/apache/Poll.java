package mqscope.apache;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.MQPullConsumerScheduleService;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * One consumer that is asked for messages, a member of a group, until standard input ends or SIGTERM
 * comes: then it leaves the group cleanly, with all that it took committed.
 *
 * Arguments as name=value: namesrv, group, topic, tag (expression, *), kind (lite, pull or schedule), ids
 * (a line per message, false), id (client id as ip@instance, one of its own). A group without offsets starts at the first message.
 *
 * Lines: those of Consume.java, without {@code locked}.
 */
public final class Poll {
    private final Args args;
    private final String topic;
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();
    private Set<String> owned;

    private Poll(Args args) {
        this.args = args;
        topic = args.must("topic");
    }

    public static void main(String[] argv) throws Exception {
        Args args = new Args(argv, Set.of("namesrv", "group", "topic", "tag", "kind", "ids", "id"));
        Poll poll = new Poll(args);
        switch (args.must("kind")) {
            case "lite":
                poll.lite();
                break;
            case "pull":
                poll.pull();
                break;
            case "schedule":
                poll.schedule();
                break;
            default:
                System.err.println("kind is lite, pull or schedule");
                System.exit(2);
        }
    }

    private void lite() throws Exception {
        DefaultLitePullConsumer consumer = new DefaultLitePullConsumer(args.must("group"));
        consumer.setNamesrvAddr(args.must("namesrv"));
        args.identify(consumer);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setAutoCommitIntervalMillis(1000);
        consumer.subscribe(topic, args.get("tag", "*"));
        consumer.start();
        begin(consumer.buildMQClientId(), () -> {
            consumer.commit();
            consumer.shutdown();
        });
        while (!ended.get()) {
            List<MessageExt> messages = consumer.poll(200);
            if (!ended.get()) {
                take(messages);
                tell(consumer.assignment());
            }
        }
    }

    private void pull() throws Exception {
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer(args.must("group"));
        prepare(consumer);
        consumer.registerMessageQueueListener(topic, null);
        consumer.start();
        begin(consumer.buildMQClientId(), consumer::shutdown);
        while (!ended.get()) {
            Set<MessageQueue> mine = consumer.fetchMessageQueuesInBalance(topic);
            for (MessageQueue queue : mine) {
                once(consumer, queue);
            }
            tell(mine);
            Thread.sleep(100);
        }
    }

    private void schedule() throws Exception {
        MQPullConsumerScheduleService service = new MQPullConsumerScheduleService(args.must("group"));
        DefaultMQPullConsumer consumer = service.getDefaultMQPullConsumer();
        prepare(consumer);
        service.registerPullTaskCallback(topic, (queue, context) -> {
            try {
                once((DefaultMQPullConsumer) context.getPullConsumer(), queue);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            context.setPullNextDelayTimeMillis(100);
        });
        service.start();
        begin(consumer.buildMQClientId(), service::shutdown);
        while (!ended.get()) {
            tell(consumer.fetchMessageQueuesInBalance(topic));
            Thread.sleep(50);
        }
    }

    private void prepare(DefaultMQPullConsumer consumer) {
        consumer.setNamesrvAddr(args.must("namesrv"));
        args.identify(consumer);
    }

    /** Pulls one queue from where the group is, and moves its offset. */
    private void once(DefaultMQPullConsumer consumer, MessageQueue queue) throws Exception {
        long offset = consumer.fetchConsumeOffset(queue, false);
        PullResult result = consumer.pull(queue, args.get("tag", "*"), Math.max(0, offset), 32);
        if (result.getPullStatus() == PullStatus.FOUND) {
            take(result.getMsgFoundList());
        }
        consumer.updateConsumeOffset(queue, result.getNextBeginOffset());
    }

    private void begin(String clientId, Runnable shutdown) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (ended.compareAndSet(false, true)) {
                shutdown.run();
                Line.of("stopped").put("consumed", consumed.get()).print();
            }
        }, "end"));
        Tether.whenInputEnds(() -> System.exit(0));
        Line.of("started").put("clientId", clientId).print();
    }

    private synchronized void take(List<MessageExt> messages) {
        for (MessageExt message : messages) {
            consumed.incrementAndGet();
            if (args.yes("ids")) {
                Line.of("message").put("id", message.getMsgId()).put("topic", message.getTopic())
                    .put("queue", message.getQueueId()).put("offset", message.getQueueOffset())
                    .put("tags", message.getTags()).put("keys", message.getKeys())
                    .put("reconsume", message.getReconsumeTimes()).put("good", true).print();
            }
        }
    }

    /** Prints the owned queues when they changed. */
    private void tell(Collection<MessageQueue> queues) {
        Set<String> names = new TreeSet<>();
        for (MessageQueue queue : queues) {
            if (queue.getTopic().equals(topic)) {
                names.add(topic + "@" + queue.getBrokerName() + ":" + queue.getQueueId());
            }
        }
        if (!names.equals(owned)) {
            owned = names;
            Line.of("queues").put("queues", owned).print();
        }
    }
}
