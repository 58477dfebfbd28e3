package schedule

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

type phase uint8

const (
	waiting phase = iota // in the schedule, for its due time
	running              // out, in a pull
	parked               // out for so long that its broker must be holding it
	held                 // its time has come, a person holds it
)

// task is the request of one queue and where it is.
type task struct {
	request Request
	phase   phase
	// due is when Step looks at the task: its turn when it waits; when it is out, the time
	// from which on it counts as parked, then lost.
	due   time.Time
	order uint64 // among equal due times
	lost  time.Time
	cause event.Cause
	since time.Time // when it came into its phase
	index int       // in the heap
	took  *task     `pack:"-"` // as it was when it got its turn, until Taken tells of that
}

// wait makes t due after delay. The caller puts the heap in order again.
func (s *Schedule) wait(t *task, delay time.Duration, cause event.Cause) {
	t.phase, t.cause, t.since = waiting, cause, s.now
	s.rank(t, s.now.Add(max(0, delay)))
}

// rank gives t a due time, behind all that have the same one.
func (s *Schedule) rank(t *task, due time.Time) {
	s.order++
	t.due, t.order = due, s.order
}

// woken makes waiting tasks due now, in the order in which they would have become due.
func (s *Schedule) woken(e event.Woken) {
	if e.Queue != (mq.MessageQueue{}) {
		if t := s.tasks[e.Queue]; t != nil && s.wakes(e, t) {
			s.wake(t, e.By)
		}
		return
	}
	var woken []*task
	for _, t := range s.heap {
		if s.wakes(e, t) {
			woken = append(woken, t)
		}
	}
	sortByDue(woken)
	for _, t := range woken {
		s.wake(t, e.By)
	}
}

func (s *Schedule) wake(t *task, by string) {
	early := t.due.Sub(s.now)
	s.rank(t, s.now)
	s.heap.fix(t)
	s.tellWoken(t, early, by)
}

func (s *Schedule) wakes(e event.Woken, t *task) bool {
	return t.phase == waiting && t.due.After(s.now) &&
		(e.BrokerName == "" || e.BrokerName == t.request.Queue.BrokerName) &&
		(len(e.Causes) == 0 || slices.Contains(e.Causes, t.cause))
}

func sortByDue(list []*task) { slices.SortFunc(list, compareDue) }

func compareDue(a, b *task) int {
	if c := a.due.Compare(b.due); c != 0 {
		return c
	}
	return cmp.Compare(a.order, b.order)
}
