package tui

import (
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// readFor is how long a question must have been on screen before a button other than the
// first one answers it: keys that were meant for something else come sooner.
const readFor = 250 * time.Millisecond

// dialog asks a question. Its first button changes nothing and is the default. The key that
// opened it has no meaning in it, so pressing it again does not answer.
type dialog struct {
	title   views.Lit
	danger  bool
	lines   []views.Spans
	buttons []button
	at      int
	seen    time.Time // when it was drawn first

	canvas views.Canvas
}

// button is one answer. A nil do only closes the dialog.
type button struct {
	label views.Lit
	do    func(m *model) tea.Cmd
}

func (d *dialog) act(m *model, id keymap.ID) tea.Cmd {
	n := len(d.buttons)
	switch id {
	case keymap.Left, keymap.Up, keymap.PrevPane:
		d.at = (d.at + n - 1) % n
	case keymap.Right, keymap.Down, keymap.NextPane:
		d.at = (d.at + 1) % n
	case keymap.Top:
		d.at = 0
	case keymap.Accept:
		return d.answer(m)
	}
	m.frame.touch()
	return nil
}

func (d *dialog) answer(m *model) tea.Cmd {
	b := d.buttons[d.at]
	if b.do == nil {
		m.closeOverlay()
		return nil
	}
	if d.seen.IsZero() || m.now().Sub(d.seen) < readFor {
		return nil
	}
	m.closeOverlay()
	return b.do(m)
}

func (d *dialog) cancel(*model) bool { return true }
func (d *dialog) key(string)         {}
func (d *dialog) takesText() bool    { return false }
func (d *dialog) typed(*model, rune) {}

func (d *dialog) pick(m *model, text string, _ bool) tea.Cmd {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < len(d.buttons) {
		d.at = n
		return d.answer(m)
	}
	return nil
}

func (d *dialog) draw(m *model, w, h int) views.Box {
	if d.seen.IsZero() {
		d.seen = m.now()
	}
	g := m.theme.Glyphs
	edge := views.Say(themes.Title, d.title)
	if d.danger {
		edge = views.Span{Tok: themes.Danger, Text: views.Join(views.Own("(!) "), views.Own(d.title))}
	}
	wide := 40
	for _, l := range d.lines {
		wide = max(wide, l.Width())
	}
	box := views.Center(wide+4, len(d.lines)+4, w-2, h-2)
	box.X, box.Y = box.X+1, box.Y+1
	note := views.Spans{views.Say(themes.Key, "esc"), views.Say(themes.KeyText, " cancels")}
	pane := views.Pane{Title: views.Spans{edge}, Note: note, Focused: true, Boxed: true}
	in := pane.Draw(d.canvas.Reset(box.W, box.H), g)
	for y, line := range d.lines {
		l := in.Line(y).Space(1)
		for _, s := range line {
			l.Text(s.Tok, s.Text.Cut(max(l.Left()-1, 0), g))
		}
	}
	d.drawButtons(in, g)
	box.Lines, box.Hits = d.canvas.Lines(m.theme), d.canvas.Hits()
	return box
}

// drawButtons puts the buttons at the right end of the last line; the one that enter takes
// stands in brackets.
func (d *dialog) drawButtons(in views.Area, g *themes.Glyphs) {
	width := 0
	for _, b := range d.buttons {
		width += views.Own(b.label).Width() + 6
	}
	y := in.H - 1
	l := in.Line(y).To(max(in.W-width, 1))
	for i, b := range d.buttons {
		from := l.At()
		if i == d.at {
			l.Glyph(themes.Title, g.Cursor).Put(themes.Title, "[ ").Put(themes.Title, b.label).Put(themes.Title, " ]")
		} else {
			l.Put(themes.Text, "   ").Put(themes.Text, b.label).Put(themes.Text, "  ")
		}
		in.Hit(from, y, l.At()-from, 1, views.Hit{Action: views.Point, Text: strconv.Itoa(i)})
		l.Space(1)
	}
}
