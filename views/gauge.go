package views

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// Limit is a reading against the limit above which it trips: 1,000 of 1,000 is not a trip.
type Limit struct {
	Name    Lit
	Value   snapshot.Val[int64]
	Max     int64
	Unit    Lit
	Shown   Span // the value as written
	Ignored Lit  // why the limit is not enforced, empty when it is
}

// Tripped tells whether the value is known to be above the limit.
func (l Limit) Tripped() bool {
	return l.Ignored == "" && l.Value.OK() && l.Max > 0 && l.Value.V > l.Max
}

// token is how bad the reading is: close to the limit is worth watching.
func (l Limit) token() themes.Token {
	switch {
	case !l.Value.OK():
		return themes.Unknown
	case l.Ignored != "":
		return themes.Faint
	case l.Tripped():
		return themes.Warn
	case l.Value.V*10 >= l.Max*9:
		return themes.Watch
	}
	return themes.OK
}

// Label draws name, value and limit: "count  37 / >1,000".
func (l Limit) Label(p *Pen, valueWidth int, exact bool) *Pen {
	p.Put(themes.Muted, l.Name).Space(max(6-len(l.Name), 1))
	p.Space(max(valueWidth-l.Shown.Text.width, 0)).Spans(l.Shown)
	p.Put(themes.Faint, " / >").Text(themes.Muted, Count(l.Max, exact || l.Max < 100_000))
	if l.Unit != "" {
		p.Put(themes.Muted, " ").Put(themes.Muted, l.Unit)
	}
	return p
}

// Bar draws the reading as a bar of w cells with what it comes to behind it.
func (l Limit) Bar(p *Pen, w int, g *themes.Glyphs) *Pen {
	tok := l.token()
	inner := w - 9
	if l.Ignored != "" {
		return p.Put(themes.Faint, l.Ignored)
	}
	if !l.Value.OK() {
		return p.Put(themes.Unknown, "?")
	}
	if inner > 1 {
		fill := 0
		if l.Max > 0 && l.Value.V > 0 {
			fill = int(min(float64(l.Value.V)/float64(l.Max), 1) * float64(inner))
			fill = max(fill, 1)
		}
		p.Put(themes.Faint, "[").Repeat(tok, g.BarFull, fill).Repeat(themes.Faint, g.BarEmpty, inner-fill).Put(themes.Faint, "]")
	}
	if l.Tripped() {
		return p.Put(themes.Warn, " !trip")
	}
	pct := int64(0)
	if l.Max > 0 {
		pct = int64(float64(max(l.Value.V, 0)) / float64(l.Max) * 100)
	}
	s := Join(Exact(pct), Own("%"))
	return p.Space(max(5-s.width, 1)).Text(tok, s)
}

// Meter draws a plain bar of part out of whole.
func (p *Pen) Meter(tok themes.Token, part, whole float64, w int, g *themes.Glyphs) *Pen {
	fill := 0
	if whole > 0 && part > 0 {
		fill = max(int(min(part/whole, 1)*float64(w)), 1)
	}
	return p.Repeat(tok, g.BarFull, fill).Repeat(themes.Faint, g.BarEmpty, w-fill)
}
