package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/views"
)

// overlay is something that lies over the view and has all keys while it does.
type overlay interface {
	// draw places it in a frame of w by h.
	draw(m *model, w, h int) views.Box
	// act is an action of keymap.InOverlay other than leaving, redrawing and cancelling.
	act(m *model, id keymap.ID) tea.Cmd
	// cancel does what esc does here; it reports whether the overlay is to be closed.
	cancel(m *model) bool
	// key is a key that is bound to nothing.
	key(key string)
	// takesText tells whether runes are text here; typed gets them then.
	takesText() bool
	typed(m *model, r rune)
	// pick takes a click on the rectangle with this text.
	pick(m *model, text string, double bool) tea.Cmd
}

// overlay is the one on top, nil when there is none.
func (m *model) overlay() overlay {
	if len(m.overlays) == 0 {
		return nil
	}
	return m.overlays[len(m.overlays)-1]
}

func (m *model) push(o overlay) {
	m.overlays = append(m.overlays, o)
	m.frame.touch()
}

// closeOverlay takes away the one on top.
func (m *model) closeOverlay() {
	m.overlays = m.overlays[:len(m.overlays)-1]
	m.frame.touch()
}

// actOver carries out an action while o is on top.
func (m *model) actOver(o overlay, id keymap.ID, key string) tea.Cmd {
	switch id {
	case keymap.Quit:
		return m.leave(id)
	case keymap.Redraw:
		m.frame.wipe = true
	case keymap.Cancel:
		if o.cancel(m) {
			m.closeOverlay()
		}
	default:
		return o.act(m, id)
	}
	return nil
}

func (m *model) clickOver(o overlay, hit views.Hit, double bool) tea.Cmd {
	return o.pick(m, hit.Text, double)
}
