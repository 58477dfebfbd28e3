package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

type slotState uint8

const (
	resolving slotState = iota // the answer to ReadOffset is awaited
	unknown                    // the offset could not be read; asked again in the next pass
	assigned
	// Before these, of a queue that needs the broker's lock:
	blocked  // the last owner here is not through with it
	lockless // the lock was not granted; asked for again in the next pass
	locking  // the answer to LockQueues is awaited
)

// locked tells whether the lock is, or was, granted in this state.
func (s slotState) locked() bool { return s <= assigned }

// slot is one queue that is ours (an entry of Java's processQueueTable).
type slot struct {
	epoch     uint64
	state     slotState
	source    event.OffsetSource // asked last
	attempted time.Time          // last pull attempt; before the assignment, when it was asked
	repaired  time.Time          // when an illegal offset was last repaired
	delay     time.Duration      // before the first pull
	trouble   string             // told already
	lock      lock
}

// update makes the slots of t those of mine (Java: updateProcessQueueTableInRebalance):
// first what is not ours any more is given up, or what nobody pulls; then what is new is
// asked for its start offset, and so is what could not be read before.
func (r *Rebalance) update(now time.Time, t *topic, mine []mq.MessageQueue) {
	mine = r.sortedOf(t, mine)
	matched, given, i := 0, 0, 0
	for _, q := range t.held {
		for i < len(mine) && mine[i].Compare(q) < 0 {
			i++
		}
		gone := i == len(mine) || mine[i] != q
		if gone && !r.Decisions.Is(decision.RebalanceOwnerChange, q, !gone, [6]int64{}) {
			r.drop(now, q, event.RevokedByRebalance)
			given++
			continue
		}
		matched++
		if r.expired(now, q, r.slots[q]) {
			r.expire(now, q)
		}
	}
	r.changed(now, t, len(mine)-matched, given)
	t.held = mine
	for _, q := range mine {
		switch s := r.slots[q]; {
		case s == nil && r.Decisions.Is(decision.RebalanceOwnerChange, q, s == nil, [6]int64{}):
			r.claim(now, q, r.cfg.DispatchDelay)
		default:
			r.lookAfter(now, q, s)
		}
	}
}

// changed tells what a pass changed for t. The new subscription version goes out before the
// first pull that carries it, else brokers refuse that (SUBSCRIPTION_NOT_LATEST).
func (r *Rebalance) changed(now time.Time, t *topic, added, given int) {
	r.pass.added += added
	r.pass.given += given
	if added > 0 || given > 0 {
		r.Decisions.Fact(decision.RebalanceAnnounce, nowhere, t.name, [6]int64{int64(added), int64(given)})
		r.tell(now, event.Info, t.name, r.summaryOf(added, given, len(t.listed), t.broker.side == brokerAllots))
		r.do(Announce{Topic: t.name})
	}
}

// sortedOf returns the queues of mine that belong to t, sorted.
func (r *Rebalance) sortedOf(t *topic, mine []mq.MessageQueue) []mq.MessageQueue {
	foreign := func(q mq.MessageQueue) bool { return q.Topic != t.name }
	ready := !slices.ContainsFunc(mine, foreign)
	for i := 1; i < len(mine) && ready; i++ {
		ready = mine[i-1].Compare(mine[i]) < 0
	}
	if ready {
		return mine
	}
	mine = slices.DeleteFunc(slices.Clone(mine), foreign)
	slices.SortFunc(mine, mq.MessageQueue.Compare)
	return slices.Compact(mine)
}

// lookAfter asks again what was not answered well.
func (r *Rebalance) lookAfter(now time.Time, q mq.MessageQueue, s *slot) {
	if s.lock.asking && now.Sub(s.lock.asked) > listPatience { // lost: no call takes that long
		s.lock.asking, s.lock.unsure = false, true
		if s.state == locking {
			s.state = lockless
		}
	}
	switch {
	case s.state == lockless && !r.partedFrom(q):
		r.lockAgain(now, q, s)
	case s.state == unknown:
		r.askLocked(now, q, s)
	}
}

// claim makes q ours under a new epoch and asks for its start offset, or first for its lock.
func (r *Rebalance) claim(now time.Time, q mq.MessageQueue, delay time.Duration) {
	s := &slot{delay: delay}
	r.slots[q] = s
	if r.ordered() {
		r.startLock(now, q, s)
		return
	}
	r.ask(now, q, s)
}

// askLocked asks for the start offset of q, first for its lock where that is needed and not
// held.
func (r *Rebalance) askLocked(now time.Time, q mq.MessageQueue, s *slot) {
	if !r.ordered() || r.trusted(now, q, &s.lock) {
		r.ask(now, q, s)
		return
	}
	s.state = lockless
	r.lockAgain(now, q, s)
}

// drop gives q up. The loop is told only if it ever had the queue.
func (r *Rebalance) drop(now time.Time, q mq.MessageQueue, why event.RevokeReason) {
	s := r.slots[q]
	delete(r.slots, q)
	if s != nil && r.Decisions.On() {
		r.Decisions.Fact(decision.RebalanceDrop, q, why.String(), [6]int64{})
	}
	if s != nil && s.state == assigned {
		r.do(Revoke{Queue: q, Epoch: s.epoch, Why: why})
	}
	if s != nil {
		r.leave(now, q, s)
	}
}

// expired tells whether the request of an assigned queue had no turn, or an offset question
// had no answer, for too long. That does not happen by itself: someone lost it.
func (r *Rebalance) expired(now time.Time, q mq.MessageQueue, s *slot) bool {
	since := s.attempted
	if since.Before(r.awake) {
		since = r.awake
	}
	idle := now.Sub(since)
	return (s.state == resolving || s.state == assigned) &&
		r.Decisions.Is(decision.RebalanceExpired, q, idle > r.cfg.PullIdle, [6]int64{int64(idle), int64(r.cfg.PullIdle)})
}

// expire gives q up as lost; the same pass claims it anew.
func (r *Rebalance) expire(now time.Time, q mq.MessageQueue) {
	what := fmt.Sprintf("not pulled for %v: given up and taken again", r.cfg.PullIdle)
	if r.slots[q].state == resolving {
		what = fmt.Sprintf("start offset not answered for %v: asked again", r.cfg.PullIdle)
	}
	r.tellQueue(now, event.Warn, q, what)
	r.drop(now, q, event.RevokedPullExpired)
}

// dropped takes a queue again at once whose illegal offset was repaired: it is still ours.
// A queue that needs it again within the minimum interval waits for the next pass, so that
// no answer of a broker can make it spin.
func (r *Rebalance) dropped(now time.Time, q mq.MessageQueue) {
	old := r.slots[q]
	if old == nil || old.state != assigned {
		return
	}
	again := !old.repaired.IsZero() && r.Decisions.Is(decision.RebalanceAgain, q, now.Sub(old.repaired) < r.cfg.MinInterval,
		[6]int64{int64(now.Sub(old.repaired)), int64(r.cfg.MinInterval)})
	if again {
		r.slots[q] = &slot{state: unknown, epoch: old.epoch, repaired: now, delay: r.cfg.DispatchDelay, lock: old.lock}
		r.want(now, "offset repaired")
		return
	}
	s := &slot{repaired: now, lock: old.lock}
	r.slots[q] = s
	r.askLocked(now, q, s)
}

func (r *Rebalance) tellQueue(now time.Time, level event.Level, q mq.MessageQueue, what string) {
	r.do(event.Entry{At: now, Level: level, Source: "rebalance", Queue: q, What: what, Count: 1})
}
