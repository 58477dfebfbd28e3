package views

import (
	"math"

	"mqscope/themes"
)

// Spark draws samples as a line of small bars in w cells, newest at the right. A sample that
// is not a number leaves a blank: no data is not the least. When there are more samples than
// cells each cell shows the largest of its share.
func (p *Pen) Spark(tok themes.Token, samples []float64, w int, g *themes.Glyphs) *Pen {
	from := p.At()
	top := peak(samples)
	share := shareOf(len(samples), w)
	n := (len(samples) + share - 1) / share
	p.To(from + max(w-n, 0))
	for i := range min(n, w) {
		// Shares are counted from the newest sample, so that old ones do not flicker.
		hi := len(samples) - (n-1-i)*share
		v := peak(samples[max(hi-share, 0):hi])
		if math.IsNaN(v) {
			p.Space(1)
			continue
		}
		p.Glyph(tok, g.Spark[level(v, top, len(g.Spark))])
	}
	return p.To(from + w)
}

// shareOf is how many samples one of w cells stands for.
func shareOf(samples, w int) int {
	if w <= 0 {
		return max(samples, 1)
	}
	return max((samples+w-1)/w, 1)
}

// peak is the largest sample, NaN when there is none.
func peak(samples []float64) float64 {
	top := math.NaN()
	for _, v := range samples {
		if !math.IsNaN(v) && !(v <= top) {
			top = v
		}
	}
	return top
}

// level maps v of 0 to top to one of n steps. Only nothing is the first step.
func level(v, top float64, n int) int {
	if !(v > 0) || !(top > 0) || n < 2 {
		return 0
	}
	part := v / top
	if !(part < 1) { // infinite ones among them
		part = 1
	}
	return min(1+int(part*float64(n-1)*0.999), n-1)
}

// Chart draws samples as bars over the whole area, the newest at the right.
func Chart(a Area, tok themes.Token, samples []float64, g *themes.Glyphs) {
	if a.W < 1 || a.H < 1 {
		return
	}
	top := peak(samples)
	share := shareOf(len(samples), a.W)
	n := (len(samples) + share - 1) / share
	steps := len(g.Spark)
	for i := range min(n, a.W) {
		hi := len(samples) - (n-1-i)*share
		v := peak(samples[max(hi-share, 0):hi])
		if math.IsNaN(v) {
			continue
		}
		filled := level(v, top, steps*a.H) + 1
		for y := range a.H {
			part := min(filled-(a.H-1-y)*steps, steps)
			if part > 0 {
				a.Line(y).To(a.W-min(n, a.W)+i).Glyph(tok, g.Spark[part-1])
			}
		}
	}
}

// Trend draws the newest samples as text, for cells of a table. Its scale begins near the
// least sample, so that the direction shows: how large the values are stands beside it.
func Trend(samples []float64, w int, g *themes.Glyphs) Safe {
	samples = samples[max(len(samples)-w, 0):]
	top, low := peak(samples), math.NaN()
	for _, v := range samples {
		if !math.IsNaN(v) && !(v >= low) {
			low = v
		}
	}
	base := max(low-(top-low)/4, 0)
	var b []byte
	for _, v := range samples {
		switch {
		case math.IsNaN(v):
			b = append(b, ' ')
		case top == low && v > 0:
			b = append(b, g.Spark[len(g.Spark)/2]...)
		default:
			b = append(b, g.Spark[level(v-base, top-base, len(g.Spark))]...)
		}
	}
	return Safe{text: string(b), width: len(samples)}
}
