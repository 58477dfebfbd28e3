package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// picker lets a person take one of some options.
type picker struct {
	title   views.Lit
	options []views.Option
	now     string // the option in force
	at, top int
	shown   int // rows on screen

	// moved is told of the option under the cursor, chosen of the one taken, left that none
	// was. moved and left may be nil.
	moved  func(m *model, id string)
	chosen func(m *model, id string)
	left   func(m *model)

	canvas views.Canvas
}

// pick opens a picker for the view on top.
func (m *model) pick(i views.Pick) {
	if len(i.Options) == 0 {
		return
	}
	m.push(newPicker(i, func(m *model, id string) { m.tell(views.Event{Action: views.Picked, Text: id}) }))
}

func newPicker(i views.Pick, chosen func(m *model, id string)) *picker {
	p := &picker{title: i.Title, options: i.Options, now: i.Now, chosen: chosen}
	for n, o := range i.Options {
		if o.ID == i.Now {
			p.at = n
		}
	}
	return p
}

func (p *picker) act(m *model, id keymap.ID) tea.Cmd {
	page := max(p.shown-1, 1)
	switch id {
	case keymap.Up, keymap.PrevPane:
		p.move(m, p.at-1)
	case keymap.Down, keymap.NextPane:
		p.move(m, p.at+1)
	case keymap.Top:
		p.move(m, 0)
	case keymap.Bottom:
		p.move(m, len(p.options)-1)
	case keymap.HalfUp:
		p.move(m, p.at-(page+1)/2)
	case keymap.HalfDown:
		p.move(m, p.at+(page+1)/2)
	case keymap.PageUp:
		p.move(m, p.at-page)
	case keymap.PageDown:
		p.move(m, p.at+page)
	case keymap.Accept:
		m.closeOverlay()
		p.chosen(m, p.options[p.at].ID)
	}
	return nil
}

func (p *picker) move(m *model, to int) {
	to = min(max(to, 0), len(p.options)-1)
	if to == p.at {
		return
	}
	p.at = to
	if p.moved != nil {
		p.moved(m, p.options[to].ID)
	}
	m.frame.touch()
}

func (p *picker) cancel(m *model) bool {
	if p.left != nil {
		p.left(m)
	}
	return true
}

func (p *picker) key(string)         {}
func (p *picker) takesText() bool    { return false }
func (p *picker) typed(*model, rune) {}

func (p *picker) pick(m *model, text string, double bool) tea.Cmd {
	for i, o := range p.options {
		if o.ID != text {
			continue
		}
		p.move(m, i)
		if double {
			return p.act(m, keymap.Accept)
		}
	}
	return nil
}

func (p *picker) draw(m *model, w, h int) views.Box {
	g := m.theme.Glyphs
	name, note := 0, 0
	for _, o := range p.options {
		name, note = max(name, o.Name.Width()), max(note, o.Note.Width())
	}
	help := views.Spans{views.Say(themes.Key, "enter"), views.Say(themes.KeyText, " takes  "), views.Say(themes.Key, "esc"), views.Say(themes.KeyText, " leaves")}
	wide := 6 + name
	if note > 0 {
		wide += 2 + note
	}
	box := views.Center(max(wide+2, len(p.title)+help.Width()+10), len(p.options)+2, w-4, h-4)
	box.X, box.Y = box.X+2, box.Y+2
	pane := views.Pane{Title: views.Spans{views.Say(themes.Title, p.title)}, Note: help, Focused: true, Boxed: true}
	in := pane.Draw(p.canvas.Reset(box.W, box.H), g)
	p.shown = max(in.H, 1)
	p.top = views.TopFor(p.top, p.at, in.H, len(p.options))
	for y := range min(in.H, len(p.options)-p.top) {
		o := p.options[p.top+y]
		l := in.Line(y)
		if p.top+y == p.at {
			in.Shade(y, themes.Select)
			l.Glyph(themes.Title, g.Cursor)
		}
		l.To(1)
		if o.ID == p.now {
			l.Glyph(themes.Mark, g.Marked)
		}
		l.To(3).Text(themes.Text, o.Name.Cut(max(in.W-4, 1), g))
		if note > 0 {
			l.To(5+name).Text(themes.Muted, o.Note.Cut(max(l.Left()-1, 1), g))
		}
		in.Hit(0, y, in.W, 1, views.Hit{Action: views.Point, Text: o.ID})
	}
	box.Lines, box.Hits = p.canvas.Lines(m.theme), p.canvas.Hits()
	return box
}
