package embedded

import (
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// member is one client of a group: one for each connection, whatever the client id says
// (Java: ClientChannelInfo).
type member struct {
	peer     Peer
	clientID string
	language remoting.Language
	version  int32
	seen     time.Time // last heartbeat
}

// consumerGroup is a group with at least one connection (Java: ConsumerGroupInfo). What is
// said of the group as a whole is what the last heartbeat said.
type consumerGroup struct {
	name          string
	consumeType   mq.ConsumeType
	model         mq.MessageModel
	from          mq.ConsumeFromWhere
	fingerprint   int32
	hasPrint      bool
	members       []*member // in the order of their arrival
	subscriptions map[string]protocol.SubscriptionData
}

type producerGroup struct{ members []*member }

func find(members []*member, p Peer) *member {
	for _, m := range members {
		if m.peer == p {
			return m
		}
	}
	return nil
}

// register notes a consumer heartbeat, with its subscriptions unless they were left out, and
// tells whether members must know (Java: ConsumerManager.registerConsumer, …WithoutSub).
func (b *Broker) register(r *Request, clientID string, d *protocol.ConsumerData, withSubs bool) (changed bool) {
	g := b.consumers[d.GroupName]
	if g == nil {
		g = &consumerGroup{name: d.GroupName, subscriptions: map[string]protocol.SubscriptionData{}}
		b.consumers[d.GroupName] = g
	}
	added := g.join(r, clientID)
	g.consumeType, g.model, g.from = d.ConsumeType, d.MessageModel, d.ConsumeFromWhere
	return withSubs && g.merge(d.SubscriptionDataSet) || added
}

// join adds the connection or refreshes it.
func (g *consumerGroup) join(r *Request, clientID string) (added bool) {
	m := find(g.members, r.peer)
	if m == nil {
		m = &member{peer: r.peer}
		g.members = append(g.members, m)
		added = true
	}
	m.clientID, m.language, m.version, m.seen = clientID, r.Cmd.Language, r.Cmd.Version, r.state.now
	return added
}

// merge takes over the subscriptions of one member for the whole group: topics come and go
// with each heartbeat, of one topic the newest version counts. Only topics count as a change.
func (g *consumerGroup) merge(subs []protocol.SubscriptionData) (changed bool) {
	for _, sub := range subs {
		old, ok := g.subscriptions[sub.Topic]
		if !ok || sub.SubVersion > old.SubVersion {
			g.subscriptions[sub.Topic] = sub
		}
		changed = changed || !ok
	}
	for topic := range g.subscriptions {
		if !slices.ContainsFunc(subs, func(s protocol.SubscriptionData) bool { return s.Topic == topic }) {
			delete(g.subscriptions, topic)
			changed = true
		}
	}
	return changed
}

// notifyGroup tells all members that the group changed (40). Broadcasting groups share
// nothing and are not told; a group may have notices switched off, which a closed
// connection does not heed.
func (b *Broker) notifyGroup(name string, closed bool) {
	g := b.consumers[name]
	if g == nil || g.model == mq.Broadcasting {
		return
	}
	if c := b.groups[name]; c != nil && !c.NotifyConsumerIDsChangedEnable && !closed {
		return
	}
	for _, m := range g.members {
		b.state.tell(b, m.peer, protocol.NotifyConsumerIDsChanged, &protocol.NotifyConsumerIDsChangedRequest{ConsumerGroup: name}, nil)
	}
}

// leave takes a connection out of a group, which vanishes with its last one.
func (b *Broker) leave(group string, p Peer) (left bool) {
	g := b.consumers[group]
	if g == nil {
		return false
	}
	n := len(g.members)
	g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.peer == p })
	if len(g.members) == 0 {
		delete(b.consumers, group)
	}
	return len(g.members) < n
}

func (b *Broker) leaveProducer(group string, p Peer) {
	g := b.producers[group]
	if g == nil {
		return
	}
	g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.peer == p })
	if len(g.members) == 0 {
		delete(b.producers, group)
	}
}

// removeConnection takes a closed connection out of all groups.
func (b *Broker) removeConnection(p Peer, notify bool) {
	for _, name := range sortedKeys(b.consumers) {
		if b.leave(name, p) && notify {
			b.notifyGroup(name, true)
		}
	}
	for _, name := range sortedKeys(b.producers) {
		b.leaveProducer(name, p)
	}
}

// expireClients closes connections without a heartbeat for 120 s. The record goes first, so
// that nobody is told (broker.md 3.5).
func (b *Broker) expireClients(now time.Time) {
	expired := func(m *member) bool { return now.Sub(m.seen) > clientExpiry }
	for _, name := range sortedKeys(b.consumers) {
		for _, m := range slices.Clone(b.consumers[name].members) {
			if expired(m) {
				b.leave(name, m.peer)
				m.peer.Close()
			}
		}
	}
	for _, name := range sortedKeys(b.producers) {
		for _, m := range slices.Clone(b.producers[name].members) {
			if expired(m) {
				b.leaveProducer(name, m.peer)
				m.peer.Close()
			}
		}
	}
}
