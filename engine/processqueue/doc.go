// Package processqueue holds the messages of one assigned queue between pull and
// acknowledgement, and knows up to which offset everything is resolved.
//
// A Queue owns its cached messages and the references they hold on their batches. Pulls put
// whole batches in, consume threads take and finish messages, both under the queue's mutex;
// the consumer's loop reads counts, the committable offset and pictures for screens. Where
// order matters there is one taker with a Hand, and the loop keeps here what it knows of the
// broker's lock. Its Java counterpart is ProcessQueue.
//
// When a pull may be made is left to package pull, what follows from a listener's answer to
// package consume, and storing offsets to package offset.
package processqueue
