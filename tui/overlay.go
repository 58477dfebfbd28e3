package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/overlay"
)

// readFor is how long a question must have been on screen before it can be answered with
// anything but no: keys that were meant for something else come sooner.
const readFor = 250 * time.Millisecond

// layer is an overlay on the stack and what follows from it.
type layer struct {
	overlay.Overlay
	text line      // typed into it, where it takes text
	seen time.Time // when it was drawn first

	taken func(m *model, r overlay.Result) tea.Cmd // what follows when it was accepted
	tried func(m *model, id string)                // looks at an option, may be nil
	left  func(m *model)                           // what follows when it was not, may be nil
}

// top is the overlay that has the keys, nil when there is none.
func (m *model) overlay() *layer {
	if len(m.overlays) == 0 {
		return nil
	}
	return m.overlays[len(m.overlays)-1]
}

func (m *model) push(l *layer) {
	l.text = newLine("")
	m.overlays = append(m.overlays, l)
	m.frame.touch()
}

// closeOverlay takes away the one on top.
func (m *model) closeOverlay() {
	m.overlays = m.overlays[:len(m.overlays)-1]
	m.frame.touch()
}

func (l *layer) draw(m *model) views.Box {
	if l.seen.IsZero() {
		l.seen = m.now()
	}
	return l.Render(overlay.In{W: m.w, H: m.h, Theme: m.theme, Keys: m.cfg.Keys, Text: m.clean, Cursor: l.text.at()})
}

// give lets the overlay on top take an event and does what it comes to.
func (m *model) give(ev views.Event) tea.Cmd {
	l := m.overlay()
	m.frame.touch()
	next, r := l.Reduce(ev)
	_, question := l.Overlay.(overlay.Confirm)
	if question && r.Accepted && (l.seen.IsZero() || m.now().Sub(l.seen) < readFor) {
		return nil
	}
	l.Overlay = next
	if r.Preview != "" && l.tried != nil {
		l.tried(m, r.Preview)
	}
	switch {
	case !r.Done:
		return nil
	case r.Accepted:
		m.closeOverlay()
		return l.taken(m, r)
	}
	m.closeOverlay()
	if l.left != nil {
		l.left(m)
	}
	return nil
}

// actOver carries out an action while an overlay is on top.
func (m *model) actOver(l *layer, id keymap.ID) tea.Cmd {
	switch {
	case id == keymap.Quit:
		return m.leave(id)
	case id == keymap.Redraw:
		m.frame.wipe = true
		return nil
	case id == keymap.InputCancel && len(l.text.text()) > 0: // esc takes back the innermost thing first
		return m.typeOver(l, func(t *line) { *t = newLine("") })
	}
	return m.give(views.Event{Action: id})
}

// typeOver changes the text of an overlay.
func (m *model) typeOver(l *layer, change func(*line)) tea.Cmd {
	before := l.text.text()
	change(&l.text)
	m.frame.touch()
	if now := l.text.text(); now != before {
		return m.give(views.Event{Action: views.SetFilter, Text: now})
	}
	return nil
}

// keyOver does what a key means in an overlay that takes text: it edits, or turns pages.
func (m *model) keyOver(l *layer, key string) tea.Cmd {
	page := max(m.h/2, 1)
	switch key {
	case "pgup":
		return m.give(views.Event{Action: keymap.InputUp, N: page})
	case "pgdown":
		return m.give(views.Event{Action: keymap.InputDown, N: page})
	case " ":
		return m.typeOver(l, func(t *line) { t.insert(' ') })
	}
	return m.typeOver(l, func(t *line) { t.key(key) })
}

// runeOver is a letter typed into an overlay. The key that opened help closes it again.
func (m *model) runeOver(l *layer, r rune) tea.Cmd {
	_, help := l.Overlay.(overlay.Help)
	if help && l.text.text() == "" && string(keymap.Fold(r)) == m.cfg.Keys.KeyOf(keymap.Help) {
		m.closeOverlay()
		return nil
	}
	return m.typeOver(l, func(t *line) { t.insert(r) })
}

// clickOver is a click on a rectangle of the overlay; the second one of a double click takes
// what the first one went to.
func (m *model) clickOver(l *layer, hit views.Hit, double bool) tea.Cmd {
	if !double {
		return m.give(views.Event{Action: hit.Action, Text: hit.Text})
	}
	accept := keymap.Accept
	if l.TakesText() {
		accept = keymap.InputAccept
	}
	return m.give(views.Event{Action: accept})
}

// pick opens a picker for the view on top.
func (m *model) pick(i views.Pick) {
	if len(i.Options) == 0 {
		return
	}
	m.push(&layer{Overlay: overlay.NewPicker(i), taken: func(m *model, r overlay.Result) tea.Cmd {
		for _, o := range i.Options {
			if o.ID == r.Choice && o.Show != nil {
				m.open(*o.Show)
				return nil
			}
		}
		m.tell(views.Event{Action: views.Picked, Text: r.Choice})
		return nil
	}})
}

// openHelp lists what works in the view on top; accepting an action there runs it.
func (m *model) openHelp() {
	log := m.cfg.LogPath
	switch {
	case m.cfg.NoLog:
		log = "nothing is logged here"
	case log == "":
		log = "nothing is logged: --log-file FILE writes a log"
	}
	top := m.stack.top().view
	at := top.Place()
	if m.replaying() {
		at |= keymap.InReplay
	}
	h := overlay.NewHelp(titleOf(top), m.cfg.Keys, at, m.frame.out.Off, m.cfg.KeyProblems, log)
	m.push(&layer{Overlay: h, taken: func(m *model, r overlay.Result) tea.Cmd { return m.act(r.Run) }})
}

// titleOf names a view.
func titleOf(v views.View) views.Lit {
	for _, t := range views.Tabs() {
		if t.ID == v.ID() {
			return t.Name
		}
	}
	return "Queue detail"
}

// newest is the newest snapshot when it lets a consumer be driven, nil when it does not.
func (m *model) newest() *snapshot.Snapshot {
	if s := m.latest; s != nil && s.Mode.Driving && !s.Mode.ReadOnly && !m.cfg.ReadOnly {
		return s
	}
	return nil
}
