package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// askPause asks before consumption is paused or resumed: both change what a consumer does.
func (m *model) askPause(keymap.ID) {
	s := m.latest
	if s == nil || !s.Mode.Driving || s.Mode.ReadOnly {
		m.toast(snapshot.MarkWatch, views.Own("Nothing is driven here, so nothing can be paused"))
		return
	}
	if s.Mode.Paused {
		m.push(m.consumerDialog("Resume consumption", "Resume", engine.Resume{}, "Resume asked for",
			"pulling goes on at once for all queues of this member"))
		return
	}
	m.push(m.consumerDialog("Pause consumption", "Pause", engine.Pause{}, "Pause asked for",
		"nothing more is pulled; what is cached is still consumed;",
		"the queues stay with this member, so their lag grows"))
}

func (m *model) consumerDialog(title, label views.Lit, c engine.Command, done views.Lit, effect ...views.Lit) *dialog {
	d := &dialog{title: title, danger: true, buttons: []button{{label: "Cancel"}, {label: label, do: func(m *model) tea.Cmd {
		m.cfg.Source.Do(c)
		m.toast(snapshot.MarkOK, views.Join(views.Own(done), views.Own(", the header shows it once it is in force")))
		return nil
	}}}}
	id := m.clean.Cell(m.latest.Group.ClientID).Middle(40, m.theme.Glyphs)
	d.lines = []views.Spans{
		{views.Say(themes.Muted, "Group   "), m.group()},
		{views.Say(themes.Muted, "Member  "), {Tok: themes.Text, Text: id}, views.Say(themes.Muted, " only")},
	}
	for i, line := range effect {
		head := views.Lit("Effect  ")
		if i > 0 {
			head = "        "
		}
		d.lines = append(d.lines, views.Spans{views.Say(themes.Muted, head), views.Say(themes.Text, line)})
	}
	return d
}
