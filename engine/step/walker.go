package step

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
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

// walker is a world together with what a person sees of its past.
type walker struct {
	world   World
	start   time.Time
	ring    []taken // grows to past, then wraps
	next    int     // where the next one goes
	turn    turn
	done    int // how many of the planned changes it has had
	resting bool
}

// turn is the latest turn of a task: what was decided about it without another one in between.
type turn struct {
	member string
	task   uint64
	queue  mq.MessageQueue
	from   uint64 // step of its first decision, 0 before the first turn
	over   bool
	tasks  map[memberQueue]uint64
}

type memberQueue struct {
	member string
	queue  mq.MessageQueue
}

// planned is a change and where it belongs: right after a decision, or, with rest, after what
// the world still does behind that decision before nothing is left to do.
type planned struct {
	step   uint64
	rest   bool
	change Change
}

func (w *walker) steps() uint64 { return w.world.Steps() }

// run lets the world go on until stop says true, with the planned changes at their steps. Those
// planned for the step at which it stops are made too.
func (w *walker) run(plan []planned, stop func(m *Moment, step uint64) bool) (Reason, error) {
	m := Moment{Start: w.start}
	for {
		if err := w.change(plan); err != nil {
			return Stopped, err
		}
		due, asked := w.due(plan), false
		reason, err := w.world.Run(func(d *decision.Decision) bool {
			step := w.world.Steps()
			w.take(&m, d, step)
			asked = stop(&m, step)
			return asked || step == due
		})
		w.resting = err == nil && reason != Stopped
		switch {
		case err != nil:
			return reason, err
		case asked:
			return Stopped, w.change(plan)
		case reason != Stopped && !w.waiting(plan):
			return reason, nil
		}
	}
}

// due is the step after which the next change is due, 0 when none is.
func (w *walker) due(plan []planned) uint64 {
	if w.done < len(plan) && !plan[w.done].rest {
		return plan[w.done].step
	}
	return 0
}

// waiting tells whether a change is planned for a world that rests where w does.
func (w *walker) waiting(plan []planned) bool {
	return w.done < len(plan) && plan[w.done].step == w.steps()
}

// rested tells whether the world has done what follows its last decision until nothing was left
// to do, also when it was changed since.
func (w *walker) rested(plan []planned) bool {
	last := w.done - 1
	return w.resting || last >= 0 && plan[last].rest && plan[last].step == w.steps()
}

// change makes the changes that are due where the world stands.
func (w *walker) change(plan []planned) error {
	for w.done < len(plan) && plan[w.done].step <= w.steps() && (w.resting || !plan[w.done].rest) {
		p := plan[w.done]
		if err := w.world.Change(p.change); err != nil {
			return fmt.Errorf("repeat %q at step %d: %w", p.change, p.step, err)
		}
		w.done++
		w.resting = false
	}
	return nil
}

// take remembers a decision and fills in the moment around it.
func (w *walker) take(m *Moment, d *decision.Decision, step uint64) {
	m.Decision, m.Before = d, nil
	if last := w.last(); last != nil {
		m.Before = &last.d
	}
	m.Task = 0
	of := uint64(0)
	if w.turn.takes(d, step) {
		m.Task, of = w.turn.task, w.turn.from
	}
	if m.Task == 0 {
		m.Task = d.Task
	}
	if len(w.ring) < past {
		w.ring = append(w.ring, taken{})
	}
	w.ring[w.next] = taken{step: step, task: m.Task, turn: of, d: *d}
	w.next = (w.next + 1) % past
}

// last is the newest decision, nil before the first.
func (w *walker) last() *taken {
	if len(w.ring) == 0 {
		return nil
	}
	return &w.ring[(w.next+past-1)%past]
}

// history calls fn for each remembered decision, oldest first.
func (w *walker) history(fn func(t *taken)) {
	for i := range w.ring {
		at := i
		if len(w.ring) == past {
			at = (w.next + i) % past
		}
		fn(&w.ring[at])
	}
}

// trace is the turn so far.
func (w *walker) trace(show func(t *taken) snapshot.TraceLine) snapshot.SchedTrace {
	t := snapshot.SchedTrace{Task: w.turn.task, Queue: w.turn.queue, Done: w.turn.over}
	if w.turn.from == 0 {
		return t
	}
	w.history(func(e *taken) {
		if e.turn == w.turn.from {
			t.Lines = append(t.Lines, show(e))
		}
	})
	return t
}

// takes moves the turn on by a decision and tells whether that belongs to it. What other parts
// of the engine decide in between neither belongs to a turn nor ends it.
func (t *turn) takes(d *decision.Decision, step uint64) bool {
	if d.Line.Group != decision.Pull && d.Line.Group != decision.PullTask {
		return false
	}
	if d.Task == 0 && d.Queue == (mq.MessageQueue{}) {
		return false
	}
	if d.Line == decision.PullTaken || d.Line == decision.TaskPicked || !t.same(d) {
		t.begin(d, step)
	}
	t.over = t.over || d.Then.Do == decision.PutBack || d.Then.Do == decision.Die || d.Line == decision.PullSend
	return true
}

// same tells whether a decision is about the task whose turn it is.
func (t *turn) same(d *decision.Decision) bool {
	if t.from == 0 || d.Member != t.member {
		return false
	}
	if d.Task != 0 {
		return d.Task == t.task
	}
	return d.Queue == t.queue
}

func (t *turn) begin(d *decision.Decision, step uint64) {
	key := memberQueue{d.Member, d.Queue}
	t.member, t.task, t.queue, t.from, t.over = d.Member, d.Task, d.Queue, step, false
	switch {
	case d.Queue == (mq.MessageQueue{}):
	case d.Task == 0:
		t.task = t.tasks[key]
	default:
		if t.tasks == nil {
			t.tasks = map[memberQueue]uint64{}
		}
		t.tasks[key] = d.Task
	}
}
