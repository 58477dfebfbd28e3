package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// ReleaseLock is the event that a person wants the lock of an assigned queue given back, so
// that another member that waits for it may have it. No Java client has it.
type ReleaseLock struct{ Queue mq.MessageQueue }

// releaseLock gives a queue up as a hand-over does: what runs is finished and committed before
// the lock goes back. The queue stays allotted to us, so its lock is asked for again, but not
// before one interval of renewals has passed.
func (r *Rebalance) releaseLock(now time.Time, q mq.MessageQueue) {
	s := r.slots[q]
	held := s != nil && s.state == assigned && s.lock.held
	may := r.Decisions.Is(decision.LockByHand, q, held && r.ordered(), [6]int64{decision.Bool(held)})
	switch {
	case !r.ordered():
		r.tellQueue(now, event.Warn, q, "lock not released: this consumer uses no locks")
		return
	case !may:
		r.tellQueue(now, event.Warn, q, "lock not released: it is not held here now")
		return
	}
	wait := r.cfg.LockInterval
	r.tellQueue(now, event.Info, q, fmt.Sprintf("lock is released by hand; asked for again in %v", wait))
	r.drop(now, q, event.RevokedByHand)
	r.slots[q] = &slot{state: blocked}
	if r.locks.parted == nil {
		r.locks.parted = map[mq.MessageQueue]time.Time{}
	}
	r.locks.parted[q] = now.Add(wait)
	r.Decisions.Fact(decision.LockParted, q, "", [6]int64{int64(wait)})
}

// partedFrom tells whether q's lock was released by hand and is not asked for again yet.
func (r *Rebalance) partedFrom(q mq.MessageQueue) bool {
	_, ok := r.locks.parted[q]
	return ok
}

// rejoin asks again for the locks whose time has come.
func (r *Rebalance) rejoin(now time.Time) {
	var due []mq.MessageQueue
	for q, at := range r.locks.parted {
		if !at.After(now) {
			due = append(due, q)
		}
	}
	slices.SortFunc(due, mq.MessageQueue.Compare)
	for _, q := range due {
		delete(r.locks.parted, q)
		if s := r.slots[q]; s != nil && s.state == lockless {
			r.lockAgain(now, q, s)
		}
	}
}
