package consumer

import (
	"context"
	"fmt"
	"strings"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// remarkBytes bounds what a result tells of a panic.
const remarkBytes = 1 << 10

// direct is a listener as a message meets it that a tool wants consumed: alone, in no
// ProcessQueue, without offset, retry or statistics
// (Java: ConsumeMessageService.consumeMessageDirectly).
type direct interface {
	consume(ctx context.Context, q mq.MessageQueue, m mq.Message) directResult
	ordered() bool // it consumes in order
}

// directResult is what the listener answered: one of protocol's results, and for one that
// consumes in order whether it left AutoCommit on.
type directResult struct {
	kind              string
	order, autoCommit bool
}

// concurrently is a listener without order.
type concurrently struct{ listener consume.Listener }

func (l concurrently) consume(ctx context.Context, q mq.MessageQueue, m mq.Message) directResult {
	r := directResult{kind: protocol.ResultReturnNull, autoCommit: true}
	switch l.listener(ctx, []mq.Message{m}, &consume.Context{Queue: q}) {
	case consume.Success:
		r.kind = protocol.ResultSuccess
	case consume.ReconsumeLater:
		r.kind = protocol.ResultLater
	}
	return r
}

func (concurrently) ordered() bool { return false }

// inOrder is a listener that consumes in order.
type inOrder struct {
	listener     consume.OrderlyListener
	manualCommit bool
}

func (l inOrder) consume(ctx context.Context, q mq.MessageQueue, m mq.Message) directResult {
	c := consume.OrderlyContext{Queue: q, AutoCommit: !l.manualCommit, Times: []int32{m.ReconsumeTimes()}}
	r := directResult{kind: protocol.ResultReturnNull, order: true}
	switch l.listener(ctx, []mq.Message{m}, &c) {
	case consume.OrderlySuccess:
		r.kind = protocol.ResultSuccess
	case consume.SuspendCurrentQueueAMoment:
		r.kind = protocol.ResultLater
	case consume.Commit:
		r.kind = protocol.ResultCommit
	case consume.Rollback:
		r.kind = protocol.ResultRollback
	}
	r.autoCommit = c.AutoCommit
	return r
}

func (inOrder) ordered() bool { return true }

// directListener is the listener of a push consumer.
func directListener(c *Config) direct {
	if c.Orderly {
		return inOrder{c.OrderlyListener, c.ManualCommit}
	}
	return concurrently{c.Listener}
}

// consumeDirectly answers a broker that passes a message on to be consumed now. The listener
// runs beside the consume threads; its context ends when the broker waits no longer.
func (l *loop) consumeDirectly(ctx context.Context, d client.ConsumeDirectly) (protocol.ConsumeMessageDirectlyResult, error) {
	m := d.Message
	m.Batch().Namespace = l.namespace
	q := mq.MessageQueue{Topic: m.StoredTopic(), BrokerName: m.Batch().BrokerName, QueueID: m.QueueID()}
	if l.cfg.AllowBrokerRequests.Directly == Refused {
		l.noteDirectly(event.Warn, q, d, "refused by configuration")
		return protocol.ConsumeMessageDirectlyResult{}, notAllowed("consuming a message on request")
	}
	done, returned := make(chan protocol.ConsumeMessageDirectlyResult, 1), make(chan struct{})
	what := fmt.Sprintf("the listener, with offset %d of topic %s on request,", m.QueueOffset(), q.Topic)
	took := l.directCalls.do(what, func(end context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(end, cancel)()
		defer close(returned)
		l.runDirectly(ctx, q, m, done)
	})
	if !took {
		why := fmt.Sprintf("%d messages are being consumed on request already, or the consumer ends", directlyAtOnce)
		l.noteDirectly(event.Warn, q, d, "refused: "+why)
		return protocol.ConsumeMessageDirectlyResult{}, &client.Refusal{Code: protocol.SystemBusy, Why: why + ": try again later"}
	}
	if clock.Wait(ctx, l.clock, clock.Waits{First: returned}) == clock.First {
		r := <-done
		level := event.Info
		if r.ConsumeResult != protocol.ResultSuccess {
			level = event.Warn
		}
		l.noteDirectly(level, q, d, fmt.Sprintf("%s after %dms", r.ConsumeResult, r.SpentMillis))
		return r, nil
	}
	l.noteDirectly(event.Error, q, d, "the listener did not return in time and still has it")
	return protocol.ConsumeMessageDirectlyResult{}, &client.Refusal{
		Code: protocol.ConsumeMsgTimeout, Why: "the listener did not return in time and still has the message",
	}
}

// runDirectly calls the listener and sends done exactly one result, whatever the listener does.
func (l *loop) runDirectly(ctx context.Context, q mq.MessageQueue, m mq.Message, done chan<- protocol.ConsumeMessageDirectlyResult) {
	began := l.clock.Now()
	result := directResult{kind: protocol.ResultThrowException, order: l.direct.ordered(), autoCommit: true}
	wrong := "the listener ended its goroutine" // until it has returned
	defer func() {
		if v := recover(); v != nil {
			wrong = fmt.Sprintf("the listener panicked: %v", v)
		}
		done <- protocol.ConsumeMessageDirectlyResult{
			AutoCommit: result.autoCommit, Order: result.order, ConsumeResult: result.kind,
			Remark:      strings.ToValidUTF8(wrong[:min(len(wrong), remarkBytes)], ""),
			SpentMillis: l.clock.Now().Sub(began).Milliseconds(),
		}
	}()
	if err := m.BodyError(); err != nil {
		wrong = "the body can not be read: " + err.Error()
		return
	}
	result = l.direct.consume(ctx, q, m)
	wrong = ""
}

func (l *loop) noteDirectly(level event.Level, q mq.MessageQueue, d client.ConsumeDirectly, how string) {
	what := fmt.Sprintf("%s had offset %d (message %s) consumed directly: %s", d.From, d.Message.QueueOffset(), d.Message.ID(), how)
	l.inbox.post(event.Entry{Level: level, Source: "consume", Queue: q, What: what})
}
