package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mqscope/engine/capture"
	"mqscope/engine/replay/inferred"
	"mqscope/tui/config"
)

// importFlags say what of a capture is recorded, and where.
type importFlags struct {
	configFile string
	output     string
	group      string
	force      bool
}

func importCommand(p Process) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE -o RECORDING",
		Short: "Make a recording of a packet capture of anybody's clients",
		Long: `Reads a packet capture (pcap or pcapng, as tcpdump and Wireshark write them, also gzipped; - is
standard input) and writes what RocketMQ clients and brokers did to a recording, for mqscope
replay, events and diff. All of it is inferred from the traffic: what was not captured is not
known, and gaps are marked. Bodies of messages, signatures and access keys are not written.

The recording is there only when the whole capture was read, or when Ctrl-C ended it: then it has
what was read until then.`,
		Example: "  mqscope import clients.pcap -o clients.mqrec\n  tcpdump -i any -s 0 -w - 'tcp port 9876 or tcp port 10911' | mqscope import - -o live.mqrec",
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage("no capture is named: write mqscope import FILE -o RECORDING, or - for standard input")
			case 1:
				return nil
			}
			return usage("%q: one capture at a time", args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := config.Load(cmd.Flags(), f.configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			if f.output == "" {
				return usage("-o is missing: name the recording to write, as in -o clients.mqrec")
			}
			return f.run(cmd, p.Err, args[0])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	fs.StringVarP(&f.output, "output", "o", "", "`RECORDING` to write (.mqrec), for its owner only")
	fs.StringVar(&f.group, "group", "", "leave out what is about other consumer groups than this `GROUP`")
	config.Bool(fs, &f.force, "force", "replace a recording that is there already")
	return cmd
}

func (f *importFlags) run(cmd *cobra.Command, errs io.Writer, name string) error {
	if name != "-" && same(name, f.output) {
		return usage("-o names the capture that is read: give the recording another name")
	}
	in, file, err := openInput(cmd.Context(), name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	size := int64(0)
	if file != nil {
		defer file.Close() //nolint:errcheck // it was only read
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	o := inferred.ImportOptions{
		Name: name, Program: "mqscope " + version(), Created: time.Now(), Group: f.group, Replace: f.force, Scrub: scrub,
	}
	// Little is held at a time: collecting it less often is a tenth of the work.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(200 << 20))
	done := func() {}
	if shown, ok := errs.(*os.File); ok && term.IsTerminal(int(shown.Fd())) {
		o.Progress, done = progress(shown, size)
	}
	s, err := inferred.Import(cmd.Context(), in, f.output, o)
	done()
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: give another name with -o, or replace it with --force", f.output)
	}
	if e, ok := errors.AsType[*capture.NoTrafficError](err); ok {
		err = e
	}
	if err != nil {
		return cmp.Or(unwritten(f.output, err), fmt.Errorf("%s: %w", name, instead(err, "")))
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	printSummary(out, name, f.output, s)
	return out.Flush()
}

// progress draws a line that says how far it is, and a function that takes the line away.
func progress(w io.Writer, size int64) (tell func(int64, uint64), done func()) {
	begun, drawn := time.Now(), time.Time{}
	tell = func(bytes int64, events uint64) {
		now := time.Now()
		if now.Sub(drawn) < 100*time.Millisecond {
			return
		}
		drawn = now
		of := ""
		if size > 0 {
			of = fmt.Sprintf(" of %s, %d %%", sizeWords(size), 100*min(bytes, size)/size)
		}
		rate := int64(float64(bytes) / max(now.Sub(begun).Seconds(), 0.001))
		fmt.Fprintf(w, "\r\x1b[K%s%s read, %s, %s/s", sizeWords(bytes), of, count(int(events), "event"), sizeWords(rate))
	}
	return tell, func() {
		if !drawn.IsZero() {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}

// sizeWords is a number of bytes in as many digits as people read.
func sizeWords(n int64) string {
	switch {
	case n < 10<<10:
		return count(int(n), "byte")
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// printSummary says what an import found.
func printSummary(out io.Writer, name, recording string, s *inferred.Summary) {
	fmt.Fprintf(out, "%s: %s in %s, %s, %v from %s\n", clean(name), count(int(s.Stats.Packets), "packet"), count(s.Stats.Conns, "connection"),
		count(int(s.Events), "event"), s.To.Sub(s.From).Round(time.Millisecond), s.From.UTC().Format("2006-01-02 15:04:05.000 MST"))
	if len(s.Groups) > 0 {
		const shown = 50
		rows := [][]string{{"GROUP", "JOINED", "QUEUES", "PULLS", "MESSAGES", "ACKED", "SENT BACK"}}
		for _, g := range s.Groups[:min(len(s.Groups), shown)] {
			row := []string{clean(g.Name)}
			for _, n := range []int{g.Joined, g.Queues, g.Pulls, g.Received, g.Acked, g.SentBack} {
				row = append(row, fmt.Sprint(n))
			}
			rows = append(rows, row)
		}
		columns(out, rows, 1, -1)
		if more := len(s.Groups) - shown; more > 0 {
			fmt.Fprintf(out, "and %s\n", count(more, "more group"))
		}
	} else {
		fmt.Fprintln(out, "no consumer group was seen")
	}
	for _, line := range remarks(s) {
		fmt.Fprintln(out, line)
	}
	early := ""
	if s.Early {
		early = ", ended early: it has what was read until then"
	}
	fmt.Fprintf(out, "written to %s, %s%s\n", clean(recording), sizeWords(s.Written), early)
}

// remarks say what makes the picture less than whole.
func remarks(s *inferred.Summary) (lines []string) {
	if s.Errors > 0 {
		lines = append(lines, count(s.Errors, "answer")+" with an error")
	}
	notes := s.Stats.Notes
	if n := notes[capture.NoteTLS]; n > 0 {
		lines = append(lines, count(int(n), "connection")+" under TLS, which can not be read: switch TLS off for the time of the capture, or capture behind what ends it")
	}
	if gaps, lost := notes[capture.NoteGap]+notes[capture.NoteSkipped], notes[capture.NoteLost]; gaps+lost > 0 {
		var what []string
		if gaps > 0 { // how many frames were in them nobody knows
			what = append(what, count(int(gaps), "gap"))
		}
		if lost > 0 {
			what = append(what, count(int(lost), "frame")+" of which only a part is left")
		}
		lines = append(lines, fmt.Sprintf("bytes are missing from the capture: %s: counts may be too small, each place is marked (--kind noted)", strings.Join(what, ", ")))
	}
	if n := s.Stats.Cut; n > 0 {
		lines = append(lines, "of "+count(int(n), "packet")+" only the beginning was captured: tcpdump -s 0 takes them whole")
	}
	if n := notes[capture.NoteGivenUp]; n > 0 {
		lines = append(lines, count(int(n), "time")+" a limit of what is held at once was passed: see the events of kind noted")
	}
	if notes[capture.NoteFile] > 0 {
		lines = append(lines, "the capture's file is cut or damaged: the recording has what was before")
	}
	if n := notes[capture.NoteMid]; n > 0 {
		lines = append(lines, count(int(n), "connection")+" had begun before the capture did")
	}
	return lines
}
