package views

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// Ruler is the four offsets of a queue on a line. Its order is min ≤ commit ≤ next ≤ max.
type Ruler struct {
	Min, Commit, Next, Max snapshot.Val[int64]
	// From and To are the offsets at the ends in true scale. Both zero means piecewise: each
	// stretch has its own scale, because a window of thousands in a log of millions would
	// not be seen.
	From, To int64
}

// Ordered tells whether the offsets that are known are in order.
func (r Ruler) Ordered() bool {
	last, any := int64(0), false
	for _, v := range r.vals() {
		if !v.OK() {
			continue
		}
		if any && v.V < last {
			return false
		}
		last, any = v.V, true
	}
	return true
}

func (r Ruler) vals() [4]snapshot.Val[int64] {
	return [4]snapshot.Val[int64]{r.Min, r.Commit, r.Next, r.Max}
}

// rulerMark is one of the four with its place on the line.
type rulerMark struct {
	sign themes.Glyph
	tok  themes.Token
	val  snapshot.Val[int64]
	at   int
}

// Draw draws the line. When the data breaks the order it says so instead of drawing a wrong
// picture; the caller shows the numbers in either case.
func (r Ruler) Draw(p *Pen, g *themes.Glyphs) {
	w := p.Left()
	if !r.Ordered() {
		p.Glyph(themes.Bad, g.Bad).Put(themes.Bad, " offsets out of order")
		return
	}
	marks := []rulerMark{
		{"m", themes.OffMin, r.Min, 0}, {"C", themes.OffCommit, r.Commit, 0},
		{"N", themes.OffNext, r.Next, 0}, {"M", themes.OffMax, r.Max, 0},
	}
	if w < 8 {
		return
	}
	fills := [...]struct {
		g   themes.Glyph
		tok themes.Token
	}{{g.Consumed, themes.MsgDone}, {g.Window, themes.MsgWait}, {g.Ahead, themes.MsgGap}}
	if r.From == 0 && r.To == 0 {
		r.piecewise(marks, w)
	} else {
		r.trueScale(marks, w)
	}
	start := p.At()
	for i := range fills {
		from, to := marks[i].at+1, marks[i+1].at
		fill, tok := fills[i].g, fills[i].tok
		if !marks[i].val.OK() || !marks[i+1].val.OK() {
			fill, tok = g.Unknown, themes.Unknown
		}
		from, to = max(from, 0), min(to, w)
		if from < to {
			p.To(start+from).Repeat(tok, fill, to-from)
		}
	}
	for _, known := range [...]bool{false, true} {
		for _, m := range marks {
			if m.at < 0 || m.at >= w || m.val.OK() != known {
				continue
			}
			if !known {
				m.sign, m.tok = g.Unknown, themes.Unknown
			}
			p.To(start+m.at).Glyph(m.tok, m.sign)
		}
	}
	p.To(start + w)
}

// piecewise gives consumed, window and waiting a share of the line each, none if empty.
func (r Ruler) piecewise(marks []rulerMark, w int) {
	share := [3]int{3, 4, 3}
	sum := 0
	for i := range share {
		a, b := marks[i].val, marks[i+1].val
		if a.OK() && b.OK() && a.V == b.V {
			share[i] = 0
		}
		sum += share[i]
	}
	room := w - len(marks)
	at, rest := 0, room
	for i := range share {
		marks[i].at = at
		if share[i] == 0 {
			at++
			continue
		}
		seg := room * share[i] / sum
		if share[2] == 0 && (share[1] == 0 || i == 1) || i == 2 {
			seg = rest // what rounding left goes to the last stretch that is not empty
		}
		rest -= seg
		at += 1 + seg
	}
	marks[3].at = at
}

// trueScale places the marks between From and To; those that would share a cell are moved
// apart, those outside stay outside.
func (r Ruler) trueScale(marks []rulerMark, w int) {
	span := float64(r.To) - float64(r.From)
	if span <= 0 {
		span = 1
	}
	for i := range marks {
		f := (float64(marks[i].val.V) - float64(r.From)) / span
		switch {
		case !marks[i].val.OK() && i == 0:
			marks[i].at = -1
		case !marks[i].val.OK():
			marks[i].at = marks[i-1].at
		case f < 0:
			marks[i].at = -1
		case f > 1:
			marks[i].at = w
		default:
			marks[i].at = int(f * float64(w-1))
			if i > 0 && marks[i].at <= marks[i-1].at {
				marks[i].at = marks[i-1].at + 1
			}
		}
	}
	last := w
	for i := len(marks) - 1; i >= 0; i-- { // the last ones may have been pushed over the end
		if marks[i].val.OK() && marks[i].at >= last && float64(marks[i].val.V) <= float64(r.To) {
			marks[i].at = last - 1
		}
		last = min(last, max(marks[i].at, 0))
	}
}
