package cli

import (
	"context"

	"mqscope/engine"
	"mqscope/engine/step"
)

// driven is a member whose pulls a person moves.
type driven struct {
	*step.Live
	member *engine.Live
}

// Do implements engine.Source.
func (d driven) Do(cmd engine.Command) {
	if !d.Live.Do(cmd) {
		d.member.Do(cmd)
	}
}

// canStep tells what is missing for --step, before anything is joined.
func (f *consumeFlags) canStep(p Process) error {
	switch {
	case !f.step && f.breakpoints != "":
		return usage("--breakpoints %s: they stop what is stepped, give --step too", f.breakpoints)
	case !f.step:
		return nil
	case f.rights == "always":
		return usage("--step and --read-only always: no pull would ever be made, give one of them")
	case f.plain || f.json || f.instead != nil:
		return usage("--step needs the screen: leave out --plain and --json, or write mqscope step SCENARIO --script FILE")
	case !f.onScreen(p):
		return usage("--step needs a terminal: without one leave it out, or write mqscope step SCENARIO --script FILE")
	}
	return nil
}

// showStepped shows a member that makes no pull but by hand.
func (f *consumeFlags) showStepped(ctx context.Context, p Process, member *engine.Live) error {
	steps := stepFlags{showFlags: f.showFlags, breakpoints: f.breakpoints}
	list, err := steps.set(false)
	if err != nil {
		return err
	}
	live := step.NewLive(step.LiveConfig{Consumer: member, Group: f.group, Breakpoints: list})
	steps.view = "scheduler"
	if err := steps.show(ctx, p, driven{live, member}); err != nil {
		return err
	}
	return steps.keep(live.Snapshot().Sched.Breakpoints)
}
