package step

import (
	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// past is how many decisions are remembered.
const past = 512

// taken is a decision that a walker went through.
type taken struct {
	step uint64
	task uint64 // whose turn it is, 0 for none
	turn uint64 // step at which that turn began, 0 when the decision belongs to none
	d    decision.Decision
}

// memory is what a person sees of the past.
type memory struct {
	ring []taken // grows to past, then wraps
	next int     // where the next one goes
	turn turn
}

// take remembers a decision and fills in the moment around it.
func (k *memory) take(m *Moment, d *decision.Decision, step uint64) {
	task, of := d.Task, uint64(0)
	if k.turn.takes(d, step) {
		of = k.turn.from
		if k.turn.task != 0 {
			task = k.turn.task
		}
	}
	k.keep(m, d, step, task, of)
}

// keep remembers a decision of a task, in the turn that began at a step.
func (k *memory) keep(m *Moment, d *decision.Decision, step, task, turn uint64) {
	m.Decision, m.Before, m.Task = d, nil, task
	if last := k.last(); last != nil {
		m.Before = &last.d
	}
	if len(k.ring) < past {
		k.ring = append(k.ring, taken{})
	}
	k.ring[k.next] = taken{step: step, task: task, turn: turn, d: *d}
	k.next = (k.next + 1) % past
}

// last is the newest decision, nil before the first.
func (k *memory) last() *taken {
	if len(k.ring) == 0 {
		return nil
	}
	return &k.ring[(k.next+past-1)%past]
}

// history calls fn for each remembered decision, oldest first.
func (k *memory) history(fn func(t *taken)) {
	for i := range k.ring {
		at := i
		if len(k.ring) == past {
			at = (k.next + i) % past
		}
		fn(&k.ring[at])
	}
}

// trace is the turn so far.
func (k *memory) trace(show func(t *taken) snapshot.TraceLine) snapshot.SchedTrace {
	t := snapshot.SchedTrace{Task: k.turn.task, Queue: k.turn.queue, Done: k.turn.over}
	if k.turn.from == 0 {
		return t
	}
	k.history(func(e *taken) {
		if e.turn == k.turn.from {
			t.Lines = append(t.Lines, show(e))
		}
	})
	return t
}

// lines are the last decisions, at most n and at most past, oldest first.
func (k *memory) lines(n int, show func(t *taken) snapshot.TraceLine) []snapshot.TraceLine {
	list := make([]snapshot.TraceLine, 0, min(n, len(k.ring)))
	skip := max(0, len(k.ring)-n)
	k.history(func(t *taken) {
		if skip--; skip < 0 {
			list = append(list, show(t))
		}
	})
	return list
}
