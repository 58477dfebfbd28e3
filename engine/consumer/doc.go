// Package consumer has the consumers: Push calls a listener, Pull is asked for messages queue by
// queue, Scheduled calls back for each queue, Lite is polled. Each is one loop that takes events
// one at a time, lets the deciding parts step, and carries out what they decide. What all have
// in common is membership: the group, its queues, their offsets, pictures. The three that are
// asked for messages share onDemand as well.
//
// The loop goroutine owns the assignment, the schedule, flow control, offsets and what is
// known of each queue; the messages of a queue belong to its processqueue.Queue, the threads
// to consume.Concurrent (consume.Orderly where order matters), the connections to
// client.Instance. Messages do not pass the loop one by one: an answer's batch goes straight
// into its ProcessQueue and the loop hears that it did. (A Lite's batches pass its loop as a
// whole; a Pull's are the application's at once.) Whoever makes a consumer calls Run and waits
// for it.
//
// A person may hold the pulls of a Push and let them go one by one (Driver): that is decided in the
// schedule and between what a turn decides and what follows from it; all else goes on.
//
// What brokers ask of it on behalf of tools (reset offsets, consume a message directly, tell
// what it does) and what a person changes while it runs are events of the loop too; a listener
// that is called on request runs beside the threads.
//
// What the loop of a Push takes from outside passes inputs, and can be recorded: a Remake does the
// same once more. It leaves by events too, one for each thing that it waits for on the way out: so a
// recording goes on to the end of its shutdown.
//
// Java counterparts are DefaultMQPushConsumerImpl with PullMessageService and
// RebalanceService, DefaultMQPullConsumerImpl, MQPullConsumerScheduleService and
// DefaultLitePullConsumerImpl. Who owns what is left to package rebalance, when to pull to
// schedule, how to pull to pull, delivery to consume, the wire to client.
package consumer
