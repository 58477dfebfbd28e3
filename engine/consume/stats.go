package consume

import (
	"sync/atomic"
	"time"

	"mqscope/engine/snapshot"
)

// totals are counted where things happen and summed when asked for.
type totals struct {
	consumed, failed, sentBack, sendBackFailed, timedOut, dropped, panics atomic.Uint64
}

func (t *totals) addTo(s *Stats) {
	s.Consumed += t.consumed.Load()
	s.Failed += t.failed.Load()
	s.SentBack += t.sentBack.Load()
	s.SendBackFailed += t.sendBackFailed.Load()
	s.TimedOut += t.timedOut.Load()
	s.Dropped += t.dropped.Load()
	s.Panics += t.panics.Load()
}

// Stats returns totals since NewConcurrent and the present state of the threads. TasksQueue
// counts the queues in which messages wait for a thread.
func (c *Concurrent) Stats() Stats {
	var s Stats
	c.totals.addTo(&s)
	for _, w := range c.workers {
		w.totals.addTo(&s)
	}
	c.mu.Lock()
	s.Threads = snapshot.Threads{Busy: c.busy, Max: c.cfg.Threads, TasksQueue: c.ready.n}
	c.mu.Unlock()

	now := c.cfg.Clock.Now().Sub(c.born)
	for _, w := range c.workers {
		at := w.started.Load()
		if at == 0 {
			continue
		}
		if age := now - time.Duration(at-1); age > s.Threads.Oldest {
			s.Threads.Oldest = age
			s.Threads.OldestAt, s.Threads.OldestOn = w.first.Load(), w.queue.Load().ID
		}
	}
	return s
}
