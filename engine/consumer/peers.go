package consumer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// peersLane is where other members are asked: nothing else waits for their answers.
const peersLane = "other members"

// peersStep lets the watch over other members take e and carries out what it decides.
func (m *membership) peersStep(now time.Time, e event.Event) {
	for _, a := range m.peers.Step(now, e) {
		switch a := a.(type) {
		case rebalance.AskGroup:
			m.askGroup()
		case rebalance.AskPeer:
			m.askPeer(a.ClientID)
		case event.Entry:
			m.add(a)
		}
	}
}

// peersTick asks what is due.
func (m *membership) peersTick(now time.Time) {
	if due, ok := m.peersDue(); ok && !due.After(now) {
		m.peersStep(now, event.Tick{})
	}
}

func (m *membership) peersDue() (time.Time, bool) {
	if !m.running {
		return time.Time{}, false
	}
	return m.peers.NextDue()
}

// aTopic is a topic whose brokers know the group.
func (m *membership) aTopic() string {
	for _, topic := range m.subs.topics() {
		if _, known := m.routeQueues(topic); known && !mq.IsRetryTopic(topic) {
			return topic
		}
	}
	return ""
}

func (m *membership) askPeer(id string) {
	topic := m.aTopic()
	m.call(peersLane, func(ctx context.Context) {
		e := rebalance.PeerTold{ClientID: id}
		e.Info, e.Err = m.client.MemberInfo(ctx, topic, m.group, id)
		m.inbox.post(e)
	})
}

func (m *membership) askGroup() {
	topic, ours := m.aTopic(), m.subs.told()
	m.call(peersLane, func(ctx context.Context) {
		c, err := m.client.GroupConnection(ctx, topic, m.group)
		e := rebalance.GroupTold{Ours: ours, Err: err}
		for _, topic := range slices.Sorted(maps.Keys(c.SubscriptionTable)) {
			e.Theirs = append(e.Theirs, c.SubscriptionTable[topic])
		}
		m.inbox.post(e)
	})
}

// picturePeer completes what a snapshot says of another member.
func (m *membership) picturePeer(s *snapshot.Member) {
	if s.Me {
		s.Told = snapshot.NA[time.Time]()
		return
	}
	s.Differs, s.Told = m.peers.Differs(s.ID)
}

// pictureUnread says of a queue that is allotted to another member that nobody reads it, where
// that member does not subscribe to its topic.
func (m *membership) pictureUnread(s *snapshot.Queue) {
	if s.Owner.OK() && !s.Mine && m.peers.Unread(s.Owner.V, s.ID.Topic) {
		s.Mark, s.Note, s.Unread = snapshot.MarkBad, unreadNote, true
	}
}

const unreadNote = "read by nobody: its owner does not subscribe to the topic"

// believers are the members that take themselves for the owner of the lock of one of our
// queues, which this one does if it holds it.
func (l *loop) believers(o *owned, now time.Time, held bool) []string {
	var since time.Time
	if held {
		since = o.served.assigned
	}
	return l.peers.Believers(now, o.id, since, l.lockTrust())
}

// tellTwoOwners tells once of each of our queues that another member believes to own as well.
func (l *loop) tellTwoOwners(now time.Time) {
	if !l.locked() {
		return
	}
	for _, q := range l.order {
		o := l.queues[q]
		ids := l.believers(o, now, o.pq.HoldsLock(now, l.lockTrust()))
		switch {
		case len(ids) < 2:
			delete(l.twoOwners, q)
		case !l.twoOwners[q]:
			if l.twoOwners == nil {
				l.twoOwners = map[mq.MessageQueue]bool{}
			}
			l.twoOwners[q] = true
			l.noteQueue(now, event.Error, "rebalance", q, fmt.Sprintf("%q believe to hold its lock: it is consumed twice, and out of order; "+
				"look for a broker that restarted or a member that was suspended, and restart the one that is wrong", ids))
		}
	}
}
