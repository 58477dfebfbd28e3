package rebalance

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// Times of the broker's queue locks that are not configured.
const (
	// firstRenewal is when locks are renewed first, after the first pass
	// (Java: ConsumeMessageOrderlyService.start).
	firstRenewal = time.Second
	// lockRetry is the wait before a pass asks again for a lock that was not granted; the
	// minimum interval between passes makes it longer (Java: RebalanceImpl, 500 ms).
	lockRetry = 500 * time.Millisecond
	// relockDelay is the wait before a lock is asked for again that could not be renewed
	// (Java: ConsumeMessageOrderlyService.tryLockLaterAndReconsume, 3000 ms).
	relockDelay = 3 * time.Second
	// unlockDelay is how long a listener may hold up that its queue is given up
	// (Java: RebalancePushImpl.UNLOCK_DELAY_TIME_MILLS).
	unlockDelay = 20 * time.Second
	// unlockDoubt is how long an unlock without answer may still be on its way: a lock that
	// was granted before it arrives would be freed by it. Brokers forget requests that wait
	// for longer than 5 s.
	unlockDoubt = 10 * time.Second
)

type (
	// LockQueues asks the master of Broker for its locks of queues, or to renew them. Each is
	// answered by one LocksAnswered with the same queues.
	LockQueues struct {
		Broker string
		Queues []mq.MessageQueue // sorted
	}
	// UnlockQueues gives locks back. Each is answered by one LocksFreed with the same queues:
	// until then no lock is asked for, which a late unlock would free.
	UnlockQueues struct {
		Broker string
		Queues []mq.MessageQueue // sorted
	}
	// LocksHeld says of assigned queues that their lock was granted; it was asked for at At.
	LocksHeld struct {
		Queues []mq.MessageQueue
		At     time.Time
	}
	// LocksLost says of assigned queues that their lock was refused: nothing may be handed
	// over or committed.
	LocksLost struct{ Queues []mq.MessageQueue }
	// Release reminds of a Revoke that was not answered by Released yet; with Force the
	// loop must not wait for the listener any longer.
	Release struct {
		Queue mq.MessageQueue
		Epoch uint64
		Force bool
	}
)

// LocksAnswered is the event that a LockQueues was answered. At is when it was sent: the
// broker's time runs from some moment after it. Granted are those of Queues that are held
// now. With Err nothing is known.
type LocksAnswered struct {
	Broker          string
	Queues, Granted []mq.MessageQueue
	At              time.Time
	Err             error
}

// LocksFreed is the event that an UnlockQueues was answered, or lost.
type LocksFreed struct {
	Broker string
	Queues []mq.MessageQueue
	Err    error
}

// Released is the event that nothing is done with a revoked queue any more: its listener has
// returned and what it did is committed.
type Released struct {
	Queue mq.MessageQueue
	Epoch uint64
}

// lock is what is known of the broker's lock of one queue.
type lock struct {
	asking  bool      // a LockQueues with it is out
	asked   time.Time // when that was sent
	held    bool      // granted, and not refused since
	refused bool      // at the last answer
	unsure  bool      // the last answer was lost: the broker may have granted it
	at      time.Time // when the last one granted was asked for
}

// locks is the state of orderly consumption, part of Rebalance.
type locks struct {
	leaving  map[mq.MessageQueue]*departure
	renewAt  time.Time // of all locks
	relockAt time.Time // of those that are in trouble, zero when none is
	// parted are queues whose lock was released by hand, and when it is asked for again.
	parted map[mq.MessageQueue]time.Time

	// In the present step, by the queues' order of coming up:
	wanted, freed, held, lost []mq.MessageQueue
}

// ordered tells whether queues need the broker's lock.
func (r *Rebalance) ordered() bool { return r.cfg.Orderly && r.cfg.Model == mq.Clustering }

// trusted tells whether the lock is young enough to hand messages over.
func (r *Rebalance) trusted(now time.Time, q mq.MessageQueue, l *lock) bool {
	if !l.held {
		return false
	}
	age := processqueue.LockAge(now, l.at)
	return r.Decisions.Is(decision.LockTrusted, q, age <= r.cfg.LockTrust(), [6]int64{int64(age), int64(r.cfg.LockTrust())})
}

// wantLock asks for the lock of q, for the first time or again.
func (r *Rebalance) wantLock(now time.Time, q mq.MessageQueue, l *lock) {
	if l.asking {
		return
	}
	r.Decisions.Fact(decision.LockAsked, q, "", [6]int64{decision.Bool(l.held)})
	l.asking, l.asked = true, now
	r.locks.wanted = append(r.locks.wanted, q)
}

// startLock is the first thing that a new queue needs.
func (r *Rebalance) startLock(now time.Time, q mq.MessageQueue, s *slot) {
	if d := r.locks.leaving[q]; d != nil {
		if r.Decisions.Is(decision.LockBlocked, q, d.phase != answering, [6]int64{}) {
			s.state = blocked // until the last owner here is through with it
			return
		}
		s.lock = d.lock
		delete(r.locks.leaving, q)
	}
	s.state = lockless
	r.lockAgain(now, q, s)
}

// lockAgain asks for the lock of a queue that waits for it.
func (r *Rebalance) lockAgain(now time.Time, q mq.MessageQueue, s *slot) {
	if s.state == lockless {
		s.state = locking
	}
	r.wantLock(now, q, &s.lock)
}

// locksDue is when locks want a step without an event.
func (r *Rebalance) locksDue() (due time.Time, ok bool) {
	k := &r.locks
	if !r.ordered() || r.stopped || k.renewAt.IsZero() {
		return due, false
	}
	consider := func(at time.Time) {
		if !ok || at.Before(due) {
			due, ok = at, true
		}
	}
	if len(r.slots)+len(k.leaving) > 0 {
		consider(k.renewAt)
	}
	if !k.relockAt.IsZero() {
		consider(k.relockAt)
	}
	for _, at := range k.parted {
		consider(at)
	}
	for _, d := range k.leaving {
		switch {
		case d.phase == working && !d.forced:
			consider(d.since.Add(unlockDelay))
		case d.phase == doubtful:
			consider(d.since.Add(unlockDoubt))
		}
	}
	return due, ok
}

// runLocks does what is due: it renews all locks, asks again for those in trouble, and ends
// the patience with listeners of queues that were given up.
func (r *Rebalance) runLocks(now time.Time) {
	k := &r.locks
	if !r.ordered() || k.renewAt.IsZero() {
		return
	}
	renew := !k.renewAt.After(now)
	relock := !k.relockAt.IsZero() && !k.relockAt.After(now)
	if renew {
		k.renewAt = now.Add(r.cfg.LockInterval)
	}
	if renew || relock {
		r.Decisions.Fact(decision.LockDue, nowhere, "", [6]int64{decision.Bool(renew), decision.Bool(relock), int64(r.cfg.LockInterval)})
		k.relockAt = time.Time{}
		for _, name := range r.cfg.Topics {
			for _, q := range r.topics[name].held {
				s := r.slots[q]
				if s != nil && s.state.locked() && (renew || s.lock.inTrouble()) {
					r.wantLock(now, q, &s.lock)
				}
			}
		}
	}
	r.rejoin(now)
	for _, q := range r.leavers() {
		d := r.locks.leaving[q]
		since := now.Sub(d.since)
		if d.phase == doubtful && since >= unlockDoubt &&
			r.Decisions.Is(decision.LockDoubt, q, since >= unlockDoubt, [6]int64{int64(since), int64(unlockDoubt)}) {
			r.departed(now, q)
		}
		if d.phase != working {
			continue
		}
		if renew {
			r.wantLock(now, q, &d.lock)
		}
		if !d.forced && since >= unlockDelay && r.mustForce(q, since) {
			r.force(now, q, d)
		}
	}
}

// mustForce tells whether a listener has held up for too long that its queue is given up. It is
// asked with each pass, and when the time has come.
func (r *Rebalance) mustForce(q mq.MessageQueue, since time.Duration) bool {
	return r.Decisions.Is(decision.LockForced, q, since >= unlockDelay, [6]int64{int64(since), int64(unlockDelay)})
}

// inTrouble tells whether the last answer was no grant.
func (l *lock) inTrouble() bool { return !l.held || l.unsure }

// relock makes locks that could not be renewed be asked for again soon.
func (r *Rebalance) relock(now time.Time) {
	if at := now.Add(relockDelay); r.locks.relockAt.IsZero() || at.Before(r.locks.relockAt) {
		r.locks.relockAt = at
	}
}

// passSoon has the next pass ask again for locks that were not granted.
func (r *Rebalance) passSoon(now time.Time) {
	p := &r.pass
	p.balanced = false
	soon := now.Add(lockRetry)
	if first := p.started.Add(r.cfg.MinInterval); first.After(soon) {
		soon = first
	}
	r.sooner(now, soon)
}
