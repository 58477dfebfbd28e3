package step

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// Stop says why a move ended.
type Stop struct {
	Step   uint64
	Why    string // empty after a single step
	Met    bool   // what the move was to reach was reached
	Break  bool   // a breakpoint was hit, or a Guide pointed here
	Bad    bool   // an invariant is broken
	Reason Reason
}

// goal is what a person wants the world to go on to.
type goal struct {
	name    string
	reached func(m *Moment, step uint64) (why string, ok bool)
	breaks  bool   // stops at breakpoints and broken invariants
	guided  bool   // stops at what a Guide points at
	left    uint64 // decisions at most, 0 for no limit
}

func one() *goal {
	return &goal{name: "one", breaks: true, reached: func(*Moment, uint64) (string, bool) { return "", true }}
}

// task goes on to where another turn begins.
func (s *Stepper) task() *goal {
	return &goal{name: "task", breaks: true, reached: func(_ *Moment, step uint64) (string, bool) {
		return "next turn", s.cur.turn.from == step
	}}
}

// turnOf goes on to where a task has its turn, or to where it is over and never has one again.
func (s *Stepper) turnOf(task uint64) *goal {
	return &goal{name: fmt.Sprintf("task %d", task), breaks: true, reached: func(m *Moment, step uint64) (string, bool) {
		if m.Decision.Task == task && m.Then.Do == decision.Die {
			return fmt.Sprintf("task %d is over", task), true
		}
		return fmt.Sprintf("turn of task %d", task), s.cur.turn.from == step && s.cur.turn.task == task
	}}
}

func until(p *Place, most uint64) *goal {
	return &goal{name: "until " + p.String(), breaks: true, left: most,
		reached: func(m *Moment, _ uint64) (string, bool) { return p.String(), p.Reached(m) }}
}

func (s *Stepper) runFor(d time.Duration) *goal {
	end := s.Now().Add(d)
	return &goal{name: "run " + d.String(), breaks: true, reached: func(m *Moment, _ uint64) (string, bool) {
		return MomentText(m.At.Sub(s.start)), !m.At.Before(end)
	}}
}

func run() *goal {
	return &goal{name: "run", breaks: true, guided: true, reached: func(*Moment, uint64) (string, bool) { return "", false }}
}

// One makes one decision.
func (s *Stepper) One() (Stop, error) { return s.finish(one()) }

// Task goes on to where the turn of this task ends and another begins.
func (s *Stepper) Task() (Stop, error) { return s.finish(s.task()) }

// Until goes on to a place, over at most so many decisions; 0 is no limit.
func (s *Stepper) Until(p *Place, most uint64) (Stop, error) { return s.finish(until(p, most)) }

// UntilTask goes on to where a task has its turn, or is over.
func (s *Stepper) UntilTask(task uint64) (Stop, error) { return s.finish(s.turnOf(task)) }

// RunFor goes on to the first decision that is at least so much later.
func (s *Stepper) RunFor(d time.Duration) (Stop, error) { return s.finish(s.runFor(d)) }

// Run goes on to a breakpoint or a broken invariant, to what a Guide points at, or to the end of
// the world.
func (s *Stepper) Run() (Stop, error) { return s.finish(run()) }

// finish carries a goal out.
func (s *Stepper) finish(g *goal) (Stop, error) {
	if g.left == 0 {
		g.left = s.limit
	}
	s.goal = g
	stop, _, err := s.Advance(forever)
	return stop, err
}

// Limit ends each move from now on after at most so many decisions; 0 is no limit. Stop.Why says
// that a move was not reached then.
func (s *Stepper) Limit(most uint64) { s.limit = most }

// Moving tells whether a move that was begun has not come to its end.
func (s *Stepper) Moving() bool { return s.goal != nil }

// Halt gives up the move that was begun; the world stands where it is.
func (s *Stepper) Halt() { s.goal = nil }

// Advance takes the move that was begun further, by at most so many decisions; done is true when
// it came to its end.
func (s *Stepper) Advance(most uint64) (stop Stop, done bool, err error) {
	if s.goal == nil {
		return Stop{Step: s.Steps()}, true, nil
	}
	made, ended := uint64(0), false
	var wrong error
	reason, err := s.cur.run(s.plan, func(m *Moment, step uint64) bool {
		made++
		if wrong = s.went(step); wrong != nil {
			return true
		}
		stop, ended = s.judge(m, step)
		return ended || made >= most
	})
	if err == nil {
		err = wrong
	}
	s.newest = max(s.newest, s.Steps())
	switch {
	case err != nil:
		s.goal = nil
		s.hit = snapshot.SchedHit{Step: s.Steps(), Why: err.Error(), Bad: true}
		return Stop{Step: s.Steps(), Why: err.Error(), Bad: true}, true, err
	case reason != Stopped:
		stop, ended = Stop{Step: s.Steps(), Why: reason.String(), Reason: reason}, true
	}
	if !ended {
		return Stop{Step: s.Steps()}, false, nil
	}
	s.goal = nil
	s.broken = s.cur.world.Broken()
	s.hit = snapshot.SchedHit{Step: stop.Step, Why: stop.Why, Bad: stop.Bad}
	if stop.Why == "" {
		s.hit = snapshot.SchedHit{}
	}
	return stop, true, s.hashes.stood(s.cur.world)
}

// went checks a step that the current world has gone through against the first time.
func (s *Stepper) went(step uint64) error {
	if step%every == 0 {
		return s.hashes.passed(step, s.cur.world)
	}
	return nil
}

// judge looks at a decision and says whether the move ends with it.
func (s *Stepper) judge(m *Moment, step uint64) (Stop, bool) {
	hit := s.bps.decided(m, step)
	if m.Line == decision.RebalanceBegin {
		s.mark(step, "rebalance", false)
	}
	if s.watch != nil {
		s.watch(s.line(s.cur.last()))
	}
	if g := s.goal; g.breaks {
		if b := s.breach(); b != "" {
			return Stop{Step: step, Why: b, Bad: true}, true
		}
		if hit != nil {
			s.mark(step, "break "+hit.Where(), false)
			why, met := g.reached(m, step)
			if !met || why == "" {
				why = "break " + hit.String()
			}
			return Stop{Step: step, Why: why, Met: met, Break: true}, true
		}
	}
	if why, met := s.goal.reached(m, step); met {
		return Stop{Step: step, Why: why, Met: true}, true
	}
	if what := s.sight(); what != "" {
		s.mark(step, what, false)
		if s.goal.guided {
			return Stop{Step: step, Why: what, Break: true}, true
		}
	}
	if s.goal.left > 0 {
		if s.goal.left--; s.goal.left == 0 {
			return Stop{Step: step, Why: s.goal.name + " was not reached"}, true
		}
	}
	return Stop{}, false
}

// sight is what a Guide has come to with the last decision, "" for nothing.
func (s *Stepper) sight() string {
	if g, ok := s.cur.world.(Guide); ok {
		return g.Sight()
	}
	return ""
}

// breach returns what to say of an invariant that is newly broken, "" when none is.
func (s *Stepper) breach() string {
	now := s.cur.world.Broken()
	if len(now) == 0 && len(s.broken) == 0 {
		return ""
	}
	before := s.broken
	s.broken = slices.Clone(now)
	return firstNew(now, before)
}

func firstNew(now, before []snapshot.Breach) string {
	for _, b := range now {
		if !slices.Contains(before, b) {
			return b.ID + " is broken: " + b.What
		}
	}
	return ""
}
