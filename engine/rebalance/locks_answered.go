package rebalance

import (
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
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
	for _, q := range e.Queues {
		answer := refused
		switch {
		case e.Err != nil:
			answer = unanswered
		case held[q]:
			answer = granted
		}
		if d := r.locks.leaving[q]; d != nil && d.lock.asking {
			r.leaverAnswered(now, q, d, answer, e.At)
		} else if s := r.slots[q]; s != nil && s.lock.asking {
			s.lock.asking = false
			r.lockAnswered(now, q, s, answer, e)
		}
	}
}

func (r *Rebalance) lockAnswered(now time.Time, q mq.MessageQueue, s *slot, a lockAnswer, e LocksAnswered) {
	switch a {
	case granted:
		broken := s.lock.broken(now, r.cfg.LockLifetime)
		s.lock.grant(e.At)
		r.lockGranted(now, q, s, broken)
	case refused:
		s.lock.refuse()
		r.lockRefused(now, q, s)
	case unanswered:
		s.lock.unsure = true
		r.lockUnanswered(now, q, s, e.Err)
	}
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
		if !r.trusted(now, &s.lock) { // the answer took so long that it says nothing about now
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
			if !r.trusted(now, &s.lock) {
				r.relock(now)
			}
			return
		}
		r.tellQueue(now, event.Warn, q, "lock is back, another member may have had the queue meanwhile: begins anew from the committed offset")
		r.drop(now, q, event.RevokedByRebalance)
		r.claim(now, q, 0)
	default:
	}
}

func (r *Rebalance) lockRefused(now time.Time, q mq.MessageQueue, s *slot) {
	if s.state == assigned {
		r.locks.lost = append(r.locks.lost, q)
		r.lockTrouble(now, event.Warn, q, s, "lock refused, another member has the queue: nothing is pulled, handed over or committed until it is back")
		r.relock(now)
		return
	}
	s.state = lockless
	// Nothing is wrong yet: at a hand-over the last owner finishes what it has.
	r.lockTrouble(now, event.Info, q, s, "waits for the lock, which another member has; the broker does not tell which")
	r.passSoon(now)
}

func (r *Rebalance) lockUnanswered(now time.Time, q mq.MessageQueue, s *slot, err error) {
	if s.state != locking {
		r.lockTrouble(now, event.Warn, q, s, fmt.Sprintf("lock not renewed, it is trusted until it is %v old: %v", r.cfg.LockTrust(), err))
		r.relock(now)
		return
	}
	s.state = lockless
	r.lockTrouble(now, event.Warn, q, s, fmt.Sprintf("waits for the lock: %v", err))
	r.passSoon(now)
}

// lockTrouble tells what is wrong with a lock, unless that was the last thing told of it.
func (r *Rebalance) lockTrouble(now time.Time, level event.Level, q mq.MessageQueue, s *slot, what string) {
	if s.trouble != what {
		s.trouble = what
		r.tellQueue(now, level, q, what)
	}
}
