package consume

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// guardedSweep makes sure that a sweep which panics is told and followed by the next one.
func (c *Concurrent) guardedSweep(ctx context.Context) (wait time.Duration) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			c.tell(event.Error, "consume", mq.MessageQueue{}, 1, fmt.Sprintf("sweep panicked: %v\n%s", v, stack[:min(len(stack), stackBytes)]))
			wait = c.cfg.RetryDelay
		}
	}()
	return c.sweep(ctx)
}

// sweep sends back what overdue calls have, once each, and returns when to look again.
func (c *Concurrent) sweep(ctx context.Context) time.Duration {
	now := c.cfg.Clock.Now()
	wait := c.cfg.Timeout
	var overdue []*processqueue.Queue
	for _, w := range c.present() {
		at := w.started.Load()
		if at == 0 {
			continue
		}
		q := w.queue.Load()
		age := now.Sub(c.born.Add(time.Duration(at - 1)))
		if !c.isOf(decision.ConsumeOverdue, q, age >= c.cfg.Timeout, [6]int64{w.first.Load(), int64(age), int64(c.cfg.Timeout)}) {
			wait = min(wait, c.cfg.Timeout-age)
		} else if !slices.Contains(overdue, q) {
			overdue = append(overdue, q)
		}
	}
	var msgs []mq.Message
	for _, q := range overdue {
		msgs = q.Expire(now, c.cfg.Timeout, msgs[:0])
		for _, m := range msgs {
			if !c.sweepOne(ctx, q, m) {
				wait = min(wait, c.cfg.RetryDelay)
			}
		}
	}
	// Sending back takes time, which the next look must not wait for as well.
	return max(wait-c.cfg.Clock.Now().Sub(now), time.Millisecond)
}

// sweepOne gives up waiting for the listener of m; false means that m could not be sent back.
func (c *Concurrent) sweepOne(ctx context.Context, q *processqueue.Queue, m mq.Message) bool {
	off := m.QueueOffset()
	var err error
	what := "given up: broadcasting has no retry"
	if c.cfg.Model != mq.Broadcasting {
		what = fmt.Sprintf("sent back with delay level %d", sweptLevel)
		err = c.sendBack(ctx, m, sweptLevel)
	}
	c.totals.timedOut.Add(1)
	switch swept := c.isOf(decision.ConsumeSwept, q, err == nil, [6]int64{off, sweptLevel}); {
	case !swept:
		c.totals.sendBackFailed.Add(1)
		c.tellSendBackFailed(q.ID, off, err)
	case c.cfg.Model == mq.Broadcasting:
		c.totals.dropped.Add(1)
	default:
		c.totals.sentBack.Add(1)
	}
	if err == nil {
		c.tell(event.Warn, "consume", q.ID, 1, fmt.Sprintf("listener has offset %d for over %v: %s, its answer will not count", off, c.cfg.Timeout, what))
	}
	now := c.cfg.Clock.Now()
	if c.isOf(decision.ConsumeRetryHere, q, q.Expired(now, m, err == nil), [6]int64{off, int64(c.cfg.RetryDelay)}) {
		c.later.add(now.Add(c.cfg.RetryDelay), q, off)
	}
	return err == nil
}
