// Package overview is the first screen: is this group healthy, and where to look first?
//
// It states the facts that are known: how many queues are in which state, what is waiting,
// how brokers, members and topics stand, what the consumer does. It owns no state but memos
// of its View. Why something is stuck is left to the diagnosis, single queues to package
// queues. In the Java world this is spread over the consumerProgress and consumerStatus
// commands of mqadmin.
package overview
