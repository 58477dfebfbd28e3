package infer

import (
	"cmp"
	"slices"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func (n *Inferer) heartbeat(x *capture.Exchange) {
	h, err := protocol.DecodeHeartbeatData(x.Request.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	n.identify(h.ClientID)
	b := Beat{Client: n.client, WithoutSubscribed: h.WithoutSub}
	for _, d := range h.ConsumerDataSet {
		b.Consumers = append(b.Consumers, d.GroupName)
		m := MemberSeen{
			Client: n.client, Group: d.GroupName, Model: d.MessageModel, Type: d.ConsumeType, From: d.ConsumeFromWhere,
			Subscriptions: slices.SortedFunc(slices.Values(d.SubscriptionDataSet), func(a, b protocol.SubscriptionData) int {
				return cmp.Compare(a.Topic, b.Topic)
			}),
		}
		old := n.state.member(d.GroupName, n.client)
		if h.WithoutSub && old != nil {
			m.Subscriptions = old.Subscriptions
		}
		if m.New = old == nil; m.New || !old.same(m) {
			n.emit(m)
		}
	}
	for _, d := range h.ProducerDataSet {
		b.Producers = append(b.Producers, d.GroupName)
	}
	b.Code, b.Answered = answer(x)
	b.RoundTrip, _ = x.RoundTrip()
	n.emit(b)
}

func (n *Inferer) unregister(x *capture.Exchange) {
	var h protocol.UnregisterClientRequest
	if !n.decode(x, x.Request, &h) {
		return
	}
	n.identify(h.ClientID)
	if h.ConsumerGroup != "" && n.state.member(h.ConsumerGroup, n.client) != nil {
		n.leaveAll(n.client, h.ConsumerGroup, "it unregistered")
		return
	}
	n.called(x, h.ConsumerGroup)
}

// leaveAll ends the client's part in a group, or, when its connection ends, in all groups as
// far as they went over it.
func (n *Inferer) leaveAll(client, group, why string) {
	for _, g := range n.state.SortedGroups() {
		if group != "" && g.Name != group {
			continue
		}
		for _, q := range g.SortedQueues() {
			if p := q.puller(client); p != nil && (group != "" || n.state.onBroker(q.Queue.BrokerName, n.conn)) {
				n.emit(Released{Client: client, Group: g.Name, Queue: q.Queue, Last: p.Last, Why: why})
			}
		}
		if m := g.Members[client]; m != nil && (group != "" || m.onlyOn(n.conn.ID)) {
			n.emit(MemberLeft{Client: client, Group: g.Name, Why: why})
		}
	}
}

// onlyOn tells whether the member has no other connection to a broker.
func (m *Member) onlyOn(conn int) bool { return len(m.Conns) == 1 && m.Conns[0] == conn }

func (n *Inferer) membersListed(x *capture.Exchange) {
	var h protocol.GetConsumerListByGroupRequest
	if !n.decode(x, x.Request, &h) || !succeeded(x) {
		return
	}
	l, err := protocol.DecodeConsumerList(x.Response.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	n.emit(MembersListed{Client: n.client, Group: h.ConsumerGroup, Members: l.ConsumerIDs})
}

func (n *Inferer) route(x *capture.Exchange) {
	var h protocol.GetRouteInfoRequest
	code, ok := answer(x)
	if !ok || !n.decode(x, x.Request, &h) {
		return
	}
	r := RouteSeen{Topic: h.Topic, Code: code}
	if code == protocol.Success {
		d, err := protocol.DecodeTopicRouteData(x.Response.Body)
		if err != nil {
			n.unreadable(x, err.Error())
			return
		}
		r.Known = true
		r.Queues, r.Brokers = readable(h.Topic, d), brokersOf(d)
	}
	n.emit(r)
}

// maxRouteQueues bounds how many queues a route is believed to have.
const maxRouteQueues = 16384

func readable(topic string, d protocol.TopicRouteData) []mq.MessageQueue {
	var qs []mq.MessageQueue
	for _, q := range d.QueueDatas {
		if q.Perm&protocol.PermRead == 0 {
			continue
		}
		for id := range min(max(q.ReadQueueNums, 0), int32(maxRouteQueues-len(qs))) {
			qs = append(qs, mq.MessageQueue{Topic: topic, BrokerName: q.BrokerName, QueueID: id})
		}
	}
	slices.SortFunc(qs, mq.MessageQueue.Compare)
	return slices.Compact(qs)
}

func brokersOf(d protocol.TopicRouteData) []Broker {
	var bs []Broker
	for _, b := range d.BrokerDatas {
		for id, addr := range b.Addrs {
			bs = append(bs, Broker{Name: b.BrokerName, Addr: addr, ID: id})
		}
	}
	slices.SortFunc(bs, func(a, b Broker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Addr, b.Addr))
	})
	return bs
}

// registered learns a broker's name from its own call to a name server.
func (n *Inferer) registered(x *capture.Exchange) {
	var h protocol.RegisterBrokerRequest
	if n.decode(x, x.Request, &h) {
		n.emit(RouteSeen{Known: true, Brokers: []Broker{{Name: h.BrokerName, Addr: h.BrokerAddr, ID: h.BrokerID}}})
	}
}

func (n *Inferer) brokerAssigned(x *capture.Exchange) {
	b, err := protocol.DecodeQueryAssignmentRequest(x.Request.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	n.identify(b.ClientID)
	if !succeeded(x) {
		return
	}
	a, err := protocol.DecodeQueryAssignmentResponse(x.Response.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	e := BrokerAssigned{Client: n.client, Group: b.ConsumerGroup, Topic: b.Topic}
	for _, q := range a.Assignments {
		e.Queues = append(e.Queues, q.Queue)
		e.Pop = e.Pop || q.Mode == protocol.ModePop
	}
	slices.SortFunc(e.Queues, mq.MessageQueue.Compare)
	n.emit(e)
}

// fromServer takes what a broker asked a client.
func (n *Inferer) fromServer(x *capture.Exchange) {
	switch codeOf(x) {
	case protocol.NotifyConsumerIDsChanged:
		n.emit(MembersChanged{Client: n.client, Group: groupOf(x.Request)})
	case protocol.ResetConsumerClientOffset:
		n.resetOrdered(x, x.Request.Body, true)
	default:
		n.called(x, groupOf(x.Request))
	}
}
