package tui

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// pickTheme offers the themes. Moving the cursor shows them; esc takes the old one back.
func (m *model) pickTheme() {
	theme, choice := m.theme, m.choice
	pick := views.Pick{Title: "Theme", Now: m.themeName()}
	for _, name := range themes.Choices() {
		pick.Options = append(pick.Options, views.Option{ID: name, Name: m.clean.Cell(name), Note: m.themeNote(name)})
	}
	p := newPicker(pick, func(m *model, id string) {
		m.setTheme(id)
		m.toast(snapshot.MarkOK, views.Join(views.Own("Theme "), m.clean.Cell(id)))
	})
	p.moved = func(m *model, id string) { m.setTheme(id) }
	p.left = func(m *model) {
		m.theme, m.choice = theme, choice
		m.frame.touch()
	}
	m.push(p)
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

// themeNote says who a theme is for.
func (m *model) themeNote(name string) views.Safe {
	if name == "auto" {
		return views.Own("dark or light as the terminal is")
	}
	p, err := themes.Builtin(name)
	if err != nil {
		return views.Safe{} // a palette's name with -dark or -light: the palette's own line says it
	}
	return m.clean.Cell(p.About)
}
