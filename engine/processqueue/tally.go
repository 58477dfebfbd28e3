package processqueue

import (
	"sync/atomic"
	"time"
)

// Tally is what a listener did with the messages of a queue: how often it was called and for
// how long in all, and how many messages succeeded and failed.
type Tally struct {
	Calls      int64
	Busy       time.Duration
	OK, Failed int64
}

// tally counts up; takers add to it from many threads, a turn at a time.
type tally struct{ calls, busy, ok, failed atomic.Int64 }

// Count adds what a taker did since it last counted.
func (q *Queue) Count(t Tally) {
	q.tally.calls.Add(t.Calls)
	q.tally.busy.Add(int64(t.Busy))
	q.tally.ok.Add(t.OK)
	q.tally.failed.Add(t.Failed)
}

// Tally is what was counted since the queue was assigned.
func (q *Queue) Tally() Tally {
	return Tally{
		Calls: q.tally.calls.Load(), Busy: time.Duration(q.tally.busy.Load()),
		OK: q.tally.ok.Load(), Failed: q.tally.failed.Load(),
	}
}

// Extent is how many messages a set has and its first and last offset, zeros when it is empty.
type Extent struct {
	Count       int
	First, Last int64
}

func (e *Extent) add(offset int64) {
	if e.Count == 0 {
		e.First = offset
	}
	e.Count++
	e.Last = offset
}

// Join is the extent of both sets together.
func (e Extent) Join(o Extent) Extent {
	if e.Count == 0 || o.Count == 0 {
		return Extent{e.Count + o.Count, e.First + o.First, e.Last + o.Last}
	}
	return Extent{e.Count + o.Count, min(e.First, o.First), max(e.Last, o.Last)}
}

// Extents are those of the messages that wait and of those that takers have or that are kept
// (Java: the two maps of an orderly ProcessQueue; a concurrent one has both sets in one).
func (q *Queue) Extents() (waits, taken Extent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.slots.n {
		switch s := q.slots.at(i); s.state {
		case done:
		case waiting:
			waits.add(s.offset)
		default:
			taken.add(s.offset)
		}
	}
	return waits, taken
}
