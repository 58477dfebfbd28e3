package latency

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// answer says in one line whether pulling is slow, where and since when.
func (d *drawing) answer(l *views.Pen) {
	g, m := d.in.Theme.Glyphs, d.m
	var n, held, failed uint64
	known, worst := false, -1
	for i := range m.brokers {
		b := &m.brokers[i]
		n, held, failed = n+b.series.Total.N, held+b.series.Total.HeldN, failed+failures(b.series)
		known = known || b.known
		if worst < 0 && (b.known || b.down) && b.mark != snapshot.MarkOK && b.mark != snapshot.MarkUnknown {
			worst = i
		}
	}
	total := func(n uint64) *views.Pen { return l.Text(themes.Text, views.Total(n, d.in.Exact)) }
	switch {
	case worst >= 0:
		d.slow(l, &m.brokers[worst])
	case !known || n+held+failed == 0:
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Put(themes.Text, " No pull finished in 10 min")
	case n == 0:
		l.Spans(views.MarkSpan(snapshot.MarkOK, g)).Put(themes.Text, " All ")
		total(held).Put(themes.Text, " answers were long-poll holds: no new messages, not slowness")
	case len(m.brokers) > 0 && !anyEnough(m.brokers):
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Put(themes.Text, " Only ")
		total(n).Put(themes.Text, " answers in 10 min: too few to tell (20 of one broker are needed)")
	default:
		l.Spans(views.MarkSpan(snapshot.MarkOK, g)).Put(themes.Text, " Pulling is quick: ")
		total(n).Put(themes.Text, " answers in 10 min")
		if t := m.brokers[slowest(m.brokers)].series.Total; t.Enough {
			l.Put(themes.Text, ", 99% within ").Text(themes.Text, views.Duration(t.P99, g))
		}
		if unknown(m.brokers) > 0 {
			l.Put(themes.Unknown, " ? ").Text(themes.Text, views.Exact(int64(unknown(m.brokers)))).Put(themes.Text, " broker not known")
		}
	}
	if old := d.in.Now.Sub(d.in.Snap.At) > views.StaleAfter; old {
		l.Put(themes.Muted, " ").Glyph(themes.Faint, g.Dot).Put(themes.Stale, " ~as of ").Text(themes.Stale, views.Ago(d.in.Now, d.in.Snap.At, g))
	}
}

func anyEnough(list []broker) bool {
	for i := range list {
		if list[i].series.Total.Enough {
			return true
		}
	}
	return false
}

func unknown(list []broker) (n int) {
	for i := range list {
		if list[i].mark == snapshot.MarkUnknown {
			n++
		}
	}
	return n
}

func slowest(list []broker) (at int) {
	for i := range list {
		if slowness(list[i].series.Total) > slowness(list[at].series.Total) {
			at = i
		}
	}
	return at
}

// slow says since when a broker is slow, or when it was.
func (d *drawing) slow(l *views.Pen, b *broker) {
	g := d.in.Theme.Glyphs
	l.Spans(views.MarkSpan(b.mark, g)).Space(1).Text(themes.Text, d.clean.Cell(b.name).Middle(max(min(l.Left()/3, 32), 8), g))
	sp, ok := slowSpell(&b.series, slowFrom)
	switch {
	case b.down:
		l.Put(themes.Text, " is not reached")
	case !ok:
		l.Put(themes.Text, " has slow answers: 99% within ").Spans(views.P99(b.series.Total, g))
		return
	case sp.now:
		l.Put(themes.Text, " is slow since ").Text(themes.Text, views.ShortClock(sp.from)).Put(themes.Text, ": up to ")
		l.Text(views.MarkToken(b.mark), views.Duration(sp.worst, g))
	default:
		l.Put(themes.Text, " was slow ").Text(themes.Text, views.ShortClock(sp.from)).Put(themes.Text, "..").Text(themes.Text, views.ShortClock(sp.to))
		l.Put(themes.Text, ", up to ").Text(views.MarkToken(b.mark), views.Duration(sp.worst, g))
		if !d.in.Boxed() {
			l.Put(themes.Text, ", not now")
		} else {
			l.Put(themes.Text, "; it is not now")
		}
	}
	if s := all(&b.series); s.timeouts+s.exceptions > 0 && l.Left() > 24 {
		l.Put(themes.Muted, " ").Glyph(themes.Faint, g.Dot).Space(1)
		l.Text(themes.Bad, views.Total(s.timeouts+s.exceptions, d.in.Exact)).Put(themes.Text, " got no answer")
	}
}

// legend says what a column and the signs mean.
func (d *drawing) legend(l *views.Pen) {
	g := d.in.Theme.Glyphs
	if d.in.W >= 100 {
		l.Put(themes.Muted, "Pull round trip ").Glyph(themes.Faint, g.Dot).Space(1)
	}
	holds := [...]views.Lit{"holds left out", "holds included", "only holds"}
	if d.in.W >= 80 {
		l.Put(themes.Muted, "10 min, ")
	} else {
		holds = [...]views.Lit{"no holds", "with holds", "only holds"}
	}
	if d.in.W >= 80 {
		l.Put(themes.Muted, "1 col = ")
	} else {
		l.Put(themes.Muted, "col ")
	}
	l.Text(themes.Muted, views.Duration(d.ax.col, g)).Put(themes.Muted, ", ")
	l.Put(themes.Text, holds[min(d.st.Mode, OnlyHolds)])
	if d.in.W >= 80 {
		l.Put(themes.Muted, " (").Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.Mode))).Put(themes.Muted, ")")
	}
	wide := d.in.W >= 110
	var signs views.Spans
	if d.st.Mode != WithoutHolds {
		signs = append(signs, views.Span{Tok: themes.MsgHeld, Text: views.Sign(g.Held)}, views.Say(themes.Muted, " held "))
	}
	for i := range snapshot.HeatClasses {
		if d.st.Mode == OnlyHolds {
			break
		}
		limit := [...]views.Lit{"<5", "<20", "<100", "<500", "500ms+"}[i]
		if wide {
			limit = [...]views.Lit{" <5ms ", " <20ms ", " <100ms ", " <500ms ", " 500ms+ "}[i]
		} else if i > 0 {
			signs = append(signs, views.Say(themes.None, " "))
		}
		signs = append(signs, views.Span{Tok: themes.Heat(i), Text: views.Sign(heatSign(i))}, views.Say(themes.Muted, limit))
	}
	failed := views.Spans{views.Say(themes.None, " "), {Tok: themes.Bad, Text: views.Sign(g.Bad)}, views.Say(themes.Muted, " no answer")}
	if d.st.Mode != OnlyHolds && l.Left() >= signs.Width()+failed.Width()+2 {
		signs = append(signs, failed...)
	}
	l.Right(append(signs, views.Say(themes.None, " "))...)
}

// detail tells of the stretch of time under the cursor, or how to get one.
func (d *drawing) detail(l *views.Pen) {
	g := d.in.Theme.Glyphs
	if n := len(d.m.rows); n > d.lay.rows {
		l.Text(themes.Text, views.Exact(int64(d.pos+1))).Put(themes.Faint, "/").Text(themes.Text, views.Exact(int64(n))).Space(1).Glyph(themes.Faint, g.Dot).Space(1)
	}
	if d.cur < 0 {
		l.Text(themes.Key, views.KeyName(d.clean.Cell(d.in.KeyOf(keymap.Left)), g)).Put(themes.Muted, " ").Text(themes.Key, views.KeyName(d.clean.Cell(d.in.KeyOf(keymap.Right)), g))
		l.Put(themes.Muted, " pick a time")
		if d.pos >= 0 && d.m.rows[d.pos].queue < 0 {
			b := &d.m.brokers[d.m.rows[d.pos].broker]
			l.Put(themes.Muted, ", ").Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.More))).Put(themes.Muted, " shows ")
			l.Text(themes.Text, views.Exact(int64(b.queues))).Put(themes.Muted, views.Plural(b.queues, " queue of ", " queues of ")).Text(themes.Text, d.clean.Cell(b.name).Middle(max(min(l.Left(), 30), 1), g))
		}
		return
	}
	se, _ := d.m.series(d.m.rows[d.pos])
	s := d.ax.sumOf(&se, d.cur)
	l.Text(themes.Title, views.ShortClock(d.ax.from(d.cur))).Space(2)
	if s.n+s.held+s.timeouts+s.exceptions+s.refused == 0 {
		l.Put(themes.Muted, "no pull of ").Text(themes.Text, d.name(d.m.rows[d.pos]).Middle(max(min(l.Left()-9, 30), 1), g)).Put(themes.Muted, " finished")
		return
	}
	item := func(name views.Lit, v views.Span) {
		if l.Left() >= len(name)+v.Text.Width()+2 {
			l.Put(themes.Muted, name).Spans(v).Space(2)
		}
	}
	if s.n > 0 {
		if s.p99 > 0 {
			item("p99 ", views.Span{Tok: themes.Text, Text: views.Duration(s.p99, g)})
		} else {
			item("p99 ", views.Say(themes.Unknown, "?"))
		}
		item("max ", views.Span{Tok: themes.Text, Text: views.Duration(s.max, g)})
	}
	item("answers ", views.Span{Tok: themes.Text, Text: views.Total(s.n, d.in.Exact)})
	if s.timeouts > 0 {
		item("timeouts ", views.Span{Tok: themes.Bad, Text: views.Total(s.timeouts, d.in.Exact)})
	}
	if s.exceptions > 0 {
		item("exceptions ", views.Span{Tok: themes.Bad, Text: views.Total(s.exceptions, d.in.Exact)})
	}
	if s.refused > 0 {
		item("flow control ", views.Span{Tok: themes.Warn, Text: views.Total(s.refused, d.in.Exact)})
	}
	if s.held > 0 {
		item("held ", views.Span{Tok: themes.MsgHeld, Text: views.Total(s.held, d.in.Exact)})
		item("longest ", views.Span{Tok: themes.MsgHeld, Text: views.Duration(s.longest, g)})
	}
}
