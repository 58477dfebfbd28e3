package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mqscope/engine/mq"
	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/tui/config"
)

// errDiffer ends a comparison that found a difference: exit code 1 and nothing more to say.
var errDiffer = errors.New("they differ")

func diffCommand() *cobra.Command {
	var configFile, group string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Say where two recordings part",
		Long: `Compares two recordings: the same scenario with two versions or settings, two members of one
group, two captures. It tells which settings differ, and where the recordings part first in
assignments, pulls, flow control, commits, locks and errors. Events are compared in the order of
each queue, or of each member, not by time; members are matched in the order in which they were
seen. The exit code is 0 when nothing differs, 1 when something does, 2 when they can not be read.`,
		Example: "  mqscope diff before.mqrec after.mqrec\n  mqscope diff before.mqrec after.mqrec --json | jq '.parts[0]'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("%s: write mqscope diff A B", count(len(args), "recording")+" to compare")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := config.Load(cmd.Flags(), configFile, knownKeys(cmd.Root())); err != nil {
				return usageError{err}
			}
			c, err := compareFiles(cmd, args, group)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			if asJSON {
				err = json.NewEncoder(jsonText{out}).Encode(diffJSON(c))
			} else {
				printDiff(out, args, c)
			}
			if err = errors.Join(err, out.Flush()); err == nil && !c.Same() {
				return errDiffer
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	fs.StringVar(&group, "group", "", "compare the settings of this consumer `GROUP`, where more than one was recorded")
	config.Bool(fs, &asJSON, "json", "one object")
	return cmd
}

func compareFiles(cmd *cobra.Command, names []string, group string) (*replay.Comparison, error) {
	var sides [2]replay.Track
	for i, name := range names {
		t, err := tracks.Open(name, replay.Options{Group: group})
		if err != nil {
			return nil, usageError{err}
		}
		defer t.Close() //nolint:errcheck // it was only read
		sides[i] = t
	}
	return replay.Diff(cmd.Context(), sides[0], sides[1])
}

func printDiff(out io.Writer, names []string, c *replay.Comparison) {
	fmt.Fprintf(out, "A  %s: %s in %v\n", clean(names[0]), count(int(c.A.Events), "event"), c.A.Span.Round(time.Millisecond))
	fmt.Fprintf(out, "B  %s: %s in %v\n", clean(names[1]), count(int(c.B.Events), "event"), c.B.Span.Round(time.Millisecond))
	if c.Unread != "" {
		fmt.Fprintf(out, "not all of it was compared: %s\n", clean(c.Unread))
	}
	if len(c.Settings) > 0 {
		fmt.Fprintln(out, "\nsettings that differ")
		rows := [][]string{{"", "SETTING", "A", "B"}}
		for _, s := range c.Settings {
			rows = append(rows, []string{"", s.Name, clean(dash(s.A)), clean(dash(s.B))})
		}
		columns(out, rows, 4, -1)
	}
	for i := range c.Parts {
		printPart(out, &c.Parts[i])
	}
	fmt.Fprintln(out)
	rows := [][]string{{"COUNTS", "A", "B", ""}}
	for _, n := range c.Counts {
		name, differs := n.Aspect, ""
		if n.Kind != "" {
			name = "  " + clean(n.Kind)
		}
		if n.A != n.B {
			differs = fmt.Sprintf("%+d", n.B-n.A)
		}
		rows = append(rows, []string{name, fmt.Sprint(n.A), fmt.Sprint(n.B), differs})
	}
	columns(out, rows, 1, -1)
	if c.Same() {
		fmt.Fprintln(out, "\nno difference")
	}
}

// printPart says where two recordings part first in one aspect.
func printPart(out io.Writer, p *replay.Part) {
	of := "events that are about no queue"
	switch {
	case p.Queue != (mq.MessageQueue{}):
		of = clean(p.Queue.Path())
	case p.Member > 0:
		of = fmt.Sprintf("member %d", p.Member)
	}
	fmt.Fprintf(out, "\n%s part at number %d of %s\n", p.Aspect, p.Nth, of)
	for _, side := range []struct {
		name string
		h    *replay.Happening
	}{{"A", p.A}, {"B", p.B}} {
		if side.h == nil {
			fmt.Fprintf(out, "  %s  has no further one\n", side.name)
			continue
		}
		h := side.h
		who := strings.TrimSpace(clean(h.Client) + " " + clean(h.Group))
		fmt.Fprintf(out, "  %s  #%d  %.6fs  %s  %s  %s\n", side.name, h.Event, h.Since.Seconds(), clean(h.Kind), who, clean(h.Words))
	}
}

type diffSideJSON struct {
	Events uint64  `json:"events"`
	Span   float64 `json:"span_ms"`
}

type diffSettingJSON struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

type diffEventJSON struct {
	Event uint64  `json:"event"`
	At    string  `json:"at"`
	Since float64 `json:"t_ms"`
	Kind  string  `json:"kind"`
	Group string  `json:"group,omitempty"`
	// Client is its id.
	Client string `json:"client,omitempty"`
	Words  string `json:"words"`
}

type diffPartJSON struct {
	Aspect  string         `json:"aspect"`
	Topic   string         `json:"topic,omitempty"`
	Broker  string         `json:"broker,omitempty"`
	QueueID *int32         `json:"queue_id,omitempty"`
	Member  int            `json:"member,omitempty"`
	Nth     int            `json:"nth"`
	A       *diffEventJSON `json:"a"`
	B       *diffEventJSON `json:"b"`
}

type diffCountJSON struct {
	Aspect string `json:"aspect,omitempty"`
	Kind   string `json:"kind,omitempty"`
	A      int    `json:"a"`
	B      int    `json:"b"`
}

type comparisonJSON struct {
	Same     bool              `json:"same"`
	A        diffSideJSON      `json:"a"`
	B        diffSideJSON      `json:"b"`
	Unread   string            `json:"unread,omitempty"`
	Settings []diffSettingJSON `json:"settings"`
	Parts    []diffPartJSON    `json:"parts"`
	Counts   []diffCountJSON   `json:"counts"`
}

func diffJSON(c *replay.Comparison) *comparisonJSON {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	event := func(h *replay.Happening) *diffEventJSON {
		if h == nil {
			return nil
		}
		return &diffEventJSON{h.Event, h.At.UTC().Format(time.RFC3339Nano), ms(h.Since), h.Kind, h.Group, h.Client, h.Words}
	}
	out := &comparisonJSON{
		Same: c.Same(), A: diffSideJSON{c.A.Events, ms(c.A.Span)}, B: diffSideJSON{c.B.Events, ms(c.B.Span)}, Unread: c.Unread,
		Settings: []diffSettingJSON{}, Parts: []diffPartJSON{}, Counts: []diffCountJSON{},
	}
	for _, s := range c.Settings {
		out.Settings = append(out.Settings, diffSettingJSON(s))
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		one := diffPartJSON{Aspect: p.Aspect, Topic: p.Queue.Topic, Broker: p.Queue.BrokerName, Member: p.Member, Nth: p.Nth, A: event(p.A), B: event(p.B)}
		if p.Queue != (mq.MessageQueue{}) {
			one.QueueID = &p.Queue.QueueID
		}
		out.Parts = append(out.Parts, one)
	}
	for _, n := range c.Counts {
		out.Counts = append(out.Counts, diffCountJSON(n))
	}
	return out
}
