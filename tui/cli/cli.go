// Package cli is the command line, a file per command, so that main stays a page.
//
// It turns settings into a source, shows it on the screen, in plain lines or as JSON, and
// ends both in order; Main returns the exit code. It owns signals and standard streams while
// it runs. Its nearest Java counterpart is mqadmin. What is shown is decided in tui and views.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mqscope/engine/lifecycle"
	"mqscope/tui"
	"mqscope/tui/config"
)

// Exit codes. A run that a signal ended has 128 and the signal's number.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
	exitSignal  = 128
)

// Process is what the operating system gives a program.
type Process struct {
	Args    []string
	In      *os.File
	Out     *os.File
	Err     io.Writer
	Signals <-chan os.Signal
	Cancel  context.CancelCauseFunc // ends the context given to Main
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return "ended by " + e.signal.String() }

// usageError is a mistake in the words of the call: it ends with exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// Main runs the command that p.Args name and returns the exit code. The first signal ends
// the run in order. A second one ends it at once, but for a hang-up, which kernel and shell
// both send.
func Main(ctx context.Context, p Process) int {
	restore := p.keepTerminal()
	ended := make(chan error, 1)
	group, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	group.Go("mqscope", func(context.Context) error {
		ended <- lifecycle.Guard(ctx, "mqscope", p.execute)
		return nil
	})
	for first := true; ; {
		select {
		case err := <-ended:
			return p.report(ctx, err)
		case s := <-p.Signals:
			switch {
			case first:
				first = false
				p.Cancel(signalError{s})
			case s != syscall.SIGHUP:
				restore()
				return exitCode(s)
			}
		}
	}
}

// keepTerminal returns a function that puts the terminal's modes back. It does not write.
func (p Process) keepTerminal() (restore func()) {
	state, err := term.GetState(int(p.In.Fd()))
	if err != nil {
		return func() {} // no terminal
	}
	return func() { _ = term.Restore(int(p.In.Fd()), state) } // the process ends next, whatever came of it
}

func exitCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return exitSignal + int(n)
	}
	return exitFailure
}

// report prints err, a line for each fault, and returns the exit code. A terminal that takes
// no output would hold up these lines too: nothing is printed then.
func (p Process) report(ctx context.Context, err error) int {
	stuck := errors.Is(err, tui.ErrTerminalStuck)
	if s, ok := errors.AsType[signalError](context.Cause(ctx)); ok && (err == nil || stuck) {
		return exitCode(s.signal)
	}
	switch {
	case err == nil || closedEarly(err):
		return exitOK
	case stuck, errors.Is(err, errDiffer):
		return exitFailure
	}
	text := strings.TrimPrefix(err.Error(), "mqscope: ")
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintln(p.Err, "mqscope: "+cleanLong(line))
	}
	if bug, ok := errors.AsType[*lifecycle.PanicError](err); ok {
		fmt.Fprintf(p.Err, "This is a bug in mqscope. Please report it with these lines:\n%s", bug.Stack)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}

func (p Process) execute(ctx context.Context) error {
	root := newRoot(p)
	root.SetArgs(p.Args)
	root.SetIn(p.In)
	root.SetOut(output{p.Out})
	root.SetErr(p.Err)
	return root.ExecuteContext(ctx)
}

// newRoot is the tree of commands; without one, the demo runs.
func newRoot(p Process) *cobra.Command {
	root := demoCommand(p)
	root.Use, root.Short = "mqscope", "See inside an Apache RocketMQ consumer and drive it"
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagFault)
	root.AddCommand(consumeCommand(p), recordCommand(p), pullCommand(p), scheduleCommand(p), liteCommand(p))
	root.AddCommand(stepCommand(p), lessonsCommand(p))
	root.AddCommand(replayCommand(p), importCommand(p), eventsCommand(), diffCommand(), redactCommand())
	root.AddCommand(brokerCommand(p), proxyCommand(p), produceCommand(p), keysCommand(), versionCommand())
	demo := demoCommand(p)
	demo.Use = "demo"
	root.AddCommand(demo)
	return root
}

// flagFault says in one line which flag, which value and what is allowed.
func flagFault(cmd *cobra.Command, err error) error {
	text := err.Error()
	if value, rest, ok := cutBetween(text, `invalid argument "`, `" for "`); ok {
		flag, allowed, _ := strings.Cut(rest, `" flag: `)
		if _, long, ok := strings.Cut(flag, ", "); ok {
			flag = long
		}
		return usage("%s %q: %s (see mqscope %s--help)", flag, value, allowed, commandPath(cmd))
	}
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		if near, ok := config.Nearest(name, flagNames(cmd)); ok {
			return usage("unknown flag --%s: did you mean --%s? (see mqscope %s--help)", name, near, commandPath(cmd))
		}
	}
	return usage("%s: see mqscope %s--help for the flags there are", text, commandPath(cmd))
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

func cutBetween(s, before, after string) (inside, rest string, ok bool) {
	_, s, ok = strings.Cut(s, before)
	if !ok {
		return "", "", false
	}
	return strings.Cut(s, after)
}

func commandPath(cmd *cobra.Command) string {
	_, below, _ := strings.Cut(cmd.CommandPath()+" ", " ")
	return below
}

// noArguments refuses words that are no flag.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		if near, ok := config.Nearest(args[0], names); ok {
			return usage("unknown command %q: did you mean %q? (see mqscope --help)", args[0], near)
		}
		return usage("unknown command or argument %q: see mqscope %s--help", args[0], commandPath(cmd))
	}
	return nil
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArguments,
		Example: "  mqscope version\n  mqscope version | cut -d' ' -f2",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "mqscope", version())
			return err
		},
	}
}

// version is that of this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
