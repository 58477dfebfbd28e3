package step

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

// walker is a world together with what a person sees of its past.
type walker struct {
	world World
	start time.Time
	memory
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
