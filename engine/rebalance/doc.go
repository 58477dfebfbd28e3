// Package rebalance decides who of a group owns which queue, and from which offset a new
// queue starts.
//
// A Rebalance makes passes: it asks for the members of the group, lets the strategy allot
// the queues of each topic, gives up what is not ours any more and resolves the start offset
// of what is new. It is plain state, owned and stepped by the loop of package consumer; the
// questions to brokers are actions, their answers events. There is one pass at a time.
// A queue whose start offset is not known for sure is not assigned: there is no default.
//
// Where brokers are to allot the queues, a broker of the topic is asked for ours instead of
// for the members; one that can not is found out once per topic, and members allot then.
//
// Where messages are consumed in order, a queue needs the lock of its broker first: it is
// asked for before the start offset is read, renewed for all queues together, and given back
// when nobody here works on the queue any more. A lock that another member may have had
// meanwhile makes the queue begin anew.
//
// Peers watches the other members beside: whether they subscribe to what this one does, and
// which locks they say they hold.
//
// Java: RebalanceService, RebalanceImpl, RebalancePushImpl and the
// AllocateMessageQueueStrategy family. Reading routes is left to package client, persisting
// the offsets of queues that are given up to the loop.
package rebalance
