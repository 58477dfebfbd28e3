package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mqscope/engine/replay"
	"mqscope/engine/replay/page"
	"mqscope/engine/snapshot"
	"mqscope/tui/config"
	"mqscope/tui/newfile"
	"mqscope/views"
	"mqscope/views/events"
	"mqscope/views/export"
	"mqscope/views/latency"
	"mqscope/views/locks"
	"mqscope/views/overview"
	"mqscope/views/queues"
	"mqscope/views/rebalance"
	"mqscope/views/scheduler"
)

// exportFlags are those of replay that take something of a recording along.
type exportFlags struct {
	html, from, to string
	force          bool
	table, format  string
	filter         string
	raw            bool
}

func (e *exportFlags) add(fs *pflag.FlagSet) {
	const place = "as #18244, 12:03:41.220, +5s behind the beginning, 42% or ;2 for a bookmark"
	config.Checked(fs, &e.html, "export-html", "", "", "PAGE", "write what happened as one HTML `PAGE`, for people without a terminal", nonEmpty)
	config.Checked(fs, &e.from, "from", "", "", "PLACE", "the page begins at this `PLACE`: "+place, replay.CheckSeek)
	config.Checked(fs, &e.to, "to", "", "", "PLACE", "the page ends at this `PLACE`, written as for --from", replay.CheckSeek)
	config.Bool(fs, &e.force, "force", "replace a page that is there already")
	config.Checked(fs, &e.table, "table", "", "", "TABLE", "with --headless, print this `TABLE` of a screen, all of its rows: "+strings.Join(tableNames(), ", "), isTable)
	config.Choice(fs, &e.format, "format", "csv", []string{"csv", "tsv", "json"}, "of --table")
	fs.StringVar(&e.filter, "filter", "", "only rows of --table that pass this `FILTER`, written as on the screen")
	config.Bool(fs, &e.raw, "raw", "cells of --table as they are, also those that a spreadsheet takes for formulas")
}

func nonEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("name a file")
	}
	return nil
}

func isTable(s string) error {
	if !slices.Contains(tableNames(), s) {
		return fmt.Errorf("one of %s is allowed", strings.Join(tableNames(), ", "))
	}
	return nil
}

// check tells which flags do not go together.
func (e *exportFlags) check(headless bool) error {
	switch {
	case e.html == "" && (e.from != "" || e.to != ""):
		return usage("--from and --to say what is on a page: add --export-html PAGE")
	case e.html != "" && headless:
		return usage("--export-html and --headless both replace the screen: give one of them")
	case e.table != "" && !headless:
		return usage("--table %s is printed with --headless only, at the place that --at says", e.table)
	case e.table == "" && (e.filter != "" || e.raw):
		return usage("--filter and --raw are about a table: add --table NAME")
	case e.filter != "" && !slices.Contains([]string{"queues", "locks", "events"}, e.table):
		return usage("--filter %q: only queues, locks and events can be filtered", e.filter)
	}
	return nil
}

// page writes the page of a recording. The track ends up where the page does.
func (e *exportFlags) page(ctx context.Context, out io.Writer, file string, t replay.Track, marks *replay.Bookmarks) error {
	if e.html == "-" {
		return usage("--export-html -: the page is written to a file: name one")
	}
	for _, read := range []string{file, file + replay.MarksSuffix} {
		if same(e.html, read) {
			return usage("--export-html %q is %s itself: give the page another name", e.html, read)
		}
	}
	span, err := e.span(t, marks)
	if err != nil {
		return usageError{err}
	}
	o := page.Options{File: filepath.Base(file), Program: "mqscope " + version(), Zone: time.Local}
	if marks != nil {
		o.Bookmarks = marks.List()
	}
	n := &counter{}
	err = newfile.Write(e.html, e.force, func(w io.Writer) error {
		n.Writer = w
		return page.Write(ctx, n, t, span, o)
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return usage("--export-html %q: there is a file of that name already: give another name, or --force", e.html)
	case err != nil:
		return cmp.Or(unwritten(e.html, err), fmt.Errorf("write the page: %w", err))
	}
	to := span.To
	if to == 0 {
		to = t.Info().Total
	}
	damage := t.Info().Damage
	if damage != "" {
		to = min(to, t.Event())
		damage = "the recording is " + clean(damage) + "\n"
	}
	_, err = fmt.Fprintf(out, "%s: events #%d to #%d, %s\n%s", clean(e.html), span.From+1, to, sizeWords(n.n), damage)
	return err
}

// span reads the places of --from and --to. An event that --from names is the first one on the
// page; a time is where the page begins.
func (e *exportFlags) span(t replay.Track, marks *replay.Bookmarks) (s page.Span, err error) {
	if e.from != "" {
		if s.From, err = replay.Place(t, marks, e.from); err != nil {
			return s, fmt.Errorf("--from %q: %w", e.from, err)
		}
		if namesEvent(e.from) {
			s.From = max(s.From, 1) - 1
		}
	}
	if e.to != "" {
		if s.To, err = replay.Place(t, marks, e.to); err != nil {
			return s, fmt.Errorf("--to %q: %w", e.to, err)
		}
		if s.To <= s.From {
			return s, fmt.Errorf("--to %q is not behind --from %q", e.to, e.from)
		}
	}
	return s, nil
}

// namesEvent tells whether a place is an event or a bookmark, not a time.
func namesEvent(place string) bool {
	place = strings.TrimSpace(place)
	return strings.HasPrefix(place, "#") || strings.HasPrefix(place, ";") || strings.Trim(place, "0123456789,") == ""
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// tableNames are the tables that --table knows.
func tableNames() []string {
	return []string{"queues", "locks", "brokers", "members", "topics", "latency", "rebalance", "tasks", "events"}
}

// print writes a table of a snapshot.
func (e *exportFlags) print(out io.Writer, s *snapshot.Snapshot) error {
	sheet, ok := e.sheet(s)
	if !ok {
		return fmt.Errorf("there is no table of %s here: nothing is known for it", e.table)
	}
	var b []byte
	switch e.format {
	case "tsv":
		b = export.TSV(sheet, e.raw)
	case "json":
		b, out = export.JSON(sheet), jsonText{out}
	default:
		b = export.CSV(sheet, e.raw)
	}
	_, err := out.Write(b)
	return err
}

func (e *exportFlags) sheet(s *snapshot.Snapshot) (views.Sheet, bool) {
	v, pane, state := views.View(queues.New()), 0, any(nil)
	switch e.table {
	case "locks":
		v = locks.New()
	case "brokers", "members", "topics":
		v, pane = overview.New(), slices.Index([]string{"brokers", "members", "topics"}, e.table)
	case "latency":
		v, state = latency.New(), latency.State{Open: brokers(s)}
	case "rebalance":
		v = rebalance.New()
	case "tasks":
		v = scheduler.New()
	case "events":
		v = events.New()
	}
	filter := e.filter
	if e.table == "events" && filter == "" {
		filter = "level>=dbg" // all of them
	}
	if state == nil {
		state = v.Start(filter)
	}
	return v.(views.Exporter).Sheet(views.In{Snap: s, State: state, W: math.MaxInt16, Now: s.At, Focus: pane})
}

// brokers are the names of all that are known, sorted.
func brokers(s *snapshot.Snapshot) (names []string) {
	for i := range s.Cluster.Brokers {
		names = append(names, s.Cluster.Brokers[i].Name)
	}
	for name := range s.BrokerPulls {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
