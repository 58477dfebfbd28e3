package cli

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"mqscope/engine"
	"mqscope/engine/scenario"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/tui/config"
)

// stepped is a step.Source as an engine.Source.
type stepped struct{ *step.Source }

// Do implements engine.Source. What screens may change of the consumer is a change like any other
// here: it is kept, and repeated on the way back to where it was made.
func (s stepped) Do(cmd engine.Command) {
	switch cmd := cmd.(type) {
	case engine.Pause:
		s.Source.Do(step.PausePulls{})
	case engine.Resume:
		s.Source.Do(step.ResumePulls{})
	case engine.ReleaseLock:
		s.Source.Do(step.ReleaseLock{Queue: cmd.Queue})
	default:
		s.Source.Do(cmd)
	}
}

// open shows a scenario on the Scheduler screen.
func (f *stepFlags) open(ctx context.Context, p Process, s *scenario.Scenario) error {
	list, err := f.set(false)
	if err != nil {
		return err
	}
	source, err := step.NewSource(step.SourceConfig{Make: scenario.Maker(s, uint64(f.seed)), Breakpoints: list})
	if err != nil {
		return err
	}
	f.view = "scheduler"
	if err := f.show(ctx, p, stepped{source}); err != nil {
		return err
	}
	return f.keep(source.Snapshot().Sched.Breakpoints)
}

// set returns the breakpoints that --breakpoints names; must says that they have to be there.
func (f *stepFlags) set(must bool) ([]*step.Breakpoint, error) {
	if f.breakpoints == "" {
		return nil, nil
	}
	sets, err := breakpointSets()
	if err != nil {
		return nil, err
	}
	names, err := sets.Names()
	if err != nil {
		return nil, usageError{err}
	}
	if !must && !slices.Contains(names, f.breakpoints) {
		return nil, nil // a new set
	}
	list, err := sets.Load(f.breakpoints)
	if err != nil {
		return nil, usageError{err}
	}
	return list, nil
}

// keep puts the breakpoints that are there at the end into the set that --breakpoints names. It
// makes no set for none.
func (f *stepFlags) keep(list []snapshot.Breakpoint) error {
	if f.breakpoints == "" {
		return nil
	}
	sets, err := breakpointSets()
	if err != nil {
		return err
	}
	if names, err := sets.Names(); err != nil || len(list) == 0 && !slices.Contains(names, f.breakpoints) {
		return err
	}
	var out []*step.Breakpoint
	for i := range list {
		b, err := step.ParseBreakpoint(wordsOf(&list[i]))
		if err != nil {
			return err
		}
		b.Name, b.Off = list[i].Name, list[i].Off
		out = append(out, b)
	}
	return sets.Save(f.breakpoints, out)
}

// wordsOf is a breakpoint as it is read.
func wordsOf(b *snapshot.Breakpoint) string {
	text := b.Words
	if b.Condition != "" && text != b.Condition {
		text += " if " + b.Condition
	}
	if b.After > 0 {
		text += " after " + strconv.FormatUint(b.After, 10)
	}
	return text
}

// completeSets offers the sets of breakpoints to a shell.
func completeSets(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	sets, err := breakpointSets()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names, err := sets.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func breakpointSets() (step.Sets, error) {
	path, err := config.UserFile("breakpoints.yaml")
	return step.Sets{Path: path}, err
}
