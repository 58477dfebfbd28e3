package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/overlay"
)

// pickTheme offers the themes. Moving the cursor shows them; esc takes the old one back.
func (m *model) pickTheme() {
	theme, choice := m.theme, m.choice
	m.push(&layer{
		Overlay: overlay.NewPicker(overlay.ThemePick(m.themeName(), nil, m.clean)),
		tried:   func(m *model, id string) { m.setTheme(id) },
		taken: func(m *model, r overlay.Result) tea.Cmd {
			m.setTheme(r.Choice)
			m.toast(snapshot.MarkOK, views.Join(views.Own("Theme "), m.clean.Cell(r.Choice)))
			return nil
		},
		left: func(m *model) { m.theme, m.choice = theme, choice },
	})
}

// themeName is the name among themes.Choices that the theme in use has.
func (m *model) themeName() string {
	if m.choice.Why == "default" {
		return "auto"
	}
	if m.choice.Ground == "name" {
		if m.choice.Dark {
			return m.choice.Palette + "-dark"
		}
		return m.choice.Palette + "-light"
	}
	return m.choice.Palette
}

// setTheme looks like another theme from the next frame on.
func (m *model) setTheme(name string) {
	if name == "auto" {
		name = ""
	}
	c := themes.Choose(themes.Inputs{Flag: name, Answer: m.answer, ColorFGBG: m.cfg.Look.ColorFGBG})
	theme, err := c.Load(m.cfg.Look.Profile, m.theme.Glyphs)
	if err != nil {
		m.toast(snapshot.MarkBad, m.clean.Cell(err.Error()))
		return
	}
	m.theme, m.choice = theme, c
	m.frame.touch()
}
