package rebalance

import (
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// panes draws the member under the cursor and the rebalances that were seen.
func (d *drawing) panes(a views.Area) {
	if a.H < 3 || d.pos < 0 {
		return
	}
	g := d.in.Theme.Glyphs
	left := a.W / 2
	p := views.Pane{Title: views.Spans{{Tok: themes.Title, Text: d.name(&d.t.lines[d.pos]).Middle(max(left-8, 1), g)}}, Boxed: d.lay.boxed}
	d.member(d.inner(p.Draw(a.Sub(0, 0, left, a.H), g)))
	_, _, n := d.f.passOf(d.st.Pass)
	p = views.Pane{Title: views.Spans{views.Say(themes.Title, "Rebalances seen "), {Tok: themes.Muted, Text: views.Exact(int64(n))}}, Boxed: d.lay.boxed}
	if n > 0 && !d.in.Snap.Replay.Known { // a recording has these keys; it goes to any rebalance itself
		p.Note = views.Spans{{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf(keymap.PassBefore))}, views.Say(themes.None, " "),
			{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf(keymap.PassAfter))}, views.Say(themes.Muted, " walk")}
	}
	d.passes(d.inner(p.Draw(a.Sub(left, 0, a.W-left, a.H), g)))
}

func (d *drawing) inner(a views.Area) views.Area {
	if d.lay.boxed {
		return a.Sub(1, 0, a.W-2, a.H)
	}
	return a.Sub(0, 0, a.W-1, a.H)
}

// member says in full what the member under the cursor has, loses and gains.
func (d *drawing) member(a views.Area) {
	m := &d.t.lines[d.pos]
	y := 0
	item := func(name views.Lit, list []int32, tok themes.Token) {
		l := a.Line(y).Put(themes.Muted, name).To(8)
		n := views.Exact(int64(len(list)))
		l.Text(tok, n).Space(2)
		text := d.runs(list, d.t.ids, d.t.blocks, 1<<12)
		for _, part := range text.Wrap(max(a.W-l.At(), 2)) {
			if y >= a.H {
				return
			}
			a.Line(y).To(10+max(n.Width()-1, 0)+1).Text(themes.Text, part)
			y++
			if len(list) > 200 && y > 2 {
				break
			}
		}
	}
	if !d.t.two {
		item("has", m.before, themes.Text)
	} else {
		item("keeps", diff(m.before, diff(m.before, m.after)), themes.Text)
		item("loses", diff(m.before, m.after), themes.DiffDel)
		item("gains", diff(m.after, m.before), themes.DiffAdd)
	}
	l := a.Line(y)
	if differs := d.f.differs[m.id]; len(differs) > 0 && !d.t.past {
		l.Put(themes.Warn, "subscribes otherwise: ").Text(themes.Warn, d.clean.Differences(differs).Cut(max(l.Left(), 1), d.in.Theme.Glyphs))
		l = a.Line(y + 1)
	}
	switch {
	case m.nobody:
		l.Put(themes.Muted, "nobody is known to have them")
	case d.in.Snap.Replay.Inferred && !d.t.past:
		l.Put(themes.Muted, "did not commit ").Text(themes.Text, d.messages(m, d.in.Exact)).Put(themes.Muted, " messages that were delivered to it")
	case m.me && !d.t.past:
		l.Put(themes.Muted, "holds ").Text(themes.Text, d.messages(m, d.in.Exact)).Put(themes.Muted, " messages, ")
		l.Text(themes.Text, views.Count(int64(m.inListener), d.in.Exact)).Put(themes.Muted, " in listeners")
	case isNew(m.id, d.f.members):
		l.Put(themes.Muted, "is made up: where it sorts decides what it gets")
	case !m.me && !d.t.past:
		l.Put(themes.Muted, "what it holds is not known here")
	}
}

// passes lists the rebalances of the topic, the newest first.
func (d *drawing) passes(a views.Area) {
	g := d.in.Theme.Glyphs
	y := 0
	all := d.in.Snap.Rebalances
	for i := len(all) - 1; i >= 0 && y < a.H; i-- {
		r := &all[i]
		if r.Topic != d.f.current() {
			continue
		}
		l := a.Line(y)
		if d.pass == r {
			l.Glyph(themes.Title, g.Cursor)
		} else {
			l.Space(1)
		}
		l.Text(themes.Muted, views.ShortClock(r.At)).Space(1)
		n := moved(r)
		end := views.Spans{{Tok: themes.Text, Text: views.Join(views.Own("  "), views.Exact(int64(n)))}, views.Say(themes.Muted, " moved")}
		l.Text(themes.Text, d.clean.Cell(r.Why).Cut(max(l.Left()-end.Width()-1, 1), g)).Spans(end...)
		y++
	}
	if y == 0 {
		a.Line(0).Put(themes.Muted, [...]views.Lit{"none of this topic since the start", "none of this topic was seen"}[truth(d.in.Snap.Replay.Inferred)])
	}
}
