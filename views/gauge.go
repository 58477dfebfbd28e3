package views

import "mqscope/themes"

// Limit is a reading against the limit above which it trips: 1,000 of 1,000 is not a trip.
type Limit struct {
	Name        Lit
	Known       bool
	Part, Whole float64 // the reading and its limit
	Tripped     bool    // as the client decides it
	Shown       Span    // the reading as written
	Max         Safe    // the limit as written
}

// token is how bad the reading is: close to the limit is worth watching.
func (l Limit) token() themes.Token {
	switch {
	case !l.Known:
		return themes.Unknown
	case l.Tripped:
		return themes.Warn
	case l.Part*10 >= l.Whole*9 && l.Whole > 0:
		return themes.Watch
	}
	return themes.OK
}

// Label draws name, reading and limit: "count  37 / >1,000".
func (l Limit) Label(p *Pen, valueWidth int) *Pen {
	p.Put(themes.Muted, l.Name).Space(max(6-len(l.Name), 1))
	p.Space(max(valueWidth-l.Shown.Text.width, 0)).Spans(l.Shown)
	return p.Put(themes.Faint, " / >").Text(themes.Muted, l.Max)
}

// Bar draws the reading as a bar of at most w cells with what it comes to behind it.
func (l Limit) Bar(p *Pen, w int, g *themes.Glyphs) *Pen {
	if !l.Known {
		return p.Put(themes.Unknown, "?")
	}
	tok := l.token()
	if inner := w - 8; inner > 1 {
		p.Put(themes.Faint, "[").Meter(tok, l.Part, l.Whole, inner, g).Put(themes.Faint, "]")
	}
	if l.Tripped {
		return p.Put(themes.Warn, " !trip")
	}
	pct := int64(0)
	if l.Whole > 0 {
		pct = int64(min(max(l.Part, 0)/l.Whole*100, 999))
	}
	s := Join(Exact(pct), Own("%"))
	return p.Space(max(5-s.width, 1)).Text(tok, s)
}

// Meter draws a plain bar of part out of whole.
func (p *Pen) Meter(tok themes.Token, part, whole float64, w int, g *themes.Glyphs) *Pen {
	fill := 0
	if whole > 0 && part > 0 {
		fill = int(min(part/whole, 1) * float64(w))
		if fill == 0 && part/whole >= 0.01 {
			fill = 1
		}
	}
	return p.Repeat(tok, g.BarFull, fill).Repeat(themes.Faint, g.BarEmpty, w-fill)
}
