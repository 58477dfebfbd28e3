package embedded

import (
	"strconv"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Contract: HEART_BEAT (34). Body HeartbeatData. For each consumer entry the group is looked
// up (and made), its retry topic made, the connection registered, the subscriptions merged
// and members told of changes; producers are registered. Always 0, with
// IS_SUPPORT_HEART_BEAT_V2=true and IS_SUB_CHANGE: true for version 1 (fingerprint 0), else
// whether a group remembered another fingerprint. An entry whose group may not exist is
// skipped silently. Left out: rejectPullConsumerEnable, order topics.
func (b *Broker) heartbeat(r *Request) {
	h, err := protocol.DecodeHeartbeatData(r.Cmd.Body)
	if err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	subChanged := h.HeartbeatFingerprint == 0
	for i := range h.ConsumerDataSet {
		if b.consumerHeartbeat(r, &h, &h.ConsumerDataSet[i]) {
			subChanged = true
		}
	}
	for _, p := range h.ProducerDataSet {
		g := b.producers[p.GroupName]
		if g == nil {
			g = &producerGroup{}
			b.producers[p.GroupName] = g
		}
		m := find(g.members, r.peer)
		if m == nil {
			m = &member{peer: r.peer}
			g.members = append(g.members, m)
		}
		m.clientID, m.language, m.version, m.seen = h.ClientID, r.Cmd.Language, r.Cmd.Version, b.state.now
	}
	r.ok(&protocol.HeartbeatResponse{SupportsV2: protocol.Some(true), SubscriptionChanged: protocol.Some(subChanged)}, nil)
}

// consumerHeartbeat registers one entry; true: the group remembered another fingerprint.
func (b *Broker) consumerHeartbeat(r *Request, h *protocol.HeartbeatData, d *protocol.ConsumerData) (otherPrint bool) {
	conf := b.findGroup(d.GroupName)
	if conf == nil {
		return false
	}
	if retry := mq.RetryTopic(d.GroupName); b.topics[retry] == nil {
		b.internalTopic(retry, conf.RetryQueueNums)
	}
	if old := b.consumers[d.GroupName]; old != nil && h.HeartbeatFingerprint != 0 {
		otherPrint = old.hasPrint && old.fingerprint != h.HeartbeatFingerprint
	}
	light := h.HeartbeatFingerprint != 0 && h.WithoutSub
	if b.register(r, h.ClientID, d, !light) {
		b.notifyGroup(d.GroupName, false)
	}
	g := b.consumers[d.GroupName]
	g.fingerprint, g.hasPrint = h.HeartbeatFingerprint, true
	return otherPrint
}

// Contract: UNREGISTER_CLIENT (35). Header clientID, producerGroup, consumerGroup: takes the
// sending connection out of the named groups. Always 0; the members that remain are told
// when the consumer group exists, even if this connection was none of them.
func (b *Broker) unregister(r *Request) {
	var h protocol.UnregisterClientRequest
	if !r.decode(&h) {
		return
	}
	if h.ProducerGroup != "" {
		b.leaveProducer(h.ProducerGroup, r.peer)
	}
	if h.ConsumerGroup != "" && b.consumers[h.ConsumerGroup] != nil {
		b.leave(h.ConsumerGroup, r.peer)
		b.notifyGroup(h.ConsumerGroup, false)
	}
	r.ok(nil, nil)
}

// Contract: GET_CONSUMER_LIST_BY_GROUP (38). Header consumerGroup: 0 and the client ids, one
// for each connection, in the order of their arrival (a real broker has none); 1 when
// nobody is online.
func (b *Broker) consumerList(r *Request) {
	var h protocol.GetConsumerListByGroupRequest
	if !r.decode(&h) {
		return
	}
	g := b.consumers[h.ConsumerGroup]
	if g == nil {
		r.fail(protocol.SystemError, "no consumer for this group, "+h.ConsumerGroup)
		return
	}
	var list protocol.ConsumerList
	for _, m := range g.members {
		list.ConsumerIDs = append(list.ConsumerIDs, m.clientID)
	}
	r.ok(nil, list.Encode())
}

// Contract: CHECK_CLIENT_CONFIG (46). Body CheckClientRequestBody: 0 for a tag expression and
// for no body; 1 for another type, as SQL92 is not served.
func (b *Broker) checkClientConfig(r *Request) {
	if len(r.Cmd.Body) == 0 {
		r.ok(nil, nil)
		return
	}
	body, err := protocol.DecodeCheckClientRequestBody(r.Cmd.Body)
	if err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	if t := body.Subscription.ExpressionType; t != protocol.ExpressionTAG && t != "" {
		r.fail(protocol.SystemError, "The broker does not support consumer to filter message by "+strconv.Quote(t))
		return
	}
	r.ok(nil, nil)
}
