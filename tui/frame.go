package tui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// agesEvery is how often a screen without news is drawn again, because ages go on.
const agesEvery = time.Second

// frame is the picture on screen and when it may be made anew: at most once per interval,
// the first change at once, later ones at the end of the interval, never when nothing
// changed.
type frame struct {
	text    string
	out     views.Out // of the view on top, as drawn
	hits    []views.Hit
	chrome  int // how many of hits belong to header, tabs and hints
	bodyW   int
	bodyH   int
	dirty   bool
	wipe    bool // the terminal's content is not known: clear it before drawing
	blurred bool
	at      time.Time // when it was composed
	count   int       // frames composed
}

func (f *frame) touch() { f.dirty = true }

// sized tells whether the terminal has said how large it is, and is larger than nothing.
func (m *model) sized() bool { return m.w > 0 && m.h > 0 }

// due is when a dirty frame may be composed.
func (m *model) due() time.Time {
	every := time.Second / time.Duration(m.cfg.FPS)
	if m.frame.blurred {
		every = max(every, blurredEvery)
	}
	return m.frame.at.Add(every)
}

// refresh composes the frame if it is time to, and asks to be woken when it is not.
func (m *model) refresh() tea.Cmd {
	now := m.now()
	var cmd tea.Cmd
	if m.frame.dirty && m.sized() && !now.Before(m.due()) {
		m.compose(now)
		if m.frame.wipe {
			m.frame.wipe = false
			cmd = tea.ClearScreen
		}
	}
	m.sleep(now)
	return cmd
}

// sleep asks for the next wake-up: for a frame that is due, for what ends by itself, and for
// ages and countdowns, which go on while nothing comes.
func (m *model) sleep(now time.Time) {
	next := m.frame.at.Add(agesEvery)
	if tick := m.frame.out.Tick; tick > 0 && tick < agesEvery {
		next = m.frame.at.Add(tick)
	}
	switch {
	case !m.sized() || m.frame.at.IsZero() && !m.frame.dirty:
		next = now.Add(agesEvery)
	case m.frame.dirty:
		next = m.due()
	case m.shown == nil && now.Sub(m.start) < views.ShowWait:
		next = m.start.Add(views.ShowWait)
	}
	for _, at := range [...]time.Time{m.toasts.until(), m.pointer.until()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if m.asleep.IsZero() || !next.Equal(m.asleep) {
		m.asleep = next
		m.wakeAt(next)
	}
}

// compose draws everything once.
func (m *model) compose(now time.Time) {
	f := &m.frame
	f.at, f.dirty = now, false
	f.count++
	top := m.stack.top()
	dock := m.dockLines()
	f.bodyW, f.bodyH = views.BodySize(m.w, m.h, m.shown)
	f.bodyH = max(f.bodyH-dock, 0)
	in := m.in()
	c := views.Chrome{
		W: m.w, H: m.h, Snap: m.shown, Now: in.Now, Theme: m.theme, Keys: m.cfg.Keys, Place: m.place(),
		Armed: m.armed(), Wall: m.now(), Tab: m.stack.tab(), Frozen: m.frozen, MouseOff: !m.mouse, Toast: m.toasts.note(),
		Dock: m.dock, DockLines: dock,
	}
	if views.TooSmall(m.w, m.h) {
		lines, _ := m.framer.Frame(c, views.Out{})
		f.text, f.hits, f.chrome, f.out = strings.Join(m.tinyQuestion(lines), "\n"), nil, 0, views.Out{}
		return
	}
	f.out = top.view.Render(in)
	f.out.Off = m.offHere(f.out.Off)
	if m.input != nil {
		c.Input = m.input.typed(top, in)
	}
	lines, hits := m.framer.Frame(c, m.hinted(f.out))
	f.hits, f.chrome = hits, len(hits)-len(f.out.Hits)
	for _, o := range m.overlays {
		box := o.draw(m)
		lines, f.hits = views.Over(lines, box), box.HitsOver()
		f.chrome = len(f.hits)
	}
	f.text = strings.Join(lines, "\n")
}

// hinted is out with the keys that work now, which are not the view's while something else
// has them.
func (m *model) hinted(out views.Out) views.Out {
	switch {
	case m.takesText():
		out.Keys, out.Label = []keymap.ID{keymap.InputAccept, keymap.InputCancel}, nil
	case m.overlay() != nil:
		out.Keys, out.Label = []keymap.ID{keymap.Accept, keymap.Cancel, keymap.Down, keymap.Up}, nil
	default: // of a recording the bar names its keys
		out.Keys = slices.DeleteFunc(slices.Clone(out.Keys), func(id keymap.ID) bool { return !m.worthAHint(id) })
	}
	return out
}

// in is what the view on top is drawn from.
func (m *model) in() views.In {
	top := m.stack.top()
	return views.In{
		Snap: m.shown, State: top.state, W: m.frame.bodyW, H: m.frame.bodyH, Now: m.engineNow(),
		Theme: m.theme, Focus: top.focus, Zoomed: top.zoomed, Exact: m.exact,
		Waited: m.now().Sub(m.start), Keys: m.cfg.Keys,
		Armed: !m.armed().IsZero(),
	}
}

// drives tells whether a real consumer is driven: leaving then ends its work.
func (m *model) drives() bool {
	s := m.latest
	return s != nil && s.Source.Kind != snapshot.Demo && s.Mode.Driving && s.Source.State != snapshot.Ended
}
