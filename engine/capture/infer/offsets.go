package infer

import (
	"cmp"
	"slices"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func (n *Inferer) committed(x *capture.Exchange) {
	var h protocol.UpdateConsumerOffsetRequest
	if !n.decode(x, x.Request, &h) {
		return
	}
	code, ok := answer(x)
	if !ok && !x.OneWay {
		n.called(x, h.ConsumerGroup) // whether the broker got it is not known
		return
	}
	n.emit(Committed{
		Client: n.client, Group: h.ConsumerGroup, Queue: n.queue(h.Topic, h.BName, h.QueueID),
		Offset: h.CommitOffset, How: ByCommit, Code: code,
	})
}

func (n *Inferer) commitRead(x *capture.Exchange) {
	var h protocol.QueryConsumerOffsetRequest
	code, ok := answer(x)
	if !ok || !n.decode(x, x.Request, &h) {
		return
	}
	q := n.queue(h.Topic, h.BName, h.QueueID)
	switch code {
	case protocol.Success:
		var a protocol.OffsetResponse
		if n.decode(x, x.Response, &a) {
			n.emit(Committed{Client: n.client, Group: h.ConsumerGroup, Queue: q, Offset: a.Offset, How: ByAnswer})
		}
	case protocol.QueryNotFound:
		n.emit(NoCommit{Client: n.client, Group: h.ConsumerGroup, Queue: q})
	}
}

func (n *Inferer) offsetRead(x *capture.Exchange, code protocol.RequestCode) {
	var h protocol.GetMinOffsetRequest // the other has one field more
	var a protocol.OffsetResponse
	if !succeeded(x) || !n.decode(x, x.Request, &h) || !n.decode(x, x.Response, &a) {
		return
	}
	o := OffsetsSeen{Queue: n.queue(h.Topic, h.BName, h.QueueID), Min: -1, Max: -1}
	if code == protocol.GetMinOffset {
		o.Min = a.Offset
	} else {
		o.Max = a.Offset
	}
	n.emit(o)
}

func (n *Inferer) sent(x *capture.Exchange, code protocol.RequestCode) {
	var h protocol.SendMessageRequest
	var head protocol.Header = &h
	if code != protocol.SendMessage {
		head = (*protocol.SendMessageRequestV2)(&h)
	}
	got, ok := answer(x)
	if !n.decode(x, x.Request, head) || !ok || !protocol.Stored(got) {
		return
	}
	var a protocol.SendMessageResponse
	if n.decode(x, x.Response, &a) {
		n.emit(Stored{Client: n.client, Queue: n.queue(h.Topic, h.BName, a.QueueID), Offset: a.QueueOffset})
	}
}

func (n *Inferer) locked(x *capture.Exchange) {
	b, err := protocol.DecodeLockBatchRequest(x.Request.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	n.identify(b.ClientID)
	if !succeeded(x) {
		n.called(x, b.ConsumerGroup)
		return
	}
	a, err := protocol.DecodeLockBatchResponse(x.Response.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	l := Locked{Client: n.client, Group: b.ConsumerGroup, Held: sorted(a.Locked)}
	for _, q := range l.Held {
		if s := n.state.queue(b.ConsumerGroup, q); s == nil || s.Lock.Client != n.client {
			l.New = append(l.New, q)
		}
	}
	for _, q := range sorted(b.Queues) {
		if !slices.Contains(l.Held, q) {
			l.Refuse = append(l.Refuse, q)
		}
	}
	n.emit(l)
}

func (n *Inferer) unlocked(x *capture.Exchange) {
	b, err := protocol.DecodeLockBatchRequest(x.Request.Body)
	if err != nil {
		n.unreadable(x, err.Error())
		return
	}
	n.identify(b.ClientID)
	u := Unlocked{Client: n.client, Group: b.ConsumerGroup, Queues: sorted(b.Queues)}
	n.emit(u)
	for _, q := range u.Queues { // a client gives a lock back when it drops the queue
		if s := n.state.queue(b.ConsumerGroup, q); s != nil && s.pulledBy(n.client) {
			n.emit(Released{Client: n.client, Group: b.ConsumerGroup, Queue: q, Last: s.puller(n.client).Last, Why: "it gave the lock back"})
		}
	}
}

func sorted(qs []mq.MessageQueue) []mq.MessageQueue {
	qs = slices.Clone(qs)
	slices.SortFunc(qs, mq.MessageQueue.Compare)
	return slices.Compact(qs)
}

func (n *Inferer) sentBack(x *capture.Exchange) {
	var h protocol.ConsumerSendMsgBackRequest
	if !n.decode(x, x.Request, &h) {
		return
	}
	code, ok := answer(x)
	if !ok {
		n.called(x, h.Group)
		return
	}
	n.emit(SentBack{
		Client: n.client, Group: h.Group, Topic: h.OriginTopic, MsgID: h.OriginMsgID,
		Offset: h.Offset, Delay: h.DelayLevel, Code: code,
	})
}

// resetAsked takes a tool's order to a broker; the answer says where to.
func (n *Inferer) resetAsked(x *capture.Exchange) {
	if !succeeded(x) {
		n.called(x, groupOf(x.Request))
		return
	}
	n.resetOrdered(x, x.Response.Body, false)
}

func (n *Inferer) resetOrdered(x *capture.Exchange, body []byte, toClient bool) {
	var h protocol.ResetOffsetRequest
	if !n.decode(x, x.Request, &h) {
		return
	}
	r := ResetOrdered{Client: n.client, Group: h.Group, Topic: h.Topic, ToClient: toClient, Time: h.Timestamp}
	if len(body) > 0 {
		b, err := protocol.DecodeResetOffsetBody(body)
		if err != nil {
			n.unreadable(x, err.Error())
			return
		}
		for q, o := range b.OffsetTable {
			r.Offsets = append(r.Offsets, QueueOffset{q, o})
		}
		slices.SortFunc(r.Offsets, func(a, b QueueOffset) int {
			return cmp.Or(a.Queue.Compare(b.Queue), cmp.Compare(a.Offset, b.Offset))
		})
	}
	n.emit(r)
}
