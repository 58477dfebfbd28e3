package mqscope.apache;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.common.topic.TopicValidator;

/**
 * Sends messages 0 to count-1 to a topic: message n goes to queue n mod Q, so on a new topic it has
 * offset n div Q there. Key {@code <keys>n}, body {@code n;} filled up to size bytes.
 *
 * Arguments as name=value: namesrv, topic, count, size (128), tag, keys (prefix, "k"), batch (messages
 * in one request, 1), delay (level, 0 = none; then batch is 1), first (number of the first message, 0),
 * property (name:value, on each message), queues (of the topic if it has to be made, 4), patience (seconds
 * to keep trying one request, 60).
 *
 * Prints an {@code ack} line per request: {@code first}, {@code step}, {@code count} say which messages,
 * {@code queue} and {@code offset} where the first of them lies. At the end a {@code done} line; its
 * {@code busy} counts requests sent again because the broker was busy, its {@code uncertain} messages
 * sent again after a request whose outcome is not known: these may be stored twice.
 */
public final class Produce {
    private final DefaultMQProducer producer = new DefaultMQProducer("mqscope_apache_producer");
    private final long patienceMs;
    private long uncertain;
    private long busy;

    private Produce(Args args) {
        producer.setNamesrvAddr(args.must("namesrv"));
        producer.setInstanceName("producer-" + ProcessHandle.current().pid());
        producer.setRetryTimesWhenSendFailed(0); // again() below retries and counts
        producer.setSendMsgTimeout(10_000);
        producer.setMaxMessageSize(16 << 20);
        patienceMs = args.number("patience", 60) * 1000L;
    }

    public static void main(String[] argv) throws Exception {
        Args args = new Args(argv, Set.of("namesrv", "topic", "count", "size", "tag", "keys", "batch", "delay",
            "first", "property", "queues", "patience"));
        Produce program = new Produce(args);
        program.producer.start();
        try {
            program.run(args);
        } finally {
            program.producer.shutdown();
        }
        System.exit(0); // threads of the client library may live on
    }

    private void run(Args args) throws Exception {
        String topic = args.must("topic");
        int delay = args.number("delay", 0);
        int batch = delay > 0 ? 1 : args.number("batch", 1);
        int first = args.number("first", 0);
        int end = first + args.number("count", 1);
        List<MessageQueue> queues = queues(topic, args.number("queues", 4));
        int step = queues.size();
        long began = System.nanoTime();
        // A round fills one request for each queue.
        for (int round = first; round < end; round += batch * step) {
            for (int i = 0; i < step && round + i < end; i++) {
                List<Message> messages = new ArrayList<>(batch);
                for (int n = round + i; n < end && messages.size() < batch; n += step) {
                    messages.add(message(args, topic, n, delay));
                }
                MessageQueue queue = queues.get((round + i) % step);
                SendResult result = send(messages, queue);
                Line.of("ack").put("first", round + i).put("step", step).put("count", messages.size())
                    .put("broker", queue.getBrokerName()).put("queue", queue.getQueueId())
                    .put("offset", result.getQueueOffset()).put("status", result.getSendStatus().name()).print();
            }
        }
        Line.of("done").put("sent", end - first).put("busy", busy).put("uncertain", uncertain)
            .put("ms", (System.nanoTime() - began) / 1_000_000).print();
    }

    /** The topic's queues in order; makes the topic with that many if there is no route to it, and waits for one. */
    private List<MessageQueue> queues(String topic, int number) throws Exception {
        long until = System.currentTimeMillis() + patienceMs;
        while (true) {
            try {
                List<MessageQueue> queues = new ArrayList<>(producer.fetchPublishMessageQueues(topic));
                queues.sort(null);
                return queues;
            } catch (MQClientException noRoute) {
                try {
                    producer.createTopic(TopicValidator.AUTO_CREATE_TOPIC_KEY_TOPIC, topic, number, Map.of());
                } catch (MQClientException e) {
                    if (System.currentTimeMillis() > until) {
                        throw e;
                    }
                }
            }
            Thread.sleep(200);
        }
    }

    private SendResult send(List<Message> messages, MessageQueue queue) throws Exception {
        long until = System.currentTimeMillis() + patienceMs;
        while (true) {
            try {
                return messages.size() == 1 ? producer.send(messages.get(0), queue) : producer.send(messages, queue);
            } catch (MQBrokerException e) {
                // An answer: the broker refused. 2 = busy, as a broker is just after its start.
                if (e.getResponseCode() != 2 || System.currentTimeMillis() > until) {
                    throw e;
                }
                busy++;
            } catch (Exception e) {
                if (System.currentTimeMillis() > until) {
                    throw e;
                }
                uncertain += messages.size();
            }
            Thread.sleep(200);
        }
    }

    private static Message message(Args args, String topic, int n, int delay) {
        byte[] body = new byte[args.number("size", 128)];
        Arrays.fill(body, (byte) '.');
        byte[] number = (n + ";").getBytes(StandardCharsets.UTF_8);
        System.arraycopy(number, 0, body, 0, Math.min(number.length, body.length));
        Message message = new Message(topic, args.get("tag", ""), args.get("keys", "k") + n, body);
        if (delay > 0) {
            message.setDelayTimeLevel(delay);
        }
        String property = args.get("property", "");
        int colon = property.indexOf(':');
        if (colon > 0) {
            message.putUserProperty(property.substring(0, colon), property.substring(colon + 1));
        }
        return message;
    }
}
