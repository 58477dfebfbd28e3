package latency

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// heads is the line above the rows: what the figures are, and the axis of time with its
// cursor.
func (d *drawing) heads(l *views.Pen) {
	g := d.in.Theme.Glyphs
	x := 3 + d.lay.name + 1
	l.To(3).Put(themes.Muted, "BROKER")
	at, from := views.Safe{}, 0 // of the cursor's time, which stands beside its column
	if d.cur >= 0 {
		at, from = views.ShortClock(d.ax.from(d.cur)), x+d.cur+1
		if d.cur+1+at.Width() > d.lay.cols {
			from = x + d.cur - at.Width()
		}
		l.To(from).Text(themes.Title, at)
		l.To(x+d.cur).Glyph(themes.Title, g.Down)
	}
	for i, word := range [...]views.Lit{"-10m", "-5m", "now"} {
		mark := x + [...]int{0, d.lay.cols/2 - 1, d.lay.cols - 3}[i]
		hidden := d.cur >= 0 && mark <= from+at.Width()+1 && from-2 <= mark+len(word)
		if d.lay.cols >= 20 && !hidden {
			l.To(mark).Put(themes.Faint, word)
		}
	}
	for i := range d.lay.figs {
		head := [...]views.Lit{"p99", "p50", "max", "n", "held", "failed"}[d.order(i)]
		l.To(x+d.lay.cols+(i+1)*figure-len(head)).Put(themes.Muted, head)
	}
}

// order says which figure stands in place i: p99 comes first where there is room for few.
func (d *drawing) order(i int) int {
	if d.lay.figs >= 2 && i < 2 {
		return 1 - i
	}
	return i
}

// row draws one broker or queue.
func (d *drawing) row(a views.Area, y, i int) {
	g, r := d.in.Theme.Glyphs, d.m.rows[i]
	l := a.Line(y)
	if i == d.pos {
		a.Shade(y, themes.Select)
		l.Glyph(themes.Title, g.Cursor)
	}
	m := d.m.mark(r)
	l.To(1).Spans(views.MarkSpan(m, g)).Space(1)
	room := d.lay.name
	if r.queue >= 0 {
		branch := branchSign(g, r.last)
		l.Text(themes.Faint, branch)
		room -= branch.Width()
	} else {
		sign := g.Folded
		if d.st.isOpen(d.m.brokers[r.broker].name) {
			sign = g.Open
		}
		l.Glyph(themes.Faint, sign).Space(1)
		room -= 2
	}
	l.Text(themes.Text, d.name(r).Middle(max(room, 1), g))
	x := 3 + d.lay.name + 1
	se, known := d.m.series(r)
	total, since := d.m.total(r)
	l.To(x)
	if known {
		d.cells = d.ax.cells(&se, d.st.Mode, d.cells)
		for _, c := range d.cells {
			l.Glyph(c.sign(g))
		}
	} else {
		l.Spans(d.noSeries(r, since)...)
	}
	if d.cur >= 0 {
		a.Sub(x+d.cur, y, 1, 1).Shade(0, themes.SelectBlur)
	}
	for i := range d.lay.figs {
		f := d.figure(d.order(i), r, &se, total)
		l.To(x + d.lay.cols + (i+1)*figure - min(f.Text.Width(), figure-1)).Spans(f)
	}
	a.Hit(0, y, a.W, 1, views.Hit{Action: views.Point, Text: encode(d.m.target(r))})
}

// noSeries says why a row has no heat map.
func (d *drawing) noSeries(r row, since bool) views.Spans {
	g := d.in.Theme.Glyphs
	var why views.Safe
	switch {
	case since:
		why = views.Join(views.Sign(g.Ellipsis), views.Own(" asked for; figures since assignment"))
	case r.queue < 0 && d.m.brokers[r.broker].down:
		why = views.Own("? not reached")
	default:
		why = views.Own("? no pull finished in 10 min")
	}
	return views.Spans{{Tok: themes.Muted, Text: why.Cut(d.lay.cols, g)}}
}

// quantile writes p50 or p99, which do not count holds.
func (d *drawing) quantile(l snapshot.Latency, p99 bool) views.Span {
	switch {
	case !l.Enough:
		return views.Say(themes.Unknown, "?")
	case p99:
		return views.P99(l, d.in.Theme.Glyphs)
	}
	return views.Span{Tok: themes.Text, Text: views.Duration(l.P50, d.in.Theme.Glyphs)}
}

// figure is one of the numbers behind the heat map: 0 p99, 1 p50, 2 max, 3 n, 4 held, 5
// failed. With holds there are no quantiles: the engine keeps none of them.
func (d *drawing) figure(i int, r row, se *snapshot.Series, t snapshot.Latency) views.Span {
	g := d.in.Theme.Glyphs
	longest := t.Max
	if d.st.Mode != WithoutHolds {
		held := all(se).longest
		if d.st.Mode == OnlyHolds {
			longest = 0
		}
		longest = max(longest, held)
	}
	switch i {
	case 0, 1:
		if d.st.Mode != WithoutHolds {
			return views.Say(themes.Unknown, "?")
		}
		return d.quantile(t, i == 0)
	case 2:
		if longest == 0 {
			return views.Say(themes.Faint, "-")
		}
		return views.Span{Tok: themes.Text, Text: views.Duration(longest, g)}
	case 3:
		n := t.N
		switch d.st.Mode {
		case WithHolds:
			n += t.HeldN
		case OnlyHolds:
			n = t.HeldN
		}
		return views.Span{Tok: themes.Text, Text: views.Total(n, false)}
	case 4:
		return views.Span{Tok: themes.MsgHeld, Text: views.Total(t.HeldN, false)}
	}
	if n := failures(*se); n > 0 {
		return views.Span{Tok: themes.Bad, Text: views.Total(n, false)}
	}
	return views.Say(themes.Faint, "-")
}

// branchSign hangs a queue on its broker.
func branchSign(g *themes.Glyphs, last bool) views.Safe {
	switch {
	case g.Name != "unicode" && last:
		return views.Own("`- ")
	case g.Name != "unicode":
		return views.Own("|- ")
	case last:
		return views.Own(" └ ")
	}
	return views.Own(" ├ ")
}
