package views

import (
	"mqscope/themes"
)

// Canvas is a grid of cells that a body is drawn on. Drawing outside of it is no error: it
// is cut off. So a finished canvas always has the size that was asked for. A canvas is kept
// by its view and used again for the next frame.
type Canvas struct {
	w, h   int
	cells  []drawn
	hidden int
	hits   []Hit
	out    []byte
}

// drawn is one cell. An empty text is the right half of a wide cluster.
type drawn struct {
	text   string
	fg, bg themes.Token
}

const blank = " "

// Reset empties the canvas and gives it a size, and returns all of it.
func (c *Canvas) Reset(w, h int) Area {
	w, h = max(w, 0), max(h, 0)
	c.w, c.h, c.hidden, c.hits = w, h, 0, nil
	if cap(c.cells) < w*h {
		c.cells = make([]drawn, w*h)
	}
	c.cells = c.cells[:w*h]
	for i := range c.cells {
		c.cells[i] = drawn{text: blank}
	}
	return Area{c: c, W: w, H: h}
}

// Hidden is how many characters on the canvas stand for something that does not show as it
// is.
func (c *Canvas) Hidden() int { return c.hidden }

// Hits are the rectangles registered with Area.Hit.
func (c *Canvas) Hits() []Hit { return c.hits }

// put draws text from x on, up to but not including end, and returns where it stopped. Cells
// keep their background.
func (c *Canvas) put(x, y, end int, tok themes.Token, s string) int {
	end = min(end, c.w)
	if y < 0 || y >= c.h {
		return x
	}
	row := c.cells[y*c.w : (y+1)*c.w]
	for i := 0; i < len(s); {
		cl, w := cluster(s[i:])
		i += len(cl)
		if x+w > end {
			break
		}
		if x >= 0 {
			c.set(row, x, w, tok, cl)
		}
		x += w
	}
	return x
}

// set writes one cluster of w cells and mends wide ones that it cuts in half.
func (c *Canvas) set(row []drawn, x, w int, tok themes.Token, cl string) {
	if row[x].text == "" {
		row[x-1].text = blank
	}
	row[x].text, row[x].fg = cl, tok
	for j := x + 1; j < x+w; j++ {
		row[j].text, row[j].fg = "", tok
	}
	for j := x + w; j < len(row) && row[j].text == ""; j++ {
		row[j].text = blank
	}
}

// Lines are the finished lines, blanks at their ends left out. Each opens and ends its own
// sequences.
func (c *Canvas) Lines(t *themes.Theme) []string {
	lines := make([]string, c.h)
	for y := range lines {
		lines[y] = c.line(c.cells[y*c.w:(y+1)*c.w], t)
	}
	return lines
}

func (c *Canvas) line(row []drawn, t *themes.Theme) string {
	n := len(row)
	for n > 0 && row[n-1].text == blank && row[n-1].bg == themes.None {
		n--
	}
	out := c.out[:0]
	var fg, bg themes.Token
	shut := func() {
		_, end := t.PaintOn(bg, fg)
		out = append(out, end...)
		if bg != themes.None {
			_, end = t.Paint(bg)
			out = append(out, end...)
		}
	}
	for i := range n {
		cell := &row[i]
		ink := cell.fg
		if cell.text == blank && cell.bg == bg && !attributed(fg) {
			ink = fg // a blank looks the same in any colour
		}
		if ink != fg || cell.bg != bg {
			shut()
			fg, bg = ink, cell.bg
			if bg != themes.None {
				open, _ := t.Paint(bg)
				out = append(out, open...)
			}
			open, _ := t.PaintOn(bg, fg)
			out = append(out, open...)
		}
		out = append(out, cell.text...)
	}
	shut()
	c.out = out
	return string(out)
}

// attributed tells whether blanks in tok may show: where it underlines or reverses.
func attributed(tok themes.Token) bool {
	switch tok {
	case themes.Match, themes.Bad, themes.Stale, themes.MsgHeld, themes.LockOther, themes.LockExpired,
		themes.ModeLive, themes.ModeReplay, themes.ModeArmed, themes.Danger:
		return true
	}
	return false
}

// Area is a rectangle of a canvas with its own coordinates.
type Area struct {
	c          *Canvas
	x, y, W, H int
}

// Sub is the part of the area that lies in a rectangle of it.
func (a Area) Sub(x, y, w, h int) Area {
	x2, y2 := min(x+w, a.W), min(y+h, a.H)
	x, y = max(x, 0), max(y, 0)
	return Area{c: a.c, x: a.x + x, y: a.y + y, W: max(x2-x, 0), H: max(y2-y, 0)}
}

// Below is the area without its first n lines.
func (a Area) Below(n int) Area { return a.Sub(0, n, a.W, a.H-n) }

// Above is the area without its last n lines.
func (a Area) Above(n int) Area { return a.Sub(0, 0, a.W, a.H-n) }

// Line is a pen at the beginning of line y.
func (a Area) Line(y int) *Pen {
	if y < 0 || y >= a.H {
		return &Pen{}
	}
	return &Pen{c: a.c, x: a.x, y: a.y + y, start: a.x, end: a.x + a.W}
}

// Shade gives line y a background that later drawing keeps.
func (a Area) Shade(y int, bg themes.Token) {
	if y < 0 || y >= a.H || a.y+y < 0 || a.y+y >= a.c.h {
		return
	}
	row := a.c.cells[(a.y+y)*a.c.w : (a.y+y+1)*a.c.w]
	for x := max(a.x, 0); x < min(a.x+a.W, a.c.w); x++ {
		row[x].bg = bg
	}
}

// Hit makes a rectangle of the area act when it is clicked.
func (a Area) Hit(x, y, w, h int, hit Hit) {
	s := a.Sub(x, y, w, h)
	if s.W == 0 || s.H == 0 {
		return
	}
	hit.X, hit.Y, hit.W, hit.H = s.x, s.y, s.W, s.H
	a.c.hits = append(a.c.hits, hit)
}

// Pen draws along one line, from left to right, and never leaves its area.
type Pen struct {
	c                *Canvas
	x, y, start, end int
}

// Put draws own text.
func (p *Pen) Put(tok themes.Token, l Lit) *Pen {
	if p.c != nil {
		p.x = p.c.put(p.x, p.y, p.end, tok, string(l))
	}
	return p
}

// Glyph draws a sign.
func (p *Pen) Glyph(tok themes.Token, g themes.Glyph) *Pen { return p.Put(tok, Lit(g)) }

// Repeat draws a sign n times.
func (p *Pen) Repeat(tok themes.Token, g themes.Glyph, n int) *Pen {
	for range min(n, p.Left()) {
		p.Glyph(tok, g)
	}
	return p
}

// Text draws safe text; what stands for hidden characters is drawn in the token watch.
func (p *Pen) Text(tok themes.Token, s Safe) *Pen {
	if p.c == nil {
		return p
	}
	at := 0
	for _, e := range s.shown {
		p.x = p.c.put(p.x, p.y, p.end, tok, s.text[at:e.from])
		p.x = p.c.put(p.x, p.y, p.end, themes.Watch, s.text[e.from:e.to])
		at = e.to
	}
	p.x = p.c.put(p.x, p.y, p.end, tok, s.text[at:])
	p.c.hidden += len(s.shown)
	return p
}

// Spans draws pieces one after the other.
func (p *Pen) Spans(spans ...Span) *Pen {
	for _, s := range spans {
		p.Text(s.Tok, s.Text)
	}
	return p
}

// Space moves n cells on.
func (p *Pen) Space(n int) *Pen {
	p.x = min(p.x+n, p.end)
	return p
}

// To moves to column x of the area, which may lie before.
func (p *Pen) To(x int) *Pen {
	p.x = min(p.start+max(x, 0), p.end)
	return p
}

// At is the column where the pen is.
func (p *Pen) At() int { return p.x - p.start }

// Left is how many cells are left.
func (p *Pen) Left() int { return max(p.end-p.x, 0) }

// Right draws spans so that they end at the line's end, if there is room for them and a gap
// behind what is drawn already.
func (p *Pen) Right(spans ...Span) *Pen {
	w := Spans(spans).Width()
	if w > 0 && w+1 <= p.Left() || p.x == p.start && w <= p.Left() {
		p.x = p.end - w
		p.Spans(spans...)
	}
	return p
}
