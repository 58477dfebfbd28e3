package viewtest

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// Sizes are the frames that goldens are drawn at.
func Sizes() [][2]int { return [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} }

// Theme builds a theme by the name a user would give, for a terminal of all colours.
func Theme(t testing.TB, name, glyphs string) *themes.Theme {
	t.Helper()
	g, err := themes.GlyphsByName(glyphs)
	if err != nil {
		t.Fatal(err)
	}
	th, err := themes.Choose(themes.Inputs{Flag: name}).Load(themes.TrueColor, g)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

// Keys is the default key map.
func Keys(t testing.TB) *keymap.Map {
	t.Helper()
	m, problems := keymap.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return m
}

// Shot is everything that a whole frame is drawn from.
type Shot struct {
	View   views.View
	Tab    string
	State  any
	Case   Case
	W, H   int
	Theme  *themes.Theme
	Keys   *keymap.Map
	Focus  int
	Zoomed bool
	Exact  bool
	Later  time.Duration // engine time that has passed since Now
}

// With is the shot in a theme.
func (s Shot) With(th *themes.Theme) Shot {
	s.Theme = th
	return s
}

// Draw renders body and chrome as the program does.
func (s Shot) Draw() (lines []string, hits []views.Hit, out views.Out) {
	w, h := views.BodySize(s.W, s.H, s.Case.Snap)
	now := Now().Add(s.Later)
	out = s.View.Render(views.In{
		Snap: s.Case.Snap, State: s.State, W: w, H: h, Now: now, Theme: s.Theme, Keys: s.Keys,
		Focus: s.Focus, Zoomed: s.Zoomed, Exact: s.Exact, Waited: s.Case.Waited,
	})
	lines, hits = views.NewFramer().Frame(views.Chrome{
		W: s.W, H: s.H, Snap: s.Case.Snap, Now: now, Theme: s.Theme, Keys: s.Keys, Place: s.View.Place(), Tab: s.Tab,
	}, out)
	return lines, hits, out
}

// Text is the frame in mono, as one text without sequences.
func (s Shot) Text(t testing.TB) string {
	t.Helper()
	lines, _, _ := s.With(Theme(t, "mono", "unicode")).Draw()
	return strings.Join(Plain(lines), "\n")
}

// Subject is a screen under test: how to make one and its state for a snapshot.
type Subject struct {
	Tab   string
	New   func() views.View
	Start func(v views.View, s *snapshot.Snapshot) any // nil starts without an argument
	// Large makes the snapshots of benchmarks, 4,096 queues each; nil is Many.
	Large func(seq uint64) *snapshot.Snapshot
}

// Shot is a frame of the subject in its first state.
func (s Subject) Shot(c Case, w, h int, th *themes.Theme) Shot {
	v := s.New()
	return Shot{View: v, Tab: s.Tab, State: s.start(v, c.Snap), Case: c, W: w, H: h, Theme: th}
}

func (s Subject) start(v views.View, snap *snapshot.Snapshot) any {
	if s.Start == nil {
		return v.Start("")
	}
	return s.Start(v, snap)
}
