package step

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// Stepper is one world and what a person does with it.
type Stepper struct {
	make   Maker
	cur    *walker
	spares []*walker // paused at earlier steps, to go on with after a step back
	plan   []planned // what was changed, in the order in which the world meets it
	start  time.Time
	newest uint64
	hashes hashes

	bps    breakpoints
	marks  marks
	hit    snapshot.SchedHit
	broken []snapshot.Breach
	goal   *goal
	limit  uint64 // decisions of a move, 0 for none
	watch  func(snapshot.TraceLine)
	told   map[reflect.Type]any // the last command of each type for a Doer
}

// New makes the world and stands before its first decision.
func New(m Maker) (*Stepper, error) {
	s := &Stepper{make: m}
	var err error
	if s.cur, err = s.fresh(); err != nil {
		return nil, err
	}
	s.start, s.newest = s.cur.start, s.cur.steps()
	return s, nil
}

// Close ends all worlds.
func (s *Stepper) Close() {
	s.cur.world.Close()
	for _, sp := range s.spares {
		sp.world.Close()
	}
	s.spares = nil
}

// Watch has fn called for each decision that is made while a person moves forward, in order;
// not for those that are repeated to get back to a step. What fn gets is valid during the call.
func (s *Stepper) Watch(fn func(snapshot.TraceLine)) { s.watch = fn }

// Steps is where the world stands, Newest the furthest step that was reached.
func (s *Stepper) Steps() uint64 { return s.cur.steps() }

// Newest is the furthest step that was reached.
func (s *Stepper) Newest() uint64 { return s.newest }

// Hash is that of all decisions up to here.
func (s *Stepper) Hash() uint64 { return s.cur.world.Hash() }

// Now is the time of the world, Start that at its beginning.
func (s *Stepper) Now() time.Time { return s.cur.world.Now() }

// Start is the time of the world at its beginning.
func (s *Stepper) Start() time.Time { return s.start }

// Broken are the invariants that do not hold here.
func (s *Stepper) Broken() []snapshot.Breach { return s.cur.world.Broken() }

// Last is the decision after which the world stands, of a line if that is not nil; ok is false
// when there is none among the last 512.
func (s *Stepper) Last(line *decision.Line) (t snapshot.TraceLine, ok bool) {
	s.cur.history(func(e *taken) {
		if line == nil || e.d.Line == line {
			t, ok = s.line(e), true
		}
	})
	return t, ok
}

// At tells whether the decision after which the world stands is at a place.
func (s *Stepper) At(p *Place) bool {
	last := s.cur.last()
	if last == nil {
		return false
	}
	m := Moment{Decision: &last.d, Task: last.task, Start: s.start}
	if list := s.History(2); len(list) == 2 {
		m.Before = &list[0].Decision
	}
	return p.Reached(&m)
}

// Goto goes to where so many decisions have been made, back or forth. Ahead of Newest it stops
// at nothing on its way; an error says when the world ended before.
func (s *Stepper) Goto(step uint64) error {
	s.goal, s.hit = nil, snapshot.SchedHit{}
	now := s.cur.steps()
	if step == now {
		return nil
	}
	w := s.nearestTo(step)
	switch {
	case step > now && (w == nil || w.steps() <= now):
		if w != nil {
			s.spares = append(s.spares, w)
		}
	case w == nil:
		var err error
		if w, err = s.fresh(); err != nil {
			return err
		}
		fallthrough
	default:
		s.keep(s.cur)
		s.cur = w
		s.tellDoer()
	}
	err := s.forward(step)
	s.broken = s.cur.world.Broken()
	return errors.Join(err, s.hashes.stood(s.cur.world))
}

// forward takes the current world to a step: what was done before is repeated, then it goes on
// into what is new.
func (s *Stepper) forward(step uint64) error {
	if to := min(step, s.newest); s.cur.steps() < to {
		if err := s.replay(s.cur, to); err != nil {
			return err
		}
	}
	if s.cur.steps() == step {
		return nil
	}
	_, err := s.finish(&goal{name: "goto", left: forever, reached: func(_ *Moment, at uint64) (string, bool) { return "", at == step }})
	if err == nil && s.cur.steps() != step {
		err = fmt.Errorf("the world ended at step %d, before step %d: nothing is left to do", s.cur.steps(), step)
	}
	s.hit = snapshot.SchedHit{}
	return err
}

// Back goes n decisions back, to the beginning at most.
func (s *Stepper) Back(n uint64) error { return s.Goto(s.Steps() - min(n, s.Steps())) }

// replay lets a world repeat what was done up to a step that was reached before.
func (s *Stepper) replay(w *walker, to uint64) error {
	if w.steps() >= to {
		return nil
	}
	var diverged error
	_, err := w.run(s.plan, func(_ *Moment, step uint64) bool {
		if step%every == 0 {
			diverged = s.hashes.passed(step, w.world)
		}
		return step >= to || diverged != nil
	})
	if err == nil {
		err = diverged
	}
	if err == nil && w.steps() != to {
		err = fmt.Errorf("THE WORLD IS NOT DETERMINISTIC: run again, it ended at step %d, the first time it came to step %d", w.steps(), to)
	}
	return err
}

// Change lets something happen before the next decision. What came after this step before is
// cut off: it will be different.
func (s *Stepper) Change(c Change) error {
	c, err := resolved(c, queuesOf(s.cur.world.Snapshot()))
	if err != nil {
		return err
	}
	if err := s.cur.world.Change(c); err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	s.cut()
	at := s.cur.steps()
	s.plan = append(s.plan, planned{step: at, rest: s.cur.resting, change: c})
	s.cur.done = len(s.plan)
	s.mark(at, c.String(), true)
	s.cur.resting = false
	s.broken = s.cur.world.Broken()
	return nil
}

// cut forgets all that came after where the world stands.
func (s *Stepper) cut() {
	now := s.cur.steps()
	s.plan = s.plan[:s.cur.done]
	for i := len(s.spares) - 1; i >= 0; i-- {
		if s.spares[i].steps() > now {
			s.drop(i)
		}
	}
	s.newest = now
	s.hashes.cut(now)
	s.bps.cut(now)
	s.marks = slices.DeleteFunc(s.marks, func(m mark) bool { return m.step > now })
}

// Changes are the changes that were made up to the newest step, as text, with their steps.
func (s *Stepper) Changes() []snapshot.StepMark {
	list := make([]snapshot.StepMark, len(s.plan))
	for i, p := range s.plan {
		list[i] = snapshot.StepMark{Step: p.step, What: p.change.String(), Change: true}
	}
	return list
}

// tell hands a command about pictures to a world that takes them.
func (s *Stepper) tell(cmd any) {
	if s.told == nil {
		s.told = map[reflect.Type]any{}
	}
	s.told[reflect.TypeOf(cmd)] = cmd
	if d, ok := s.cur.world.(Doer); ok {
		d.Do(cmd)
	}
}

// tellDoer tells a world that became the current one what was told before.
func (s *Stepper) tellDoer() {
	if d, ok := s.cur.world.(Doer); ok {
		for _, cmd := range s.told { // of different types: their order does not matter
			d.Do(cmd)
		}
	}
}

// forever is a number of decisions that no run comes to.
const forever = math.MaxUint64
