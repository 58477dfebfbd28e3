package consume

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// runAsleep ends suspensions when they are due.
func (c *Orderly) runAsleep(ctx context.Context) error {
	timer := c.cfg.Clock.NewTimer(time.Hour)
	defer timer.Stop()
	var woken []mq.MessageQueue
	for {
		now := c.cfg.Clock.Now()
		wait := time.Hour // no suspension is that long
		woken = woken[:0]
		c.mu.Lock()
		for l := c.asleep.wakeOne(now); l != nil; l = c.asleep.wakeOne(now) {
			c.list(l)
			woken = append(woken, l.id)
		}
		if len(c.asleep) > 0 {
			wait = c.asleep[0].due.Sub(now)
		}
		c.aside(func(d *decision.Recorder) {
			for _, q := range woken {
				d.Fact(decision.OrderlyResumed, q, "", [6]int64{})
			}
		})
		c.unlockAndWake()
		timer.Reset(wait)
		if clock.Wait(ctx, c.cfg.Clock, clock.Waits{First: c.resleep, Timer: timer}) == clock.Ended {
			return nil
		}
	}
}

// tellOverdue tells of calls that do not return, once each, and returns when to look again: their
// queues stand still, and nothing else can be done for them.
func (c *Orderly) tellOverdue(context.Context) time.Duration {
	now := c.cfg.Clock.Now().Sub(c.born)
	wait := c.cfg.Timeout
	for _, w := range c.present() {
		at := w.started.Load()
		if at == 0 || at == w.told {
			continue
		}
		age, q := now-time.Duration(at-1), w.queue.Load()
		if !c.cfg.Decisions.Is(decision.OrderlyOverdue, q.ID, age >= c.cfg.Timeout,
			[6]int64{w.first.Load(), int64(age), int64(c.cfg.Timeout)}) {
			wait = min(wait, c.cfg.Timeout-age)
			continue
		}
		w.told = at
		w.totals.timedOut.Add(1)
		what := fmt.Sprintf("listener has offset %d for over %v: its queue waits for it", w.first.Load(), c.cfg.Timeout)
		c.tell(event.Warn, "consume", q.ID, 1, what)
	}
	return max(wait, time.Millisecond)
}
