package overview

import (
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// The panes that tab walks through.
const (
	brokersPane = iota
	membersPane
	topicsPane
	panes
)

// State is where the cursor stands in each pane. Things are remembered by name.
type State struct {
	Sel [panes]string
	Pos [panes]int // rows of Sel, to find a neighbour when it has vanished
	// Scroll is how many columns are scrolled away.
	Scroll [panes]int
}

// View is the Overview screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	tables [panes]views.Table
	memo   facts
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "overview" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InOverview }

// Start implements views.View; the argument means nothing here.
func (v *View) Start(string) any { return State{} }

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st, _ := in.State.(State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: panes, Crumb: []views.Safe{views.Own("Overview")}}
	out.Keys = []keymap.ID{keymap.Open, keymap.NextPane, keymap.Zoom, keymap.ViewQueues, keymap.ViewEvents,
		keymap.PauseScreen, keymap.Copy, keymap.PauseConsume, keymap.Theme, keymap.Exact}
	out.Label = map[keymap.ID]views.Lit{keymap.Open: "its queues"}
	if in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.Queues) == 0 {
		v.loading(a, in)
		out.Mark = snapshot.MarkUnknown
		out.Spoken = views.Own("Overview. No data yet.")
	} else {
		f := v.facts(in.Snap)
		d := drawing{View: v, in: in, st: st, f: f, short: views.ShortBrokers(in.Snap)}
		d.draw(a)
		out.Mark, out.Worst = views.Worse(f.worst, f.group()), d.worst()
		out.Spoken = d.spoken()
		out.ReadOnly(in.Snap)
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, in.Theme.Glyphs.Ellipsis)
	for i, head := range []views.Lit{"BROKER            IN/s   OUT/s     p99", "MEMBER               Q  CACHED     LAG", "TOPIC                Q     LAG     60s"} {
		y := 2 + i*4
		a.Line(y).Space(2).Put(themes.Muted, head)
		for j := range 2 {
			a.Line(y+1+j).Space(2).Glyph(themes.Faint, in.Theme.Glyphs.Ellipsis)
		}
	}
}

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st, _ := state.(State)
	pane := min(max(ev.Focus, 0), panes-1)
	if s == nil {
		return st, nil
	}
	names := v.facts(s).names[pane]
	pos := locate(names, st.Sel[pane], st.Pos[pane])
	to := pos
	page := max(ev.H/3, 1)
	switch ev.Action {
	case keymap.Up, views.WheelUp:
		to -= ev.Step()
	case keymap.Down, views.WheelDown:
		to += ev.Step()
	case keymap.Top:
		to = 0
	case keymap.Bottom:
		to = len(names) - 1
	case keymap.HalfUp, keymap.PageUp:
		to -= page
	case keymap.HalfDown, keymap.PageDown:
		to += page
	case views.Point:
		to = locate(names, ev.Text, pos)
	case keymap.Left:
		st.Scroll[pane] = max(st.Scroll[pane]-1, 0)
	case keymap.Right:
		st.Scroll[pane] = min(st.Scroll[pane]+1, views.Scrollable(columns(pane, v.facts(s))))
	case keymap.Open:
		if pos >= 0 {
			return st, []views.Intent{views.Open{View: "queues", Arg: filterOf(pane, names[pos])}}
		}
		return st, []views.Intent{views.Open{View: "queues"}}
	case keymap.Copy:
		if pos >= 0 {
			return st, []views.Intent{v.clean.Copying(names[pos])}
		}
		return st, nil
	}
	if len(names) == 0 {
		st.Sel[pane], st.Pos[pane] = "", 0
		return st, nil
	}
	to = min(max(to, 0), len(names)-1)
	st.Sel[pane], st.Pos[pane] = names[to], to
	return st, nil
}

// filterOf is the filter of the queues that belong to a row.
func filterOf(pane int, name string) string {
	key := [...]string{"broker", "owner", "topic"}[pane]
	return key + `:"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
}

// locate finds a name, or the row next to where it was; -1 when there are no rows.
func locate(names []string, name string, pos int) int {
	if len(names) == 0 {
		return -1
	}
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return min(max(pos, 0), len(names)-1)
}
