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

// Stats returns totals since the service was made and the present state of the threads. TasksQueue
// counts the queues in which messages wait for a thread. Of an Orderly, TimedOut counts calls that
// were told as slow, SentBack what the dead-letter topic took.
func (s *shift[W]) Stats() Stats {
	var stats Stats
	s.mu.Lock()
	s.totals.addTo(&stats)
	s.staff.addTo(&stats)
	list := s.staff.list
	stats.Threads = snapshot.Threads{Busy: s.busy, Max: s.staff.wanted, TasksQueue: *s.waiting}
	s.mu.Unlock()
	oldest(list, s.clock.Now().Sub(s.born), &stats)
	return stats
}
