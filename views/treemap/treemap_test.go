package treemap

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func event(id keymap.ID) views.Event {
	return views.Event{Action: id, W: 120, H: 31, Now: viewtest.Now()}
}

func press(v *View, st any, s *snapshot.Snapshot, evs ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, st, s, evs...)
	return at, slices.Concat(each...)
}

// checkCover checks that rectangles fill r without overlap and that none is too small.
func checkCover(t testing.TB, r rect, rects []rect) {
	t.Helper()
	area := 0
	for i, a := range rects {
		if a.x0 < r.x0 || a.y0 < r.y0 || a.x1 > r.x1 || a.y1 > r.y1 || a.w() < leastW || a.h() < leastH {
			t.Fatalf("%+v in %+v is outside or too small", a, r)
		}
		area += a.w() * a.h()
		for _, b := range rects[i+1:] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Fatalf("%+v and %+v overlap", a, b)
			}
		}
	}
	if area != r.w()*r.h() {
		t.Fatalf("%d of %d cells are filled by %+v", area, r.w()*r.h(), rects)
	}
}

func randomSizes(rng *rand.Rand) []float64 {
	sizes := make([]float64, 1+rng.IntN(60))
	for i := range sizes {
		switch rng.IntN(4) {
		case 0:
			sizes[i] = 0
		case 1:
			sizes[i] = math.Exp(rng.Float64() * 40)
		default:
			sizes[i] = float64(rng.IntN(1000))
		}
	}
	return sizes
}

func TestRectanglesFillTheirArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		sizes := randomSizes(rng)
		r := rect{rng.IntN(5), rng.IntN(5), 0, 0}
		r.x1, r.y1 = r.x0+leastW+rng.IntN(200), r.y0+leastH+rng.IntN(60)
		rects, shown, rest := fit(sizes, r)
		n := shown
		if rest {
			n++
		}
		if len(rects) != n || rest != (shown < len(sizes)) {
			t.Fatalf("%d rectangles for %d of %d sizes, rest %v", len(rects), shown, len(sizes), rest)
		}
		checkCover(t, r, rects)
	}
}

func FuzzSquarify(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, uint8(120), uint8(30))
	}
	f.Fuzz(func(t *testing.T, seed uint64, w, h uint8) {
		sizes := randomSizes(rand.New(rand.NewPCG(seed, 2)))
		r := rect{0, 0, int(w), int(h)}
		if rects, ok := squarify(sizes, r, nil); ok {
			checkCover(t, r, rects)
			if len(rects) != len(sizes) {
				t.Fatalf("%d rectangles for %d sizes", len(rects), len(sizes))
			}
		}
	})
}

func TestAreasFollowSizes(t *testing.T) {
	r := rect{0, 0, 100, 40}
	rects, ok := squarify([]float64{400, 300, 200, 100}, r, nil)
	if !ok {
		t.Fatal("four sizes do not fit into 100x40")
	}
	for i, want := range []float64{0.4, 0.3, 0.2, 0.1} {
		got := float64(rects[i].w()*rects[i].h()) / float64(r.w()*r.h())
		if math.Abs(got-want) > 0.04 {
			t.Errorf("rectangle %d has %.2f of the area, its size %.2f", i, got, want)
		}
	}
}

func layoutOf(s *snapshot.Snapshot, p Params) *memo { return New().layout(s, p, 118, 28) }

func targets(m *memo) (out []Target) {
	for i := range m.tiles {
		out = append(out, m.target(&m.tiles[i]))
	}
	return out
}

func TestASmallChangeReshufflesNothing(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		a, b := viewtest.Cached(viewtest.Normal()), viewtest.Cached(viewtest.Normal())
		for i := range b.Queues { // within its size class
			q := &b.Queues[i].Bytes
			half := int64(1) << max(class(q.V)-1, 0)
			q.V = min(max(q.V+rng.Int64N(q.V/50+1), half), 2*half-1)
			a.Queues[i].Bytes.V = max(a.Queues[i].Bytes.V, half)
		}
		if diff := cmp.Diff(targets(layoutOf(a, Params{})), targets(layoutOf(b, Params{}))); diff != "" {
			t.Fatalf("seed %d: rectangles changed places:\n%s", seed, diff)
		}
	}
}

func TestTheLayoutIsMadeOnce(t *testing.T) {
	v, s := New(), viewtest.Cached(viewtest.Normal())
	m := v.layout(s, Params{}, 118, 28)
	first := &m.tiles[0]
	if v.layout(s, Params{Shade: OfFlow}, 118, 28); &v.memo.tiles[0] != first || v.memo.snap != s {
		t.Error("another shade made a new layout")
	}
	n := testing.AllocsPerRun(10, func() { v.layout(s, Params{}, 118, 28) })
	if n != 0 {
		t.Errorf("the same layout costs %.0f allocations", n)
	}
	if w := v.layout(s, Params{}, 80, 20).w; w != 80 {
		t.Error("another size kept the layout")
	}
}

func TestOneQueueWithAllTheBytesLeavesTheOthersVisible(t *testing.T) {
	for _, c := range viewtest.MapCases(nil, nil, nil, nil, nil, nil) {
		if c.Name != "one-has-all" {
			continue
		}
		m := layoutOf(c.Snap, Params{})
		seen := 0
		for i := range m.tiles {
			if t := &m.tiles[i]; t.queue >= 0 {
				seen++
			} else {
				seen += len(t.rest)
			}
		}
		if seen != len(c.Snap.Queues) {
			t.Errorf("%d of %d queues are in the picture", seen, len(c.Snap.Queues))
		}
		big := m.tiles[0]
		if big.queue != m.top || big.r.w()*big.r.h()*10 < 8*118*27 {
			t.Errorf("the queue that has all is %+v", big)
		}
	}
}

func TestUnknownSizesAreNeitherZeroNorLost(t *testing.T) {
	s := viewtest.Cached(viewtest.Normal())
	s.Queues[3].Bytes = snapshot.UnknownBecause[int64]("no answer")
	m := layoutOf(s, Params{})
	id := s.Queues[3].ID
	at, found := m.locate(State{Sel: Target{Queue: id}})
	if !found || m.none != 1 {
		t.Errorf("tile %d, found %v, %d not known", at, found, m.none)
	}
	text := strings.Join(frame(t, s, State{}), "\n")
	if !strings.Contains(text, "of ≥") {
		t.Errorf("the whole does not say that a part is missing:\n%s", text)
	}
}

func frame(t *testing.T, s *snapshot.Snapshot, st State) []string {
	t.Helper()
	text := viewtest.Shot{View: New(), Tab: "map", State: st, Case: viewtest.Case{Snap: s}, W: 120, H: 36}.Text(t)
	return strings.Split(text, "\n")
}

func TestArrowsMoveGeometrically(t *testing.T) {
	// a is left of b and c, which lie on top of each other; d is below all of them.
	m := &memo{tiles: []tile{
		{r: rect{0, 0, 20, 10}}, {r: rect{20, 0, 40, 5}}, {r: rect{20, 5, 40, 10}}, {r: rect{0, 10, 40, 14}},
	}}
	const a, b, c, d = 0, 1, 2, 3
	tests := []struct {
		name string
		from int
		dir  keymap.ID
		want int
	}{
		{"right of a is b or c", a, keymap.Right, b}, {"below b is c", b, keymap.Down, c}, {"left of c is a", c, keymap.Left, a},
		{"below c is d", c, keymap.Down, d}, {"above d is the one that is closest to its middle", d, keymap.Up, a}, {"nothing is above b", b, keymap.Up, b},
		{"nothing is right of d", d, keymap.Right, d},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.beside(tt.from, tt.dir); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestEveryTileIsReachedByArrows(t *testing.T) {
	for _, s := range []*snapshot.Snapshot{viewtest.Cached(viewtest.Normal()), viewtest.ManyCached(1)} {
		m := layoutOf(s, Params{})
		reached, todo := map[int]bool{0: true}, []int{0}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			for _, dir := range []keymap.ID{keymap.Left, keymap.Right, keymap.Up, keymap.Down} {
				if to := m.beside(at, dir); !reached[to] {
					reached[to] = true
					todo = append(todo, to)
				}
			}
		}
		if len(reached) < len(m.tiles)*9/10 {
			t.Errorf("%d of %d tiles can be reached", len(reached), len(m.tiles))
		}
	}
}

func TestShades(t *testing.T) {
	now := viewtest.Now()
	of := func(n int64) snapshot.Val[int64] { return snapshot.Of(n, now) }
	tests := []struct {
		name  string
		shade Shade
		queue snapshot.Queue
		step  int
		mark  snapshot.Mark
	}{
		{"little lag", OfLag, snapshot.Queue{Lag: of(999)}, 0, snapshot.MarkOK},
		{"some lag", OfLag, snapshot.Queue{Lag: of(1000)}, 1, snapshot.MarkWatch},
		{"much lag", OfLag, snapshot.Queue{Lag: of(100_000)}, 2, snapshot.MarkWarn},
		{"a million", OfLag, snapshot.Queue{Lag: of(1_000_000)}, 3, snapshot.MarkBad},
		{"ahead of the broker", OfLag, snapshot.Queue{Lag: of(-3)}, 2, snapshot.MarkWarn},
		{"unknown lag", OfLag, snapshot.Queue{}, 0, snapshot.MarkUnknown},
		{"old lag keeps its fill", OfLag, snapshot.Queue{Lag: snapshot.Val[int64]{V: 200_000, State: snapshot.Stale}}, 2, snapshot.MarkStale},
		{"no lock used", OfLock, snapshot.Queue{}, 0, snapshot.MarkOK},
		{"a refused lock", OfLock, snapshot.Queue{Lock: snapshot.Lock{Used: true, BrokerSays: snapshot.LockRefused}}, 3, snapshot.MarkBad},
		{"a lock not asked for", OfLock, snapshot.Queue{Mine: true, Lock: snapshot.Lock{Used: true}}, 0, snapshot.MarkUnknown},
		{"not put back", OfFlow, snapshot.Queue{}, 0, snapshot.MarkOK},
		{"put back just now", OfFlow, snapshot.Queue{Flow: snapshot.Flow{Cause: "flow:span", Since: now}}, 1, snapshot.MarkWatch},
		{"put back for minutes", OfFlow, snapshot.Queue{Flow: snapshot.Flow{Cause: "flow:span", Since: now.Add(-time.Hour)}}, 3, snapshot.MarkBad},
		{"empty queues do not age", OfAge, snapshot.Queue{Count: snapshot.Of(0, now), LastTaken: snapshot.Of(now.Add(-time.Hour), now)}, 0, snapshot.MarkOK},
		{"no listener for an hour", OfAge, snapshot.Queue{Count: snapshot.Of(9, now), LastTaken: snapshot.Of(now.Add(-time.Hour), now)}, 3, snapshot.MarkBad},
		{"never taken is not known", OfAge, snapshot.Queue{Count: snapshot.Of(9, now)}, 0, snapshot.MarkUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			step, mark := shader{shade: tt.shade, now: now}.step(&tt.queue)
			if step != tt.step || mark != tt.mark {
				t.Errorf("step %d, mark %v; want %d, %v", step, mark, tt.step, tt.mark)
			}
		})
	}
}

func TestFillsOfASetDiffer(t *testing.T) {
	for _, name := range []string{"unicode", "cjk", "ascii"} {
		g := viewtest.Theme(t, "mono", name).Glyphs
		seen := map[string]bool{}
		for step := range 4 {
			f := string(fillOf(step, g))
			if seen[f] {
				t.Errorf("%s: %q fills two steps", name, f)
			}
			seen[f] = true
		}
	}
}

func TestOpening(t *testing.T) {
	s, v := viewtest.Cached(viewtest.Normal()), New()
	_, got := press(v, v.Start(""), s, event(keymap.Open))
	big := snapshot.MessageQueue{Topic: "order-created", BrokerName: "broker-a", QueueID: 4}
	if diff := cmp.Diff([]views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(big)}}, got); diff != "" {
		t.Errorf("the largest queue is not opened: %s", diff)
	}
	many := viewtest.ManyCached(1)
	m := v.layout(many, Params{}, 120, 29)
	for i := range m.tiles {
		if m.tiles[i].queue >= 0 {
			continue
		}
		o, _ := v.open(m, &m.tiles[i]).(views.Open)
		if o.View != "queues" || !strings.Contains(o.Arg, `broker:"`) || !strings.Contains(o.Arg, "!bytes>") {
			t.Fatalf("what is merged opens %+v", o)
		}
	}
	few := v.layout(many, Params{Group: ByTopic}, 30, 8)
	last := few.tiles[len(few.tiles)-1]
	if o := v.open(few, &last).(views.Open); last.group >= 0 || strings.Count(o.Arg, `!topic:"`) != few.shown {
		t.Errorf("merged groups open %+v", o)
	}
}

func TestTheCursorStaysOnItsQueue(t *testing.T) {
	s, v := viewtest.Cached(viewtest.Normal()), New()
	st, _ := press(v, v.Start(""), s, event(keymap.Right))
	want := st.Sel
	if want.IsRest || want.Queue.Topic == "" {
		t.Fatalf("on %+v", want)
	}
	st, _ = press(v, st, s, event(keymap.MapSize), event(keymap.MapSize), event(keymap.GroupBy), event(views.Refresh))
	if st.Sel != want {
		t.Errorf("on %+v after other sizes, want %+v", st.Sel, want)
	}
	gone := *s
	gone.Queues = nil
	for _, q := range s.Queues {
		if q.ID != want.Queue {
			gone.Queues = append(gone.Queues, q)
		}
	}
	st, told := press(v, st, &gone, event(views.Refresh))
	if st.Sel == want || len(told) != 1 {
		t.Errorf("on %+v with %v after the queue went away", st.Sel, told)
	}
}

func TestChoicesAreUndone(t *testing.T) {
	s, v := viewtest.Cached(viewtest.Normal()), New()
	st, _ := press(v, v.Start(""), s, event(keymap.MapSize), event(keymap.Mode), event(keymap.GroupBy))
	if want := (Params{ByCount, OfLock, ByTopic}); st.Params != want {
		t.Fatalf("%+v, want %+v", st.Params, want)
	}
	st, _ = press(v, st, s, event(keymap.Undo), event(keymap.Undo))
	if want := (Params{Size: ByCount}); st.Params != want {
		t.Errorf("undone to %+v, want %+v", st.Params, want)
	}
	st, _ = press(v, st, s, event(keymap.Redo), event(keymap.Redo))
	if want := (Params{ByCount, OfLock, ByTopic}); st.Params != want {
		t.Errorf("done again to %+v, want %+v", st.Params, want)
	}
}

func TestNothingToDrawSaysWhy(t *testing.T) {
	unknown := viewtest.Normal()
	for i := range unknown.Queues {
		unknown.Queues[i].Bytes = snapshot.UnknownBecause[int64]("broker-b does not answer")
	}
	idle := viewtest.Normal()
	for i := range idle.Queues {
		idle.Queues[i].Lag, idle.Queues[i].Bytes = snapshot.Of(int64(0), idle.At), snapshot.Of(int64(0), idle.At)
	}
	tests := []struct {
		name string
		snap *snapshot.Snapshot
		st   State
		want []string
	}{
		{"nothing cached", idle, State{}, []string{"✓ Nothing cached anywhere.", "s sizes by lag"}},
		{"nothing waits", idle, State{Params: Params{Size: ByLag}}, []string{"✓ Nothing waits anywhere."}},
		{"nothing known", unknown, State{}, []string{"? What the queues hold is not known.", "broker-b does not answer"}},
		{"no queue", viewtest.Empty(), State{}, []string{"? No queue is assigned to this member yet."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Join(frame(t, tt.snap, tt.st), "\n")
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}
