package sim

import (
	"fmt"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/step"
)

// tricks are the changes that wait for their moment: the next pull of a queue, or the next call
// of the handler.
type tricks struct {
	world *World
	pulls map[mq.MessageQueue]answer
	hangs map[mq.MessageQueue]time.Duration
	fails map[mq.MessageQueue]bool
}

// answer is what a pull gets instead of its own answer.
type answer struct {
	code protocol.ResponseCode
	lost bool // none, the connection ends
}

func newTricks(w *World) tricks {
	t := tricks{world: w, pulls: map[mq.MessageQueue]answer{}, hangs: map[mq.MessageQueue]time.Duration{}, fails: map[mq.MessageQueue]bool{}}
	w.cluster.Intercept(int32(protocol.PullMessage), t.pull)
	return t
}

// handler changes what the handler makes of a message, if that is to be changed.
func (t *tricks) handler(q mq.MessageQueue, w *Work) {
	if d, ok := t.hangs[q]; ok {
		delete(t.hangs, q)
		w.Takes = d
	}
	if t.fails[q] {
		delete(t.fails, q)
		w.Fails = true
	}
}

func (t *tricks) pull(r *embedded.Request) embedded.Verdict {
	if len(t.pulls) == 0 {
		return embedded.Pass
	}
	var h protocol.PullMessageRequest
	if protocol.Decode(r.Cmd.Fields, &h) != nil {
		return embedded.Pass
	}
	q := mq.MessageQueue{Topic: h.Topic, BrokerName: r.Broker, QueueID: h.QueueID}
	a, ok := t.pulls[q]
	if !ok || h.ConsumerGroup != t.world.cfg.Group {
		return embedded.Pass
	}
	delete(t.pulls, q)
	if a.lost {
		return embedded.CloseConn
	}
	return embedded.Answer(t.response(q, a.code, h.QueueOffset))
}

// response is a pull's answer with a status of a person's choice.
func (t *tricks) response(q mq.MessageQueue, code protocol.ResponseCode, offset int64) *remoting.Command {
	h := &protocol.PullMessageResponse{NextBeginOffset: offset}
	b := t.world.state.Broker(q.BrokerName)
	h.MinOffset, h.MaxOffset = b.MinOffset(q.Topic, q.QueueID), b.MaxOffset(q.Topic, q.QueueID)
	switch code {
	case protocol.PullOffsetMoved:
		h.NextBeginOffset = h.MinOffset
		if offset == h.MinOffset {
			h.NextBeginOffset = h.MaxOffset
		}
	case protocol.PullNotFound, protocol.PullRetryImmediately:
	default:
		return &remoting.Command{Code: int32(code), Remark: "answered so by hand"}
	}
	return &remoting.Command{Code: int32(code), Remark: "answered so by hand", Fields: protocol.AppendFields(nil, h)}
}

// Statuses are the answers that a pull can be given by hand, and the codes that make them.
func statuses() map[string]protocol.ResponseCode {
	return map[string]protocol.ResponseCode{
		mq.NoNewMsg.String():      protocol.PullNotFound,
		mq.NoMatchedMsg.String():  protocol.PullRetryImmediately,
		mq.OffsetIllegal.String(): protocol.PullOffsetMoved,
		"FLOW_CONTROL":            protocol.FlowControl,
		"SYSTEM_ERROR":            protocol.SystemError,
		"SYSTEM_BUSY":             protocol.SystemBusy,
	}
}

// Change implements step.World.
func (w *World) Change(c step.Change) error {
	switch c := c.(type) {
	case step.DelayTask:
		if w.me.push == nil {
			return fmt.Errorf("%s: the pull-task service has no way to delay a task from outside: its callback chooses the delay", c)
		}
		w.me.push.Postpone(c.Queue, c.By)
	case step.FailPull:
		w.tricks.pulls[c.Queue] = answer{lost: true}
	case step.AnswerPull:
		code, ok := statuses()[c.Status]
		if !ok {
			return fmt.Errorf("%s: no pull can be answered with %q by hand: write NO_NEW_MSG, NO_MATCHED_MSG, OFFSET_ILLEGAL, FLOW_CONTROL, SYSTEM_BUSY or SYSTEM_ERROR", c, c.Status)
		}
		w.tricks.pulls[c.Queue] = answer{code: code}
	case step.MemberJoins:
		_, err := w.join(c.Name)
		return err
	case step.MemberLeaves:
		return w.part(c.Name)
	case step.ExpireLock:
		w.cluster.Inspect(func(s *embedded.State) { s.Broker(c.Queue.BrokerName).ExpireLock(w.cfg.Group, c.Queue) })
	case step.ReleaseLock:
		if w.me.push == nil || !w.cfg.Consumer.Orderly {
			return fmt.Errorf("%s: only a consumer that consumes in order has locks", c)
		}
		w.me.push.ReleaseLock(c.Queue)
	case step.HangHandler:
		w.tricks.hangs[c.Queue] = c.For
	case step.FailHandler:
		w.tricks.fails[c.Queue] = true
	case step.AdvanceClock:
		w.advance(c.By)
	case step.SendMessages:
		w.shop.send(c.Topic, "", c.Queue, c.N)
	default:
		return w.pauseOrResume(c)
	}
	return nil
}

func (w *World) pauseOrResume(c step.Change) error {
	if w.me.push == nil {
		return fmt.Errorf("%s: only a push consumer pauses", c)
	}
	switch c.(type) {
	case step.PausePulls:
		w.me.push.Pause()
	case step.ResumePulls:
		w.me.push.Resume()
	default:
		return fmt.Errorf("%s: nothing here can do that", c)
	}
	return nil
}

// Broker is a broker of the world to look at, nil when there is none of that name.
func (w *World) Broker(name string) *embedded.Broker { return w.state.Broker(name) }

// Inspect calls fn, which may change the brokers.
func (w *World) Inspect(fn func(*embedded.State)) { w.cluster.Inspect(fn) }
