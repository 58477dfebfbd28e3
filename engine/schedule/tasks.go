package schedule

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Held is one request with the picture of where it is.
type Held struct {
	Request Request
	Task    snapshot.Task
}

// Tasks returns all requests there are, by when Step looks at them next; those that are held by when
// their time came.
func (s *Schedule) Tasks() []Held {
	list := slices.Clone(s.heap)
	slices.SortFunc(list, func(a, b *task) int { return cmp.Or(a.time().Compare(b.time()), cmp.Compare(a.order, b.order)) })
	out := make([]Held, len(list))
	for i, t := range list {
		out[i] = Held{Request: t.request, Task: s.Task(t.request.Queue)}
	}
	return out
}

func (t *task) time() time.Time {
	if t.phase == held {
		return t.since
	}
	return t.due
}

// postponed makes a task that waits do so for d more.
func (s *Schedule) postponed(q mq.MessageQueue, d time.Duration) {
	t := s.tasks[q]
	if t == nil || t.phase != waiting {
		return
	}
	due := t.due
	if due.Before(s.now) {
		due = s.now
	}
	s.rank(t, due.Add(d))
	if t.cause == event.CauseNone {
		t.cause = event.CauseByHand
	}
	s.heap.fix(t)
}

// Tasks returns all pull tasks that have not ended, and those that are in the task table all the
// same, by queue and then number.
func (t *Table) Tasks() []Task {
	var out []Task
	for _, task := range t.live {
		out = append(out, *task)
	}
	for _, task := range t.tasks {
		if t.live[task.ID] == nil {
			out = append(out, *task)
		}
	}
	slices.SortFunc(out, func(a, b Task) int {
		return cmp.Or(a.ID.Queue.Compare(b.ID.Queue), cmp.Compare(a.ID.N, b.ID.N))
	})
	return out
}
