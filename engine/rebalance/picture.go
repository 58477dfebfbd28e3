package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Owner tells which member the strategy gives queue q, by the last lists seen. With
// BROADCASTING every member has every queue; it tells this one.
func (r *Rebalance) Owner(q mq.MessageQueue) (string, bool) {
	t := r.topics[q.Topic]
	if t == nil || !t.known {
		return "", false
	}
	if r.cfg.Model == mq.Broadcasting {
		_, found := slices.BinarySearchFunc(t.queues, q, mq.MessageQueue.Compare)
		return r.cfg.ClientID, found
	}
	if t.owners == nil {
		t.owners = r.allot(t)
	}
	owner, ok := t.owners[q]
	return owner, ok
}

// allot lets the strategy speak for every member. Where it gives a queue to two, the first
// counts.
func (r *Rebalance) allot(t *topic) map[mq.MessageQueue]string {
	owners := make(map[mq.MessageQueue]string, len(t.queues))
	for _, member := range slices.Compact(slices.Clone(t.listed)) {
		theirs, err := r.cfg.Strategy.Allocate(member, t.queues, t.listed)
		if err != nil {
			continue
		}
		for _, q := range theirs {
			if _, taken := owners[q]; !taken {
				owners[q] = member
			}
		}
	}
	return owners
}

// Members returns the last member list of the group, sorted, and when it was read.
func (r *Rebalance) Members() ([]string, time.Time) { return slices.Clone(r.members), r.membersAt }

// Queues returns the known queues of all subscribed topics, sorted. The slice is shared: it
// is never changed, and must not be.
func (r *Rebalance) Queues() []mq.MessageQueue {
	if r.queues == nil {
		for _, name := range r.cfg.Topics {
			r.queues = append(r.queues, r.topics[name].queues...)
		}
		r.queues = slices.Clip(r.queues)
	}
	return r.queues
}

// Resolving returns the queues that are ours but whose start offset is not known yet, sorted.
func (r *Rebalance) Resolving() []mq.MessageQueue {
	var queues []mq.MessageQueue
	for _, name := range r.cfg.Topics {
		for _, q := range r.topics[name].held {
			if s := r.slots[q]; s != nil && s.state != assigned {
				queues = append(queues, q)
			}
		}
	}
	return queues
}

// LastPass says when the last pass ended and, in a few words, what it did.
func (r *Rebalance) LastPass() (time.Time, string) { return r.pass.ended, r.pass.said }

func (r *Rebalance) summary() string {
	p := &r.pass
	text := fmt.Sprintf("%s (%s)", r.summaryOf(p.added, p.given, len(r.members)), p.why)
	if p.note != "" {
		text += "; " + p.note
	}
	return text
}

func (r *Rebalance) summaryOf(added, given, members int) string {
	manner := r.cfg.Strategy.Name() + " over " + count(members, "member")
	if r.cfg.Model == mq.Broadcasting {
		manner = "all queues, BROADCASTING"
	}
	return fmt.Sprintf("+%d -%d queues, %s", added, given, manner)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Lock is what is known of the broker's lock of q; false when q is not ours and not being
// given up, or no queue needs a lock. The tries to give it up are counted elsewhere.
func (r *Rebalance) Lock(q mq.MessageQueue) (snapshot.Lock, bool) {
	var l *lock
	waits := false
	if s := r.slots[q]; s != nil && s.state != blocked {
		l, waits = &s.lock, !s.state.locked()
	} else if d := r.locks.leaving[q]; d != nil {
		l = &d.lock
	}
	if l == nil || !r.ordered() {
		return snapshot.Lock{}, false
	}
	view := snapshot.Lock{LockedAt: l.at, Waits: waits, RenewAt: r.locks.renewAt}
	switch {
	case l.held:
		view.Broker = snapshot.LockMine
		view.ClientUntil, view.BrokerUntil = l.at.Add(r.cfg.LockTrust()), l.at.Add(r.cfg.LockLifetime)
	case l.refused:
		view.Broker = snapshot.LockRefused
	}
	if waits {
		view.RenewAt, _ = r.passDue()
	} else if at := r.locks.relockAt; !at.IsZero() && at.Before(view.RenewAt) && l.inTrouble() {
		view.RenewAt = at
	}
	return view, true
}

// LockTimes are the times that rule locks: how long we trust one, how long a broker keeps
// one, and how often they are renewed; false when no queue needs a lock.
func (r *Rebalance) LockTimes() (trust, lifetime, interval time.Duration, ok bool) {
	return r.cfg.LockTrust(), r.cfg.LockLifetime, r.cfg.LockInterval, r.ordered()
}
