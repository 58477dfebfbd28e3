package mqscope.apache;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMachineRoomNearby;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragely;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueAveragelyByCircle;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueByConfig;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueByMachineRoom;
import org.apache.rocketmq.client.consumer.rebalance.AllocateMessageQueueConsistentHash;
import org.apache.rocketmq.common.message.MessageQueue;

/** Apache's strategies by their names, with what some of them need to be told. */
final class Strategies {
    private Strategies() {
    }

    /**
     * Arguments that count: queues, for CONFIG (topic@broker:id, joined by commas); rooms, for
     * MACHINE_ROOM (joined by commas).
     */
    static AllocateMessageQueueStrategy of(String name, Args args) {
        switch (name) {
            case "AVG":
                return new AllocateMessageQueueAveragely();
            case "AVG_BY_CIRCLE":
                return new AllocateMessageQueueAveragelyByCircle();
            case "CONSISTENT_HASH":
                return new AllocateMessageQueueConsistentHash();
            case "CONFIG":
                AllocateMessageQueueByConfig config = new AllocateMessageQueueByConfig();
                config.setMessageQueueList(queues(args.must("queues")));
                return config;
            case "MACHINE_ROOM":
                AllocateMessageQueueByMachineRoom room = new AllocateMessageQueueByMachineRoom();
                room.setConsumeridcs(Set.of(args.must("rooms").split(",")));
                return room;
            case "MACHINE_ROOM_NEARBY":
                return new AllocateMachineRoomNearby(new AllocateMessageQueueAveragely(), new Rooms());
            default:
                System.err.println("no strategy " + name);
                System.exit(2);
                return null;
        }
    }

    private static List<MessageQueue> queues(String text) {
        List<MessageQueue> queues = new ArrayList<>();
        for (String queue : text.split(",")) {
            int broker = queue.indexOf('@') + 1;
            int id = queue.lastIndexOf(':');
            queues.add(new MessageQueue(queue.substring(0, broker - 1), queue.substring(broker, id),
                Integer.parseInt(queue.substring(id + 1))));
        }
        return queues;
    }

    /** The room stands before the @ of a broker's name and before the ~ of a client's id; without one it is home. */
    private static final class Rooms implements AllocateMachineRoomNearby.MachineRoomResolver {
        @Override
        public String brokerDeployIn(MessageQueue queue) {
            return upTo(queue.getBrokerName(), '@');
        }

        @Override
        public String consumerDeployIn(String clientId) {
            return upTo(clientId, '~');
        }

        private static String upTo(String name, char mark) {
            return name.indexOf(mark) < 0 ? "home" : name.substring(0, name.indexOf(mark));
        }
    }
}
