package step

import (
	"errors"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
)

// Trail is the decisions of something that moves by events, as a recording that is played: those
// of the last event, which can be gone through one by one, and those before; and breakpoints on
// them. One goroutine owns it.
type Trail struct {
	all   []decision.Decision // the last ones
	steps uint64              // decisions so far
	from  uint64              // decisions before the last event
	shown uint64              // decisions up to the one that is shown last
	start time.Time
	bps   breakpoints
	hit   snapshot.SchedHit // at the last event
	ended uint64            // decisions at the end of the last event
}

// mostTraced bounds the decisions that are kept before the last event.
const mostTraced = 512

// Decided takes a decision. It is a decision.Sink.
func (t *Trail) Decided(d *decision.Decision) {
	t.steps++
	if len(t.all) >= 4*mostTraced && t.steps-t.from < mostTraced {
		t.all = append(t.all[:0], t.all[len(t.all)-2*mostTraced:]...)
	}
	m := Moment{Decision: d, Task: d.Task, Start: t.start}
	if n := len(t.all); n > 0 {
		m.Before = &t.all[n-1]
	}
	if b := t.bps.decided(&m, t.steps); b != nil && t.hit.Step <= t.ended {
		t.hit = snapshot.SchedHit{Step: t.steps, Why: "breakpoint: " + b.String()}
	}
	t.all = append(t.all, *d)
	t.shown = t.steps
}

// Event says that an event ends which began when steps decisions had been made.
func (t *Trail) Event(steps uint64) {
	t.from, t.shown, t.ended = steps, t.steps, t.steps
	if t.hit.Step != 0 && t.hit.Step <= steps {
		t.hit = snapshot.SchedHit{}
	}
	t.bps.forget()
}

// Steps is how many decisions were made.
func (t *Trail) Steps() uint64 { return t.steps }

// Hit is the breakpoint that the last event reached, "" for none.
func (t *Trail) Hit() string {
	if t.hit.Step <= t.from {
		return ""
	}
	return t.hit.Why
}

// AtHit tells whether the decision that is shown last is the one that reached a breakpoint.
func (t *Trail) AtHit() bool { return t.hit.Step != 0 && t.hit.Step == t.shown }

// Forget says that what follows does not go on from what was before. Breakpoints stay.
func (t *Trail) Forget(start time.Time) {
	*t = Trail{all: t.all[:0], start: start, bps: t.bps}
	t.bps.cut(0)
}

// Go goes one decision on within the last event, or back; false where there is none.
func (t *Trail) Go(back bool) bool {
	switch {
	case back && t.shown > t.from+1:
		t.shown--
	case !back && t.shown < t.steps:
		t.shown++
	default:
		return false
	}
	return true
}

// Last is the decision of the last event that is shown last, and the one before it; nil where there
// is none.
func (t *Trail) Last() (last, before *decision.Decision) {
	if t.shown <= t.from {
		return nil, nil
	}
	i := len(t.all) - 1 - int(t.steps-t.shown)
	if i > 0 {
		before = &t.all[i-1]
	}
	return &t.all[i], before
}

// First shows the first decision of the last event only.
func (t *Trail) First() { t.shown = min(t.from+1, t.steps) }

// ErrNoChange says that what was recorded stays as it is.
var ErrNoChange = errors.New("what was recorded can not be changed")

// Do carries out a command about breakpoints.
func (t *Trail) Do(cmd any) error {
	switch c := cmd.(type) {
	case command.SetBreakpoint:
		b, err := breakpointOf(c)
		if err == nil {
			t.bps.set(b)
		}
		return err
	case command.Toggle:
		return t.bps.toggle(c.Index, c.Words)
	case command.Delete:
		return t.bps.delete(c.Index, c.Words)
	}
	return ErrNoChange
}

// Show fills in what is shown of a schedule.
func (t *Trail) Show(s *snapshot.Snapshot) {
	sched := &s.Sched
	first := t.steps - uint64(len(t.all)) // decisions before all
	sched.History = nil
	for i := range t.all {
		step := first + uint64(i) + 1
		if step > t.shown {
			break
		}
		line := snapshot.TraceLine{Step: step, Decision: t.all[i], Break: t.bps.onLine(t.all[i].Line)}
		if step+mostTraced > t.shown {
			sched.History = append(sched.History, line)
		}
		if step <= t.from {
			continue
		}
		sched.Current.Lines = append(sched.Current.Lines, line)
		if d := &t.all[i]; d.Task != 0 {
			sched.Current.Task, sched.Current.Queue = d.Task, d.Queue
		}
	}
	sched.Current.Done = t.shown == t.steps
	sched.Steps, sched.Newest, sched.Hit = t.shown, t.steps, t.hit
	sched.Breakpoints = t.bps.picture(s, t.steps)
	for i := range sched.Tasks {
		task := &sched.Tasks[i]
		task.Break = t.bps.onQueue(task.Queue)
		task.Current = task.ID == sched.Current.Task && task.ID != 0
	}
}
