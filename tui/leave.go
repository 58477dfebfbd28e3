package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// leaving marks the dialog that asks whether to leave.
type leaving struct{ dialog }

// leave ends the program. While a real consumer is driven it asks once; ctrl+c, which opens
// the question as well, is the answer when the question is open.
func (m *model) leave(by keymap.ID) tea.Cmd {
	if _, asked := m.overlay().(*leaving); asked && by == keymap.Quit || !m.drives() {
		return tea.Quit
	}
	if _, asked := m.overlay().(*leaving); asked {
		return nil
	}
	s := m.latest
	owned := 0
	for i := range s.Queues {
		if s.Queues[i].Mine {
			owned++
		}
	}
	m.input = nil
	m.push(&leaving{dialog{
		title: "Leave the group", danger: true,
		lines: []views.Spans{
			{views.Say(themes.Text, "Quit ends this member of "), m.group(), views.Say(themes.Text, ".")},
			{views.Say(themes.Muted, "Effect  "), views.Say(themes.Text, "messages in a listener are finished, offsets committed,")},
			{views.Say(themes.Muted, "        "), {Tok: themes.Text, Text: views.Join(views.Exact(int64(owned)), views.Own(views.Plural(owned, " queue goes", " queues go")), views.Own(" to the other members, if there are any."))}},
			{views.Say(themes.Key, "        "), {Tok: themes.Key, Text: m.clean.Cell(m.cfg.Keys.KeyOf(keymap.Quit))}, views.Say(themes.KeyText, " again leaves at once")},
		},
		buttons: []button{{label: "Stay"}, {label: "Leave", do: func(*model) tea.Cmd { return tea.Quit }}},
	}})
	return nil
}

// group names group and cluster of the newest snapshot.
func (m *model) group() views.Span {
	g := m.theme.Glyphs
	return views.Span{Tok: themes.Title, Text: views.Join(m.clean.Cell(m.latest.Group.Name).Middle(40, g),
		views.Own(" @ "), m.clean.Cell(m.latest.Source.Name).Middle(30, g))}
}

// tinyQuestion puts the question whether to leave into a frame that is too small for a
// dialog.
func (m *model) tinyQuestion(lines []string) []string {
	if !m.tiny || len(lines) == 0 {
		return lines
	}
	var c views.Canvas
	c.Reset(m.w, 1).Line(0).Put(themes.Warn, "A consumer is driven: q again leaves")
	lines[len(lines)-1] = strings.Join(c.Lines(m.theme), "")
	return lines
}
