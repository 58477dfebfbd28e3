package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/scenario"
	"mqscope/engine/step"
	steps "mqscope/engine/step/script"
	"mqscope/tui/config"
)

// maxScript is one byte more than a script may have, so that one which is too large is seen as
// such.
const maxScript = 1<<20 + 1

// stepFlags are the settings of what is stepped on virtual time.
type stepFlags struct {
	showFlags
	seed        int
	script      string
	breakpoints string
}

func stepCommand(p Process) *cobra.Command {
	var f stepFlags
	cmd := &cobra.Command{
		Use:   "step SCENARIO|FILE",
		Short: "Step through the scheduling of a consumer, decision by decision",
		Long: `Plays a scenario on virtual time: a cluster, a producer and a consumer group, all of them the
real code, and nothing happens but by your hand. On the Scheduler screen . makes one decision,
, takes it back, R goes on to what is selected, p runs and stops, b sets a breakpoint. The same
seed gives the same steps, always.

With --script it needs no screen: it carries out the lines of a file, as "step 5", "until flow.span
if span > 10", "expect task 3 delayed 50ms", and prints each decision, as text or with --json an
object a line. It ends with 1 where an expectation fails, with 2 where the script can not be read.

  step 5, task, until PLACE max 1000, run 5s, run    go on
  back 3, goto 120                                   go back, or to a step
  break PLACE, change delay a/3 50ms                 as on the screen
  expect last PLACE, expect queue a/3 next 12, expect task 3 delayed 50ms, expect step 120,
  expect now >= t+5s, expect broken none, expect queue a/3 if count > 10 && span == 0
  print, print tasks, print queues, trace off, trace on
  PLACE: flow.span, or with a condition flow.span if span > 10; queue a/3, cause flow:span,
  status FOUND, offset > 12, time t+5s, owner a/3, any if delay == ms(50)

With the FILE of a recording (.mqrec) of a consumer of ours it goes through what that decided, which
its code decides again; see mqscope replay. A script has seek PLACE there, as in seek #221, seek +5s or
seek 12:03:41, and expect event 221, but no goto, change, expect step and expect hash. Of what was seen on
the wire no decision is known: step goes on by events.

The scenarios are ` + strings.Join(scenario.Names()[:7], ", ") + ",\n" + strings.Join(scenario.Names()[7:], ", ") + ".",
		Example: `  mqscope step flow-control
  mqscope step first-pull --seed 7 --script - --json <<< 'until pull.send'`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeScenarios(scenario.All()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.load(cmd); err != nil {
				return err
			}
			if len(args) == 1 && namesFile(args[0]) {
				return f.stepRecording(cmd.Context(), p, args[0])
			}
			s, err := oneScenario(cmd, args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), p, s)
		},
	}
	f.addStep(cmd)
	config.Bool(cmd.Flags(), &f.json, "json", "with --script: what happens as JSON, an object a line")
	cmd.Flags().StringVar(&f.script, "script", "", "carry out the lines of this `FILE` without a screen; - is standard input")
	return cmd
}

// addStep adds what is common to all commands that step.
func (f *stepFlags) addStep(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.addScreen(fs)
	config.Int(fs, &f.seed, "seed", "", 1, 0, maxSeed, "number that everything left to chance is drawn from")
	config.Checked(fs, &f.breakpoints, "breakpoints", "", "", "NAME", "begin with the breakpoints of this set, and keep in it those there are at the end", checkSetName)
	_ = cmd.RegisterFlagCompletionFunc("breakpoints", completeSets) // fails for a flag that there is not
}

// checkSetName keeps names of sets in one line of the file that has them.
func checkSetName(name string) error {
	if len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errors.New("up to 100 characters without blanks are allowed")
	}
	return nil
}

// oneScenario finds the scenario that is named.
func oneScenario(cmd *cobra.Command, args []string) (*scenario.Scenario, error) {
	switch {
	case len(args) == 0:
		return nil, usage("no scenario is named: the scenarios are %s (see mqscope %s--help)", strings.Join(scenario.Names(), ", "), commandPath(cmd))
	case len(args) > 1:
		return nil, usage("unknown argument %q: name one scenario (see mqscope %s--help)", args[1], commandPath(cmd))
	}
	s, err := scenario.Find(args[0])
	if err == nil {
		return s, nil
	}
	if near, ok := config.Nearest(args[0], scenario.Names()); ok {
		return nil, usage("there is no scenario %q: did you mean %s?", args[0], near)
	}
	if strings.ContainsAny(args[0], "./\\") {
		return nil, usage("%q is neither a scenario nor a file with a recording in it: see mqscope %s--help", args[0], commandPath(cmd))
	}
	return nil, usageError{err}
}

// completeScenarios offers the names of scenarios to a shell.
func completeScenarios(list []*scenario.Scenario) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for _, s := range list {
			names = append(names, cobra.CompletionWithDesc(s.Name, s.Title))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// namesFile tells a recording's file from the name of a scenario.
func namesFile(name string) bool {
	if filepath.Ext(name) == ".mqrec" {
		return true
	}
	i, err := os.Stat(name)
	return err == nil && i.Mode().IsRegular()
}

// stepRecording plays a recording on the Scheduler screen.
func (f *stepFlags) stepRecording(ctx context.Context, p Process, file string) error {
	switch {
	case f.script != "":
		return f.scriptRecording(ctx, p, file)
	case f.json:
		return usage("--json prints what a script does: give --script FILE too; mqscope replay %s --headless --json prints a moment", file)
	case f.breakpoints != "":
		return usage("--breakpoints is for scenarios and scripts: set them on the screen, with b")
	case !f.onScreen(p) || os.Getenv("TERM") == "dumb":
		if track, err := tracks.Open(file, replay.Options{}); err != nil { // nothing that is advised would help
			return err
		} else if err := track.Close(); err != nil {
			return err
		}
		return usage("step %s needs a terminal that shows screens: without one give --script FILE, or see a moment with mqscope replay %s --headless --at PLACE", file, file)
	}
	r := replayFlags{showFlags: f.showFlags, speed: "1"}
	r.view = "scheduler"
	if err := r.check(p); err != nil {
		return err
	}
	return r.run(ctx, p, file)
}

// run carries out a script, or opens the screen.
func (f *stepFlags) run(ctx context.Context, p Process, s *scenario.Scenario) error {
	switch {
	case f.script != "":
		return f.runScript(ctx, p, s)
	case f.json:
		return usage("--json prints what a script does: give --script FILE too")
	case !f.onScreen(p) || os.Getenv("TERM") == "dumb":
		return usage("step %s needs a terminal that shows screens: without one give --script FILE, or --script - for standard input", s.Name)
	}
	return f.open(ctx, p, s)
}

// runScript carries a script out and prints what happens.
func (f *stepFlags) runScript(ctx context.Context, p Process, s *scenario.Scenario) error {
	parsed, err := readScript(ctx, p, f.script, steps.OnWorld)
	if err != nil {
		return usageError{err}
	}
	list, err := f.set(true)
	if err != nil {
		return err
	}
	stepper, err := step.New(scenario.Maker(s, uint64(f.seed)))
	if err != nil {
		return err
	}
	defer stepper.Close()
	stepper.SetBreakpoints(list)
	return f.carryOut(p, func(o steps.Options) ([]steps.Failure, error) { return steps.Run(ctx, stepper, parsed, o) })
}

// carryOut prints what a script does, and tells of expectations that failed.
func (f *stepFlags) carryOut(p Process, run func(steps.Options) ([]steps.Failure, error)) error {
	out := bufio.NewWriter(output{p.Out})
	text := io.Writer(out)
	if f.json {
		text = jsonText{out}
	}
	failed, err := run(steps.Options{Out: text, JSON: f.json})
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	switch {
	case err != nil:
		return err
	case len(failed) > 0:
		return fmt.Errorf("%s failed, the first: %s", count(len(failed), "expectation"), failed[0])
	}
	return nil
}

// readScript reads a script that fits what it is to move.
func readScript(ctx context.Context, p Process, file string, on steps.Ground) (*steps.Script, error) {
	in, opened, err := openInput(ctx, file, p.In)
	if err != nil {
		return nil, fmt.Errorf("--script %w: name a file that can be read", err)
	}
	if opened != nil {
		defer opened.Close() //nolint:errcheck // it was only read
	}
	if file == "-" {
		file = "standard input"
	}
	text, err := io.ReadAll(io.LimitReader(in, maxScript))
	if err != nil {
		return nil, fmt.Errorf("--script %q: %w", file, err)
	}
	s, err := steps.Parse(file, string(text))
	if err != nil {
		return nil, err
	}
	return s, s.Fit(on)
}
