package queues

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
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

// press reduces actions one after the other and returns the last intents.
func press(v *View, st any, s *snapshot.Snapshot, evs ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, st, s, evs...)
	return at, each[len(each)-1]
}

func act(id keymap.ID) views.Event { return views.Event{Action: id} }

func typed(id keymap.ID, text string) views.Event { return views.Event{Action: id, Text: text} }

// names are the rows that a state shows, short.
func names(v *View, st State, s *snapshot.Snapshot) []string {
	m := v.list(s, st, viewtest.Now())
	var out []string
	for _, r := range m.rows {
		t := m.target(r)
		if t.IsGroup {
			out = append(out, "group "+t.Group)
			continue
		}
		out = append(out, shortName(t.Queue, m.short))
	}
	return out
}

func TestFilters(t *testing.T) {
	tests := []struct {
		filter string
		want   []string
		bad    string
	}{
		{"", nil, ""},
		{"topic:pay", []string{"pay/b/0", "pay/b/1", "pay/b/2", "pay/b/3"}, ""},
		{`topic:"pa"`, []string{}, ""},
		{"broker:b topic:order", []string{"%RETRY%order-svc/b/0", "order-created/b/6", "order-created/b/7"}, ""},
		{"lag>1k", []string{"order-created/a/3", "order-created/a/4"}, ""},
		{"lag>1k !flow:span", []string{"order-created/a/4"}, ""},
		{"lag>=120 lag<=7489", []string{"order-created/a/3", "order-created/a/5"}, ""},
		{"flow:span", []string{"order-created/a/3"}, ""},
		{"mark:✗", []string{"order-created/a/3"}, ""},
		{"mark:bad", []string{"order-created/a/3"}, ""},
		{"!mark:ok", []string{"order-created/a/3", "order-created/a/4", "order-created/a/5"}, ""},
		{"task:running", []string{"order-created/a/5"}, ""},
		{"state:pulling q:7", []string{"order-created/b/7"}, ""},
		{"bytes>1MiB", []string{"order-created/a/4"}, ""},
		{"in>500", []string{"order-created/a/4"}, ""},
		{"owner:me cached>1000", []string{"order-created/a/4"}, ""},
		{"ord/a/3", []string{"order-created/a/3"}, ""},
		{"RETRY", []string{"%RETRY%order-svc/b/0"}, ""},
		{"lag:?", []string{}, ""},
		{"lock:late", nil, "lock: is no term here"},
		{"topic:pay lag>x", []string{"pay/b/0", "pay/b/1", "pay/b/2", "pay/b/3"}, "want a number"},
		{"mark:purple", nil, "none of ok, watch"},
	}
	s := viewtest.Normal()
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			v := New()
			st, _ := press(v, v.Start(""), s, typed(views.SetFilter, tt.filter), typed(views.Picked, "topic"))
			got := names(v, st, s)
			want := tt.want
			if want == nil {
				if len(got) != len(s.Queues) {
					t.Errorf("%d rows, want all", len(got))
				}
			} else if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Error(diff)
			}
			note, bad := v.FilterNote(views.In{Snap: s, State: st, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
			if (tt.bad == "") != bad.Empty() || !strings.Contains(bad.String(), tt.bad) {
				t.Errorf("the fault is %q, want %q", bad, tt.bad)
			}
			if want := fmt.Sprintf("%d of 13", len(got)); note.String() != want {
				t.Errorf("the note is %q, want %q", note, want)
			}
		})
	}
}

func TestUnknownIsLastInBothDirections(t *testing.T) {
	s := viewtest.Partial()
	v := New()
	for _, st := range []State{{Params: Params{Sort: "lag", Desc: true}}, {Params: Params{Sort: "lag"}}} {
		m := v.list(s, st, viewtest.Now())
		unknown := false
		for _, r := range m.rows {
			ok := s.Queues[r.queue].Lag.OK()
			if ok && unknown {
				t.Errorf("desc=%v: a known lag stands behind an unknown one", st.Desc)
			}
			unknown = unknown || !ok
		}
		if !unknown {
			t.Fatal("nothing is unknown here")
		}
	}
}

func TestEverySortOrdersByItsColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := viewtest.Random(rng)
	for len(s.Queues) < 20 {
		s = viewtest.Random(rng)
	}
	v := New()
	for _, o := range sortable() {
		for _, desc := range []bool{false, true} {
			m := v.list(s, State{Params: Params{Sort: o.ID, Desc: desc}}, viewtest.Now())
			for i := 1; i < len(m.order); i++ {
				above, below := m.order[i-1], m.order[i]
				a, b := rankOf(o.ID, &s.Queues[above], above), rankOf(o.ID, &s.Queues[below], below)
				if a.Unknown && !b.Unknown {
					t.Fatalf("sort %s: unknown stands first", o.ID)
				}
				if a.Unknown || b.Unknown {
					continue
				}
				wrong := a.N > b.N || a.N == b.N && a.S > b.S
				if desc {
					wrong = a.N < b.N || a.N == b.N && a.S < b.S
				}
				if wrong {
					t.Fatalf("sort %s, desc %v: row %d is out of order", o.ID, desc, i)
				}
			}
		}
	}
}

func TestTheCursorFollowsItsQueue(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, act(keymap.Down), act(keymap.Down))
	want := st.Sel
	for _, ev := range []views.Event{act(keymap.Reverse), typed(views.Picked, "topic"), act(keymap.GroupBy), typed(views.SetFilter, "a/5"), act(keymap.GroupBy), act(keymap.Cancel)} {
		st, _ = press(v, st, s, ev)
		m := v.list(s, st, viewtest.Now())
		if pos, found := m.find(st); !found || m.target(m.rows[pos]) != want {
			t.Fatalf("after %s the cursor is on %v, want %v", ev.Action, m.target(m.rows[pos]), want)
		}
	}
}

func TestAVanishedQueueLeavesTheCursorOnItsNeighbour(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, typed(views.Picked, "topic"), act(keymap.Bottom), act(keymap.Up))
	gone := *s
	gone.Seq++
	gone.Queues = slices.Delete(slices.Clone(s.Queues), 11, 12)
	if st.Sel.Queue != s.Queues[11].ID {
		t.Fatalf("the cursor is on %v", st.Sel)
	}
	next, in := press(v, st, &gone, act(views.Refresh))
	if next.Sel.Queue != s.Queues[12].ID {
		t.Errorf("the cursor is on %v, want its neighbour %v", next.Sel, s.Queues[12].ID)
	}
	if len(in) != 1 || !strings.Contains(in[0].(views.Toast).Text.String(), "pay/broker-b/2 is gone") {
		t.Errorf("intents are %v", in)
	}
	if _, in := press(v, next, &gone, act(views.Refresh)); len(in) != 0 {
		t.Errorf("it is told twice: %v", in)
	}
}

func TestOpening(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	_, in := press(v, v.Start(""), s, act(keymap.Open))
	want := []views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(viewtest.Focus(s))}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
	_, in = press(v, v.Start(""), s, act(keymap.Related))
	want = []views.Intent{views.NewCleaner().Related(viewtest.Focus(s), s, "queues")}
	if !reflect.DeepEqual(want, in) {
		t.Errorf("intents %+v, want %+v", in, want)
	}
	_, in = press(v, v.Start("nothing-has-this-name"), s, act(keymap.Open))
	if len(in) != 0 {
		t.Errorf("an empty list opens %v", in)
	}
}

func TestCopyTakesTheNameAsItIs(t *testing.T) {
	v := New()
	_, in := press(v, v.Start(""), viewtest.Normal(), act(keymap.Copy))
	if c := in[0].(views.CopyText); c.Raw != "order-created/broker-a/3" || c.Hidden {
		t.Errorf("got %+v", c)
	}
	_, in = press(v, v.Start(""), viewtest.Hostile(), act(keymap.Copy))
	if c := in[0].(views.CopyText); !c.Hidden || !strings.Contains(c.Raw, "\x1b[31m") || strings.Contains(c.Shown.String(), "\x1b") {
		t.Errorf("got %+v", c)
	}
}

func TestGroupsHaveSumsAndFold(t *testing.T) {
	s := viewtest.Partial()
	v := New()
	st, _ := press(v, v.Start(""), s, typed(views.Picked, "topic"), act(keymap.GroupBy))
	if got := names(v, st, s); !slices.Contains(got, "group order-created") || len(got) != 13+3 {
		t.Fatalf("rows are %v", got)
	}
	m := v.list(s, st, viewtest.Now())
	for _, g := range m.groups {
		if g.name == "order-created" && (g.n != 8 || g.missing != 3 || g.lag.V != 1_201_421 || g.mark != snapshot.MarkBad) {
			t.Errorf("the sum is %+v", g)
		}
	}
	st, _ = press(v, st, s, typed(views.Point, encode(Target{Group: "order-created", IsGroup: true})), act(keymap.Open))
	if got := names(v, st, s); len(got) != 8 {
		t.Errorf("a folded group shows %v", got)
	}
	st, _ = press(v, st, s, act(keymap.Open))
	if got := names(v, st, s); len(got) != 16 {
		t.Errorf("an opened group shows %v", got)
	}
	for want := ByBroker; want <= ByOwner; want++ {
		if st, _ = press(v, st, s, act(keymap.GroupBy)); st.Group != want {
			t.Errorf("grouped by %d, want %d", st.Group, want)
		}
	}
	if st, _ = press(v, st, s, act(keymap.GroupBy)); st.Group != NoGroup {
		t.Error("the last key press does not ungroup")
	}
}

func TestUndoAndRedo(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	start := v.Start("").(State)
	changed, _ := press(v, start, s, act(keymap.Filter), typed(views.SetFilter, "l"), typed(views.SetFilter, "lag>1k"), act(keymap.Reverse), act(keymap.GroupBy))
	st := changed
	for range 3 {
		st, _ = press(v, st, s, act(keymap.Undo))
	}
	if st.Params != start.Params {
		t.Errorf("three undos lead to %+v", st.Params)
	}
	if _, in := press(v, st, s, act(keymap.Undo)); len(in) != 1 {
		t.Error("nothing says that there is nothing to undo")
	}
	for range 3 {
		st, _ = press(v, st, s, act(keymap.Redo))
	}
	if st.Params != changed.Params {
		t.Errorf("three redos lead to %+v, want %+v", st.Params, changed.Params)
	}
}

func TestUndoThenRedoIsIdentity(t *testing.T) {
	s := viewtest.Normal()
	rng := rand.New(rand.NewPCG(8, 9))
	for range 200 {
		v := New()
		state, _ := viewtest.Walk(t, v, v.Start(""), s, 120, 36, rng, 12)
		before := state.(State)
		st, told := press(v, before, s, act(keymap.Undo))
		if len(told) > 0 {
			continue
		}
		if again, _ := press(v, st, s, act(keymap.Redo)); again.Params != before.Params {
			t.Fatalf("undo and redo of %+v is %+v", before.Params, again.Params)
		}
	}
}

func TestCancelClearsTheFilterThenGoesBack(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, in := press(v, v.Start("lag>1k"), s, act(keymap.Cancel))
	if st.Filter != "" || len(in) != 0 {
		t.Errorf("filter %q, intents %v", st.Filter, in)
	}
	if _, in = press(v, st, s, act(keymap.Cancel)); len(in) != 1 || in[0] != (views.GoBack{}) {
		t.Errorf("intents %v", in)
	}
}

func TestNextGoesToWhatNeedsALook(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, typed(views.Picked, "topic"), act(keymap.Top))
	var seen []string
	for range 4 {
		st, _ = press(v, st, s, act(keymap.Next))
		seen = append(seen, shortName(st.Sel.Queue, views.ShortBrokers(s)))
	}
	if diff := cmp.Diff([]string{"order-created/a/3", "order-created/a/4", "order-created/a/5", "order-created/a/3"}, seen); diff != "" {
		t.Error(diff)
	}
	if st, _ = press(v, st, s, act(keymap.Prev)); st.Sel.Queue.QueueID != 5 {
		t.Errorf("previous leads to %v", st.Sel)
	}
}

// TestRowsRestForASecond: new numbers do not move rows away under the cursor.
func TestRowsRestForASecond(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st := State{Params: Params{Sort: "lag", Desc: true}}
	now := viewtest.Now()
	first := slices.Clone(v.list(s, st, now).order)
	next := *s
	next.Seq++
	next.Queues = slices.Clone(s.Queues)
	next.Queues[0].Lag.V = math.MaxInt64
	if got := v.list(&next, st, now.Add(900*time.Millisecond)).order; !slices.Equal(got, first) {
		t.Errorf("rows moved after 0.9 s: %v, %v", first, got)
	}
	third := next
	third.Seq++
	if got := v.list(&third, st, now.Add(1100*time.Millisecond)).order; got[0] != 0 {
		t.Errorf("rows did not move after 1.1 s: %v", got)
	}
	fewer := third
	fewer.Queues = third.Queues[1:]
	if got := v.list(&fewer, st, now.Add(1200*time.Millisecond)).order; len(got) != 12 {
		t.Errorf("an old order is kept for other queues: %v", got)
	}
}

func TestTheOrderIsWorkedOutOncePerSnapshotAndKey(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st := v.Start("").(State)
	a := &v.list(s, st, viewtest.Now()).order[0]
	if b := &v.list(s, st, viewtest.Now()).order[0]; a != b {
		t.Error("the same list was sorted twice")
	}
}

// TestMarksDifferWithoutColour draws one queue in every state.
func TestMarksDifferWithoutColour(t *testing.T) {
	for _, glyphs := range themes.GlyphNames() {
		seen := map[string]bool{}
		for m := snapshot.MarkOK; m <= snapshot.MarkUnknown; m++ {
			s := viewtest.Normal()
			s.Queues = s.Queues[:1]
			s.Queues[0].Mark, s.Queues[0].Note = m, ""
			lines, _, _ := subject().Shot(viewtest.Case{Snap: s}, 80, 24, viewtest.Theme(t, "mono", glyphs)).Draw()
			seen[viewtest.Plain(lines)[3]] = true
		}
		if len(seen) != 6 {
			t.Errorf("%s: 6 states are drawn in %d ways", glyphs, len(seen))
		}
	}
}

func TestDirectionsAndCausesDifferWithoutColour(t *testing.T) {
	row := func(change func(*snapshot.Queue)) string {
		s := viewtest.Normal()
		s.Queues = s.Queues[:1]
		change(&s.Queues[0])
		lines, _, _ := subject().Shot(viewtest.Case{Snap: s}, 200, 24, viewtest.Theme(t, "mono", "ascii")).Draw()
		return viewtest.Plain(lines)[3]
	}
	seen := map[string]bool{}
	all := []func(*snapshot.Queue){
		func(q *snapshot.Queue) { q.LagSlope.V = 5 }, func(q *snapshot.Queue) { q.LagSlope.V = -5 }, func(q *snapshot.Queue) { q.LagSlope.V = 0 },
		func(q *snapshot.Queue) { q.Flow.Cause = "flow:span" }, func(q *snapshot.Queue) { q.Flow.Cause = "flow:count" }, func(q *snapshot.Queue) { q.Flow.Cause = "paused" },
		func(q *snapshot.Queue) { q.State = snapshot.Resolving }, func(q *snapshot.Queue) { q.State = snapshot.Dropped }, func(q *snapshot.Queue) { q.State = snapshot.NotOwned },
		func(q *snapshot.Queue) { q.State = snapshot.QueuePaused },
		func(q *snapshot.Queue) { q.Task.State = snapshot.TaskNone }, func(q *snapshot.Queue) { q.Task.State = snapshot.TaskReady }, func(q *snapshot.Queue) { q.Task.State = snapshot.TaskDelayed },
		func(q *snapshot.Queue) { q.Task.State = snapshot.TaskRunning }, func(q *snapshot.Queue) { q.Lag.V = -123 }, func(q *snapshot.Queue) { q.Lag = snapshot.Val[int64]{} },
		func(q *snapshot.Queue) { q.Lag.State = snapshot.Stale }, func(q *snapshot.Queue) { q.Lag = snapshot.NA[int64]() },
	}
	for _, change := range all {
		seen[row(change)] = true
	}
	if len(seen) != len(all) { // the third change changes nothing: it is the queue as it is
		t.Errorf("%d situations are drawn in %d ways", len(all), len(seen))
	}
}

func TestTheEmptyListSaysWhyAndWhatToPress(t *testing.T) {
	th := viewtest.Theme(t, "mono", "unicode")
	v := New()
	shot := viewtest.Shot{View: v, Tab: "queues", Case: viewtest.Case{Snap: viewtest.Many(4096, 1)}, W: 120, H: 36, Theme: th, State: v.Start("lag>1E")}
	lines, _, _ := shot.Draw()
	if text := strings.Join(viewtest.Plain(lines), "\n"); !strings.Contains(text, "Filter lag>1E hides all 4,096 queues, esc clears it") {
		t.Error(text)
	}
	shot.Case.Snap, shot.State = viewtest.Empty(), v.Start("")
	lines, _, _ = shot.Draw()
	if text := strings.Join(viewtest.Plain(lines), "\n"); !strings.Contains(text, "Nothing is assigned to this member yet.") {
		t.Error(text)
	}
}

// TestP47ResizingLeavesNoTraces draws a view at random sizes: once old column widths have
// run out, a frame is what a fresh view draws.
func TestP47ResizingLeavesNoTraces(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	th := viewtest.Theme(t, "mqscope-dark", "unicode")
	v, s := New(), viewtest.Huge()
	now := viewtest.Now()
	for range 100 {
		w, h := 1+rng.IntN(200), 1+rng.IntN(60)
		now = now.Add(11 * time.Second)
		in := views.In{Snap: s, State: v.Start(""), W: w, H: h, Now: now, Theme: th}
		if diff := cmp.Diff(New().Render(in).Lines, v.Render(in).Lines); diff != "" {
			t.Fatalf("at %dx%d: %s", w, h, diff)
		}
	}
}

func BenchmarkSort4096(b *testing.B) {
	s := viewtest.Many(4096, 1)
	v := New()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		v.list(s, State{Params: Params{Sort: "lag", Desc: i%2 == 0, Filter: "lag>1k !mark:bad"}}, viewtest.Now())
	}
}
