// Package consume delivers cached messages to the listener and settles what it answers:
// success, another attempt by way of the broker, or another attempt here.
//
// A Concurrent owns a fixed number of threads that all queues of a consumer share; it runs
// them in Run. Its Java counterpart is ConsumeMessageConcurrentlyService with ConsumeRequest
// and the expired-message timer. The messages stay in their processqueue.Queue, which says
// up to where offsets may be committed; committing, pulling and sending back over the
// network are left to others.
//
// No object is made per message: queues with waiting messages stand in one list, a thread
// takes a chunk from the first, puts the queue back at the end, and wakes at most one more
// thread. What follows from an answer is decided in decide.
package consume
