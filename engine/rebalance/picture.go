package rebalance

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Owner tells which member the strategy gives queue q, by the last lists seen. With
// BROADCASTING every member has every queue; it tells this one. Where the broker allots, only
// ours are certain: others follow from the strategy as long as it agrees with the broker on ours.
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
		t.owners = r.ownersOf(t)
	}
	owner, ok := t.owners[q]
	return owner, ok
}

func (r *Rebalance) ownersOf(t *topic) map[mq.MessageQueue]string {
	theirs := r.sharesOf(t)
	if t.broker.side == brokerAllots && !slices.Equal(r.sortedOf(t, theirs[r.cfg.ClientID]), t.held) {
		theirs = map[string][]mq.MessageQueue{r.cfg.ClientID: t.held}
	}
	owners := make(map[mq.MessageQueue]string, len(t.queues))
	for _, member := range slices.SortedFunc(maps.Keys(theirs), mq.CompareJava) {
		for _, q := range theirs[member] {
			if _, taken := owners[q]; !taken { // where two have it the first counts
				owners[q] = member
			}
		}
	}
	return owners
}

// sharesOf is what the strategy gives every member. Of a strategy that can not serve one of
// them it is what the others get.
func (r *Rebalance) sharesOf(t *topic) map[string][]mq.MessageQueue {
	if t.shares != nil || len(t.queues) == 0 || len(t.listed) == 0 {
		return t.shares
	}
	var err error
	if t.shares, err = shares(r.cfg.Strategy, t.queues, t.listed); err == nil {
		return t.shares
	}
	t.shares = map[string][]mq.MessageQueue{}
	for _, member := range t.listed {
		if theirs, err := r.cfg.Strategy.Allocate(member, t.queues, t.listed); err == nil {
			t.shares[member] = theirs
		}
	}
	return t.shares
}

// AllottedBy says who allots the queues of a topic: the name of the strategy, "broker", or
// "all" with BROADCASTING; and why not the broker, or not yet, where it was to. Empty: nobody
// does yet.
func (r *Rebalance) AllottedBy(topic string) (who, why string) {
	t := r.topics[topic]
	switch {
	case t == nil:
		return "", ""
	case r.cfg.Model == mq.Broadcasting:
		return "all", r.cfg.whyNotBrokers()
	case t.broker.side == brokerTried:
		return "", "asks the broker"
	case t.broker.side == brokerAllots:
		return "broker", ""
	case t.broker.why != "":
		return r.cfg.Strategy.Name(), t.broker.why
	}
	return r.cfg.Strategy.Name(), r.cfg.whyNotBrokers()
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
	text := fmt.Sprintf("%s (%s)", r.summaryOf(p.added, p.given, len(r.members), r.brokersAllot()), p.why)
	if p.note != "" {
		text += "; " + p.note
	}
	return text
}

func (r *Rebalance) summaryOf(added, given, members int, byBroker bool) string {
	manner := r.cfg.Strategy.Name() + " over " + count(members, "member")
	switch {
	case r.cfg.Model == mq.Broadcasting:
		manner = "all queues, BROADCASTING"
	case byBroker:
		manner = "by the broker, told " + r.cfg.Strategy.Name()
	}
	return fmt.Sprintf("+%d -%d queues, %s", added, given, manner)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Lock is what is known of the broker's lock of q; that of a queue which is neither ours nor
// being given up is unknown. The tries to give it up are counted elsewhere. GrantedAt is when
// a lock that was granted was asked for.
func (r *Rebalance) Lock(q mq.MessageQueue) snapshot.Lock {
	if !r.ordered() {
		return snapshot.Lock{}
	}
	view := snapshot.Lock{Used: true, ClientLease: r.cfg.LockTrust(), BrokerLease: r.cfg.LockLifetime}
	var l *lock
	if s := r.slots[q]; s != nil && s.state != blocked {
		l = &s.lock
		view.RenewAt = r.locks.renewAt
		if at, ok := r.locks.parted[q]; ok {
			view.RenewAt = at
		} else if s.state == lockless {
			view.RenewAt, _ = r.passDue()
		} else if at := r.locks.relockAt; !at.IsZero() && at.Before(view.RenewAt) && s.state.locked() && l.inTrouble() {
			view.RenewAt = at
		}
	} else if d := r.locks.leaving[q]; d != nil {
		l = &d.lock
		if d.phase == working {
			view.RenewAt = r.locks.renewAt
		}
	} else {
		return view
	}
	view.GrantedAt = l.at
	switch {
	case l.held:
		view.BrokerSays = snapshot.LockMine
	case l.refused:
		view.BrokerSays = snapshot.LockRefused
	}
	return view
}

// WaitsForLock tells whether q is allotted to us and only its lock is missing.
func (r *Rebalance) WaitsForLock(q mq.MessageQueue) bool {
	s := r.slots[q]
	return s != nil && !s.state.locked()
}
