package rebalance

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// answer is what a broker said about one lock.
type lockAnswer uint8

const (
	granted lockAnswer = iota
	refused
	unanswered
)

// locksAnswered takes the answer for each queue by itself: granted, refused, or nothing
// known, which changes nothing (Java: RebalanceImpl.lock and lockAll).
func (r *Rebalance) locksAnswered(now time.Time, e LocksAnswered) {
	held := make(map[mq.MessageQueue]bool, len(e.Granted))
	for _, q := range e.Granted {
		held[q] = true
	}
	var troubled []mq.MessageQueue // anew, for one reason
	for _, q := range e.Queues {
		answer := refused
		d, s := r.locks.leaving[q], r.slots[q]
		leaves := d != nil && d.lock.asking
		if !leaves && (s == nil || !s.lock.asking) {
			continue // nobody waits for it any more
		}
		switch {
		case e.Err != nil:
			answer = unanswered
			if r.Decisions.On() {
				r.Decisions.Fact(decision.LockUnanswered, q, e.Err.Error(), [6]int64{})
			}
		case r.Decisions.Is(decision.LockGranted, q, held[q], [6]int64{}):
			answer = granted
		}
		if leaves {
			r.leaverAnswered(now, q, d, answer, e.At)
			continue
		}
		s.lock.asking = false
		if r.lockAnswered(now, q, s, answer, e.At) {
			troubled = append(troubled, q)
		}
	}
	r.tellLocks(now, e, troubled)
}

// lockAnswered takes the answer about one queue; true when it begins to wait for its lock, or
// to miss its renewal.
func (r *Rebalance) lockAnswered(now time.Time, q mq.MessageQueue, s *slot, a lockAnswer, at time.Time) (trouble bool) {
	switch a {
	case granted:
		broken := s.state == assigned && r.Decisions.Is(decision.LockBroken, q, s.lock.broken(now, r.cfg.LockLifetime),
			[6]int64{decision.Bool(s.lock.refused), int64(now.Sub(s.lock.at)), int64(r.cfg.LockLifetime)})
		s.lock.grant(at)
		r.lockGranted(now, q, s, broken)
	case refused:
		s.lock.refuse()
		trouble = r.lockRefused(now, q, s)
	case unanswered:
		s.lock.unsure = true
		trouble = r.lockUnanswered(now, q, s)
	}
	return trouble
}

func (l *lock) grant(at time.Time) {
	l.held, l.refused, l.unsure = true, false, false
	if at.After(l.at) {
		l.at = at
	}
}

func (l *lock) refuse() { l.held, l.refused, l.unsure = false, true, false }

// mayBeHeld tells whether the broker may keep the lock for us.
func (l *lock) mayBeHeld() bool { return l.held || l.unsure || l.asking }

// broken tells whether another member may have had the lock since it was last granted.
func (l *lock) broken(now time.Time, lifetime time.Duration) bool {
	return l.refused || now.Sub(l.at) > lifetime
}

// lockGranted goes on with what the lock was needed for. A queue that is assigned and whose
// lock was away for a while begins anew, from what is committed now: what is cached may have
// been consumed by another member, and more.
func (r *Rebalance) lockGranted(now time.Time, q mq.MessageQueue, s *slot, broken bool) {
	switch s.state {
	case locking:
		if !r.trusted(now, q, &s.lock) { // the answer took so long that it says nothing about now
			s.state = lockless
			r.passSoon(now)
			return
		}
		s.trouble = ""
		r.ask(now, q, s)
	case assigned:
		s.trouble = ""
		if !broken {
			r.locks.held = append(r.locks.held, q)
			if !r.trusted(now, q, &s.lock) {
				r.relock(now)
			}
			r.Decisions.Fact(decision.LockRenewed, q, "", [6]int64{int64(r.cfg.LockTrust() - processqueue.LockAge(now, s.lock.at))})
			return
		}
		r.tellQueue(now, event.Warn, q, "lock is back, another member may have had the queue meanwhile: begins anew from the committed offset")
		r.drop(now, q, event.RevokedByRebalance)
		r.claim(now, q, 0)
	default:
	}
}

// What may be wrong with the lock of a queue, as slot.trouble remembers it.
const (
	lockIsAway    = "lock away"
	lockIsLate    = "lock not renewed"
	lockIsMissing = "waits for its lock"
)

func (r *Rebalance) lockRefused(now time.Time, q mq.MessageQueue, s *slot) (trouble bool) {
	if s.state != assigned {
		s.state = lockless
		r.passSoon(now)
		r.Decisions.Fact(decision.LockWaits, q, "", [6]int64{int64(r.pass.next.Sub(now))})
		return s.troubles(lockIsMissing)
	}
	r.Decisions.Fact(decision.LockLost, q, "", [6]int64{int64(relockDelay)})
	r.locks.lost = append(r.locks.lost, q)
	r.relock(now)
	if s.troubles(lockIsAway) {
		r.tellQueue(now, event.Warn, q, "lock refused, another member has the queue: nothing is pulled, handed over or committed until it is back")
	}
	return false
}

func (r *Rebalance) lockUnanswered(now time.Time, q mq.MessageQueue, s *slot) (trouble bool) {
	if s.state == locking {
		s.state = lockless
		r.passSoon(now)
		r.Decisions.Fact(decision.LockWaits, q, "", [6]int64{int64(r.pass.next.Sub(now))})
		return s.troubles(lockIsMissing)
	}
	r.relock(now)
	return s.troubles(lockIsLate)
}

// troubles notes trouble and tells whether it is another one than that noted last.
func (s *slot) troubles(what string) bool {
	if s.trouble == what {
		return false
	}
	s.trouble = what
	return true
}

// tellLocks tells once of all queues that one answer brought into trouble.
func (r *Rebalance) tellLocks(now time.Time, e LocksAnswered, queues []mq.MessageQueue) {
	if len(queues) == 0 {
		return
	}
	locks := "lock"
	if len(queues) > 1 {
		locks = fmt.Sprintf("locks of %d queues", len(queues))
	}
	level, what := event.Info, fmt.Sprintf("waits for the %s, which another member has; the broker does not tell which", locks)
	switch s := r.slots[queues[0]]; {
	case e.Err != nil && s.trouble == lockIsLate:
		level, what = event.Warn, fmt.Sprintf("%s not renewed, trusted until %v old: %v", locks, r.cfg.LockTrust(), e.Err)
	case e.Err != nil:
		level, what = event.Warn, fmt.Sprintf("waits for the %s: %v", locks, e.Err)
	}
	if len(queues) == 1 {
		r.tellQueue(now, level, queues[0], what)
		return
	}
	r.tell(now, level, e.Broker, what)
}
