package script

import (
	"context"
	"fmt"
	"io"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// World is what a script moves.
type World interface {
	One() (step.Stop, error)
	Task() (step.Stop, error)
	Until(p *step.Place, most uint64) (step.Stop, error)
	RunFor(d time.Duration) (step.Stop, error)
	Run() (step.Stop, error)
	Back(n uint64) error
	Break(b *step.Breakpoint)
	Limit(most uint64)
	Watch(fn func(snapshot.TraceLine))

	Start() time.Time
	Now() time.Time
	Last(line *decision.Line) (snapshot.TraceLine, bool)
	At(p *step.Place) bool
	Broken() []snapshot.Breach
	Trace() snapshot.SchedTrace
	Snapshot() *snapshot.Snapshot
}

// Options say how a run is told.
type Options struct {
	Out   io.Writer // nil prints nothing
	JSON  bool      // a JSON object a line instead of text
	Quiet bool      // prints no decisions, as after "trace off"
}

// Failure is an expectation that was not met, or a move that did not come to its end.
type Failure struct {
	File         string
	Line, Column int
	Text         string // of the statement
	What         string // is so instead; may hold text from the network
}

// String says where and what.
func (f Failure) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Column, f.Text, f.What)
}

// runner runs one script.
type runner struct {
	script  *Script
	world   World
	stepper *step.Stepper // nil for a recording
	reel    *step.Reel    // nil for a world on virtual time
	out     *printer
	failed  []Failure
	at      *Statement
}

// Run carries a script out, to its end also where expectations fail, and returns those. An error
// means that it could not go on: ctx ended, nothing could be printed, the world is broken, or the
// script does not fit.
func Run(ctx context.Context, s *step.Stepper, script *Script, o Options) ([]Failure, error) {
	return (&runner{world: s, stepper: s}).run(ctx, script, o, OnWorld)
}

// Play is Run for a recording.
func Play(ctx context.Context, reel *step.Reel, script *Script, o Options) ([]Failure, error) {
	on := OnSeen
	if reel.Decides() {
		on = OnRemade
	}
	return (&runner{world: reel, reel: reel}).run(ctx, script, o, on)
}

func (r *runner) run(ctx context.Context, script *Script, o Options, on Ground) ([]Failure, error) {
	if err := script.Fit(on); err != nil {
		return nil, err
	}
	r.script = script
	r.out = &printer{w: o.Out, json: o.JSON, quiet: o.Quiet, start: r.world.Start(), recorded: r.reel != nil}
	r.world.Watch(r.out.decision)
	defer r.world.Watch(nil)
	if r.reel != nil {
		r.reel.WatchEvents(r.out.event)
		defer r.reel.WatchEvents(nil)
	}
	r.world.Limit(maxDecisions)
	defer r.world.Limit(0)
	for i := range script.Statements {
		if ctx.Err() != nil {
			return r.failed, ctx.Err()
		}
		r.at = &script.Statements[i]
		r.out.statement(r.at)
		if err := r.do(); err != nil {
			return r.failed, fmt.Errorf("%s:%d: %s: %w", script.File, r.at.Line, r.at.Text, err)
		}
		if r.out.err != nil {
			return r.failed, r.out.err
		}
	}
	r.end()
	return r.failed, r.out.err
}

// fail notes that a statement did not come out as it says.
func (r *runner) fail(format string, args ...any) {
	f := Failure{r.script.File, r.at.Line, r.at.Column, r.at.Text, fmt.Sprintf(format, args...)}
	r.failed = append(r.failed, f)
	r.out.failure(f)
}

func (r *runner) do() error {
	switch do := r.at.do.(type) {
	case steps:
		return r.repeat(do.n, r.world.One)
	case turns:
		return r.repeat(do.n, r.world.Task)
	case until:
		stop, err := r.world.Until(do.place, do.most)
		if err == nil && !stop.Met && !r.atBreakpoint(stop) {
			r.fail("%s after %s", stop.Why, r.place(stop))
		}
		return err
	case runFor:
		return r.goOn(do)
	case back:
		return r.world.Back(do.n)
	case seek:
		return r.reel.Seek(do.text)
	case toStep:
		if do.step > r.stepper.Newest()+maxDecisions {
			r.fail("step %d is more than %d decisions away", do.step, maxDecisions)
			return nil
		}
		return r.stepper.Goto(do.step)
	case setBreak:
		b, err := step.ParseBreakpoint(do.text)
		if err == nil {
			r.world.Break(b)
		}
		return err
	case change:
		if err := r.stepper.Change(do.change); err != nil {
			r.fail("%v", err)
		}
	case trace:
		r.out.quiet = !do.on
	case show:
		r.show(do.what)
	default:
		r.expect(do)
	}
	return nil
}

// repeat makes a move so many times, until the world ends or an invariant breaks.
func (r *runner) repeat(n uint64, move func() (step.Stop, error)) error {
	for i := range n {
		stop, err := move()
		if err != nil {
			return err
		}
		if stop.Bad {
			r.moved(stop)
			return nil
		}
		if !stop.Met && !r.atBreakpoint(stop) {
			r.fail("%s after %d of %d", stop.Why, i, n)
			return nil
		}
	}
	return nil
}

func (r *runner) goOn(do runFor) error {
	if do.d == 0 {
		stop, err := r.world.Run()
		if err == nil && stop.Reason == step.Stopped && !r.atBreakpoint(stop) {
			r.fail("no breakpoint was reached and there is more to do after %s", r.place(stop))
		}
		return err
	}
	stop, err := r.world.RunFor(do.d)
	if err == nil && stop.Reason == step.Stopped && !stop.Met && !r.atBreakpoint(stop) {
		r.fail("the time was not over after %s", r.place(stop))
	}
	return err
}

// atBreakpoint tells whether a move ended early for a reason that a script asked for, and says
// so. A broken invariant that the script expects somewhere is one.
func (r *runner) atBreakpoint(stop step.Stop) bool {
	if stop.Bad {
		r.moved(stop)
		return true
	}
	if stop.Break {
		r.out.note("stopped at %s: %s", r.place(stop), stop.Why)
		return true
	}
	return false
}

// moved fails for broken invariants that the script does not expect.
func (r *runner) moved(stop step.Stop) {
	for _, b := range r.world.Broken() {
		if !r.expects(b) {
			r.fail("%s after %s", stop.Why, r.place(stop))
			return
		}
	}
	r.out.note("stopped at %s: %s", r.place(stop), stop.Why)
}

// place names where a move ended.
func (r *runner) place(s step.Stop) string {
	if r.reel != nil {
		return fmt.Sprintf("event %d", s.Step)
	}
	return fmt.Sprintf("step %d", s.Step)
}

func (r *runner) expects(b snapshot.Breach) bool {
	for i := range r.script.Statements {
		if e, ok := r.script.Statements[i].do.(expectBroken); ok && e.id == b.ID {
			return true
		}
	}
	return false
}
