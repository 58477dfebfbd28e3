package views

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
)

// Floor is the smallest frame that is drawn in full.
const (
	FloorW = 60
	FloorH = 16
)

// StaleAfter is the age from which a snapshot is shown as old.
const StaleAfter = 5 * time.Second

// Tab is a view that has a number key.
type Tab struct {
	ID     string // of the view
	Name   Lit
	Action keymap.ID
}

// Tabs are the views in the order of the tab line.
func Tabs() []Tab {
	return []Tab{
		{"overview", "Overview", keymap.ViewOverview},
		{"queues", "Queues", keymap.ViewQueues},
		{"map", "Map", keymap.ViewMap},
		{"locks", "Locks", keymap.ViewLocks},
		{"latency", "Latency", keymap.ViewLatency},
		{"rebalance", "Rebalance", keymap.ViewRebalance},
		{"scheduler", "Scheduler", keymap.ViewScheduler},
		{"events", "Events", keymap.ViewEvents},
	}
}

// Chrome is everything around a body: header, tabs, crumb, status, hints.
type Chrome struct {
	W, H  int
	Snap  *snapshot.Snapshot
	Now   time.Time
	Theme *themes.Theme
	Keys  *keymap.Map
	Place keymap.Place
	Tab   string // id of the tab that is lit
	// Frozen says that the screen shows an old snapshot on purpose.
	Frozen bool
	// Armed is until when changes may be made, on the wall clock of Wall; zero when not.
	Armed, Wall time.Time
	Toast       *Note
	Input       *Typed // a line of text that is being typed
	// MouseOff says that the terminal selects text itself.
	MouseOff bool
	// Dock draws DockLines lines above the status line, and the status line where nothing else
	// is in it; nil: nothing does.
	Dock      Dock
	DockLines int
}

// Dock is what is drawn below the body of every screen while a recording is shown.
type Dock interface {
	// Lines draws the lines above the status line.
	Lines(Area, Chrome)
	// Bar draws the status line.
	Bar(Area, Chrome)
}

// Note is a sentence in the status line.
type Note struct {
	Level snapshot.Mark
	Text  Safe
	Key   keymap.ID // what it offers, empty for nothing
}

// Typed is a text input as it stands.
type Typed struct {
	Prompt Lit
	Text   string // untrusted: a person may paste anything
	Cursor int    // in runes
	Note   Safe   // what the text comes to: "4 of 4,096"
	Bad    Safe   // what is wrong with it
}

// Framer draws chrome. It keeps a canvas and cleaned names, so it is for one goroutine.
type Framer struct {
	clean  *Cleaner
	canvas Canvas
}

// NewFramer returns a Framer.
func NewFramer() *Framer { return &Framer{clean: NewCleaner()} }

// parts says which lines a frame has.
type parts struct{ tabs, notice, status bool }

func partsOf(w, h int, s *snapshot.Snapshot) parts {
	return parts{
		tabs:   w >= 100 && h >= 30,
		status: w >= 80 && h >= 24 || s != nil && s.Replay.Known,
		notice: s != nil && (failing(s) || s.Replay.Damage != "" || s.Replay.Departed != ""),
	}
}

// failing tells whether there is something to say about the source.
func failing(s *snapshot.Snapshot) bool {
	return s.Source.State == snapshot.Failing || s.Source.State == snapshot.Ended || s.Source.Err != ""
}

// lines is how many lines the chrome takes above and below the body.
func (p parts) lines() (above, below int) {
	above, below = 2, 1
	if p.tabs {
		above++
	}
	if p.notice {
		above++
	}
	if p.status {
		below++
	}
	return above, below
}

// BodySize is what a frame of w by h leaves for the body.
func BodySize(w, h int, s *snapshot.Snapshot) (bw, bh int) {
	above, below := partsOf(w, h, s).lines()
	return max(w, 0), max(h-above-below, 0)
}

// TooSmall tells whether a frame is below the floor.
func TooSmall(w, h int) bool { return w < FloorW || h < FloorH }

// Frame puts the chrome around a body that was drawn with BodySize. Hits are in the frame's
// coordinates. Below the floor only a notice is drawn.
func (f *Framer) Frame(c Chrome, body Out) (lines []string, hits []Hit) {
	f.clean.Use(c.Theme.Glyphs)
	if TooSmall(c.W, c.H) {
		return f.guard(c), nil
	}
	if c.Keys == nil {
		c.Keys, _ = keymap.New(nil)
	}
	p := partsOf(c.W, c.H, c.Snap)
	if c.Dock == nil {
		c.DockLines = 0
	}
	above, below := p.lines()
	below += c.DockLines
	a := f.canvas.Reset(c.W, above+below)
	y := 1
	f.header(a.Line(0), c)
	if p.tabs {
		f.tabs(a, y, c)
		y++
	}
	f.crumb(a.Line(y), c, body)
	y++
	if p.notice {
		f.notice(a.Line(y), c)
		y++
	}
	if c.DockLines > 0 {
		c.Dock.Lines(a.Sub(0, y, c.W, c.DockLines), c)
		y += c.DockLines
	}
	if p.status {
		f.status(a.Sub(0, y, c.W, 1), c, body)
		y++
	}
	if busy := c.Input != nil || c.Toast != nil; !p.status && busy {
		f.status(a.Sub(0, y, c.W, 1), c, body)
	} else {
		f.hints(a, y, c, body)
	}
	own := f.canvas.Lines(c.Theme)
	for _, h := range f.canvas.Hits() {
		if h.Y >= above {
			h.Y += c.H - above - below
		}
		hits = append(hits, h)
	}
	for _, h := range body.Hits {
		h.Y += above
		hits = append(hits, h)
	}
	lines = make([]string, 0, c.H)
	lines = append(lines, own[:above]...)
	for i := range c.H - above - below {
		if i < len(body.Lines) {
			lines = append(lines, body.Lines[i])
		} else {
			lines = append(lines, "")
		}
	}
	return append(lines, own[above:]...), hits
}

// guard is what is drawn when the window is too small for anything else.
func (f *Framer) guard(c Chrome) []string {
	a := f.canvas.Reset(c.W, c.H)
	a.Line(0).Put(themes.Warn, "mqscope needs ").Text(themes.Warn, size(FloorW, FloorH)).
		Put(themes.Warn, ", this is ").Text(themes.Warn, size(c.W, c.H)).Put(themes.Warn, ".")
	a.Line(1).Put(themes.Text, "Make the window bigger.")
	l := a.Line(2)
	if c.Snap != nil {
		l.Spans(f.badge(c)...).Space(2)
		l.Spans(Backlog(c.Snap, c.Theme.Glyphs)...).Space(2)
	}
	if c.H > 3 || l.At() == 0 {
		l = a.Line(min(3, c.H-1))
	}
	l.Put(themes.Key, "q").Put(themes.KeyText, " quit")
	return f.canvas.Lines(c.Theme)
}

func size(w, h int) Safe { return Join(plainInt(w), Own("x"), plainInt(h)) }

func plainInt(n int) Safe { return plain(appendPlain(nil, int64(n))) }
