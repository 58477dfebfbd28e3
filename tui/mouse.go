package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/replay/command"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/transport"
)

const (
	// floodEvery is how often wheel and motion events get through; what comes between two
	// of them is added up.
	floodEvery = 16 * time.Millisecond
	// doubleWithin is how soon the second click of a double click comes.
	doubleWithin = 400 * time.Millisecond
	// notch is how many lines one step of the wheel scrolls.
	notch = 3
)

// pointer is the mouse: floods are merged before they cost anything, and two clicks on the
// same thing make a double click.
type pointer struct {
	through  time.Time // when a wheel event got through last
	held     int       // steps held back since, up is negative
	x, y     int       // where they happened
	clicked  time.Time
	hit      views.Hit
	wasClick bool
}

// flood tells whether an event is to be held back. Motion means nothing here.
func (p *pointer) flood(m *model, msg tea.MouseMsg) bool {
	if msg.Action == tea.MouseActionMotion {
		return true
	}
	if step := wheelStep(msg); step != 0 {
		now := m.now()
		if now.Sub(p.through) < floodEvery {
			p.held += step
			p.x, p.y = msg.X, msg.Y
			m.sleep(now)
			return true
		}
		p.through = now
	}
	return false
}

// until is when held steps are due.
func (p *pointer) until() time.Time {
	if p.held == 0 {
		return time.Time{}
	}
	return p.through.Add(floodEvery)
}

// flush scrolls by what was held back.
func (p *pointer) flush(m *model) {
	if now := m.now(); p.held != 0 && !now.Before(p.until()) {
		step := p.held
		p.held, p.through = 0, now
		m.scroll(step, p.x, p.y)
	}
}

func wheelStep(msg tea.MouseMsg) int {
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		return -1
	case tea.MouseButtonWheelDown:
		return 1
	}
	return 0
}

// click takes a mouse event that was not held back.
func (m *model) click(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || views.TooSmall(m.w, m.h) {
		return nil
	}
	if step := wheelStep(msg); step != 0 {
		step += m.pointer.held
		m.pointer.held = 0
		m.scroll(step, msg.X, msg.Y)
		return nil
	}
	if msg.Action != tea.MouseActionPress || msg.Button != tea.MouseButtonLeft {
		return nil
	}
	m.toasts.acknowledge()
	m.frame.touch()
	hit, chrome, ok := m.hitAt(msg.X, msg.Y)
	if !ok {
		m.pointer.wasClick = false
		return nil
	}
	now := m.now()
	double := m.pointer.wasClick && m.pointer.hit == hit && now.Sub(m.pointer.clicked) < doubleWithin
	m.pointer.clicked, m.pointer.hit, m.pointer.wasClick = now, hit, !double
	return m.clickOn(hit, chrome, double)
}

// clickOn does what a click on a rectangle means.
func (m *model) clickOn(hit views.Hit, chrome, double bool) tea.Cmd {
	if o := m.overlay(); o != nil {
		return m.clickOver(o, hit, double)
	}
	if m.input != nil {
		m.endInput(m.input.done == nil) // a click elsewhere takes no name
	}
	if chrome {
		if double {
			return nil // the first click has acted
		}
		if to, ok := strings.CutPrefix(hit.Text, transport.SeekPrefix); ok {
			m.play(command.Seek{Text: to})
			return nil
		}
		return m.act(hit.Action)
	}
	m.stack.top().focus = hit.Pane
	m.tell(views.Event{Action: hit.Action, Text: hit.Text})
	if double && hit.Action == views.Point {
		return m.act(keymap.Open)
	}
	return nil
}

// scroll turns the wheel over a place: the pane there scrolls, whichever has the keys.
func (m *model) scroll(step, x, y int) {
	id := views.WheelDown
	if step < 0 {
		id, step = views.WheelUp, -step
	}
	if step == 0 {
		return
	}
	m.frame.touch()
	if m.overlay() != nil {
		m.give(views.Event{Action: id, N: step})
		return
	}
	pane := m.stack.top().focus
	if hit, chrome, ok := m.hitAt(x, y); ok && !chrome {
		pane = hit.Pane
	}
	m.tell(views.Event{Action: id, N: step * notch, Focus: pane})
}

// hitAt finds what is drawn at a cell. chrome tells that it is no part of the view.
func (m *model) hitAt(x, y int) (hit views.Hit, chrome, ok bool) {
	for i, h := range m.frame.hits {
		if x >= h.X && x < h.X+h.W && y >= h.Y && y < h.Y+h.H {
			return h, i < m.frame.chrome, true
		}
	}
	return views.Hit{}, false, false
}
