package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mqscope/engine"
	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
	"mqscope/tui/config"
)

// replayFlags say which recording is shown, where it begins and how.
type replayFlags struct {
	showFlags
	at       string
	speed    string
	group    string
	client   string
	headless bool
	verify   bool
	export   exportFlags
}

func replayCommand(p Process) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Play a recording: every screen as it was, at any moment",
		Long: `Shows a recording (.mqrec) on all screens. p plays and stops, . and , go one event on and back,
< and > change the speed, [ and ] go to the point of interest before and after, ; sets a bookmark
with a note, which is kept in a file beside the recording, FILE.marks. :seek 12:03:41 goes to a time,
:seek #18244 to an event. Nothing is sent anywhere.

With --headless it needs no screen: it prints what --at had, as text, with --json as one snapshot, or
with --table as a table: CSV, TSV or JSON.

With --verify it plays all of it again, as fast as it goes and without a screen, and says whether each
event did what was recorded: which was the first that did not, and where the file is damaged. The exit
code is 1 then.

With --export-html PAGE it writes what happened, from --from to --to, as one HTML file for people
without a terminal: time line, who had which queue, events. The page needs no network.

  --at #18244, 12:03:41.220, 2026-01-31T12:03:41Z, +5s (from the beginning), 42%, or ;2, a bookmark`,
		Example:           "  mqscope replay orders.mqrec --at 12:03:41 --speed 4\n  mqscope replay orders.mqrec --headless --at '#18244' --json | jq '.queues[] | select(.lag > 1000)'",
		Args:              oneRecording,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.load(cmd); err != nil {
				return err
			}
			if err := f.check(p); err != nil {
				return err
			}
			return f.run(cmd.Context(), p, args[0])
		},
	}
	fs := cmd.Flags()
	f.addScreen(fs)
	f.addLog(fs)
	config.Checked(fs, &f.at, "at", "", "", "PLACE", "time or event to begin at", replay.CheckSeek)
	config.Checked(fs, &f.speed, "speed", "", "1", "FACTOR", "how much faster than it was, from 0.1 to 64, or max", checkSpeed)
	fs.StringVar(&f.group, "group", "", "of what was seen on the wire, this consumer `GROUP`; default is the one with the most queues")
	fs.StringVar(&f.client, "client", "", "of what was seen on the wire, only the consumer with this client `ID`")
	config.Bool(fs, &f.headless, "headless", "print what --at had, without a screen, and end")
	config.Bool(fs, &f.verify, "verify", "play all of it again, without a screen, and say whether it does what was recorded")
	config.Bool(fs, &f.json, "json", "with --headless: one snapshot as JSON; with --verify: its report")
	f.export.add(fs)
	return cmd
}

func oneRecording(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usage("no recording is named: write mqscope replay FILE")
	case len(args) > 1:
		return usage("%q: one recording at a time", args[1])
	}
	return nil
}

func completeRecordings(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"mqrec"}, cobra.ShellCompDirectiveFilterFileExt
}

// speeds are those that a player knows, by their names.
func speeds() []string {
	return []string{"0.1", "0.25", "0.5", "1", "2", "4", "8", "16", "32", "64", "max"}
}

func checkSpeed(text string) error {
	for _, s := range speeds() {
		if s == text {
			return nil
		}
	}
	return fmt.Errorf("one of %s is allowed", strings.Join(speeds(), ", "))
}

func (f *replayFlags) check(p Process) error {
	if f.verify {
		return f.checkVerify()
	}
	if err := f.export.check(f.headless); err != nil || f.export.html != "" {
		return err
	}
	switch {
	case f.json && f.export.table != "":
		return usage("--json is one snapshot: of a table it is --format json")
	case f.json && !f.headless:
		return usage("--json prints what --at had: give --headless too")
	case !f.headless && !f.onScreen(p):
		return usage("replay needs a terminal: without one give --headless, and --at for where")
	case !f.headless && os.Getenv("TERM") == "dumb":
		return usage("TERM=dumb: this terminal can not show screens, use --headless")
	}
	return nil
}

// checkVerify tells which flags say nothing about a recording that is played as a whole.
func (f *replayFlags) checkVerify() error {
	for name, given := range map[string]bool{
		"--headless": f.headless, "--at": f.at != "", "--group": f.group != "", "--client": f.client != "",
		"--export-html": f.export.html != "", "--table": f.export.table != "",
	} {
		if given {
			return usage("--verify plays all of the recording: leave out %s", name)
		}
	}
	return f.export.check(false)
}

// played is a replay.Player as an engine.Source.
type played struct{ *replay.Player }

// Do implements engine.Source.
func (s played) Do(cmd engine.Command) {
	if w, ok := cmd.(engine.Watch); ok {
		s.Player.Do(replay.Watch{Queues: w.Queues})
		return
	}
	s.Player.Do(cmd)
}

// run opens the recording and shows it, or prints what it had.
func (f *replayFlags) run(ctx context.Context, p Process, file string) error {
	log, closeLog, err := f.openLog(file, file+replay.MarksSuffix)
	if err != nil {
		return err
	}
	defer closeLog()
	if f.verify {
		return verified(ctx, output{p.Out}, file, f.json)
	}
	track, err := tracks.Open(file, replay.Options{Group: f.group, Client: f.client})
	if err != nil {
		return err
	}
	marks := replay.OpenBookmarks(replay.OwnDisk{}, file, track.Info())
	if f.export.html != "" {
		return errors.Join(f.export.page(ctx, output{p.Out}, file, track, marks), track.Close())
	}
	player := replay.NewPlayer(replay.PlayerConfig{Track: track, File: file, Speed: f.factor(), Bookmarks: marks, Log: log})
	if f.at != "" {
		if err := player.Begin(f.at); err != nil {
			return errors.Join(usage("--at %q: %w", f.at, err), track.Close())
		}
	}
	if f.export.table != "" || f.headless {
		player.FillUp()
	}
	if f.export.table != "" {
		return errors.Join(f.export.print(output{p.Out}, player.Snapshot()), track.Close())
	}
	if f.headless {
		return errors.Join(f.printHere(output{p.Out}, player.Snapshot()), track.Close())
	}
	return f.show(ctx, p, played{player})
}

// factor is the speed to begin with.
func (f *replayFlags) factor() float64 {
	if n, err := strconv.ParseFloat(f.speed, 64); err == nil {
		return n
	}
	return math.Inf(1)
}

// printHere prints one snapshot.
func (f *replayFlags) printHere(w io.Writer, s *snapshot.Snapshot) error {
	if f.json {
		line, err := snapshot.Encode(s)
		if err != nil {
			return err
		}
		_, err = jsonText{w}.Write(append(line, '\n'))
		return err
	}
	out := bufio.NewWriter(w)
	printReplay(out, s)
	lines := newPlainLines(out)
	lines.changes(s)
	lines.table()
	return out.Flush()
}

// printReplay says where in a recording a snapshot stands.
func printReplay(out io.Writer, s *snapshot.Snapshot) {
	r := &s.Replay
	const layout = "2006-01-02 15:04:05.000"
	kind := "re-made by the code that was recorded"
	if r.Inferred {
		kind = "inferred from what was seen on the wire"
	}
	fmt.Fprintf(out, "%s: event %d of %d, %s (%s to %s), %s\n", clean(r.File), r.Event, r.Total,
		s.At.Format(layout), r.From.Format(layout), r.To.Format(layout), kind)
	for _, b := range r.Bookmarks {
		fmt.Fprintf(out, "bookmark %d: event %d, %s%s\n", b.Number, b.Event, b.At.Format(layout), clean(suffix(", ", b.Note)))
	}
	for _, wrong := range []string{suffix("recording ", r.Damage), suffix("what follows is not what was recorded: ", r.Departed), r.Note} {
		if wrong != "" {
			fmt.Fprintln(out, clean(wrong))
		}
	}
}
