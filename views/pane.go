package views

import "mqscope/themes"

// Pane describes a part of a screen with a title.
type Pane struct {
	Title   Spans
	Note    Spans // right end of the title line
	Focused bool
	Boxed   bool // a box, else a titled rule
	Bright  bool // an edge that stands out though nothing below it can have the focus
}

// Draw draws the pane into a and returns the area inside.
func (p Pane) Draw(a Area, g *themes.Glyphs) Area {
	edge := themes.Border
	if p.Focused || p.Bright {
		edge = themes.BorderFocus
	}
	if !p.Boxed {
		p.rule(a.Line(0), g, edge)
		return a.Sub(1, 1, a.W-1, a.H-1)
	}
	if a.W < 2 || a.H < 2 {
		return a.Sub(0, 0, 0, 0)
	}
	top := a.Line(0).Glyph(edge, g.TopLeft)
	p.heading(top, g, edge, a.W-1)
	top.To(a.W-1).Glyph(edge, g.TopRight)
	for y := 1; y < a.H-1; y++ {
		l := a.Line(y).Glyph(edge, g.Vertical)
		l.To(a.W-1).Glyph(edge, g.Vertical)
	}
	a.Line(a.H-1).Glyph(edge, g.BottomLeft).Repeat(edge, g.Horizontal, a.W-2).Glyph(edge, g.BottomRight)
	return a.Sub(1, 1, a.W-2, a.H-2)
}

func (p Pane) rule(l *Pen, g *themes.Glyphs, edge themes.Token) {
	l.Glyph(edge, g.Horizontal)
	end := l.At() + l.Left()
	p.heading(l, g, edge, end)
	l.Repeat(edge, g.Horizontal, end-l.At())
}

// heading draws title and note on a line of edge that ends before column end.
func (p Pane) heading(l *Pen, g *themes.Glyphs, edge themes.Token, end int) {
	room := end - l.At()
	if room <= 4 || len(p.Title) == 0 {
		l.Repeat(edge, g.Horizontal, room)
		return
	}
	l.Space(1)
	if p.Focused {
		l.Glyph(themes.Title, g.Focus).Space(1)
	}
	for _, s := range p.Title {
		l.Text(s.Tok, s.Text.Cut(max(end-l.At()-2, 0), g))
	}
	l.Space(1)
	w := p.Note.Width()
	rest := end - l.At()
	if w == 0 || w+4 > rest {
		l.Repeat(edge, g.Horizontal, rest)
		return
	}
	l.Repeat(edge, g.Horizontal, rest-w-3)
	l.Space(1).Spans(p.Note...).Space(1).Repeat(edge, g.Horizontal, 1)
}
