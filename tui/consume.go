package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/overlay"
)

// askPause asks before consumption is paused or resumed: both change what a consumer does.
func (m *model) askPause() {
	s := m.newest()
	if s == nil {
		m.toast(snapshot.MarkWatch, m.readOnly())
		return
	}
	command, done := engine.Command(engine.Pause{}), views.Own("Pause asked for, the header shows it once it is in force")
	if s.Mode.Paused {
		command, done = engine.Resume{}, views.Own("Resume asked for, the header shows it once it is in force")
	}
	m.push(&layer{Overlay: overlay.NewConfirm(overlay.PauseConsumption(s, m.clean)), taken: func(m *model, _ overlay.Result) tea.Cmd {
		m.cfg.Source.Do(command)
		m.toast(snapshot.MarkOK, done)
		return nil
	}})
}

// leave ends the program. While a real consumer is driven or something recorded it asks once; ctrl+c, which opens
// the question as well, is the answer when the question is open.
func (m *model) leave(by keymap.ID) tea.Cmd {
	if !m.drives() && !m.records() && m.armed().IsZero() || m.leaving() && by == keymap.Quit {
		return tea.Quit
	}
	if m.leaving() {
		return nil
	}
	m.input = nil
	ask := overlay.QuitDriving(m.latest, m.clean)
	if !m.drives() && m.records() {
		ask = overlay.QuitRecording(m.latest, m.clean)
	}
	l := &layer{Overlay: overlay.NewConfirm(ask), taken: func(*model, overlay.Result) tea.Cmd { return tea.Quit }}
	m.question = l
	m.push(l)
	return nil
}

// leaving tells whether the question whether to leave is on top.
func (m *model) leaving() bool { return m.question != nil && m.overlay() == m.question }
