package viewtest

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

var sequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// CheckFrame checks what holds for every frame: its size, and that nothing but the theme's
// own sequences is in it, each line closing what it opened.
func CheckFrame(t testing.TB, lines []string, w, h int, th *themes.Theme) {
	t.Helper()
	if len(lines) != h {
		t.Fatalf("frame of %dx%d has %d lines", w, h, len(lines))
	}
	own := th.Sequences()
	for y, line := range lines {
		if n := ansi.StringWidth(line); n > w {
			t.Fatalf("line %d of %dx%d is %d cells wide: %q", y, w, h, n, line)
		}
		if !utf8.ValidString(line) {
			t.Fatalf("line %d is no UTF-8: %q", y, line)
		}
		on := map[string]bool{}
		for _, s := range sequence.FindAllString(line, -1) {
			if !own[s] {
				t.Fatalf("line %d has %q, which is not the theme's: %q", y, s, line)
			}
			apply(on, s)
		}
		if len(on) > 0 {
			t.Fatalf("line %d leaves %v on: %q", y, on, line)
		}
		rest := sequence.ReplaceAllString(line, "")
		for _, r := range rest {
			if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Fatalf("line %d has the control %U: %q", y, r, line)
			}
		}
		if th.Glyphs.ASCII && strings.ContainsFunc(rest, func(r rune) bool { return r > 0x7e }) {
			t.Fatalf("line %d is not ASCII: %q", y, rest)
		}
	}
}

// apply keeps track of which looks are on.
func apply(on map[string]bool, s string) {
	params := strings.Split(strings.TrimSuffix(strings.TrimPrefix(s, "\x1b["), "m"), ";")
	for i := 0; i < len(params); i++ {
		switch p := params[i]; p {
		case "38", "48":
			on[p[:1]] = true
			if params[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		case "39", "49":
			delete(on, p[:1])
		case "22":
			delete(on, "bold")
			delete(on, "faint")
		case "24":
			delete(on, "underline")
		case "27":
			delete(on, "reverse")
		case "1":
			on["bold"] = true
		case "2":
			on["faint"] = true
		case "4":
			on["underline"] = true
		case "7":
			on["reverse"] = true
		default:
			if len(p) >= 2 && (p[0] == '3' || p[0] == '9') {
				on["3"] = true
			} else {
				on["4"] = true
			}
		}
	}
}

// CheckHits checks that clickable rectangles lie in the frame and do not overlap, and that
// what they do exists.
func CheckHits(t testing.TB, hits []views.Hit, w, h int, keys *keymap.Map) {
	t.Helper()
	for i, a := range hits {
		if a.X < 0 || a.Y < 0 || a.W < 1 || a.H < 1 || a.X+a.W > w || a.Y+a.H > h {
			t.Fatalf("hit %+v lies outside of %dx%d", a, w, h)
		}
		if _, ok := keys.Find(a.Action); !ok && a.Action != views.Point {
			t.Fatalf("hit %+v does something that does not exist", a)
		}
		for _, b := range hits[i+1:] {
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Fatalf("hits overlap: %+v and %+v", a, b)
			}
		}
	}
}

// CheckOut checks what a view says beside its lines.
func CheckOut(t testing.TB, v views.View, out views.Out, keys *keymap.Map) {
	t.Helper()
	for _, id := range out.Keys {
		a, ok := keys.Find(id)
		if !ok || a.Where&v.Place() == 0 {
			t.Fatalf("%s hints at %s, which does nothing there", v.ID(), id)
		}
	}
	for _, o := range out.Off {
		if a, ok := keys.Find(o.ID); !ok || a.Where&v.Place() == 0 || o.Why == "" {
			t.Fatalf("%s says that %s is off for %q", v.ID(), o.ID, o.Why)
		}
	}
	if out.Spoken.Empty() || len(out.Crumb) == 0 || out.Panes < 1 {
		t.Fatalf("%s says %q, crumb %v, panes %d", v.ID(), out.Spoken, out.Crumb, out.Panes)
	}
}

// CheckTree draws a subject with one random snapshot, size and state, in mono and some other
// themes, and checks all properties: the seed says everything.
func CheckTree(t testing.TB, s Subject, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	keys := Keys(t)
	snap := Random(rng)
	c := Case{Snap: snap, Waited: 1}
	w, h := 1+rng.IntN(300), 1+rng.IntN(100)
	if rng.IntN(3) > 0 { // most people's terminals
		w, h = 60+rng.IntN(100), 16+rng.IntN(40)
	}
	glyphs := themes.GlyphNames()[rng.IntN(3)]
	view := s.New()
	shot := Shot{View: view, Tab: s.Tab, State: s.start(view, snap), Case: c, W: w, H: h, Keys: keys, Exact: rng.IntN(4) == 0}
	shot.State, shot.Focus = Walk(t, view, shot.State, snap, w, h, rng, rng.IntN(20))
	shot.Zoomed = rng.IntN(4) == 0
	choices := themes.Choices()
	checkThemes(t, shot, glyphs, "mono", choices[rng.IntN(len(choices))], choices[rng.IntN(len(choices))])
}

// CheckTrees is CheckTree with so many seeds.
func CheckTrees(t *testing.T, s Subject, seeds uint64) {
	t.Helper()
	for seed := range seeds {
		CheckTree(t, s, seed)
	}
}

// Fuzz is CheckTree with the seeds of a fuzz target.
func Fuzz(f *testing.F, s Subject) {
	f.Helper()
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { CheckTree(t, s, seed) })
}

// checkThemes draws a shot in some themes and checks all properties of each frame.
func checkThemes(t testing.TB, shot Shot, glyphs string, names ...string) {
	t.Helper()
	w, h := shot.W, shot.H
	var first []string
	for _, name := range names {
		th := Theme(t, name, glyphs)
		shot.Theme = th
		lines, hits, out := shot.Draw()
		CheckFrame(t, lines, w, h, th)
		CheckHits(t, hits, w, h, shot.Keys)
		CheckOut(t, shot.View, out, shot.Keys)
		if bw, bh := views.BodySize(w, h, shot.Case.Snap); len(out.Lines) != bh {
			t.Fatalf("body of %dx%d has %d lines", bw, bh, len(out.Lines))
		}
		plain := Plain(lines)
		if first == nil {
			first = plain
		} else if diff := cmp.Diff(first, plain); diff != "" {
			t.Fatalf("%s says something else than the first theme:\n%s", th.Name, diff)
		}
	}
}

// Walk takes random actions from a state and checks what always holds: a read-only screen
// never asks for a change, and undo followed by redo changes nothing.
func Walk(t testing.TB, v views.View, state any, s *snapshot.Snapshot, w, h int, rng *rand.Rand, steps int) (any, int) {
	t.Helper()
	bw, bh := views.BodySize(w, h, s)
	acts := []keymap.ID{
		keymap.Up, keymap.Down, keymap.Left, keymap.Right, keymap.Top, keymap.Bottom, keymap.HalfDown, keymap.HalfUp, keymap.PageDown, keymap.PageUp,
		keymap.Open, keymap.Related, keymap.Next, keymap.Prev, keymap.Sort, keymap.Reverse, keymap.GroupBy, keymap.Follow, keymap.Mode,
		keymap.More, keymap.Less, keymap.Reset, keymap.MapSize, keymap.PlanStrategy, keymap.PlanTopic, keymap.PlanMore, keymap.PlanFewer,
		keymap.PlanWithout, keymap.PlanNow, keymap.PassBefore, keymap.PassAfter, keymap.StepOne, keymap.StepTask, keymap.StepBack, keymap.RunTo,
		keymap.RunUntil, keymap.Slower, keymap.Faster, keymap.BreakHere, keymap.Breakpoints, keymap.PointBefore, keymap.PointAfter,
		keymap.StepChange, keymap.PauseScreen, keymap.Copy, keymap.Cancel, keymap.Undo, keymap.Redo, keymap.Filter,
		views.Refresh, views.SetFilter, views.Entered, views.Picked, views.Point, views.WheelUp, views.WheelDown,
	}
	texts := []string{"", "a", "lag>1k", "topic:t !mark:ok", "level>=warn", "lag", "topic", "x\x00y\x001", "group\x00t", "nonsense:", `queue:"t/b/1"`, "\x1b[31m", "5", "AVG", "lock:late", "expiry", "change\x00delay", "status\x00FOUND", "new", "line\x0012", "task\x001\x00a\x00b\x001", "break\x000\x00"}
	focus := 0
	for range steps {
		ev := views.Event{Action: acts[rng.IntN(len(acts))], Text: texts[rng.IntN(len(texts))], N: rng.IntN(4), W: bw, H: bh, Focus: focus, Now: Now()}
		if rng.IntN(5) == 0 {
			focus = rng.IntN(3)
		}
		var intents []views.Intent
		state, intents = v.Reduce(state, ev, s)
		for _, in := range intents {
			if _, step := in.(views.Step); step && s != nil && s.Sched.Stepping {
				continue
			}
			if _, play := in.(views.Play); play && s != nil && s.Replay.Known {
				continue
			}
			CheckIntent(t, in)
		}
	}
	return state, focus
}

// CheckIntent checks that an intent is one of those that change nothing.
func CheckIntent(t testing.TB, in views.Intent) {
	t.Helper()
	switch in := in.(type) {
	case views.Open:
		if !slices.Contains([]string{"queues", "detail", "events", "overview", "map", "locks", "latency", "rebalance", "scheduler"}, in.View) {
			t.Fatalf("opens %q, which does not exist", in.View)
		}
	case views.GoBack, views.CopyText, views.Toast, views.Input, views.Pick, views.Watch:
	default:
		t.Fatalf("intent %T is not known to be harmless", in)
	}
}
