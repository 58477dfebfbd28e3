package tui

import (
	"slices"

	"mqscope/keymap"
	"mqscope/views"
)

// whyNothing is why nothing can be changed here, "" where it can.
func (m *model) whyNothing() views.Lit {
	switch {
	case m.latest == nil || m.newest() != nil:
		return ""
	case m.replaying():
		return "a recording can not be changed"
	case m.cfg.ReadOnly:
		return "started with --read-only always"
	}
	return "read-only: nothing is driven"
}

// offHere adds to what does not work in a view what changes something where nothing can be changed.
func (m *model) offHere(off []views.Off) []views.Off {
	why := m.whyNothing()
	if why == "" {
		return off
	}
	out := slices.DeleteFunc(slices.Clone(off), func(o views.Off) bool {
		a, ok := m.cfg.Keys.Find(o.ID)
		return ok && a.Changing()
	})
	for _, a := range m.cfg.Keys.Actions() {
		if a.Where&m.stack.top().view.Place() != 0 && (a.Changing() || a.ID == keymap.Arm) {
			out = append(out, views.Off{ID: a.ID, Why: why})
		}
	}
	return out
}

// worthAHint tells whether a key may stand in the line of hints: it does something. What changes something
// stands there as long as it can be armed.
func (m *model) worthAHint(id keymap.ID) bool {
	if m.replaying() && m.taken(id) {
		return false
	}
	a, ok := m.cfg.Keys.Find(id)
	return m.off(id) == "" || ok && a.Changing() && m.newest() != nil
}
