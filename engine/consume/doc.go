// Package consume delivers cached messages to the listener and settles what it answers:
// success, another attempt by way of the broker, or another attempt here.
//
// A Concurrent, or where order matters an Orderly, owns a fixed number of threads that all
// queues of a consumer share; it runs them in Run. Their Java counterparts are
// ConsumeMessageConcurrentlyService with the expired-message timer, and
// ConsumeMessageOrderlyService, each with its ConsumeRequest. The messages stay in their
// processqueue.Queue, which says up to where offsets may be committed; committing, pulling
// and sending back over the network are left to others.
//
// No object is made per message: queues with waiting messages stand in one list, a thread
// takes a chunk from the first, puts the queue back at the end, and wakes at most one more
// thread. What follows from an answer is decided in decide and decideOrdered. Whether the
// broker's lock of a queue is held is written in the processqueue.Queue by others.
package consume
