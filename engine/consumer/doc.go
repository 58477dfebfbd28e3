// Package consumer is a push consumer: one loop that takes events one at a time, lets the
// deciding parts step, and carries out what they decide.
//
// The loop goroutine owns the assignment, the schedule, flow control, offsets and what is
// known of each queue; the messages of a queue belong to its processqueue.Queue, the threads
// to consume.Concurrent (consume.Orderly where order matters), the connections to
// client.Instance. Messages do not pass the loop one by one: an answer's batch goes straight
// into its ProcessQueue and the loop hears that it did. Whoever makes a Push calls Run and
// waits for it.
//
// What brokers ask of it on behalf of tools (reset offsets, consume a message directly, tell
// what it does) and what a person changes while it runs are events of the loop too; a listener
// that is called on request runs beside the threads.
//
// Its Java counterpart is DefaultMQPushConsumerImpl with PullMessageService and
// RebalanceService. Who owns what is left to package rebalance, when to pull to schedule, how
// to pull to pull, delivery to consume, the wire to client.
package consumer
