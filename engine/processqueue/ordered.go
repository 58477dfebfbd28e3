package processqueue

import (
	"math"
	"time"

	"mqscope/engine/mq"
)

// Hand is what the one taker of an orderly queue has of it. Keep it between calls: it keeps
// its memory.
type Hand struct {
	Messages []mq.Message
	// Failed is how often the listener failed each message here; brokers do not know of it.
	Failed []uint16

	spare []mq.Message
}

// Empty tells whether there is nothing in the hand.
func (h *Hand) Empty() bool { return len(h.Messages) == 0 }

// turnOver makes room for new messages and returns the old ones, valid until the next call.
func (h *Hand) turnOver() (old []mq.Message) {
	old = h.Messages
	h.Messages, h.Failed, h.spare = h.spare[:0], h.Failed[:0], old
	return old
}

// Forget makes an empty hand keep no batch from being collected.
func (h *Hand) Forget() {
	clear(h.Messages[:cap(h.Messages)])
	clear(h.spare[:cap(h.spare)])
}

// Messages of an orderly queue are taken by one taker at a time, lowest offset first. Those
// that it has, and those that it has kept, are the consuming set: cached, but handed to
// nobody else. Commit resolves the whole set, Rollback has the whole set wait again
// (Java: ProcessQueue.consumingMsgOrderlyTreeMap).

// TakeOrdered hands the n lowest waiting messages over. Nothing comes while a hand still has
// messages of this queue, or when it is dropped or retired. A message whose body can not be
// read comes alone (Java: takeMessages).
func (q *Queue) TakeOrdered(now time.Time, h *Hand, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	h.turnOver()
	q.takeOrdered(now, h, n)
	q.publish()
}

func (q *Queue) takeOrdered(now time.Time, h *Hand, n int) {
	if q.held > 0 || q.waiting == 0 || q.dropped.Load() || q.retired.Load() {
		return
	}
	ms := q.millis(now)
	r := &q.slots
	i := r.next
	for ; i < r.n && n > 0 && q.waiting > 0; i++ {
		s := r.at(i)
		if s.state != waiting {
			continue
		}
		m := s.batch.At(int(s.index))
		bad := m.BodyError() != nil
		if bad && len(h.Messages) > 0 {
			break
		}
		s.state, s.started = consuming, ms
		h.Messages = append(h.Messages, m)
		h.Failed = append(h.Failed, s.failed)
		q.waiting--
		q.held++
		if n--; bad {
			n = 0
		}
	}
	r.next = i
}

// Commit resolves the consuming set, h with it, and takes up to next more messages into h.
// It returns one past the last offset of the set, None when the set is empty (where Java
// throws). The queue's committable offset may be higher, when what follows was filtered
// out, and is lower when a message with a lower offset was cached meanwhile (Java: commit).
func (q *Queue) Commit(now time.Time, h *Hand, next int) (offset int64) {
	var free batches
	offset = None
	q.mu.Lock()
	q.consumed = now.Sub(q.born)
	old := h.turnOver()
	q.held -= len(old)
	for _, m := range old {
		if i, s := q.slotOf(m); s != nil && s.state == consuming {
			offset = max(offset, s.offset+1)
			q.resolve(i, nil)
		}
	}
	for i := 0; q.kept > 0 && i < q.slots.n; i++ {
		if s := q.slots.at(i); s.state == kept {
			offset = max(offset, s.offset+1)
			q.resolve(i, &free)
		}
	}
	if offset != None {
		q.settle()
	}
	q.takeOrdered(now, h, next)
	q.publish()
	idle := q.whenIdle()
	q.mu.Unlock()
	q.releaseAll(old)
	q.letGo(free)
	q.checkWatch()
	idle()
	return offset
}

// Keep leaves what is in h in the consuming set for a later Commit or Rollback, and takes up
// to next more messages into h.
func (q *Queue) Keep(now time.Time, h *Hand, next int) { q.handBack(now, h, keep, next) }

// ConsumeAgain has what is in h wait again, as failed once more; h is empty then
// (Java: makeMessageToConsumeAgain).
func (q *Queue) ConsumeAgain(now time.Time, h *Hand) { q.handBack(now, h, again, 0) }

// Rollback has the whole consuming set wait again, h with it, which is empty then
// (Java: rollback).
func (q *Queue) Rollback(now time.Time, h *Hand) { q.handBack(now, h, rollBack, 0) }

// Untake has what is in h wait again as if it had not been taken; h is empty then.
func (q *Queue) Untake(now time.Time, h *Hand) { q.handBack(now, h, untake, 0) }

// handing is a way to give back what is in a hand without resolving it.
type handing uint8

const (
	keep handing = iota
	again
	untake
	rollBack
)

// handBack gives the references of what is in h to the slots. Messages that the queue has no
// more, since it was cleared, are let go.
func (q *Queue) handBack(now time.Time, h *Hand, how handing, next int) {
	var free batches
	q.mu.Lock()
	q.consumed = now.Sub(q.born)
	old := h.turnOver()
	q.held -= len(old)
	for _, m := range old {
		i, s := q.slotOf(m)
		switch {
		case s == nil || s.state != consuming:
			free.add(m.Batch())
		case how == keep:
			s.state = kept
			q.kept++
		default:
			if how == again {
				s.failed += min(1, math.MaxUint16-s.failed)
			}
			q.wait(i)
		}
	}
	if how == rollBack {
		q.waitKept()
	}
	q.takeOrdered(now, h, next)
	q.publish()
	idle := q.whenIdle()
	q.mu.Unlock()
	q.letGo(free)
	idle()
}

// wait makes slot i wait for a taker.
func (q *Queue) wait(i int) {
	q.slots.at(i).state = waiting
	q.slots.next = min(q.slots.next, i)
	q.waiting++
}

func (q *Queue) waitKept() {
	for i := 0; q.kept > 0 && i < q.slots.n; i++ {
		if q.slots.at(i).state == kept {
			q.kept--
			q.wait(i)
		}
	}
}

// Kept is how many messages were kept for a later Commit.
func (q *Queue) Kept() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.kept
}

// Retire begins to give up an orderly queue: nothing is put in or handed out any more, but
// what a listener has may still be committed. idle is called once, when nobody has messages
// in hand: at once, or by whoever gives the last ones back. It must not block.
func (q *Queue) Retire(idle func()) {
	q.mu.Lock()
	q.retired.Store(true)
	q.idle = idle
	call := q.whenIdle()
	q.mu.Unlock()
	call()
}

// Retired tells whether the queue is being given up.
func (q *Queue) Retired() bool { return q.retired.Load() }

// whenIdle returns what is to be called, without the mutex, after a hand was emptied.
func (q *Queue) whenIdle() func() {
	if q.held > 0 || q.idle == nil {
		return nothing
	}
	idle := q.idle
	q.idle = nil
	return idle
}

func nothing() {}
