package client

import (
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// PullAnswer is how one pull ended.
type PullAnswer struct {
	Status   mq.PullStatus
	Next     int64 // offset of the next pull, whatever the status
	Min, Max int64 // of the queue, -1 when the answer has none
	Suggest  int64 // broker id for the next pull
	// OffsetDelta is to be added to each message's queue offset (static topics).
	OffsetDelta int64
	Broker      route.Found // who was asked; zero when no address was known
	Code        int32       // response code, 0 when there was no answer
	Err         error       // set with mq.PullFailed
	Took        time.Duration

	// Data is the stored messages of mq.Found, as they came from the wire. It belongs to
	// whoever gets the answer until Owner is released; Owner is nil when Data is garbage
	// collected, and always when Data is empty.
	Data  []byte
	Owner mq.Releaser
}

// Pull sends one pull to the broker of q that has brokerID, or to the one that stands in for
// it, and returns at once (PULL_MESSAGE; LITE_PULL_MESSAGE when h says so). done gets the
// answer exactly once, on a goroutine of the instance, and must not block; once the instance
// has ended it is called before Pull returns. h is read before Pull returns and not changed:
// from a slave the commit flag is left out. When no address is known the pull fails and the
// topic's route is read in the background.
func (i *Instance) Pull(q mq.MessageQueue, brokerID int64, h *protocol.PullMessageRequest, timeout time.Duration, done func(PullAnswer)) {
	if !i.live() {
		done(failedPull(q, h.QueueOffset, route.Found{}, ErrNotRunning, 0))
		return
	}
	b, ok := i.find(q.BrokerName, brokerID, false)
	if !ok {
		i.wantRoutes(q.Topic)
		p := failedPull(q, h.QueueOffset, b, i.noBroker(q.BrokerName), 0)
		i.later.do(func() { done(p) })
		return
	}
	sent := *h
	sent.BName = q.BrokerName
	if b.Slave() {
		sent.SysFlag &^= protocol.PullCommitOffset
		sent.CommitOffset = 0
	}
	code := protocol.PullMessage
	if sent.SysFlag&protocol.PullLite != 0 {
		code = protocol.LitePullMessage
	}
	offset := h.QueueOffset
	i.net.Go(b.Addr, request(code, &sent, nil), timeout, func(a remoting.Answer) {
		done(i.pulled(q, offset, b, &a))
	})
}

func (i *Instance) pulled(q mq.MessageQueue, offset int64, b route.Found, a *remoting.Answer) PullAnswer {
	if a.Err != nil {
		return failedPull(q, offset, b, i.closedWhy(b.Addr, a.Err), a.Took)
	}
	code := protocol.ResponseCode(a.Cmd.Code)
	status := pullStatus(code)
	if status == mq.PullFailed {
		if code == protocol.TopicNotExist {
			i.topicDenied(q.Topic)
		}
		p := failedPull(q, offset, b, answered(a.Cmd, b.Addr), a.Took)
		p.Code = a.Cmd.Code
		return p
	}
	var r protocol.PullMessageResponse
	err := protocol.Decode(a.Cmd.Fields, &r)
	if err == nil && (r.NextBeginOffset < 0 || r.SuggestWhichBrokerID < 0) {
		err = fmt.Errorf("next offset %d, suggested broker id %d", r.NextBeginOffset, r.SuggestWhichBrokerID)
	}
	if err == nil && status == mq.Found && len(a.Cmd.Body) == 0 {
		err = fmt.Errorf("%s without messages", code)
	}
	if err != nil {
		p := failedPull(q, offset, b, badAnswer(b.Addr, err), a.Took)
		p.Code = a.Cmd.Code
		return p
	}
	p := PullAnswer{
		Status: status, Next: r.NextBeginOffset, Min: r.MinOffset, Max: r.MaxOffset,
		Suggest: r.SuggestWhichBrokerID, OffsetDelta: r.OffsetDelta.Or(0),
		Broker: b, Code: a.Cmd.Code, Took: a.Took,
	}
	if status == mq.Found {
		p.Data = a.Cmd.Body
		if owner := a.Keep(); owner != nil {
			p.Owner = owner
		}
	}
	return p
}

// pullStatus is the client's word for a response code (Java: MQClientAPIImpl.processPullResponse).
func pullStatus(code protocol.ResponseCode) mq.PullStatus {
	switch code {
	case protocol.Success:
		return mq.Found
	case protocol.PullNotFound:
		return mq.NoNewMsg
	case protocol.PullRetryImmediately:
		return mq.NoMatchedMsg
	case protocol.PullOffsetMoved:
		return mq.OffsetIllegal
	}
	return mq.PullFailed
}

func failedPull(q mq.MessageQueue, offset int64, b route.Found, err error, took time.Duration) PullAnswer {
	from := ""
	if b.Addr != "" {
		from = " from " + b.Addr
	}
	return PullAnswer{
		Status: mq.PullFailed, Next: offset, Min: -1, Max: -1, Broker: b, Took: took,
		Err: fmt.Errorf("pull %s at %d%s: %w", q.Path(), offset, from, err),
	}
}

// topicDenied remembers that a broker does not know a topic that it should have.
func (i *Instance) topicDenied(topic string) {
	i.mu.Lock()
	i.topic(topic).denied = true
	i.mu.Unlock()
	i.wantRoutes(topic)
}
