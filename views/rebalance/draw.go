package rebalance

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// sides are the columns at which the parts of a row begin.
func (d *drawing) sides() (left, right int) {
	left = 3 + d.lay.name
	return left, left + d.lay.cells + 1 + number + d.leftExtra() + 3
}

// leftExtra is the width of the columns behind the left side: messages held and in listeners.
func (d *drawing) leftExtra() int {
	if d.t.past || d.lay.extra < 20 || d.t.two && d.lay.extra < 40 {
		return 0
	}
	return 20
}

// heads are the two lines above the rows: brokers over the numbers of their queues.
func (d *drawing) heads(a views.Area) {
	l := a.Line(above-1).Space(3).Put(themes.Muted, "MEMBER")
	left, right := d.sides()
	d.sideHead(a, left, 3, [...]views.Lit{"now", "before"}[truth(d.t.past)])
	if w := d.leftExtra(); w > 0 {
		x := left + d.lay.cells + 1 + number
		l.To(x+10-6).Put(themes.Muted, "CACHED")
		l.To(x+20-9).Put(themes.Muted, "LISTENING")
	}
	if !d.t.two {
		d.runHead(a.Line(above-1), left+d.lay.cells+1+number+d.leftExtra()+1, "QUEUES")
		return
	}
	for y := above - 2; y < above; y++ {
		a.Line(y).To(right-2).Glyph(themes.Border, d.in.Theme.Glyphs.Vertical)
	}
	d.sideHead(a, right, -1, [...]views.Lit{"what if", "after"}[truth(d.t.past)])
	x := right + d.lay.cells + 1 + number
	sign := views.Lit("+/-")
	a.Line(above-1).To(x+number-len(sign)).Put(themes.Muted, sign)
	loses, gains, w := d.changes()
	if w > 0 {
		a.Line(above-1).To(loses).Put(themes.Muted, "LOSES").To(gains).Put(themes.Muted, "GAINS")
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// runHead is the head of a column of runs, if there is room for that.
func (d *drawing) runHead(l *views.Pen, x int, head views.Lit) {
	if d.in.W-x >= len(head)+2 {
		l.To(x).Put(themes.Muted, head)
	}
}

// changes are the columns for what a member loses and gains, and their width; 0 when there is
// no room.
func (d *drawing) changes() (loses, gains, w int) {
	_, right := d.sides()
	x := right + d.lay.cells + 1 + number + number + 2
	w = (d.in.W - x - 2) / 2
	if w < 6 {
		return 0, 0, 0
	}
	return x, x + w + 1, w
}

// sideHead names the brokers and numbers the queues of one side, whose own name stands at a
// column, below zero behind the cells.
func (d *drawing) sideHead(a views.Area, x, at int, name views.Lit) {
	g := d.in.Theme.Glyphs
	top, low := a.Line(above-2), a.Line(above-1)
	if d.lay.matrix {
		x := x
		for _, b := range d.t.blocks {
			top.To(x).Text(themes.Muted, d.clean.Cell(d.f.short.Of(b.broker)).Tail(b.n, g))
			low.To(x)
			for _, id := range d.t.ids[b.from : b.from+b.n] {
				low.Text(themes.Faint, views.Plain(int64(max(id.QueueID, 0)%10)))
			}
			x += b.n
			if !d.lay.tight {
				x++
			}
		}
	}
	low.To(x+d.lay.cells+number-1).Put(themes.Muted, "n")
	if at < 0 {
		at = x + d.lay.cells + 1 + number - 2
	}
	top.To(at).Put(themes.Title, name)
}

// row draws one member.
func (d *drawing) row(a views.Area, y, i int) {
	g, m := d.in.Theme.Glyphs, &d.t.lines[i]
	l := a.Line(y)
	if i == d.pos {
		a.Shade(y, themes.Select)
		l.Glyph(themes.Title, g.Cursor)
	}
	l.To(1)
	d.sign(l, m)
	l.To(3)
	d.label(l, m)
	left, right := d.sides()
	d.cells(l.To(left), m.before, func(pos int32) (themes.Token, themes.Glyph) {
		if m.nobody {
			return themes.Unknown, g.Unknown
		}
		for _, p := range d.t.double {
			if p == pos {
				return themes.Bad, g.Bad
			}
		}
		return themes.MsgWait, g.Wait
	}, nil)
	end := left + d.lay.cells + 1 + number
	count(l, end-1, len(m.before), themes.Text)
	d.held(l, end, m)
	if d.t.two {
		l.To(right-2).Glyph(themes.Border, g.Vertical)
		d.after(l, m, right)
	} else if room := d.in.W - (end + d.leftExtra() + 2); room >= 6 {
		l.To(end+d.leftExtra()+1).Text(themes.Muted, d.runs(m.before, d.t.ids, d.t.blocks, room))
	}
	a.Hit(0, y, a.W, 1, views.Hit{Action: views.Point, Text: m.idOf()})
}

// sign tells what is special about a member.
func (d *drawing) sign(l *views.Pen, m *line) {
	g := d.in.Theme.Glyphs
	switch mark := d.mark(m); {
	case d.t.two && m.joins:
		l.Put(themes.DiffAdd, "+")
	case d.t.two && m.leaves && !m.nobody:
		l.Put(themes.DiffDel, "-")
	case mark != snapshot.MarkOK:
		l.Spans(views.MarkSpan(mark, g))
	}
}

// label is the name of a member and a word about it.
func (d *drawing) label(l *views.Pen, m *line) {
	g := d.in.Theme.Glyphs
	word, tok := views.Lit(""), themes.Title
	switch {
	case m.me:
		word = " me"
	case m.nobody:
	case d.t.two && m.leaves:
		word, tok = " out", themes.Muted
	case d.t.two && len(m.after) == 0, !d.t.two && len(m.before) == 0:
		word, tok = " idle", themes.Watch
	}
	l.Text(themes.Text, d.name(m).Middle(max(d.lay.name-1-len(word), 1), g)).Put(tok, word)
}

// cells draws a sign for each queue of a list, a dash for each of lost, and dots for the
// others. Both lists are sorted.
func (d *drawing) cells(p *views.Pen, list []int32, sign func(int32) (themes.Token, themes.Glyph), lost []int32) {
	if !d.lay.matrix {
		return
	}
	g := d.in.Theme.Glyphs
	x, next, gone := p.At(), 0, 0
	for i, b := range d.t.blocks {
		if i > 0 && !d.lay.tight {
			x++
		}
		p.To(x)
		for pos := int32(b.from); pos < int32(b.from+b.n); pos++ {
			for next < len(list) && list[next] < pos {
				next++
			}
			for gone < len(lost) && lost[gone] < pos {
				gone++
			}
			switch {
			case next < len(list) && list[next] == pos:
				p.Glyph(sign(pos))
			case gone < len(lost) && lost[gone] == pos:
				p.Put(themes.DiffDel, "-")
			default:
				p.Glyph(themes.MsgGap, g.Gap)
			}
		}
		x += b.n
	}
}

// count writes a number that ends before column end.
func count(l *views.Pen, end, n int, tok themes.Token) {
	s := views.Count(int64(n), false)
	l.To(end-s.Width()).Text(tok, s)
}

// held is what a member holds of the topic: known of ourselves only.
func (d *drawing) held(l *views.Pen, x int, m *line) {
	if d.leftExtra() == 0 {
		return
	}
	put := func(end int, n views.Safe, known bool) {
		s := views.Span{Tok: themes.Text, Text: n}
		switch {
		case m.nobody || m.joins && !m.listed:
			s = views.Say(themes.Faint, "-")
		case !known:
			s = views.Say(themes.Unknown, "?")
		}
		l.To(end - s.Text.Width()).Spans(s)
	}
	outside := d.in.Snap.Replay.Inferred
	put(x+10, d.messages(m, false), m.me || outside)
	put(x+20, views.Count(int64(m.inListener), false), m.me && !outside)
}

// messages is how many messages a member holds, as far as that is known.
func (d *drawing) messages(m *line, exact bool) views.Safe {
	switch n := views.Count(int64(m.cached), exact); {
	case m.missing == 0:
		return n
	case m.missing == len(m.before):
		return views.Own("?")
	default:
		return views.Join(views.Sign(d.in.Theme.Glyphs.AtLeast), n)
	}
}

// after draws the right side of a row: what is kept, lost and gained.
func (d *drawing) after(l *views.Pen, m *line, right int) {
	g := d.in.Theme.Glyphs
	lost, gained := diff(m.before, m.after), diff(m.after, m.before)
	next := 0
	d.cells(l.To(right), m.after, func(pos int32) (themes.Token, themes.Glyph) {
		for next < len(gained) && gained[next] < pos {
			next++
		}
		switch {
		case m.nobody:
			return themes.Bad, g.Unknown
		case next < len(gained) && gained[next] == pos:
			return themes.DiffAdd, "+"
		}
		return themes.MsgWait, g.Wait
	}, lost)
	end := right + d.lay.cells + 1 + number
	count(l, end-1, len(m.after), themes.Text)
	delta := len(m.after) - len(m.before)
	s, tok := views.Count(int64(delta), false), themes.Muted
	if delta > 0 {
		s, tok = views.Join(views.Own("+"), s), themes.DiffAdd
	} else if delta < 0 {
		tok = themes.DiffDel
	}
	l.To(end+number-s.Width()).Text(tok, s)
	loses, gains, w := d.changes()
	if w == 0 {
		return
	}
	for _, c := range [...]struct {
		x    int
		list []int32
		tok  themes.Token
	}{{loses, lost, themes.DiffDel}, {gains, gained, themes.DiffAdd}} {
		if len(c.list) == 0 {
			l.To(c.x).Put(themes.Faint, "-")
			continue
		}
		l.To(c.x).Text(c.tok, d.runs(c.list, d.t.ids, d.t.blocks, w))
	}
}
