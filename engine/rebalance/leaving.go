package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// departure is a queue that is not ours any more but whose lock may be: it is given back
// only when nobody here works on the queue.
type departure struct {
	epoch  uint64
	phase  departurePhase
	since  time.Time // when it came into its phase
	forced bool
	lock   lock
}

type departurePhase uint8

const (
	working   departurePhase = iota // revoked, Released is awaited
	answering                       // the answer to a LockQueues is awaited
	freeing                         // the answer to an UnlockQueues is awaited
	doubtful                        // the UnlockQueues was lost: it may still reach the broker
)

// leave follows drop: the lock of q is given back as soon as that is safe
// (Java: RebalancePushImpl.removeUnnecessaryMessageQueue).
func (r *Rebalance) leave(now time.Time, q mq.MessageQueue, s *slot) {
	// Of a blocked one the old departure goes on; when all ends, stopLocks does it.
	if !r.ordered() || r.stopped || s.state == blocked {
		r.Decisions.Is(decision.RebalanceRemove, q, true, [6]int64{})
		return
	}
	held := s.state == assigned || s.lock.mayBeHeld()
	if r.Decisions.Is(decision.RebalanceRemove, q, !held, [6]int64{}) {
		return
	}
	d := &departure{epoch: s.epoch, since: now, lock: s.lock}
	switch {
	case s.state == assigned:
		d.phase = working
	case s.lock.asking:
		d.phase = answering
	default:
		r.free(now, q, d)
	}
	r.locks.leaving[q] = d
}

// free gives the lock of q back.
func (r *Rebalance) free(now time.Time, q mq.MessageQueue, d *departure) {
	d.phase, d.since = freeing, now
	r.locks.freed = append(r.locks.freed, q)
}

// released takes in that the loop is through with a queue. When it is ours again already,
// the lock is kept.
func (r *Rebalance) released(now time.Time, e Released) {
	d := r.locks.leaving[e.Queue]
	if d == nil || d.phase != working || d.epoch != e.Epoch {
		return
	}
	r.Decisions.Fact(decision.RebalanceReleased, e.Queue, "", [6]int64{int64(now.Sub(d.since))})
	s := r.slots[e.Queue]
	if r.Decisions.Is(decision.RebalanceReturned, e.Queue, s != nil && s.state == blocked && !r.partedFrom(e.Queue), [6]int64{}) {
		delete(r.locks.leaving, e.Queue)
		s.lock, s.state = d.lock, lockless
		r.lockAgain(now, e.Queue, s)
		return
	}
	switch {
	case d.lock.asking:
		d.phase, d.since = answering, now
	case d.lock.mayBeHeld():
		r.free(now, e.Queue, d)
	default:
		r.departed(now, e.Queue)
	}
}

// leaverAnswered takes the answer about the lock of a queue that is being given up. One that
// was lost may have been granted all the same: the lock is given back to be sure.
func (r *Rebalance) leaverAnswered(now time.Time, q mq.MessageQueue, d *departure, a lockAnswer, at time.Time) {
	d.lock.asking = false
	switch a {
	case granted:
		d.lock.grant(at)
	case refused:
		d.lock.refuse()
	case unanswered:
		d.lock.unsure = true
	}
	switch {
	case d.phase == working:
		if a == granted {
			r.locks.held = append(r.locks.held, q)
		} else if a == refused {
			r.locks.lost = append(r.locks.lost, q)
		}
	case a == refused:
		r.departed(now, q)
	default:
		r.free(now, q, d)
	}
}

// locksFreed ends departures. An unlock that was lost costs the next owner some patience.
func (r *Rebalance) locksFreed(now time.Time, e LocksFreed) {
	if e.Err != nil {
		r.tell(now, event.Warn, e.Broker, fmt.Sprintf("%s not given back, the next owners wait up to %v: %v", count(len(e.Queues), "lock"), r.cfg.LockLifetime, e.Err))
	}
	for _, q := range e.Queues {
		d := r.locks.leaving[q]
		switch {
		case d == nil || d.phase != freeing:
		case !r.Decisions.Is(decision.LockGone, q, e.Err == nil, [6]int64{}):
			d.phase, d.since = doubtful, now
		default:
			r.departed(now, q)
		}
	}
}

// departed lets the next assignment of q begin, if there is one.
func (r *Rebalance) departed(now time.Time, q mq.MessageQueue) {
	delete(r.locks.leaving, q)
	if s := r.slots[q]; s != nil && s.state == blocked {
		s.state = lockless
		if !r.partedFrom(q) {
			r.lockAgain(now, q, s)
		}
	}
}

// remind has each pass try again to give up what a listener holds up, and ends departures
// whose answer was lost.
func (r *Rebalance) remind(now time.Time) {
	for _, q := range r.leavers() {
		switch d := r.locks.leaving[q]; {
		case d.phase == working:
			if since := now.Sub(d.since); since < unlockDelay {
				r.mustForce(q, since)
			}
			r.do(Release{Queue: q, Epoch: d.epoch})
		case d.phase != doubtful && now.Sub(d.since) > listPatience:
			d.phase, d.since = doubtful, now
		}
	}
}

func (r *Rebalance) force(now time.Time, q mq.MessageQueue, d *departure) {
	d.forced = true
	r.tellQueue(now, event.Error, q, fmt.Sprintf("listener still has messages %v after the queue was given up: the lock is given back all the same, another member may overlap", unlockDelay))
	r.do(Release{Queue: q, Epoch: d.epoch, Force: true})
}

// leavers are the queues being given up, sorted.
func (r *Rebalance) leavers() []mq.MessageQueue {
	if len(r.locks.leaving) == 0 {
		return nil
	}
	queues := make([]mq.MessageQueue, 0, len(r.locks.leaving))
	for q := range r.locks.leaving {
		queues = append(queues, q)
	}
	slices.SortFunc(queues, mq.MessageQueue.Compare)
	return queues
}

// stopLocks gives back whatever may be locked, when the consumer ends.
func (r *Rebalance) stopLocks() {
	for q, d := range r.locks.leaving {
		if d.phase != freeing && d.lock.mayBeHeld() {
			r.locks.freed = append(r.locks.freed, q)
		}
	}
	for q, s := range r.slots {
		if s.state != blocked && s.lock.mayBeHeld() {
			r.locks.freed = append(r.locks.freed, q)
		}
	}
}
