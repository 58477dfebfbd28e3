package treemap

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// joint says which ways lines go from a cell, and whether a group's edge is among them.
type joint uint8

const (
	up joint = 1 << iota
	down
	left
	right
	outer
)

// picture draws edges, titles and insides.
func (d *drawing) picture(a views.Area, pos int) {
	d.edges(a)
	for i := range d.m.groups[:d.m.shown] {
		d.title(a, &d.m.groups[i])
	}
	for i := range d.m.tiles {
		d.tile(a, &d.m.tiles[i], i == pos)
	}
}

// edges draws the lines between rectangles, which neighbours share.
func (d *drawing) edges(a views.Area) {
	g, w := d.in.Theme.Glyphs, a.W
	n := a.W * a.H
	if cap(d.lines) < n {
		d.View.lines = make([]joint, n)
	}
	lines := d.lines[:n]
	clear(lines)
	frame := func(r rect, bit joint) {
		for x := r.x0; x < r.x1; x++ {
			for _, y := range [...]int{r.y0, r.y1} {
				lines[y*w+x] |= right | bit
				lines[y*w+x+1] |= left | bit
			}
		}
		for y := r.y0; y < r.y1; y++ {
			for _, x := range [...]int{r.x0, r.x1} {
				lines[y*w+x] |= down | bit
				lines[(y+1)*w+x] |= up | bit
			}
		}
	}
	for i := range d.m.tiles {
		frame(d.m.tiles[i].r, 0)
	}
	for i := range d.m.groups[:d.m.shown] {
		frame(d.m.groups[i].r, outer)
	}
	for y := range a.H {
		l := a.Line(y)
		for x := range w {
			if j := lines[y*w+x]; j != 0 {
				tok := themes.Border
				if j&outer != 0 {
					tok = themes.Muted
				}
				l.To(x).Glyph(tok, j.sign(g))
			}
		}
	}
}

// sign is the drawing of a joint.
func (j joint) sign(g *themes.Glyphs) themes.Glyph {
	j &^= outer
	if g.Name == "unicode" {
		return [...]themes.Glyph{
			" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼",
		}[j]
	}
	switch j {
	case up, down, up | down:
		return g.Vertical
	case left, right, left | right:
		return g.Horizontal
	}
	return g.TopLeft
}

// title stands in a group's upper edge.
func (d *drawing) title(a views.Area, gr *group) {
	if d.m.by == Flat {
		return
	}
	g := d.in.Theme.Glyphs
	sum := d.total(gr.sum, gr.unknown, gr.stale)
	l := a.Sub(gr.r.x0+1, gr.r.y0, gr.r.w()-2, 1).Line(0)
	room := l.Left() - 2
	if room < 3 {
		return
	}
	name := d.clean.Cell(gr.name)
	l.Space(1)
	if need := sum.Width() + 2; room-need >= 8 || room-need >= name.Width() {
		name = name.Middle(room-need, g)
		clearTo(l, name.Width()+need).Text(themes.Title, name).Put(themes.Muted, "  ").Text(themes.Text, sum).Put(themes.None, " ")
		return
	}
	name = name.Middle(room, g)
	clearTo(l, name.Width()).Text(themes.Title, name).Put(themes.None, " ")
}

// clearTo blanks the edge where a title stands: from the cell before it on.
func clearTo(l *views.Pen, w int) *views.Pen {
	at := l.At()
	l.To(at-1).Repeat(themes.None, " ", w+2)
	return l.To(at)
}

// tile draws the inside of a rectangle: what it is, how large, how it is, and a pattern that
// shows that from afar.
func (d *drawing) tile(a views.Area, t *tile, here bool) {
	in := a.Sub(t.r.x0+1, t.r.y0+1, t.r.w()-1, t.r.h()-1)
	if in.W <= 0 || in.H <= 0 {
		return
	}
	var lv level
	var name, size views.Safe
	if t.queue < 0 {
		lv.step, lv.mark = d.sh.worst(t.rest)
		name, size, lv.text = d.rest(t, in.W)
	} else {
		q := &d.in.Snap.Queues[t.queue]
		lv = d.sh.of(q)
		name, size = d.name(q), d.sizeOf(d.m.size.read(q))
	}
	lines := d.words(in, name, size, lv, here)
	if t.queue < 0 { // what stands for many has no fill: each of them has its own
		lines = in.H
	}
	fill := fillOf(lv.step, d.in.Theme.Glyphs)
	for y := lines; y < in.H && lv.step > 0; y++ {
		in.Line(y).Repeat(fillToken(lv.step, lv.mark), fill, in.W)
	}
	a.Hit(t.r.x0+1, t.r.y0+1, t.r.w()-1, t.r.h()-1, views.Hit{Action: views.Point, Text: encode(d.m.target(t))})
}

// words writes name, size and shade, and returns how many lines they take.
func (d *drawing) words(in views.Area, name, size views.Safe, lv level, here bool) int {
	g := d.in.Theme.Glyphs
	l := in.Line(0)
	if here {
		l.Glyph(themes.Title, g.Cursor)
	} else {
		l.Space(1)
	}
	l.Spans(views.MarkSpan(lv.mark, g)).Space(1)
	room := l.Left()
	text := fitting(lv.text, lv.brief, in.W-3)
	texts := [2]views.Safe{text}
	if name.Width()+size.Width()+2 <= room || in.H == 2 && size.Width()+8 <= room {
		l.Text(themes.Text, name.Middle(room-size.Width()-2, g)).Space(2).Text(themes.Title, size)
	} else {
		l.Text(themes.Text, short(name, room, g))
		texts = [2]views.Safe{size, text}
	}
	y := 1
	for i, s := range texts {
		if s.Empty() || y >= in.H {
			break
		}
		tok := views.MarkToken(lv.mark)
		if i == 0 && !texts[1].Empty() {
			tok = themes.Title
		}
		in.Line(y).Space(min(3, max(in.W-s.Width(), 0))).Text(tok, s.Cut(in.W, g))
		y++
	}
	if here {
		for i := range y {
			in.Shade(i, themes.Select)
		}
	}
	return y
}

// fitting is the longer of two texts when there is room for it.
func fitting(text, brief views.Safe, w int) views.Safe {
	if text.Width() > w && !brief.Empty() {
		return brief
	}
	return text
}

// short cuts a name so that its end is left, which tells neighbours apart.
func short(name views.Safe, w int, g *themes.Glyphs) views.Safe {
	if w < 10 {
		return name.Tail(w, g)
	}
	return name.Middle(w, g)
}

// name is the name of a queue without what its group says already.
func (d *drawing) name(q *snapshot.Queue) views.Safe {
	id := views.Plain(int64(q.ID.QueueID))
	switch d.m.by {
	case ByBroker:
		return views.Join(d.clean.Cell(q.ID.Topic), views.Own("/"), id)
	case ByTopic:
		return views.Join(d.clean.Cell(d.m.short.Of(q.ID.BrokerName)), views.Own("/"), id)
	}
	return d.clean.QueueName(q.ID, d.m.short)
}

// rest is what is said of queues or groups that are too small to be shown by themselves.
func (d *drawing) rest(t *tile, w int) (name, size, more views.Safe) {
	most, unknown := int64(0), 0
	for _, i := range t.rest {
		if r := d.m.size.read(&d.in.Snap.Queues[i]); r.ok {
			most = max(most, r.size)
		} else {
			unknown++
		}
	}
	name = views.Join(views.Own("+"), views.Exact(int64(len(t.rest))))
	if t.groups > 0 {
		name = views.Join(views.Own("+"), views.Exact(int64(t.groups)), views.Own(" "), views.Own(d.m.by.many()), views.Own(", "), views.Exact(int64(len(t.rest))))
	}
	switch {
	case unknown == len(t.rest):
		size = views.Own("? size")
	case most == 0:
		size = views.Own("empty")
	default:
		size = d.m.size.write(most, d.in.Exact)
		size = fitting(views.Join(views.Own("max "), size), size, w)
	}
	if unknown > 0 && unknown < len(t.rest) {
		more = views.Join(views.Own("? "), views.Exact(int64(unknown)), views.Own(" unknown"))
	}
	return name, size, more
}

// many is the word for several groups.
func (g Grouping) many() views.Lit {
	return [...]views.Lit{"brokers", "topics", "owners", "queues"}[min(g, Flat)]
}
