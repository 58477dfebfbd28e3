package processqueue

import (
	"time"

	"mqscope/engine/mq"
)

// Next finishes what a taker had and hands it more, in one go; either half may be empty.
//
// The messages of finished are resolved as far as they are still the taker's, and their
// references are given up. Up to n waiting messages, lowest offset first, are appended to
// buf; each comes with a reference that the taker gives back by Next, Finish, Failed or
// Retry. Nothing comes from a dropped queue. more says that others are still waiting.
// finished and buf must not overlap.
func (q *Queue) Next(now time.Time, finished, buf []mq.Message, n int) (msgs []mq.Message, more bool) {
	q.mu.Lock()
	if len(finished) > 0 {
		q.finish(now, finished)
	}
	live := !q.dropped.Load()
	if n > 0 && live && q.waiting > 0 {
		buf = q.take(q.millis(now), buf, n)
	}
	more = live && q.waiting > 0
	q.publish()
	q.mu.Unlock()

	if len(finished) > 0 {
		q.releaseAll(finished)
		q.checkWatch()
	}
	return buf, more
}

// Take is the second half of Next.
func (q *Queue) Take(now time.Time, buf []mq.Message, n int) (msgs []mq.Message, more bool) {
	return q.Next(now, nil, buf, n)
}

// Finish is the first half of Next.
func (q *Queue) Finish(now time.Time, finished []mq.Message) { q.Next(now, finished, nil, 0) }

func (q *Queue) take(ms uint32, buf []mq.Message, n int) []mq.Message {
	r := &q.slots
	i := r.next
	for ; i < r.n && n > 0 && q.waiting > 0; i++ {
		s := r.at(i)
		if s.state != waiting {
			continue
		}
		s.state, s.started = consuming, ms
		buf = append(buf, s.batch.At(int(s.index)))
		q.waiting--
		q.held++
		n--
	}
	r.next = i
	return buf
}

func (q *Queue) finish(now time.Time, finished []mq.Message) {
	q.consumed = now.Sub(q.born)
	q.held -= len(finished)
	for _, m := range finished {
		i, s := q.slotOf(m)
		if s == nil {
			continue
		}
		switch s.state {
		case consuming, settling:
			q.resolve(i, nil)
		case expiring:
			// The sweep decides when its send-back has ended; until then the slot needs a
			// reference of its own.
			s.state = expiredOK
			s.batch.Retain(1)
		default:
		}
	}
	if q.slots.n > 0 { // else the queue was cleared or swept: there is nothing new to commit
		q.settle()
	}
}

// slotOf returns the slot of exactly this message, not of another with its offset.
func (q *Queue) slotOf(m mq.Message) (int, *slot) {
	i, ok := q.slots.find(m.QueueOffset())
	if !ok {
		return 0, nil
	}
	s := q.slots.at(i)
	if s.batch != m.Batch() || int(s.index) != m.Index() {
		return 0, nil
	}
	return i, s
}

func (q *Queue) releaseAll(msgs []mq.Message) {
	for len(msgs) > 0 {
		b, n := msgs[0].Batch(), 1
		for n < len(msgs) && msgs[n].Batch() == b {
			n++
		}
		msgs = msgs[n:]
		q.release(b, n)
	}
}

// Failed says that the listener is through with m and did not succeed. With true m is the
// taker's to send back, and no sweep touches it; Finish or Retry must follow. With false m
// was swept or cleared meanwhile, what the listener said does not count, and the reference
// is gone.
func (q *Queue) Failed(m mq.Message) bool {
	q.mu.Lock()
	_, s := q.slotOf(m)
	if s != nil && s.state == consuming {
		s.state = settling
		q.mu.Unlock()
		return true
	}
	q.held--
	swept := s != nil && s.state == expiring
	if swept {
		s.state = expiredFailed // the slot takes over the reference
	}
	q.mu.Unlock()
	if !swept {
		q.release(m.Batch(), 1)
	}
	return false
}

// Retry gives back m, which could not be sent back: it stays cached, holds the committable
// offset, and waits for Again. It returns false when the queue no longer has m.
func (q *Queue) Retry(m mq.Message) bool {
	q.mu.Lock()
	q.held--
	_, s := q.slotOf(m)
	kept := s != nil && (s.state == consuming || s.state == settling)
	if kept {
		s.state = retrying // the slot takes over the reference
	}
	q.mu.Unlock()
	if !kept {
		q.release(m.Batch(), 1)
	}
	return kept
}

// Again makes the message at offset waiting, if Retry put it there.
func (q *Queue) Again(offset int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i, ok := q.slots.find(offset)
	if !ok || q.slots.at(i).state != retrying {
		return false
	}
	q.slots.at(i).state = waiting
	q.slots.next = min(q.slots.next, i)
	q.waiting++
	q.publish()
	return true
}

// Enlist is for whoever distributes waiting messages among takers: it is true for the one
// caller that must put the queue on its list of work, false while it is there.
func (q *Queue) Enlist() bool { return q.listed.CompareAndSwap(false, true) }

// Delist says that the queue left that list. It is true when messages came to wait
// meanwhile: the caller must put the queue back and has enlisted it.
func (q *Queue) Delist() bool {
	q.listed.Store(false)
	return q.Waiting() > 0 && !q.Dropped() && q.Enlist()
}

func (q *Queue) millis(now time.Time) uint32 {
	return uint32(now.Sub(q.born) / time.Millisecond)
}
