package consume

import (
	"sync/atomic"

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

// add takes over what o has counted.
func (t *totals) add(o *totals) {
	t.consumed.Add(o.consumed.Load())
	t.failed.Add(o.failed.Load())
	t.sentBack.Add(o.sentBack.Load())
	t.sendBackFailed.Add(o.sendBackFailed.Load())
	t.timedOut.Add(o.timedOut.Load())
	t.dropped.Add(o.dropped.Load())
	t.panics.Add(o.panics.Load())
}

// Stats returns totals since NewConcurrent and the present state of the threads. TasksQueue
// counts the queues in which messages wait for a thread.
func (c *Concurrent) Stats() Stats {
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
