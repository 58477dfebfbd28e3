package consumer

import (
	"context"
	"slices"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

// ReturnType is how a call of a listener ended (Java: ConsumeReturnType). It changes nothing.
type ReturnType string

// The return types, in the order in which they are tried: a listener that succeeds after its
// timeout has timed out.
const (
	ReturnedException ReturnType = "EXCEPTION"  // it panicked
	ReturnedNull      ReturnType = "RETURNNULL" // it answered none of the statuses
	ReturnedTimeOut   ReturnType = "TIME_OUT"
	ReturnedFailed    ReturnType = "FAILED"
	ReturnedSuccess   ReturnType = "SUCCESS"
)

// Java's names of what a concurrent listener answers.
var concurrentStatuses = [...]string{consume.ReconsumeLater: "RECONSUME_LATER", consume.Success: consumeSucceeded}

// hookedListener is the listener with the hooks around it
// (Java: ConsumeMessageConcurrentlyService.ConsumeRequest.run).
func (l *loop) hookedListener() consume.Listener {
	listener := l.cfg.Listener
	if len(l.hooks.consume) == 0 {
		return listener
	}
	return func(ctx context.Context, msgs []mq.Message, c *consume.Context) (s consume.Status) {
		around := l.around(ctx, c.Queue, msgs, concurrentStatuses[consume.ReconsumeLater])
		defer around.after(ctx)
		s = listener(ctx, msgs, c)
		if int(s) >= len(concurrentStatuses) {
			around.returned(ReturnedNull, around.c.Status, false)
			return s
		}
		around.returned(typeOf(s == consume.ReconsumeLater), concurrentStatuses[s], s == consume.Success)
		return s
	}
}

// hookedOrderlyListener is hookedListener of a consumer that consumes in order: COMMIT and
// ROLLBACK leave the type at success (Java: ConsumeMessageOrderlyService.ConsumeRequest.run).
func (l *loop) hookedOrderlyListener() consume.OrderlyListener {
	listener := l.cfg.OrderlyListener
	if len(l.hooks.consume) == 0 {
		return listener
	}
	return func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) (s consume.OrderlyStatus) {
		around := l.around(ctx, c.Queue, msgs, consume.SuspendCurrentQueueAMoment.String())
		defer around.after(ctx)
		s = listener(ctx, msgs, c)
		if s > consume.Rollback {
			around.returned(ReturnedNull, around.c.Status, false)
			return s
		}
		good := s == consume.OrderlySuccess || s == consume.Commit
		around.returned(typeOf(s == consume.SuspendCurrentQueueAMoment), s.String(), good)
		return s
	}
}

func typeOf(failed bool) ReturnType {
	if failed {
		return ReturnedFailed
	}
	return ReturnedSuccess
}

// aroundCall is one call of a listener as its hooks see it.
type aroundCall struct {
	loop  *loop
	c     Consumption
	began time.Time
}

// around calls the hooks before a listener. As long as nothing was returned the call counts as
// one that panicked, with the status of a failure.
func (l *loop) around(ctx context.Context, q mq.MessageQueue, msgs []mq.Message, failure string) *aroundCall {
	a := &aroundCall{loop: l, c: Consumption{Group: l.group, Queue: q, Messages: slices.Clone(msgs)}}
	l.hooks.each(ctx, &l.membership, q, func(h ConsumeHook) { h.Before(&a.c) })
	a.c.Type, a.c.Status = ReturnedException, failure
	a.began = l.cfg.Clock.Now()
	return a
}

func (a *aroundCall) returned(t ReturnType, status string, success bool) {
	if t != ReturnedNull && a.loop.cfg.Clock.Now().Sub(a.began) >= a.loop.cfg.Timeout {
		t = ReturnedTimeOut
	}
	a.c.Type, a.c.Status, a.c.Success = t, status, success
}

func (a *aroundCall) after(ctx context.Context) {
	a.loop.decisions.Fact(decision.ConsumeHooked, a.c.Queue, string(a.c.Type), [6]int64{int64(len(a.loop.hooks.consume))})
	a.loop.hooks.each(ctx, &a.loop.membership, a.c.Queue, func(h ConsumeHook) { h.After(&a.c) })
}
