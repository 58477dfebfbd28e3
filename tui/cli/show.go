package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/tui"
	"mqscope/tui/config"
)

// showFlags are the flags of every command that shows a source.
type showFlags struct {
	config  string
	plain   bool
	json    bool
	forHow  time.Duration
	theme   string
	glyphs  string
	noMouse bool
	bell    bool
	rights  string
	fps     int
	logFile string
	logs    bool   // there is a --log-file
	view    string // that the screen begins on, empty for the first

	loaded config.Loaded
	// instead prints in place of the screen and of lines about queues; nil: it does not.
	instead func(ctx context.Context, source engine.Source) error
	// themeGiven says that the theme stood on the command line, where it wins over NO_COLOR.
	themeGiven bool
}

func (f *showFlags) add(fs *pflag.FlagSet) {
	f.addScreen(fs)
	config.Bool(fs, &f.plain, "plain", "plain lines instead of the screen, one for each change")
	config.Bool(fs, &f.json, "json", "one snapshot a line as JSON, once a second")
	config.Duration(fs, &f.forHow, "for", 0, 0, 0, "end by itself after this time, as a clean quit does; 0 never")
	config.Choice(fs, &f.rights, "read-only", "until-armed", []string{"until-armed", "always"}, "what the screen may change; ! arms it")
	f.addLog(fs)
}

// addLog adds the flag of commands that have something to log.
func (f *showFlags) addLog(fs *pflag.FlagSet) {
	fs.StringVar(&f.logFile, "log-file", "", "write a log to this `FILE`; nothing is logged without")
	f.logs = true
}

// addScreen adds what decides how the screen looks.
func (f *showFlags) addScreen(fs *pflag.FlagSet) {
	fs.StringVar(&f.config, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	config.Choice(fs, &f.theme, "theme", "auto", themes.Choices(), "colours")
	config.Choice(fs, &f.glyphs, "glyphs", "auto", append([]string{"auto"}, themes.GlyphNames()...), "characters of lines and marks")
	config.Bool(fs, &f.noMouse, "no-mouse", "leave the mouse to the terminal")
	config.Bool(fs, &f.bell, "bell", "ring the terminal's bell when a breakpoint stops a run")
	config.Int(fs, &f.fps, "fps", "", 30, 1, 60, "frames a second at most")
}

// load completes the flags from environment and file.
func (f *showFlags) load(cmd *cobra.Command) error {
	var err error
	f.loaded, err = config.Load(cmd.Flags(), f.config, knownKeys(cmd.Root()))
	if err != nil {
		return usageError{err}
	}
	f.themeGiven = cmd.Flags().Changed("theme")
	switch plain, json := cmd.Flags().Changed("plain"), cmd.Flags().Changed("json"); {
	case !f.plain || !f.json:
	case plain && !json:
		f.json = false
	case json && !plain:
		f.plain = false
	default:
		return usage("--plain and --json: give one of them")
	}
	return nil
}

// knownKeys has the names of all flags of all commands: one file serves all of them.
func knownKeys(root *cobra.Command) []string {
	var names []string
	for _, cmd := range append(root.Commands(), root) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "config" {
				names = append(names, f.Name)
			}
		})
	}
	return names
}

// openLog returns the log that --log-file asks for, which is none of the other files that the command
// reads or writes. The file is for its owner only.
func (f *showFlags) openLog(others ...string) (*slog.Logger, func(), error) {
	if f.logFile == "" {
		return slog.New(slog.DiscardHandler), func() {}, nil
	}
	for _, other := range others {
		if other != "" && (same(f.logFile, other) || filepath.Clean(f.logFile) == filepath.Clean(other)) {
			return nil, nil, usage("--log-file %q is %s itself: name another file", f.logFile, other)
		}
	}
	file, err := os.OpenFile(f.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, usage("--log-file %q: %v: name a file that can be written", f.logFile, err)
	}
	log := slog.New(slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo}))
	return log, func() { file.Close() }, nil
}

// onScreen tells whether there is a terminal to draw on.
func (f *showFlags) onScreen(p Process) bool {
	return !f.plain && !f.json && term.IsTerminal(int(p.Out.Fd())) && term.IsTerminal(int(p.In.Fd()))
}

// show runs source and shows it until it ends, the person quits, a signal comes or the time
// is over. The source always ends cleanly before show returns.
func (f *showFlags) show(ctx context.Context, p Process, source engine.Source) error {
	if f.forHow > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.forHow)
		defer cancel()
	}
	if f.instead != nil {
		return printTogether(ctx, source, func(ctx context.Context) error { return f.instead(ctx, source) })
	}
	if !f.onScreen(p) {
		return printTogether(ctx, source, f.printer(p, source))
	}
	if os.Getenv("TERM") == "dumb" {
		return usage("TERM=dumb: this terminal can not show screens, use --plain or --json")
	}
	return showTogether(ctx, source, f.screen(p, source), p.Err)
}

// printTogether runs source and printer. The printer ends last, since it prints how the
// source ended; when it can not print any more the source is ended.
func printTogether(ctx context.Context, source engine.Source, printer func(context.Context) error) error {
	group, groupCtx := lifecycle.NewGroup(context.WithoutCancel(ctx))
	sourceCtx, stop := endWith(ctx, groupCtx)
	defer stop()
	printerCtx, ended := context.WithCancel(groupCtx)
	var sourceErr, printErr error
	group.Go("engine", func(context.Context) error {
		defer ended()
		sourceErr = source.Run(sourceCtx)
		return nil
	})
	group.Go("output", func(context.Context) error {
		defer stop()
		printErr = printer(printerCtx)
		return nil
	})
	return firstOf(group.Wait(), printErr, sourceErr)
}

// firstOf is the first error there is. A panic of the group comes first.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// tellAfter is how long a source may take to end before the person is told what it does.
const tellAfter = 500 * time.Millisecond

// showTogether runs source and screen. The screen ends first, so that the terminal is in
// order whatever the source does then.
func showTogether(ctx context.Context, source engine.Source, screen func(context.Context) error, notes io.Writer) error {
	group, groupCtx := lifecycle.NewGroup(context.WithoutCancel(ctx))
	screenCtx, closeScreen := endWith(ctx, groupCtx)
	defer closeScreen()
	sourceCtx, stop := context.WithCancel(groupCtx)
	defer stop()
	done, ended := context.WithCancel(groupCtx)
	defer ended()
	var sourceErr, screenErr error
	group.Go("engine", func(context.Context) error {
		defer ended()
		defer closeScreen()
		sourceErr = source.Run(sourceCtx)
		return nil
	})
	group.Go("screen", func(context.Context) error {
		defer stop()
		screenErr = screen(screenCtx)
		return nil
	})
	group.Go("farewell", func(context.Context) error {
		<-sourceCtx.Done()
		if clock.Sleep(done, clock.System{}, tellAfter) == nil && !errors.Is(screenErr, tui.ErrTerminalStuck) {
			fmt.Fprintln(notes, "mqscope: leaving: finishing messages, committing offsets")
		}
		return nil
	})
	return firstOf(group.Wait(), screenErr, sourceErr)
}

// endWith returns a context of group that ends with ctx too.
func endWith(ctx, group context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(group)
	release := context.AfterFunc(ctx, cancel)
	return inner, func() {
		release()
		cancel()
	}
}

func (f *showFlags) printer(p Process, source engine.Source) func(context.Context) error {
	if f.json {
		return func(ctx context.Context) error { return printJSON(ctx, output{p.Out}, source) }
	}
	return func(ctx context.Context) error { return printPlain(ctx, output{p.Out}, source) }
}

// screen prepares the terminal program.
func (f *showFlags) screen(p Process, source engine.Source) func(context.Context) error {
	keys, problems := keymap.New(f.loaded.Keys)
	look := tui.Look{
		Glyphs:  themes.ChooseGlyphs(chosen(f.glyphs), "", locale()),
		NoColor: os.Getenv("NO_COLOR"), ColorFGBG: os.Getenv("COLORFGBG"),
		Profile: themes.DetectProfile(os.Getenv("COLORTERM"), os.Getenv("TERM")),
	}
	if f.themeGiven {
		look.Theme = f.theme
	} else {
		look.FileTheme = chosen(f.theme)
	}
	return func(ctx context.Context) error {
		return tui.Run(ctx, tui.Config{
			Source: source, Keys: keys, KeyProblems: problems, Look: look, View: f.view,
			FPS: f.fps, Mouse: !f.noMouse, Bell: f.bell, ReadOnly: f.rights == "always", LogPath: f.logFile, NoLog: !f.logs, Input: p.In, Output: p.Out,
		})
	}
}

// chosen is the word of a flag, empty when it leaves the choice to the program.
func chosen(word string) string {
	if word == "auto" {
		return ""
	}
	return word
}

// locale is the first of the variables that says which characters the terminal takes.
func locale() string {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}
