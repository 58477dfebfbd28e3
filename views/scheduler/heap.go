package scheduler

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// heap draws the delays as a line of time, and what else there is to know at a glance.
func (d *drawing) heap(a views.Area) {
	g := d.in.Theme.Glyphs
	if d.lay.bare {
		d.line.measure(d.f, d.now, max(a.W-3, 0))
		p := a.Line(0).Space(1)
		d.line.bars(p, g)
		d.counts(a.Line(1).Space(1))
		return
	}
	inside := a.W - 2
	d.line.measure(d.f, d.now, max(inside-3, 0))
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, "Delays")}, Boxed: d.lay.boxed}
	p.Note = views.Spans{views.Say(themes.Muted, "next "), {Tok: themes.Muted, Text: views.Duration(d.line.whole, g)},
		views.Say(themes.Muted, ", 1 col = "), {Tok: themes.Muted, Text: views.Duration(d.line.per, g)}}
	if p.Note.Width()+14 > a.W {
		p.Note = p.Note[2:]
		p.Note[0] = views.Say(themes.Muted, "1 col = ")
	}
	in := p.Draw(a, g)
	if !d.lay.boxed {
		in = in.Sub(1, 0, in.W-1, in.H)
	}
	d.glance(in)
}

// glance fills the pane of the delays, the most important things where room is short.
func (d *drawing) glance(a views.Area) {
	g := d.in.Theme.Glyphs
	tail := d.remarks(a.W - 2)
	fixed := 3 // bars, next, counts
	left := max(a.H-fixed, 0)
	notes := min(len(tail), left)
	left -= notes
	axis, labels := 0, min(left, 1)
	if left -= labels; left > 0 {
		axis, left = 1, left-1
	}
	labels += min(left, 2)
	y := 0
	if axis > 0 {
		d.line.axis(a.Line(y).Space(1), g)
		y++
	}
	d.line.bars(a.Line(y).Space(1), g)
	y++
	d.labels(a.Sub(0, y, a.W, labels), 1)
	y += labels
	d.soon(a.Line(y).Space(1))
	y++
	d.counts(a.Line(y).Space(1))
	y++
	for i := range notes {
		a.Line(y + i).Space(1).Spans(tail[i]...)
	}
	if y += notes + 1; a.H-y > min(len(d.f.causes), 3) {
		d.waiting(a.Below(y))
	}
}

// waiting lists what tasks wait for, the most frequent first.
func (d *drawing) waiting(a views.Area) {
	list := slices.Clone(d.f.causes)
	slices.SortStableFunc(list, func(x, y causeCount) int { return y.n - x.n })
	if len(list) == 0 {
		return
	}
	const w = 26
	a.Line(0).Space(1).Put(themes.Muted, "WAITS FOR").To(w-4).Put(themes.Muted, "TASKS")
	for y := 1; y < a.H && y <= len(list); y++ {
		c, tok := list[y-1], themes.Warn
		if c.cause == longPoll {
			tok = themes.Muted
		}
		n := views.Exact(int64(c.n))
		l := a.Line(y).Space(1).Text(tok, d.clean.Cell(c.cause).Cut(w-10, d.in.Theme.Glyphs))
		l.To(w+1-n.Width()).Text(themes.Text, n).Space(2)
		room := max(a.W-w-5, 0)
		l.Repeat(themes.TaskDelay, d.in.Theme.Glyphs.BarFull, max(c.n*room/max(len(d.d.Tasks), 1), 1))
	}
}

// soon says which task fires next.
func (d *drawing) soon(l *views.Pen) {
	g := d.in.Theme.Glyphs
	if d.f.next < 0 {
		l.Put(themes.Muted, "nothing is delayed")
		return
	}
	t := &d.d.Tasks[d.f.next]
	l.Put(themes.Muted, "next ").Text(themes.Text, number(t.ID)).Space(1)
	end := views.Spans{views.Say(themes.None, " "), d.due(t)}
	if t.Cause != "" && l.Left() >= 44 {
		end = append(end, views.Say(themes.Muted, " why "), views.Span{Tok: themes.Warn, Text: d.clean.Cell(string(t.Cause)).Cut(24, g)})
	}
	l.Text(themes.Text, d.clean.QueueName(t.Queue, d.f.short).Middle(max(l.Left()-end.Width()-1, 6), g)).Spans(end...)
}

// counts says how many tasks are where.
func (d *drawing) counts(l *views.Pen) {
	f := d.f
	for _, c := range [...]struct {
		word views.Lit
		n    int
		tok  themes.Token
	}{
		{"ready ", f.ready, themes.TaskReady}, {"delayed ", f.delayed, themes.TaskDelay}, {"running ", f.running, themes.TaskRun},
		{"parked ", f.parked, themes.TaskPark}, {"held ", f.held, themes.MsgHeld}, {"dropped ", f.dropped, themes.TaskDrop},
	} {
		n := views.Exact(int64(c.n))
		if c.n == 0 || l.Left() < len(c.word)+n.Width() {
			continue
		}
		l.Put(themes.Muted, c.word).Text(c.tok, n).Space(2)
	}
}

// remarks are the lines below the counts: broken invariants, what goes on outside, and
// breakpoints.
func (d *drawing) remarks(w int) []views.Spans {
	g := d.in.Theme.Glyphs
	var out []views.Spans
	for i := range d.d.Broken {
		b := &d.d.Broken[i]
		out = append(out, cutSpans(views.Spans{{Tok: themes.Bad, Text: views.Join(views.Sign(g.Bad), views.Own(" "), d.clean.Cell(b.ID))}, views.Say(themes.None, " "),
			{Tok: themes.Text, Text: d.clean.Cell(b.What)}}, w, g))
	}
	for i := range d.d.Outside {
		out = append(out, d.lease(&d.d.Outside[i], w))
	}
	if len(d.d.Breakpoints) > 0 {
		out = append(out, d.breakLine(w))
	}
	return out
}

// lease is something that time goes on for.
func (d *drawing) lease(l *snapshot.Lease, w int) views.Spans {
	g := d.in.Theme.Glyphs
	left := l.Until.Sub(d.in.Now)
	end := views.Span{Tok: themes.Text, Text: views.Join(views.Own(" ends in "), views.Age(l.Until, d.in.Now, g))}
	switch {
	case left <= 0:
		end = views.Say(themes.Bad, " over")
	case left < views.LeaseSoon:
		end.Tok = themes.Watch
	}
	what := d.clean.Cell(l.What).Middle(max(w-2-end.Text.Width(), 6), g)
	return views.Spans{{Tok: themes.Muted, Text: views.Join(views.Sign(g.Live), views.Own(" "))}, {Tok: themes.Text, Text: what}, end}
}

// breakLine names the breakpoints.
func (d *drawing) breakLine(w int) views.Spans {
	g := d.in.Theme.Glyphs
	out := views.Spans{views.Say(themes.Muted, "break ")}
	for i := range d.d.Breakpoints {
		b := &d.d.Breakpoints[i]
		if i > 0 {
			out = append(out, views.Span{Tok: themes.Faint, Text: views.Join(views.Own(" "), views.Sign(g.Dot), views.Own(" "))})
		}
		s := views.Span{Tok: themes.Title, Text: d.breakName(b)}
		switch {
		case b.Off:
			s = views.Span{Tok: themes.Muted, Text: views.Join(s.Text, views.Own(" (off)"))}
		case b.Note != "":
			s = views.Span{Tok: themes.Warn, Text: views.Join(s.Text, views.Own(" ("), d.clean.Cell(b.Note), views.Own(")"))}
		}
		out = append(out, s)
	}
	return cutSpans(out, w, g)
}

// breakName is what a breakpoint stops at.
func (v *View) breakName(b *snapshot.Breakpoint) views.Safe {
	if b.Words == "" {
		return v.clean.Cell(b.Name)
	}
	if b.Condition == "" {
		return v.clean.Cell(b.Words)
	}
	return views.Join(v.clean.Cell(b.Words), views.Own(" if "), v.clean.Cell(b.Condition))
}

// cutSpans shortens a line of pieces at its end to w cells.
func cutSpans(s views.Spans, w int, g *themes.Glyphs) views.Spans {
	for i := range s {
		if n := s[i].Text.Width(); n <= w {
			w -= n
			continue
		}
		out := append(views.Spans(nil), s[:i+1]...)
		out[i].Text = out[i].Text.Cut(max(w, 0), g)
		return out
	}
	return s
}
