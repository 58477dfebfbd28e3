package export

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/detail"
	"mqscope/views/events"
	"mqscope/views/latency"
	"mqscope/views/locks"
	"mqscope/views/overview"
	"mqscope/views/queues"
	"mqscope/views/rebalance"
	"mqscope/views/scheduler"
	"mqscope/views/viewtest"
)

func at() time.Time { return time.Date(2026, 6, 1, 12, 3, 41, 220_400_000, time.UTC) }

// sheet has one cell of each kind, and names that want to be more than names.
func sheet() views.Sheet {
	s := views.NewSheet("queues", at(), "topic", "lag", "rate", "seen", "note")
	s.Add(views.Is("orders"), views.Is(int64(9223372036854775807)), views.Is(0.5), views.When(at()), views.Cause(""))
	s.Add(views.Is("=HYPERLINK(\"x\")"), views.Reading(snapshot.UnknownBecause[int64]("no answer, yet"), at()), views.Cell{}, views.When(time.Time{}), views.Is("a\tb\nc\\d"))
	s.Add(views.Is("+1\x1b[31m\u202e\xff"), views.Is(int64(-123)), views.Reading(snapshot.Of(1.5, at()).Aged(at().Add(2*time.Second), time.Second), at().Add(2*time.Second)), views.Cell{}, views.Is("\u009b\U000e0041"))
	return s
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(string(CSV(sheet(), false)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"topic", "lag", "rate", "seen", "note", "unknown", "stale"},
		{"orders", "9223372036854775807", "0.5", "2026-06-01T12:03:41.220Z", "", "", ""},
		{`'=HYPERLINK("x")`, "", "", "", "a\tb\nc\\d", "lag: no answer, yet", ""},
		{`'+1\x1b[31m\u202e\xff`, "-123", "1.5", "", `\u009b\U000e0041`, "", "rate: 2000 ms"},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	raw, err := csv.NewReader(strings.NewReader(string(CSV(sheet(), true)))).ReadAll()
	if err != nil || raw[2][0] != `=HYPERLINK("x")` || raw[3][0] != "+1\x1b[31m\u202e\xff" {
		t.Errorf("raw: %q, %v", raw, err)
	}
}

func TestNoWordIsTakenForAFormula(t *testing.T) {
	for _, c := range []string{"=", "+", "-", "@", "\t", "\r", "＝", "－", "＋", "＠"} {
		s := views.NewSheet("x", at(), "a", "b")
		s.Add(views.Is(c+"1"), views.Is(-1))
		rows, err := csv.NewReader(strings.NewReader(string(CSV(s, false)))).ReadAll()
		if err != nil || !strings.HasPrefix(rows[1][0], "'") || rows[1][1] != "-1" {
			t.Errorf("%q: %q, %v", c, rows, err)
		}
	}
}

func TestTSVHasOneLineARow(t *testing.T) {
	for _, raw := range []bool{false, true} {
		lines := strings.Split(strings.TrimSuffix(string(TSV(sheet(), raw)), "\n"), "\n")
		if len(lines) != 4 {
			t.Fatalf("%d lines: %q", len(lines), lines)
		}
		for _, l := range lines {
			if n := strings.Count(l, "\t"); n != 6 {
				t.Errorf("%d tabs in %q", n, l)
			}
		}
		if !strings.Contains(lines[2], `a\tb\nc\\d`) {
			t.Errorf("raw %v: %q", raw, lines[2])
		}
		if guarded := strings.HasPrefix(lines[2], "'="); guarded == raw {
			t.Errorf("raw %v: %q", raw, lines[2])
		}
	}
}

func TestJSON(t *testing.T) {
	text := JSON(sheet())
	for _, r := range string(text) {
		if r != '\n' && views.Invisible(r) {
			t.Errorf("%U is in the text", r)
		}
	}
	var got struct {
		Schema int
		Table  string
		At     time.Time
		Rows   []map[string]any
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	want := []map[string]any{
		{"topic": "orders", "lag": json.Number("9223372036854775807"), "rate": json.Number("0.5"), "seen": "2026-06-01T12:03:41.220Z", "note": nil},
		{"topic": `=HYPERLINK("x")`, "lag": nil, "rate": nil, "seen": nil, "note": "a\tb\nc\\d", "unknown": map[string]any{"lag": "no answer, yet"}},
		{"topic": "+1\x1b[31m\u202e\ufffd", "lag": json.Number("-123"), "rate": json.Number("1.5"), "seen": nil, "note": "\u009b\U000e0041",
			"stale": map[string]any{"rate": json.Number("2000")}},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Error(diff)
	}
	if got.Schema != Schema || got.Table != "queues" || !got.At.Equal(at().Truncate(time.Millisecond)) {
		t.Errorf("%+v", got)
	}
	if empty := JSON(views.NewSheet("x", at(), "a")); !json.Valid(empty) {
		t.Errorf("%s", empty)
	}
}

// TestEveryScreenWithATableGivesAllOfIt: each sheet has a cell for each column and all rows,
// however few are on screen.
func TestEveryScreenWithATableGivesAllOfIt(t *testing.T) {
	hostile := viewtest.Hostile()
	normal := viewtest.Normal()
	rows := func(s *snapshot.Snapshot, v views.View, arg string, focus int) (views.Sheet, bool) {
		t.Helper()
		x, ok := v.(views.Exporter)
		if !ok {
			t.Fatalf("%s has no table", v.ID())
		}
		in := views.In{Snap: s, State: v.Start(arg), W: 60, H: 3, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode"), Focus: focus}
		return x.Sheet(in)
	}
	watched := views.EncodeQueue(normal.Queues[0].ID)
	for _, s := range []*snapshot.Snapshot{normal, hostile} {
		for _, c := range []struct {
			v     views.View
			arg   string
			focus int
			want  int
		}{
			{queues.New(), "", 0, len(s.Queues)},
			{overview.New(), "", 0, len(s.Cluster.Brokers)}, {overview.New(), "", 1, len(s.Members)}, {overview.New(), "", 2, len(s.Topics)},
			{latency.New(), "", 0, -1}, {rebalance.New(), "", 0, -1}, {locks.New(), "", 0, -1}, {scheduler.New(), "", 0, -1},
			{events.New(), "level>=dbg", 0, len(s.Events.Entries)}, {detail.New(), watched, 0, -1}, {detail.New(), watched, 2, -1},
		} {
			sh, _ := rows(s, c.v, c.arg, c.focus)
			for i, row := range sh.Rows {
				if len(row) != len(sh.Cols) {
					t.Fatalf("%s: row %d has %d cells for %d columns", c.v.ID(), i, len(row), len(sh.Cols))
				}
			}
			if c.want >= 0 && len(sh.Rows) != c.want {
				t.Errorf("%s, pane %d: %d rows of %d", c.v.ID(), c.focus, len(sh.Rows), c.want)
			}
			for name, b := range map[string][]byte{"csv": CSV(sh, false), "tsv": TSV(sh, false), "json": JSON(sh)} {
				if !utf8.Valid(b) {
					t.Errorf("%s of %s is no UTF-8", name, c.v.ID())
				}
				for _, r := range string(b) {
					if !strings.ContainsRune("\n\t\r", r) && views.Invisible(r) {
						t.Errorf("%s of %s has %U", name, c.v.ID(), r)
						break
					}
				}
			}
			if !json.Valid(JSON(sh)) {
				t.Errorf("%s: no JSON", c.v.ID())
			}
		}
		if _, ok := rows(nil, queues.New(), "", 0); ok {
			t.Error("a table without a snapshot")
		}
	}
}

func TestASheetFollowsFilterAndOrder(t *testing.T) {
	s := viewtest.Normal()
	v := queues.New()
	all, _ := v.Sheet(views.In{Snap: s, State: v.Start(""), Now: viewtest.Now()})
	some, _ := v.Sheet(views.In{Snap: s, State: v.Start("mark:bad"), Now: viewtest.Now()})
	if len(some.Rows) == 0 || len(some.Rows) >= len(all.Rows) {
		t.Fatalf("%d of %d rows pass", len(some.Rows), len(all.Rows))
	}
	st := v.Start("").(queues.State)
	st.Sort, st.Desc = "lag", true
	sorted, _ := v.Sheet(views.In{Snap: s, State: st, Now: viewtest.Now()})
	var last int64 = 1 << 62
	for _, row := range sorted.Rows {
		n, ok := row[8].V.(int64)
		if !ok {
			break // unknown ones are last
		}
		if n > last {
			t.Fatalf("lag %d behind %d", n, last)
		}
		last = n
	}
	st.Group, st.Folded = queues.ByTopic, []string{s.Queues[0].ID.Topic}
	folded, _ := v.Sheet(views.In{Snap: s, State: st, Now: viewtest.Now()})
	if len(folded.Rows) != len(all.Rows) {
		t.Errorf("%d rows of %d below folded heads", len(folded.Rows), len(all.Rows))
	}
}
