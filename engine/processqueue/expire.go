package processqueue

import (
	"math"
	"time"

	"mqscope/engine/mq"
)

// Expire appends to buf the messages that a listener has had for timeout or longer, lowest
// offset first, and marks them as being sent back: from now on Failed refuses them and what
// their listener says changes nothing, so that each is sent back once. Every returned
// message comes with a reference; Expired must follow for each
// (Java: ProcessQueue.cleanExpiredMsg, which looks at the lowest message only).
func (q *Queue) Expire(now time.Time, timeout time.Duration, buf []mq.Message) []mq.Message {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped.Load() {
		return buf
	}
	ms, limit := q.millis(now), int32(min(timeout/time.Millisecond, math.MaxInt32))
	for i := range q.slots.n {
		s := q.slots.at(i)
		if s.state != consuming || s.since(ms) < limit {
			continue
		}
		s.state = expiring
		s.batch.Retain(1)
		buf = append(buf, s.batch.At(int(s.index)))
	}
	return buf
}

// Expired tells how sending back a message that Expire returned went, and gives up its
// reference. When it was sent, or the listener succeeded after all, the message is resolved.
// Otherwise it is the running listener's again; or, when that has failed meanwhile, retry is
// true: the message waits for Again, as after Retry.
func (q *Queue) Expired(now time.Time, m mq.Message, sent bool) (retry bool) {
	var free batches
	free.add(m.Batch())
	q.mu.Lock()
	if i, s := q.slotOf(m); s != nil {
		switch {
		case s.state == expiredOK, sent && (s.state == expiring || s.state == expiredFailed):
			q.resolve(i, &free)
			q.consumed = now.Sub(q.born)
			q.settle()
			q.publish()
		case s.state == expiring:
			s.state = consuming
		case s.state == expiredFailed:
			s.state = retrying
			retry = true
		}
	}
	q.mu.Unlock()
	q.letGo(free)
	q.checkWatch()
	return retry
}
