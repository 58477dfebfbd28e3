package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// filter looks at messages before Bubble Tea handles them: it drops what is no key although
// it looks like one, and merges floods of mouse events.
func (m *model) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if m.late.swallow(msg, m.now()) {
			return nil
		}
	case tea.MouseMsg:
		if m.pointer.flood(m, msg) {
			return nil
		}
	}
	return msg
}

// key takes a key message: pasted text, one key, or several runes that were typed so fast
// that they came together. Those are taken one by one, each where the one before it led.
func (m *model) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case msg.Paste:
		m.paste(msg.Runes)
		return nil
	case msg.Type == tea.KeyCtrlZ:
		return m.suspend()
	case msg.Type != tea.KeyRunes:
		return m.press(msg.String())
	case msg.Alt:
		return nil // alt composes letters, it is never a command
	}
	cmds := make([]tea.Cmd, 0, len(msg.Runes))
	for _, r := range msg.Runes {
		if m.takesText() {
			cmds = append(cmds, m.typeRune(r))
		} else {
			cmds = append(cmds, m.press(string(keymap.Fold(r))))
		}
	}
	return tea.Batch(cmds...)
}

// takesText tells whether runes are text now rather than keys.
func (m *model) takesText() bool {
	if views.TooSmall(m.w, m.h) {
		return false
	}
	if m.input != nil {
		return true
	}
	o := m.overlay()
	return o != nil && o.TakesText()
}

func (m *model) typeRune(r rune) tea.Cmd {
	if m.input != nil {
		m.edit(func(l *line) { l.insert(r) })
		return nil
	}
	return m.runeOver(m.overlay(), r)
}

// paste puts text into an input. Elsewhere it does nothing: it never acts as keys.
func (m *model) paste(text []rune) {
	switch {
	case views.TooSmall(m.w, m.h):
	case m.input != nil:
		m.edit(func(l *line) { l.insert(text...) })
	case m.takesText():
		o := m.overlay()
		m.typeOver(o, func(l *line) { l.insert(text...) })
	default:
		m.toast(snapshot.MarkWatch, views.Own("Pasted text does nothing here: it is no keys"))
	}
}

// place is where keys are looked up: in an input before an overlay before the view.
func (m *model) place() keymap.Place {
	switch {
	case m.takesText():
		return keymap.InInput
	case m.overlay() != nil:
		return keymap.InOverlay
	}
	return m.stack.top().view.Place()
}

// lookup finds what a key does: of a recording before the view.
func (m *model) lookup(key string) (keymap.Action, bool) {
	at := m.place()
	if at&keymap.InViews != 0 && m.replaying() {
		if a, ok := m.cfg.Keys.Lookup(keymap.InReplay, key); ok {
			return a, true
		}
	}
	return m.cfg.Keys.Lookup(at, key)
}

// press carries out what one key means here.
func (m *model) press(key string) tea.Cmd {
	a, ok := m.lookup(key)
	if views.TooSmall(m.w, m.h) {
		return m.pressTiny(key)
	}
	m.toasts.acknowledge()
	m.frame.touch()
	o := m.overlay()
	switch {
	case m.input != nil && ok:
		return m.actInput(a.ID)
	case m.input != nil:
		m.inputKey(key)
	case o != nil && ok:
		return m.actOver(o, a.ID)
	case o != nil && o.TakesText():
		return m.keyOver(o, key)
	case o != nil:
	case ok:
		return m.act(a.ID)
	default:
		m.unbound(key)
	}
	return nil
}

// unbound says that a key does nothing, and where to see which ones do.
func (m *model) unbound(key string) {
	help := m.cfg.Keys.KeyOf(keymap.Help)
	m.toast(snapshot.MarkWatch, views.Join(m.clean.Cell(keymap.Display(key)), views.Own(" does nothing here; "),
		m.clean.Cell(help), views.Own(" shows the keys")))
}

// off is why an action does not work in the view as drawn, empty when it does.
func (m *model) off(id keymap.ID) views.Lit {
	for _, o := range m.frame.out.Off {
		if o.ID == id {
			return o.Why
		}
	}
	return ""
}
