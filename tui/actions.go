package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// act carries out an action: those of the screen as a whole here, all others in the view on
// top.
func (m *model) act(id keymap.ID) tea.Cmd {
	if why := m.off(id); why != "" {
		m.toast(snapshot.MarkWatch, views.Own(why))
		return nil
	}
	top := m.stack.top()
	switch id {
	case keymap.Quit:
		return m.leave(id)
	case keymap.Back:
		if !m.back() {
			return m.leave(id)
		}
	case keymap.Parent:
		m.back()
	case keymap.Cancel:
		if top.zoomed {
			top.zoomed = false
			return nil
		}
		m.tell(views.Event{Action: id})
	case keymap.NextPane, keymap.PrevPane:
		m.turnPane(id)
	case keymap.Zoom:
		top.zoomed = !top.zoomed
	case keymap.Exact:
		m.exact = !m.exact
	case keymap.Mouse:
		return m.turnMouse()
	case keymap.Redraw:
		m.frame.wipe = true
	case keymap.PauseScreen:
		if top.view.Place() == keymap.InScheduler && m.shown != nil && m.shown.Sched.Stepping && !m.frozen {
			m.tell(views.Event{Action: id})
			return nil
		}
		m.freeze()
	case keymap.Theme:
		m.pickTheme()
	case keymap.Command:
		m.askCommand()
	case keymap.Export:
		m.askExport()
	case keymap.Help:
		m.openHelp()
	case keymap.Arm:
		m.turnArms()
	case keymap.PauseConsume:
		m.askPause()
	default:
		if !m.transport(id) && !m.tab(id) {
			m.tell(views.Event{Action: id})
		}
	}
	return nil
}

// tell gives an event to the view on top and carries out what it intends.
func (m *model) tell(ev views.Event) {
	top := m.stack.top()
	ev.W, ev.H, ev.Now = m.frame.bodyW, m.frame.bodyH, m.engineNow()
	if ev.Action != views.WheelUp && ev.Action != views.WheelDown {
		ev.Focus = top.focus
	}
	state, intents := top.view.Reduce(top.state, ev, m.shown)
	top.state = state
	for _, i := range intents {
		m.carryOut(i)
	}
	m.frame.touch()
}

// back leaves the view on top; it reports false at the first view.
func (m *model) back() bool {
	if !m.stack.back() {
		return false
	}
	m.arrived()
	return true
}

// arrived is what follows when another view is on top.
func (m *model) arrived() {
	m.watch()
	m.tell(views.Event{Action: views.Refresh})
}

// tab shows the view whose tab an action names; it reports false for other actions.
func (m *model) tab(id keymap.ID) bool {
	for _, t := range views.Tabs() {
		if t.Action != id {
			continue
		}
		if m.stack.find(t.ID) == nil {
			m.noView(t.ID)
			return true
		}
		m.stack.goTo(t.ID)
		m.arrived()
		return true
	}
	return false
}

func (m *model) turnPane(id keymap.ID) {
	top, n := m.stack.top(), max(m.frame.out.Panes, 1)
	step := 1
	if id == keymap.PrevPane {
		step = n - 1
	}
	top.focus = (min(top.focus, n-1) + step) % n
}

func (m *model) turnMouse() tea.Cmd {
	m.mouse = !m.mouse
	m.pointer = pointer{}
	if m.mouse {
		m.toast(snapshot.MarkOK, views.Own("Mouse on: click, double click and wheel act here"))
		return tea.EnableMouseCellMotion
	}
	m.toast(snapshot.MarkOK, views.Own("Mouse off: the terminal selects text as usual"))
	return tea.DisableMouse
}

// freeze keeps the picture, or lets the newest one in again.
func (m *model) freeze() {
	m.frozen = !m.frozen
	if !m.frozen && m.latest != nil {
		m.show(m.latest)
	}
}
