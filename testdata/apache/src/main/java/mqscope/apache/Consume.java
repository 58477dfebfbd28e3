package mqscope.apache;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;

/**
 * One DefaultMQPushConsumer, a member of a group, until standard input ends or SIGTERM comes: then it
 * leaves the group cleanly. Or several, each in a group of its own.
 *
 * Arguments as name=value: namesrv, group, topic, tag (expression, *), orderly (false), broadcast
 * (false), from (first or last, first), ids (a line per message, false), later (deliveries of each
 * message to answer with "later" before it counts as consumed, 0), work (milliseconds a message takes, 0),
 * id (client id as ip@instance, one of its own), brokerside (let the broker divide the queues, false),
 * strategy (AVG) with what Strategies.java names. Several strategies joined by commas, with as many groups
 * and topics, make several consumers, each with its strategy behind its client id.
 *
 * Lines: {@code started} with {@code clientId}; {@code queues} with {@code queues} (topic@broker:id of the
 * subscribed topics, sorted) and {@code locked} (those of them whose lock an orderly member holds) each time
 * either changes, looked at every 50 ms; {@code message}; {@code stopped} with how many were
 * {@code consumed}.
 */
public final class Consume {
    private final Args args;
    private final Map<String, DefaultMQPushConsumer> consumers = new LinkedHashMap<>(); // by topic
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();

    private Consume(Args args) throws Exception {
        this.args = args;
        String[] groups = args.must("group").split(",");
        String[] topics = args.must("topic").split(",");
        String[] strategies = args.get("strategy", "AVG").split(",");
        for (int i = 0; i < groups.length; i++) {
            consumers.put(topics[i], consumer(groups[i], topics[i], strategies[i]));
        }
    }

    private DefaultMQPushConsumer consumer(String group, String topic, String strategy) throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(group);
        consumer.setNamesrvAddr(args.must("namesrv"));
        args.identify(consumer);
        if (args.must("group").contains(",")) { // a client instance with threads of its own for each
            consumer.setInstanceName(consumer.getInstanceName() + "-" + strategy);
        }
        consumer.setConsumeFromWhere(args.get("from", "first").equals("last")
            ? ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET : ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setMessageModel(args.yes("broadcast") ? MessageModel.BROADCASTING : MessageModel.CLUSTERING);
        consumer.setAllocateMessageQueueStrategy(Strategies.of(strategy, args));
        consumer.setClientRebalance(!args.yes("brokerside"));
        consumer.subscribe(topic, args.get("tag", "*"));
        if (args.yes("orderly")) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) ->
                take(messages) ? ConsumeOrderlyStatus.SUCCESS : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT);
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) ->
                take(messages) ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS : ConsumeConcurrentlyStatus.RECONSUME_LATER);
        }
        return consumer;
    }

    public static void main(String[] argv) throws Exception {
        Args args = new Args(argv, Set.of("namesrv", "group", "topic", "tag", "orderly", "broadcast", "from", "ids",
            "later", "work", "id", "brokerside", "strategy", "queues", "rooms"));
        new Consume(args).run();
    }

    private void run() throws Exception {
        for (DefaultMQPushConsumer consumer : consumers.values()) {
            consumer.start();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "end"));
        Tether.whenInputEnds(() -> System.exit(0));
        Line.of("started").put("clientId", consumers.values().iterator().next().getDefaultMQPushConsumerImpl()
            .getmQClientFactory().getClientId()).print();
        watch();
    }

    private void end() {
        if (ended.compareAndSet(false, true)) {
            consumers.values().forEach(DefaultMQPushConsumer::shutdown);
            Line.of("stopped").put("consumed", consumed.get()).print();
        }
    }

    /** Prints the owned queues when they change, until the end. */
    private void watch() throws InterruptedException {
        Set<String> owned = null;
        Set<String> locked = null;
        while (!ended.get()) {
            Set<String> nowOwned = new TreeSet<>();
            Set<String> nowLocked = new TreeSet<>();
            consumers.forEach((topic, consumer) -> look(topic, consumer, nowOwned, nowLocked));
            if (!nowOwned.equals(owned) || !nowLocked.equals(locked)) {
                owned = nowOwned;
                locked = nowLocked;
                Line.of("queues").put("queues", owned).put("locked", locked).print();
            }
            Thread.sleep(50);
        }
    }

    private void look(String topic, DefaultMQPushConsumer consumer, Set<String> owned, Set<String> locked) {
        for (Map.Entry<MessageQueue, ProcessQueue> entry : consumer.getDefaultMQPushConsumerImpl()
            .getRebalanceImpl().getProcessQueueTable().entrySet()) {
            MessageQueue queue = entry.getKey();
            if (queue.getTopic().equals(topic) && !entry.getValue().isDropped()) {
                String name = topic + "@" + queue.getBrokerName() + ":" + queue.getQueueId();
                owned.add(name);
                if (args.yes("orderly") && entry.getValue().isLocked()) { // a concurrent one's says nothing
                    locked.add(name);
                }
            }
        }
    }

    private boolean take(List<MessageExt> messages) {
        for (MessageExt message : messages) {
            boolean good = good(message);
            if (args.yes("ids")) {
                Line.of("message").put("id", message.getMsgId()).put("topic", message.getTopic())
                    .put("queue", message.getQueueId()).put("offset", message.getQueueOffset())
                    .put("tags", message.getTags()).put("keys", message.getKeys())
                    .put("reconsume", message.getReconsumeTimes()).put("good", good).print();
            }
            if (!good) {
                return false;
            }
            consumed.incrementAndGet();
        }
        return true;
    }

    private boolean good(MessageExt message) {
        int work = args.number("work", 0);
        if (work > 0) {
            try {
                Thread.sleep(work);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        int later = args.number("later", 0);
        return later == 0 || deliveries.merge(message.getMsgId(), 1, Integer::sum) > later;
    }
}
