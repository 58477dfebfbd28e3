package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// pressTiny allows nothing but leaving while there is no picture to act on.
func (m *model) pressTiny(key string) tea.Cmd {
	m.frame.touch()
	if key != "q" {
		if a, ok := m.cfg.Keys.Lookup(m.stack.top().view.Place(), key); !ok || a.ID != keymap.Quit {
			m.tiny = false
			return nil
		}
	}
	if (m.drives() || m.records()) && !m.tiny {
		m.tiny = true
		return nil
	}
	return tea.Quit
}

// tinyQuestion puts the question whether to leave into a frame that is too small for a
// dialog.
func (m *model) tinyQuestion(lines []string) []string {
	if !m.tiny || len(lines) == 0 {
		return lines
	}
	var c views.Canvas
	what := views.Lit("A consumer is driven: q again leaves")
	if !m.drives() {
		what = "This is recorded: q again leaves"
	}
	c.Reset(m.w, 1).Line(0).Put(themes.Warn, what)
	lines[len(lines)-1] = strings.Join(c.Lines(m.theme), "")
	return lines
}
