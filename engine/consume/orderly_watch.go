package consume

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
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

// runOverdue tells of calls that do not return, once each: their queues stand still, and
// nothing else can be done for them. One timer, set to the moment that the oldest call
// becomes overdue: one that starts later can not be overdue before one timeout has passed.
func (c *Orderly) runOverdue(ctx context.Context) error {
	timer := c.cfg.Clock.NewTimer(c.cfg.Timeout)
	defer timer.Stop()
	for {
		if clock.Wait(ctx, c.cfg.Clock, clock.Waits{Timer: timer}) == clock.Ended {
			return nil
		}
		timer.Reset(c.tellOverdue())
	}
}

// tellOverdue returns when to look again.
func (c *Orderly) tellOverdue() time.Duration {
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

// Stats returns totals since NewOrderly and the present state of the threads. TimedOut counts
// calls that were told as slow, SentBack what the dead-letter topic took. TasksQueue counts
// the queues that wait for a thread.
func (c *Orderly) Stats() Stats {
	var s Stats
	c.mu.Lock()
	c.totals.addTo(&s)
	c.staff.addTo(&s)
	list := c.staff.list
	s.Threads = snapshot.Threads{Busy: c.busy, Max: c.staff.wanted, TasksQueue: c.ready.n}
	c.mu.Unlock()
	oldest(list, c.cfg.Clock.Now().Sub(c.born), &s)
	return s
}
