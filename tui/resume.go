package tui

import (
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Messages about a process that was stopped.
type (
	// continuedMsg says that the process goes on, whoever stopped it.
	continuedMsg struct{}
	// resumedMsg says that the terminal is the screen's again.
	resumedMsg struct{ err error }
)

// takeBack makes Bubble Tea give the terminal back and take it again, which puts all of its
// modes in order.
type takeBack struct{}

func (takeBack) Run() error          { return nil }
func (takeBack) SetStdin(io.Reader)  {}
func (takeBack) SetStdout(io.Writer) {}
func (takeBack) SetStderr(io.Writer) {}

// continued puts the terminal in order after others stopped the process.
func continued() tea.Cmd {
	return tea.Exec(takeBack{}, func(err error) tea.Msg { return resumedMsg{err} })
}

// resume takes back what the screen lost: its mouse, and its content.
func (m *model) resume(err error) tea.Cmd {
	m.frame.wipe = true
	m.frame.touch()
	if err != nil {
		m.toast(snapshot.MarkWarn, views.Join(views.Own("Not suspended: "), m.clean.Cell(err.Error())))
	}
	if m.mouse {
		return tea.EnableMouseCellMotion
	}
	return nil
}
