package infer

import (
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// pullAsk is what the answer to a pull is read with.
type pullAsk struct {
	group, topic, bname string
	queue               int32
	offset              int64
	mayHold             bool
}

func askOf(h *protocol.PullMessageRequest) pullAsk {
	return pullAsk{h.ConsumerGroup, h.Topic, h.BName, h.QueueID, h.QueueOffset, h.SysFlag&protocol.PullSuspend != 0}
}

// pullAsked returns what was kept of a pull, or reads its header.
func (n *Inferer) pullAsked(x *capture.Exchange) (a pullAsk, ok bool) {
	if a, ok = n.asks[x]; ok {
		delete(n.asks, x)
		return a, true
	}
	var h protocol.PullMessageRequest
	if !n.decode(x, x.Request, &h) {
		return a, false
	}
	return askOf(&h), true
}

func (n *Inferer) pullSent(x *capture.Exchange) {
	var h protocol.PullMessageRequest
	if !n.decode(x, x.Request, &h) {
		return
	}
	n.asks[x] = askOf(&h) // until Done: it comes for all that were asked
	q := n.queue(h.Topic, h.BName, h.QueueID)
	n.pulls(h.ConsumerGroup, q, false)
	p := PullSent{
		Client: n.client, Group: h.ConsumerGroup, Queue: q, Exchange: x.Seq, Offset: h.QueueOffset, Max: h.MaxMsgNums,
		Lite: codeOf(x) == protocol.LitePullMessage,
	}
	if h.SysFlag&protocol.PullSuspend != 0 {
		p.MayHold = time.Duration(min(max(h.SuspendTimeoutMillis, 0), 1<<31)) * time.Millisecond
	}
	n.emit(p)
	if h.SysFlag&protocol.PullCommitOffset != 0 && h.CommitOffset >= 0 {
		n.emit(Committed{Client: n.client, Group: h.ConsumerGroup, Queue: q, Offset: h.CommitOffset, How: ByPull})
	}
}

// pulls notes that the client asks for messages of q: an assignment begins, and that of
// another client ends once this one has asked twice without the other asking between.
func (n *Inferer) pulls(group string, q mq.MessageQueue, pop bool) {
	s := n.state.queue(group, q)
	if s == nil {
		return
	}
	if !s.pulledBy(n.client) {
		n.emit(Assigned{Client: n.client, Group: group, Queue: q, Pop: pop})
		return
	}
	if pop || len(s.Pullers) == 1 || s.lastAsker != n.client || n.state.broadcasting(group) {
		return
	}
	for _, p := range append([]Puller(nil), s.Pullers...) {
		if p.Client != n.client {
			n.emit(Released{Client: p.Client, Group: group, Queue: q, Last: p.Last, Why: "another client pulls the queue"})
		}
	}
}

func (n *Inferer) pullDone(x *capture.Exchange) {
	a, ok := n.pullAsked(x)
	if !ok {
		return
	}
	p := PullDone{Client: n.client, Group: a.group, Queue: n.queue(a.topic, a.bname, a.queue), Exchange: x.Seq, Offset: a.offset, Why: x.Why}
	p.RoundTrip, _ = x.RoundTrip()
	if p.Code, p.Answered = answer(x); p.Answered {
		p.Remark = x.Response.Remark
		p.Held = a.mayHold && p.RoundTrip >= heldAfter
		n.pullAnswer(x, &p)
	}
	n.emit(p)
}

// pullAnswer reads the answer to a pull.
func (n *Inferer) pullAnswer(x *capture.Exchange, p *PullDone) {
	status := mq.PullFailed
	switch p.Code {
	case protocol.Success:
		status = mq.Found
	case protocol.PullNotFound:
		status = mq.NoNewMsg
	case protocol.PullRetryImmediately:
		status = mq.NoMatchedMsg
	case protocol.PullOffsetMoved:
		status = mq.OffsetIllegal
	default:
		return
	}
	var h protocol.PullMessageResponse
	if !n.decode(x, x.Response, &h) {
		return
	}
	p.Status, p.Next, p.Min, p.Max = status, h.NextBeginOffset, h.MinOffset, h.MaxOffset
	if status != mq.Found {
		return
	}
	p.Bytes, p.Cut = len(x.Response.Body)+x.ResponseCut, x.ResponseCut > 0
	n.batch.Reset(x.Response.Body, nil)
	if err := protocol.IndexMessages(&n.batch, h.OffsetDelta.Or(0)); err != nil && !p.Cut {
		p.Cut = true
		n.unreadable(x, err.Error())
	}
	p.Offsets = make([]int64, 0, n.batch.Len())
	for i := range n.batch.Records {
		p.Offsets = append(p.Offsets, n.batch.Records[i].QueueOffset)
	}
	n.batch.Release(1)
}

func (n *Inferer) popSent(x *capture.Exchange) {
	var h protocol.PopMessageRequest
	if n.decode(x, x.Request, &h) {
		n.pulls(h.ConsumerGroup, n.queue(h.Topic, h.BName, h.QueueID), true)
	}
}

func (n *Inferer) popDone(x *capture.Exchange) {
	var h protocol.PopMessageRequest
	code, ok := answer(x)
	if !ok {
		n.called(x, groupOf(x.Request))
		return
	}
	if !n.decode(x, x.Request, &h) {
		return
	}
	p := Popped{Client: n.client, Group: h.ConsumerGroup, Topic: h.Topic, QueueID: h.QueueID, Broker: n.broker(h.BName), Code: code}
	p.RoundTrip, _ = x.RoundTrip()
	var a protocol.PopMessageResponse
	if code == protocol.Success && n.decode(x, x.Response, &a) {
		p.Left = a.RestNum
		n.batch.Reset(x.Response.Body, nil)
		if err := protocol.IndexMessages(&n.batch, 0); err != nil && x.ResponseCut == 0 {
			n.unreadable(x, err.Error())
		}
		p.Count = n.batch.Len()
		n.batch.Release(1)
	}
	n.emit(p)
}

func (n *Inferer) acked(x *capture.Exchange) {
	var h protocol.AckMessageRequest
	if n.decode(x, x.Request, &h) {
		code, _ := answer(x)
		n.emit(Acked{Client: n.client, Group: h.ConsumerGroup, Queue: n.queue(h.Topic, h.BName, h.QueueID), Offset: h.Offset, Code: code})
	}
}

func (n *Inferer) deferred(x *capture.Exchange) {
	var h protocol.ChangeInvisibleTimeRequest
	if n.decode(x, x.Request, &h) {
		code, _ := answer(x)
		n.emit(Deferred{
			Client: n.client, Group: h.ConsumerGroup, Queue: n.queue(h.Topic, h.BName, h.QueueID), Offset: h.Offset,
			Invisible: time.Duration(min(max(h.InvisibleTime, 0), 1<<31)) * time.Millisecond, Code: code,
		})
	}
}
