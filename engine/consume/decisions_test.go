package consume

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/internal/tape"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// TestDecisionsOfConcurrent compares what is told of batches with golden traces.
func TestDecisionsOfConcurrent(t *testing.T) {
	refuse := func(s sending, attempt int) error {
		if s.Offset == 1 && attempt == 0 {
			return errors.New("no broker")
		}
		return nil
	}
	for _, story := range []struct {
		name string
		cfg  Config
		on   func(ctx context.Context, msgs []mq.Message, c *Context) Status
		run  func(b *bench, q *processqueue.Queue)
	}{
		{"success", Config{Batch: 2}, nil, func(b *bench, q *processqueue.Queue) {
			b.put(q, 10, 13)
			after(0)
		}},
		{"failures", Config{Batch: 3}, func(_ context.Context, _ []mq.Message, c *Context) Status {
			c.AckIndex, c.DelayLevel = 0, 4
			return Success
		}, func(b *bench, q *processqueue.Queue) {
			b.refuse = refuse
			b.put(q, 0, 3)
			after(6 * time.Second)
		}},
		{"broadcasting", Config{Model: mq.Broadcasting}, func(context.Context, []mq.Message, *Context) Status {
			panic("boom")
		}, func(b *bench, q *processqueue.Queue) {
			b.put(q, 0, 1)
			after(0)
		}},
		{"slow", Config{Timeout: time.Minute}, func(ctx context.Context, _ []mq.Message, _ *Context) Status {
			time.Sleep(100 * time.Second)
			return Success
		}, func(b *bench, q *processqueue.Queue) {
			b.put(q, 5, 6)
			after(2 * time.Minute)
		}},
		{"not-sent-back", Config{Timeout: time.Minute}, func(context.Context, []mq.Message, *Context) Status {
			time.Sleep(59500 * time.Millisecond)
			return ReconsumeLater
		}, func(b *bench, q *processqueue.Queue) {
			b.refuse = func(sending, int) error { return errors.New("no broker") }
			after(time.Second) // the sweep finds a call that is not overdue
			b.put(q, 5, 6)
			after(62 * time.Second)
			q.Drop()
		}},
		{"given-up", Config{}, func(_ context.Context, _ []mq.Message, c *Context) Status {
			time.Sleep(time.Second)
			return Success
		}, func(b *bench, q *processqueue.Queue) {
			b.put(q, 5, 6)
			after(0)
			q.Drop()
			after(time.Second)
		}},
		{"unreadable", Config{}, nil, func(b *bench, q *processqueue.Queue) {
			b.put(q, 7, 8, 0)
			after(0)
		}},
	} {
		t.Run(story.name, func(t *testing.T) {
			traced(t, "concurrent-"+story.name, func(t *testing.T, d *decision.Recorder) (stop func()) {
				story.cfg.Threads, story.cfg.Decisions = 1, d
				b, stop := start(t, story.cfg, story.on)
				story.run(b, queueNo(0))
				return stop
			})
		})
	}
	tape.AllSeen(t, func(id string) bool { return strings.HasPrefix(id, "consume.") && id != "consume.hooked" })
}

// traced compares what is told of the decisions in run with a golden trace.
func traced(t *testing.T, golden string, run func(t *testing.T, d *decision.Recorder) (stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k := &tape.Tape{Start: time.Now()}
		stop := run(t, k.Recorder("me"))
		tape.Golden(t, golden, k.Text(k.Take(), nil))
		stop()
	})
}

// TestDecisionsOfOrderly compares what is told of turns with golden traces.
func TestDecisionsOfOrderly(t *testing.T) {
	answers := func(list ...OrderlyStatus) func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
		var n atomic.Int32
		return func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			return list[min(int(n.Add(1)), len(list))-1]
		}
	}
	type story struct {
		name string
		cfg  OrderlyConfig
		on   func(ctx context.Context, msgs []mq.Message, c *OrderlyContext) OrderlyStatus
		run  func(b *orderlyBench, q *processqueue.Queue)
	}
	for _, story := range []story{
		{"success", OrderlyConfig{Batch: 2}, nil, func(b *orderlyBench, q *processqueue.Queue) {
			b.put(q, 10, 13)
			after(0)
			b.c.Forget(q)
		}},
		{"again", OrderlyConfig{Batch: 2, MaxReconsume: 1}, answers(SuspendCurrentQueueAMoment), func(b *orderlyBench, q *processqueue.Queue) {
			b.put(q, 0, 2)
			after(1500 * time.Millisecond)
		}},
		{"dead-letters-refused", OrderlyConfig{MaxReconsume: 1}, answers(SuspendCurrentQueueAMoment), func(b *orderlyBench, q *processqueue.Queue) {
			b.refuse = func(sending, int) error { return errors.New("no broker") }
			b.put(q, 0, 1)
			after(1500 * time.Millisecond)
		}},
		{"by-hand", OrderlyConfig{ManualCommit: true}, answers(OrderlySuccess, OrderlySuccess, Rollback, OrderlySuccess, OrderlySuccess, Commit), func(b *orderlyBench, q *processqueue.Queue) {
			b.put(q, 0, 3)
			after(1500 * time.Millisecond)
		}},
		{"lock", OrderlyConfig{}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			time.Sleep(31 * time.Second)
			return OrderlySuccess
		}, func(b *orderlyBench, q *processqueue.Queue) {
			q.Unlock()
			b.put(q, 0, 2)
			after(time.Second)
			b.grant(q)
			after(32 * time.Second) // the lock is too old meanwhile
			b.grant(q)
			after(0)
			b.c.Forget(q)
		}},
		{"turns", OrderlyConfig{Continuous: time.Second, Model: mq.Broadcasting}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			time.Sleep(2 * time.Second)
			return OrderlySuccess
		}, func(b *orderlyBench, q *processqueue.Queue) {
			b.put(q, 0, 2)
			after(5 * time.Second)
		}},
		{"given-up", OrderlyConfig{Timeout: time.Minute, Model: mq.Broadcasting}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			time.Sleep(90 * time.Second)
			panic("boom")
		}, func(b *orderlyBench, q *processqueue.Queue) {
			b.put(q, 0, 1)
			after(time.Minute)
			q.Drop()
			next := processqueue.New(q.ID, 2)
			b.put(next, 0, 1)
			after(31 * time.Second)
			next.Drop()
		}},
		{"unreadable", OrderlyConfig{}, nil, func(b *orderlyBench, q *processqueue.Queue) {
			b.put(q, 7, 8, 0)
			after(0)
		}},
	} {
		t.Run(story.name, func(t *testing.T) {
			traced(t, "orderly-"+story.name, func(t *testing.T, d *decision.Recorder) (stop func()) {
				story.cfg.Threads, story.cfg.Decisions = 1, d
				b, stop := startOrderly(t, story.cfg, story.on)
				story.run(b, lockedQueue(0))
				return stop
			})
		})
	}
	tape.AllSeen(t, func(id string) bool { return strings.HasPrefix(id, "orderly.") })
}
