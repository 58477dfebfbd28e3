package detail

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func press(v *View, st any, s *snapshot.Snapshot, focus int, evs ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, st, s, viewtest.In(focus, evs...)...)
	return at, each[len(each)-1]
}

func act(id keymap.ID) views.Event { return views.Event{Action: id} }

func start(v *View, s *snapshot.Snapshot) State {
	return v.Start(views.EncodeQueue(viewtest.Focus(s))).(State)
}

// text draws a whole frame without sequences.
func text(t *testing.T, v *View, st State, s *snapshot.Snapshot, w, h int) string {
	t.Helper()
	return viewtest.Shot{View: v, Tab: "queues", State: st, Case: viewtest.Case{Snap: s}, W: w, H: h}.Text(t)
}

// TestGoldenColours keeps every sequence of one frame per theme and set of signs, so that a
// change of colours is seen in review.
func TestGoldenColours(t *testing.T) {
	check := func(theme, glyphs string) {
		t.Run(theme+" "+glyphs, func(t *testing.T) {
			th := viewtest.Theme(t, theme, glyphs)
			lines, _, _ := subject().Shot(viewtest.Case{Snap: viewtest.Normal()}, 80, 24, th).Draw()
			viewtest.CheckFrame(t, lines, 80, 24, th)
			viewtest.Golden(t, root, fmt.Sprintf("detail/ansi/%s.%s.80x24.txt", theme, glyphs), viewtest.Quoted(lines))
		})
	}
	for _, theme := range themes.Choices() {
		check(theme, "unicode")
	}
	check("mqscope-dark", "cjk")
	check("mono", "ascii")
}

// TestSignsStayInTheirSet draws every case with the narrow and with the ASCII set.
func TestSignsStayInTheirSet(t *testing.T) {
	for _, glyphs := range []string{"cjk", "ascii"} {
		th := viewtest.Theme(t, "mono", glyphs)
		for _, c := range viewtest.Cases() {
			for _, size := range viewtest.Sizes() {
				lines, _, _ := subject().Shot(c, size[0], size[1], th).Draw()
				viewtest.CheckFrame(t, lines, size[0], size[1], th)
				if plain := strings.Join(viewtest.Plain(lines), ""); strings.ContainsAny(plain, "▁▂▃▄▅▆▇█▓■●▲…·×≥↑↓─│╭╮╰╯Δµ") {
					t.Errorf("%s in %s has a sign of ambiguous width", c.Name, glyphs)
				}
			}
		}
	}
}

func TestARevokedQueueLeavesItsPicture(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, start(v, s), s, 0, act(views.Refresh))
	gone := *s
	gone.Seq++
	gone.At = gone.At.Add(time.Second)
	gone.Queues, gone.Windows = s.Queues[:1], nil
	st, in := press(v, st, &gone, 0, views.Event{Action: views.Refresh, Now: viewtest.Now().Add(-12 * time.Second)})
	if len(in) != 1 || !strings.Contains(in[0].(views.Toast).Text.String(), "is no longer ours") {
		t.Errorf("intents are %v", in)
	}
	got := text(t, v, st, &gone, 120, 36)
	for _, want := range []string{"dropped 12s ago", "last picture", "committed 1,229,411", "► in listener 20"} {
		if !strings.Contains(got, want) {
			t.Errorf("the frozen picture lacks %q:\n%s", want, got)
		}
	}
	viewtest.Golden(t, root, "detail/revoked.120x36.txt", strings.Split(got, "\n"))
	if _, in = press(v, st, &gone, 0, act(views.Refresh)); len(in) != 0 {
		t.Errorf("it is told twice: %v", in)
	}
	st, in = press(v, st, s, 0, act(views.Refresh))
	if len(in) != 1 || !strings.Contains(in[0].(views.Toast).Text.String(), "is back") || !st.GoneAt.IsZero() {
		t.Errorf("its return gives %v", in)
	}
	if got := text(t, v, st, s, 120, 36); strings.Contains(got, "dropped") {
		t.Error("a queue that is back is shown as dropped")
	}
}

func TestEmptyWindows(t *testing.T) {
	now := viewtest.Now()
	tests := []struct {
		name string
		set  func(*snapshot.Queue)
		want string
	}{
		{"a delayed pull says when", func(q *snapshot.Queue) {
			q.Task = snapshot.Task{State: snapshot.TaskDelayed, Due: now.Add(31 * time.Millisecond)}
		}, "Nothing cached; next pull in 31ms"},
		{"a parked pull says how long", func(q *snapshot.Queue) {
			q.Task = snapshot.Task{State: snapshot.TaskParked, Since: now.Add(-14200 * time.Millisecond)}
		}, "Nothing cached; a pull waits at the broker for new messages, 14s so far"},
		{"a running pull", func(q *snapshot.Queue) { q.Task = snapshot.Task{State: snapshot.TaskRunning} }, "a pull is under way"},
		{"a due pull", func(q *snapshot.Queue) { q.Task = snapshot.Task{State: snapshot.TaskReady} }, "the next pull is due"},
		{"no pull at all is a fault", func(q *snapshot.Queue) { q.Task = snapshot.Task{} }, "no pull request exists for it"},
		{"someone else's queue", func(q *snapshot.Queue) { q.Mine, q.Owner.V = false, "other@1" }, "what its owner other@1 holds is not known"},
		{"a count that is not known", func(q *snapshot.Queue) { q.Count = snapshot.UnknownBecause[int]("no answer") }, "What is cached is not known: no answer"},
		{"a count without detail", func(q *snapshot.Queue) { q.Count.V = 40 }, "reported, no per-message detail: 40 messages"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := viewtest.Normal()
			tt.set(&s.Queues[0])
			v := New()
			got := text(t, v, State{Queue: s.Queues[0].ID}, s, 120, 36)
			if !strings.Contains(got, tt.want) {
				t.Errorf("want %q in\n%s", tt.want, got)
			}
		})
	}
}

func TestBrokenOrderShowsTheFourNumbers(t *testing.T) {
	s := viewtest.Normal()
	for i := range s.Queues {
		if s.Queues[i].ID == viewtest.Focus(s) {
			s.Queues[i].Max.V = 5
		}
	}
	v := New()
	got := text(t, v, start(v, s), s, 80, 24)
	for _, want := range []string{"✗ offsets out of order", "min 1,204,880", "committed 1,229,411", "next 1,231,416", "max 5"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

func TestLimitsTripAboveThem(t *testing.T) {
	tests := []struct {
		name string
		set  func(*snapshot.Queue)
		want [3]bool
	}{
		{"at the limits nothing trips", func(q *snapshot.Queue) { q.Count.V, q.Bytes.V, q.Span.V = 1000, 100<<20, 2000 }, [3]bool{}},
		{"one message more trips", func(q *snapshot.Queue) { q.Count.V = 1001 }, [3]bool{true}},
		{"bytes count in whole MiB", func(q *snapshot.Queue) { q.Bytes.V = 101<<20 - 1 }, [3]bool{}},
		{"the next whole MiB trips", func(q *snapshot.Queue) { q.Bytes.V = 101 << 20 }, [3]bool{false, true}},
		{"the span trips above", func(q *snapshot.Queue) { q.Span.V = 2001 }, [3]bool{false, false, true}},
		{"what is unknown does not trip", func(q *snapshot.Queue) {
			q.Count = snapshot.Val[int]{V: 5000}
		}, [3]bool{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := viewtest.Normal()
			tt.set(&s.Queues[0])
			d := New().begin(views.In{Snap: s, W: 120, H: 31, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")}, State{}, s, &s.Queues[0])
			var got [3]bool
			for i, l := range d.limits() {
				got[i] = l.Tripped
			}
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCellsTakeTheWorst(t *testing.T) {
	run := func(from, to int64, s snapshot.MessageState) snapshot.Run {
		return snapshot.Run{From: from, To: to, State: s}
	}
	late := lateBy(viewtest.Now(), time.Minute)
	tests := []struct {
		name       string
		w          snapshot.Window
		cols, rows int
		want       string
	}{
		{"one cell an offset when they fit", snapshot.Window{Runs: []snapshot.Run{run(5, 6, snapshot.Done), run(7, 7, snapshot.Consuming), run(8, 9, snapshot.Waiting)}}, 10, 1, "░░►■■"},
		{"a bucket shows its worst", snapshot.Window{Runs: []snapshot.Run{run(0, 6, snapshot.Done), run(7, 7, snapshot.Consuming), run(8, 15, snapshot.Waiting)}}, 4, 1, "░►■■"},
		{"retry is worse than run", snapshot.Window{Runs: []snapshot.Run{run(0, 0, snapshot.Consuming), run(1, 1, snapshot.Retry)}}, 1, 1, "↻"},
		{"a gap is worse than done", snapshot.Window{Runs: []snapshot.Run{run(0, 0, snapshot.Done), run(1, 1, snapshot.Gap)}}, 1, 1, "."},
		{"waiting is worse than a gap", snapshot.Window{Runs: []snapshot.Run{run(0, 0, snapshot.Waiting), run(1, 1, snapshot.Gap)}}, 1, 1, "■"},
		{"what no run covers is a gap", snapshot.Window{Runs: []snapshot.Run{run(0, 1, snapshot.Done), run(4, 5, snapshot.Done)}}, 10, 1, "░░..░░"},
		{"a listener past the timeout is the worst", snapshot.Window{
			Runs: []snapshot.Run{run(0, 1, snapshot.Consuming)},
			Meta: []snapshot.Message{{Offset: 1, State: snapshot.Consuming, Started: viewtest.Now().Add(-2 * time.Minute)}},
		}, 10, 1, "►✗"},
		{"a listener within the timeout is not", snapshot.Window{
			Runs: []snapshot.Run{run(0, 1, snapshot.Consuming)},
			Meta: []snapshot.Message{{Offset: 1, State: snapshot.Consuming, Started: viewtest.Now().Add(-30 * time.Second)}},
		}, 10, 1, "►►"},
		{"the whole range of offsets", snapshot.Window{Runs: []snapshot.Run{run(0, math.MaxInt64, snapshot.Done)}}, 4, 2, "░░░░░░░░"},
		{"no runs", snapshot.Window{}, 4, 2, ""},
		{"no room", snapshot.Window{Runs: []snapshot.Run{run(0, 5, snapshot.Done)}}, 0, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			from, to, ok := span(tt.w)
			var g grid
			if ok {
				g = newGrid(from, to, tt.cols, tt.rows)
			}
			g.fill(tt.w, late)
			got := ""
			for _, k := range g.cells {
				got += string(k.glyph(themes.Unicode()))
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestGridEqualsASlowOne compares buckets with a map of every offset.
func TestGridEqualsASlowOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	none := func(*snapshot.Message) bool { return false }
	for range 500 {
		var w snapshot.Window
		slow := map[int64]kind{}
		at := int64(rng.IntN(1000))
		for range 1 + rng.IntN(20) {
			size, st := int64(rng.IntN(30)), snapshot.MessageState(rng.IntN(5))
			w.Runs = append(w.Runs, snapshot.Run{From: at, To: at + size, State: st})
			for o := at; o <= at+size; o++ {
				slow[o] = kindOf(st)
			}
			at += size + 1 + int64(rng.IntN(3))
		}
		from, to, _ := span(w)
		g := newGrid(from, to, 1+rng.IntN(40), 1+rng.IntN(5))
		g.fill(w, none)
		if len(g.cells) > g.cols*g.rows {
			t.Fatalf("%d cells in %dx%d", len(g.cells), g.cols, g.rows)
		}
		for i, got := range g.cells {
			lo, hi := g.bounds(i)
			worst := kind(0)
			for o := lo; o <= hi; o++ {
				k, ok := slow[o]
				if !ok {
					k = kindGap
				}
				worst = max(worst, k)
				if g.cellOf(o) != i {
					t.Fatalf("offset %d is in cell %d, not %d", o, g.cellOf(o), i)
				}
			}
			if got != worst {
				t.Fatalf("cell %d of %+v is %d, want %d", i, w, got, worst)
			}
		}
	}
}

func TestTheCursorMovesOverCells(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, start(v, s), s, windowPane, act(keymap.Right), act(keymap.Right))
	if st.Offset != 1_229_419 {
		t.Errorf("two cells of four to the right is %d", st.Offset)
	}
	if st, _ = press(v, st, s, windowPane, act(keymap.Down)); st.Offset != 1_229_735 {
		t.Errorf("a row down is %d", st.Offset)
	}
	if st, _ = press(v, st, s, windowPane, act(keymap.Bottom)); st.Offset != 1_231_415 {
		t.Errorf("the last cell is %d", st.Offset)
	}
	if st, _ = press(v, st, s, windowPane, act(keymap.Right)); st.Offset != 1_231_415 {
		t.Errorf("right of the last cell is %d", st.Offset)
	}
	_, in := press(v, st, s, windowPane, act(keymap.Copy))
	if in[0].(views.CopyText).Raw != "1231415" {
		t.Errorf("copied %v", in)
	}
}

func TestZoomingIntoABucket(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, start(v, s), s, windowPane, act(keymap.Open))
	if st.From != 1_229_411 || st.To != 1_229_414 {
		t.Errorf("zoomed to %d..%d", st.From, st.To)
	}
	if got := text(t, v, st, s, 120, 36); !strings.Contains(got, "1 cell = 1 offset") || !strings.Contains(got, "zoomed, esc shows all") {
		t.Error(got)
	}
	again, in := press(v, st, s, windowPane, act(keymap.Open))
	if again.From != st.From || len(in) != 1 {
		t.Errorf("zooming beyond single offsets gives %v", in)
	}
	if st, in = press(v, st, s, windowPane, act(keymap.Cancel)); st.From != 0 || len(in) != 0 {
		t.Errorf("esc leaves %d, %v", st.From, in)
	}
	if _, in = press(v, st, s, windowPane, act(keymap.Cancel)); len(in) != 1 || in[0] != (views.GoBack{}) {
		t.Errorf("esc without zoom gives %v", in)
	}
}

func TestTheRulerZoomsAndPans(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, start(v, s), s, rulerPane, act(keymap.Reset))
	if st.RulerFrom != 1_204_880 || st.RulerTo != 1_236_900 {
		t.Fatalf("true scale is %d..%d", st.RulerFrom, st.RulerTo)
	}
	size := st.RulerTo - st.RulerFrom
	st, _ = press(v, st, s, rulerPane, act(keymap.More))
	if got := st.RulerTo - st.RulerFrom; got != size/2 || st.RulerFrom > 1_229_411 || st.RulerTo < 1_229_411 {
		t.Errorf("zoomed in to %d..%d", st.RulerFrom, st.RulerTo)
	}
	from := st.RulerFrom
	if st, _ = press(v, st, s, rulerPane, act(keymap.Left)); st.RulerFrom >= from {
		t.Errorf("panned from %d to %d", from, st.RulerFrom)
	}
	for range 40 {
		st, _ = press(v, st, s, rulerPane, act(keymap.Right))
	}
	if st.RulerTo != 1_236_900 {
		t.Errorf("panned beyond the end to %d", st.RulerTo)
	}
	for range 5 {
		st, _ = press(v, st, s, rulerPane, act(keymap.Less))
	}
	if st.RulerFrom != 0 || st.RulerTo != 0 {
		t.Errorf("zoomed out to %d..%d, want piecewise", st.RulerFrom, st.RulerTo)
	}
}

func TestChartsTakeTheGaugesPlace(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, start(v, s), s, 0, act(keymap.Mode))
	got := text(t, v, st, s, 120, 36)
	if !strings.Contains(got, "Lag and commits") || strings.Contains(got, "/ >1,000") {
		t.Error(got)
	}
	viewtest.Golden(t, root, "detail/charts.120x36.txt", strings.Split(got, "\n"))
	if st, _ = press(v, st, s, 0, act(keymap.Mode)); st.Mode != Gauges {
		t.Error("the mode does not come back")
	}
}

func TestEventsOfTheQueue(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, in := press(v, start(v, s), s, eventsPane, act(keymap.Down), act(keymap.Copy))
	if in[0].(views.CopyText).Raw != "all 20 threads are in the listener" {
		t.Errorf("copied %v", in)
	}
	_, in = press(v, st, s, eventsPane, act(keymap.Open))
	want := []views.Intent{views.Open{View: "events", Arg: `queue:"order-created/broker-a/3"`}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
	if st, _ = press(v, st, s, eventsPane, act(keymap.Top)); st.Event != 0 {
		t.Error("the newest event does not stay the newest")
	}
}

func TestZoomedPanesHaveTheBody(t *testing.T) {
	s := viewtest.Normal()
	th := viewtest.Theme(t, "mono", "unicode")
	for focus, want := range []string{"Cached window", "Offsets", "Queue events"} {
		v := New()
		out := v.Render(views.In{Snap: s, State: start(v, s), W: 80, H: 20, Now: viewtest.Now(), Theme: th, Focus: focus, Zoomed: true})
		text := strings.Join(viewtest.Plain(out.Lines), "\n")
		if !strings.Contains(text, want) || strings.Contains(text, "Gauges") {
			t.Errorf("pane %d zoomed:\n%s", focus, text)
		}
	}
}
