package views

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

func known(n int64) snapshot.Val[int64] { return snapshot.Val[int64]{V: n, State: snapshot.Known} }

func drawLine(t testing.TB, w int, draw func(*Pen, *themes.Glyphs)) string {
	t.Helper()
	var c Canvas
	th := darkTheme(t)
	draw(c.Reset(w, 1).Line(0), th.Glyphs)
	return plainOf(c.Lines(th))[0]
}

func TestRuler(t *testing.T) {
	tests := []struct {
		name string
		r    Ruler
		want string
	}{
		{"piecewise gives each stretch a share", Ruler{Min: known(0), Commit: known(1_000_000), Next: known(1_002_000), Max: known(1_005_000)}, "m░░░░░░░C▓▓▓▓▓▓▓▓▓▓N.........M"},
		{"an empty stretch has no cells", Ruler{Min: known(0), Commit: known(100), Next: known(100), Max: known(200)}, "m░░░░░░░░░░░░░CN.............M"},
		{"an empty queue is four marks", Ruler{Min: known(7), Commit: known(7), Next: known(7), Max: known(7)}, "mCNM"},
		{"what is unknown is not drawn as known", Ruler{Min: known(0), Commit: known(10), Next: known(20)}, "m░░░░░░░C▓▓▓▓▓▓▓▓▓▓N??????????"},
		{"nothing known", Ruler{}, "??????????????????????????????"},
		{"broken order is said, not drawn", Ruler{Min: known(0), Commit: known(300), Next: known(20), Max: known(30)}, "✗ offsets out of order"},
		{"a commit beyond max is out of order", Ruler{Min: known(0), Commit: known(300), Next: known(300), Max: known(200)}, "✗ offsets out of order"},
		{"true scale shows proportions", Ruler{Min: known(0), Commit: known(500), Next: known(750), Max: known(1000), From: 0, To: 1000}, "m░░░░░░░░░░░░░C▓▓▓▓▓▓N.......M"},
		{"true scale keeps marks apart", Ruler{Min: known(0), Commit: known(999), Next: known(1000), Max: known(1000), From: 0, To: 1000}, "m░░░░░░░░░░░░░░░░░░░░░░░░░░CNM"},
		{"zoomed in, marks outside are not seen", Ruler{Min: known(0), Commit: known(500), Next: known(550), Max: known(1000), From: 490, To: 600}, "░░C▓▓▓▓▓▓▓▓▓▓▓▓N.............."},
		{"the largest offsets fit", Ruler{Min: known(0), Commit: known(1), Next: known(math.MaxInt64), Max: known(math.MaxInt64), From: 0, To: math.MaxInt64}, "mC▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓NM"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := drawLine(t, 30, tt.r.Draw); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestRulerMarksStayInOrder draws random offsets at random widths.
func TestRulerMarksStayInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v := []int64{rng.Int64N(1000), rng.Int64N(1000), rng.Int64N(1000), rng.Int64N(1000)}
		slices.Sort(v)
		r := Ruler{Min: known(v[0]), Commit: known(v[1]), Next: known(v[2]), Max: known(v[3])}
		if rng.IntN(2) == 0 && v[3] > v[0] {
			r.From, r.To = v[0], v[3]
		}
		got := drawLine(t, 8+rng.IntN(100), r.Draw)
		var seen []rune
		for _, c := range got {
			if slices.Contains([]rune("mCNM"), c) {
				seen = append(seen, c)
			}
		}
		if string(seen) != "mCNM" {
			t.Fatalf("%v from %d to %d is drawn as %s", v, r.From, r.To, got)
		}
	}
}

func TestSpark(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		data []float64
		w    int
		want string
	}{
		{"the newest stands at the right", []float64{0, 1, 2}, 5, "  ▁▅█"},
		{"nothing measured is blank, not least", []float64{nan, 0, nan, 4}, 4, " ▁ █"},
		{"all the same and nothing", []float64{0, 0, 0}, 3, "▁▁▁"},
		{"more samples than cells show their peaks", []float64{1, 8, 1, 1, 1, 4}, 3, "█▂▅"},
		{"only nothing is the lowest step", []float64{0, 0.001, 1000}, 3, "▁▂█"},
		{"infinite samples do not break it", []float64{1, math.Inf(1), math.Inf(-1)}, 3, "▂█▁"},
		{"no samples", nil, 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := drawLine(t, tt.w, func(p *Pen, g *themes.Glyphs) { p.Spark(themes.Text, tt.data, tt.w, g) })
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTrendShowsTheDirection(t *testing.T) {
	g := themes.Unicode()
	for want, data := range map[string][]float64{
		"▃▆█": {1_000_000, 1_100_000, 1_200_000}, "▅▅▅": {5, 5, 5}, "▁▁▁": {0, 0, 0}, "█▁": {10, 0}, "▃ █": {1, math.NaN(), 2},
	} {
		if got := Trend(data, 12, g); got.String() != want || got.Width() != len(data) {
			t.Errorf("%v is drawn as %q (%d)", data, got, got.Width())
		}
	}
}

func TestChartFillsFromTheBottom(t *testing.T) {
	var c Canvas
	th := darkTheme(t)
	Chart(c.Reset(4, 2), themes.Text, []float64{0, 4, 8, math.NaN()}, th.Glyphs)
	if diff := cmp.Diff([]string{" ▁█", "▁██"}, plainOf(c.Lines(th))); diff != "" {
		t.Error(diff)
	}
}

func TestGauges(t *testing.T) {
	limit := func(v, top float64, trip bool) Limit {
		return Limit{Name: "count", Known: true, Part: v, Whole: top, Tripped: trip, Shown: Span{themes.Text, Exact(int64(v))}, Max: Exact(int64(top))}
	}
	tests := []struct {
		name string
		l    Limit
		want string
	}{
		{"nothing", limit(0, 1000, false), "[············]   0%"},
		{"half", limit(500, 1000, false), "[██████······]  50%"},
		{"the limit itself is no trip", limit(1000, 1000, false), "[████████████] 100%"},
		{"above it is", limit(1001, 1000, true), "[████████████] !trip"},
		{"unknown is neither", Limit{}, "?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := drawLine(t, 24, func(p *Pen, g *themes.Glyphs) { tt.l.Bar(p, 20, g) }); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseFilter(t *testing.T) {
	tests := []struct {
		name, in string
		want     []Term
	}{
		{"nothing", "  ", nil},
		{"words", "pay order", []Term{{Value: "pay"}, {Value: "order"}}},
		{"a term", "topic:订单", []Term{{Key: "topic", Op: ":", Value: "订单"}}},
		{"a comparison", "lag>=1k", []Term{{Key: "lag", Op: ">=", Value: "1k"}}},
		{"the opposite", "!mark:ok", []Term{{Not: true, Key: "mark", Op: ":", Value: "ok"}}},
		{"quotes keep spaces and mean the whole", `topic:"a \"b\" c" x`, []Term{{Key: "topic", Op: ":", Value: `a "b" c`, Exact: true}, {Value: "x"}}},
		{"a missing quote ends with the text", `topic:"ab`, []Term{{Key: "topic", Op: ":", Value: "ab", Exact: true}}},
		{"keys are folded", "LAG<5", []Term{{Key: "lag", Op: "<", Value: "5"}}},
		{"a slash is text", "a/3", []Term{{Value: "a/3"}}},
		{"half a term is a term", "lag>", []Term{{Key: "lag", Op: ">"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ParseFilter(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestQuotedNamesReadBack(t *testing.T) {
	for _, name := range []string{"a", `a"b`, "a b", "订单", "a:b>c"} {
		terms := ParseFilter("topic:" + Quote(name))
		if len(terms) != 1 || terms[0].Value != name || !terms[0].MatchText(name) {
			t.Errorf("%q reads back as %+v", name, terms)
		}
	}
}

func TestNumbersOfFilters(t *testing.T) {
	for in, want := range map[string]float64{"1000": 1000, "1k": 1000, "2.5M": 2.5e6, "10MiB": 10 << 20, "1,000": 1000, "3K": 3000, "7B": 7} {
		if got, err := parseNumber(in); err != nil || got != want {
			t.Errorf("%s is read as %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "k", "abc", "1kk", "NaN", "Inf", "1e999"} {
		if got, err := parseNumber(in); err == nil {
			t.Errorf("%q is read as %v", in, got)
		}
	}
}

func TestFuzzyNeedsTheLettersInOrder(t *testing.T) {
	for _, tt := range []struct {
		pattern, in string
		want        bool
	}{
		{"ord", "order-created", true}, {"ocd", "order-created", true}, {"dro", "order-created", false}, {"ORD", "order", true},
		{"订创", "订单创建", true}, {"", "x", true}, {"xy", "x", false},
	} {
		if got := (Term{Value: tt.pattern}).MatchFuzzy(tt.in); got != tt.want {
			t.Errorf("%q in %q: %v", tt.pattern, tt.in, got)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{"topic:订单 lag>1k !mark:ok", `a:"b`, "!!", ">>", `"`, "\x00", "a\\\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, term := range ParseFilter(s) {
			_ = term.MatchText(s)
			_ = term.MatchFuzzy(s)
			if _, err := term.Number(); err == nil && term.Value == "" {
				t.Fatalf("%+v is a number", term)
			}
		}
	})
}

// TestEventIndexEqualsASlowSearch feeds a growing, folding and shrinking stream.
func TestEventIndexEqualsASlowSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []snapshot.Entry
	var x EventIndex
	seq := uint64(0)
	key, want := "a", func(e *snapshot.Entry) bool { return e.Source == "a" }
	for range 500 {
		for range rng.IntN(5) {
			seq += uint64(1 + rng.IntN(2))
			all = append(all, snapshot.Entry{Seq: seq, Source: string(rune('a' + rng.IntN(3)))})
		}
		if len(all) > 0 && rng.IntN(3) == 0 {
			all = slices.Clone(all[rng.IntN(len(all)):])
		}
		if rng.IntN(20) == 0 {
			all = nil
		}
		if rng.IntN(10) == 0 {
			s := string(rune('a' + rng.IntN(3)))
			key, want = s, func(e *snapshot.Entry) bool { return e.Source == s }
		}
		var slow []uint64
		for i := range all {
			if want(&all[i]) {
				slow = append(slow, all[i].Seq)
			}
		}
		ev := snapshot.Events{Entries: all}
		if diff := cmp.Diff(len(slow), len(x.Update(ev, key, want))); diff != "" {
			t.Fatal(diff)
		}
		if got := x.Update(ev, key, want); !slices.Equal(got, slow) {
			t.Fatalf("got %v, want %v", got, slow)
		}
		for _, s := range slow {
			if e := EventAt(ev, s); e == nil || e.Seq != s {
				t.Fatalf("event %d is not found", s)
			}
		}
	}
	if EventAt(snapshot.Events{}, 1) != nil {
		t.Error("an event is found among none")
	}
}

// TestEventIndexLooksAtEachEventOnce: 100,000 events a second cost one look each.
func TestEventIndexLooksAtEachEventOnce(t *testing.T) {
	var x EventIndex
	var all []snapshot.Entry
	looks := 0
	for i := range 1000 {
		all = append(all, snapshot.Entry{Seq: uint64(i + 1)})
		x.Update(snapshot.Events{Entries: all}, "k", func(*snapshot.Entry) bool { looks++; return true })
	}
	if looks != 1000 {
		t.Errorf("%d looks at 1,000 events", looks)
	}
}

func TestQueueIdentityReadsBack(t *testing.T) {
	for _, q := range []snapshot.MessageQueue{{Topic: "t", BrokerName: "b", QueueID: 3}, {Topic: "订单/x", BrokerName: "", QueueID: -1}} {
		if got, ok := DecodeQueue(EncodeQueue(q)); !ok || got != q {
			t.Errorf("%v reads back as %v", q, got)
		}
	}
	for _, s := range []string{"", "a", "a\x00b\x00c", "a\x00b\x0099999999999", "a\x00b\x001\x002"} {
		if _, ok := DecodeQueue(s); ok {
			t.Errorf("%q is taken for a queue", s)
		}
	}
}

func TestShortBrokers(t *testing.T) {
	with := func(names ...string) *snapshot.Snapshot {
		s := &snapshot.Snapshot{}
		for _, n := range names {
			s.Cluster.Brokers = append(s.Cluster.Brokers, snapshot.Broker{Name: n})
		}
		return s
	}
	tests := []struct {
		name string
		s    *snapshot.Snapshot
		in   string
		want string
	}{
		{"what all begin with goes", with("broker-a", "broker-b"), "broker-a", "a"},
		{"a single broker keeps its name", with("broker-a"), "broker-a", "broker-a"},
		{"only whole words go", with("brokera", "brokerb"), "brokera", "brokera"},
		{"nothing may become empty", with("broker-", "broker-b"), "broker-", "broker-"},
		{"no snapshot", nil, "broker-a", "broker-a"},
		{"a name shorter than the prefix stays", with("broker-a", "broker-b"), "x", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ShortBrokers(tt.s).Of(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
