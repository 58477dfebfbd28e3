package consume

import (
	"context"
	"slices"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/processqueue"
)

// later is the messages that wait to be consumed again here, oldest first. All wait equally
// long, so the first is always due first.
type later struct {
	wake chan struct{} // room for one signal: the list is not empty any more

	mu   sync.Mutex
	list []again
}

type again struct {
	due    time.Time
	q      *processqueue.Queue
	offset int64
}

func (l *later) add(due time.Time, q *processqueue.Queue, offset int64) {
	l.mu.Lock()
	l.list = append(l.list, again{due, q, offset})
	first := len(l.list) == 1
	l.mu.Unlock()
	if first {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// take returns what is due at now, and how long the next one has to wait, 0 when there is none.
func (l *later) take(now time.Time) (due []again, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for n < len(l.list) && !l.list[n].due.After(now) {
		n++
	}
	due = append(due, l.list[:n]...)
	l.list = slices.Delete(l.list, 0, n)
	if len(l.list) > 0 {
		wait = l.list[0].due.Sub(now)
	}
	return due, wait
}

// runLater makes messages wait for a thread again once their delay is over
// (Java: submitConsumeRequestLater, which has one timer task for each).
func (c *Concurrent) runLater(ctx context.Context) error {
	timer := c.cfg.Clock.NewTimer(c.cfg.RetryDelay)
	defer timer.Stop()
	for {
		due, wait := c.later.take(c.cfg.Clock.Now())
		for _, a := range due {
			again := c.isOf(decision.ConsumeAgain, a.q, a.q.Again(a.offset), [6]int64{a.offset})
			if again && c.isOf(decision.ConsumeQueued, a.q, a.q.Enlist(), [6]int64{int64(a.q.Waiting())}) {
				c.list(a.q)
			}
		}
		if wait == 0 {
			if clock.Wait(ctx, c.cfg.Clock, clock.Waits{First: c.later.wake}) == clock.Ended {
				return nil
			}
			continue
		}
		timer.Reset(wait)
		if clock.Wait(ctx, c.cfg.Clock, clock.Waits{Timer: timer}) == clock.Ended {
			return nil
		}
	}
}
