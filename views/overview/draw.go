package overview

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// drawing is one frame in the making.
type drawing struct {
	*View
	in    views.In
	st    State
	f     *facts
	short views.ShortNames
}

func (d *drawing) draw(a views.Area) {
	if d.in.Zoomed {
		d.table(a, min(max(d.in.Focus, 0), panes-1))
		return
	}
	if d.in.Boxed() {
		d.boxes(a)
		return
	}
	d.state(a.Sub(1, 0, a.W-2, 2))
	a = a.Below(2)
	rows := func(pane int) int { return 2 + max(min(len(d.f.names[pane]), 8), 1) }
	facts := 2
	if a.H < 14 {
		facts = 1
	}
	free := a.H - facts
	top := max(rows(brokersPane), rows(membersPane))
	bottom := rows(topicsPane)
	if top+bottom > free {
		top = max(min(top, free-min(bottom, (free+1)/2)), 0)
	}
	bottom = min(bottom, free-top)
	left := a.W / 2
	d.table(a.Sub(0, 0, left, top), brokersPane)
	d.table(a.Sub(left, 0, a.W-left, top), membersPane)
	d.table(a.Sub(0, top, a.W, bottom), topicsPane)
	rest := free - top - bottom
	at := top + bottom
	if rest >= 3 {
		work := rest
		if rest >= 6 {
			work = 3
			d.trouble(a.Sub(0, at+work, a.W, rest-work))
		}
		d.work(a.Sub(0, at, a.W, work))
	}
	for i, line := range d.flow(d.settings(), a.W-2) {
		if i < facts {
			a.Line(a.H - facts + i).Space(1).Spans(line...)
		}
	}
}

// boxes is the layout for large screens.
func (d *drawing) boxes(a views.Area) {
	g := d.in.Theme.Glyphs
	box := a.Sub(0, 0, a.W, 4)
	pane := views.Pane{Title: views.Spans{views.Say(themes.Title, "State")}, Boxed: true}
	if d.in.Snap.Group.LastRebalance.OK() {
		pane.Note = views.Spans{views.Say(themes.Muted, "last rebalance "), {Tok: themes.Muted, Text: views.Ago(d.in.Now, d.in.Snap.Group.LastRebalance.V, g)}}
	}
	inner := pane.Draw(box, g)
	d.state(inner.Sub(1, 0, inner.W-2, 2))

	rows := 1
	for _, n := range d.f.names {
		rows = max(rows, len(n))
	}
	tall := min(rows+3, max((a.H-4)/2, 5))
	w := a.W * 3 / 10
	wide := a.W - 2*w
	d.table(a.Sub(0, 4, w, tall), brokersPane)
	d.table(a.Sub(w, 4, w, tall), membersPane)
	d.table(a.Sub(2*w, 4, wide, tall), topicsPane)
	y := 4 + tall
	d.work(a.Sub(0, y, a.W/2, a.H-y))
	d.trouble(a.Sub(a.W/2, y, a.W-a.W/2, a.H-y))
}

// state says in two lines what is known of the whole.
func (d *drawing) state(a views.Area) {
	g, f, s := d.in.Theme.Glyphs, d.f, d.in.Snap
	l := a.Line(0)
	if f.owned == 0 {
		d.nothing(a)
		return
	}
	l.Text(themes.Text, views.Exact(int64(f.owned))).Put(themes.Muted, views.Plural(f.owned, " queue", " queues"))
	for _, m := range [...]snapshot.Mark{snapshot.MarkBad, snapshot.MarkWarn, snapshot.MarkWatch, snapshot.MarkStale, snapshot.MarkUnknown, snapshot.MarkOK} {
		n := f.marks[m]
		if n == 0 {
			continue
		}
		tok := views.MarkToken(m)
		part := views.Spans{views.MarkSpan(m, g), {Tok: tok, Text: views.Join(views.Own(" "), views.Exact(int64(n)), views.Own(" "), views.Own(views.MarkWord(m)))}}
		if l.Left() < part.Width()+3 {
			break
		}
		l.Space(2).Spans(part...)
	}
	if part := d.between(); l.Left() >= part.Width()+3 {
		l.Space(2).Spans(part...)
	}
	if s.Mode.Paused {
		l.Right(views.Say(themes.ModeArmed, "consumption paused"))
	}
	l = a.Line(1)
	l.Put(themes.Muted, "waiting ").Spans(views.AtLeast(f.lag, f.missing, d.in.Exact, g))
	l.Space(2).Put(themes.Muted, "in ").Spans(d.rate(f.in, f.inMiss)).Put(themes.Muted, "/s")
	l.Space(2).Put(themes.Muted, "out ").Spans(d.rate(f.out, f.outMiss)).Put(themes.Muted, "/s")
	l.Space(2).Put(themes.Muted, "drain ").Spans(views.DrainSpan(f.drain())(g))
	if f.worstAt >= 0 {
		q := &s.Queues[f.worstAt]
		name := d.clean.QueueName(q.ID, d.short)
		room := l.Left() - 12
		if room < 8 {
			return
		}
		l.Space(2).Put(themes.Muted, "worst ").Spans(views.MarkSpan(q.Mark, g)).Space(1).Text(themes.Text, name.Middle(min(room, 40), g))
		if q.Note != "" && l.Left() > 8 {
			l.Put(themes.Muted, ": ").Text(themes.Text, d.clean.Cell(q.Note).Cut(l.Left(), g))
		}
	}
}

// nothing says why there are no queues.
func (d *drawing) nothing(a views.Area) {
	s, g := d.in.Snap, d.in.Theme.Glyphs
	l := a.Line(0).Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Space(1)
	switch {
	case s.MembersKnown.State == snapshot.Known && s.MembersKnown.V == 0:
		l.Put(themes.Text, "No member of ").Text(themes.Text, d.clean.Cell(s.Group.Name).Middle(40, g)).Put(themes.Text, " is online.")
	case s.Replay.Inferred && s.Replay.Client != "":
		l.Put(themes.Text, "This client pulls none of ").Text(themes.Text, views.Exact(int64(len(s.Queues)))).Put(themes.Text, " queues.")
	case s.Replay.Inferred:
		l.Put(themes.Text, "No queue of this group was seen yet.")
	case len(s.Queues) > 0:
		l.Put(themes.Text, "This member owns none of ").Text(themes.Text, views.Exact(int64(len(s.Queues)))).Put(themes.Text, " queues: more members than queues?")
	default:
		l.Put(themes.Text, "No queue is assigned to this member yet.")
	}
	l = a.Line(1).Space(2)
	switch {
	case s.Group.RebalanceNote != "":
		l.Put(themes.Muted, "last rebalance: ").Text(themes.Muted, d.clean.Cell(s.Group.RebalanceNote).Cut(l.Left(), g))
	default:
		if s.Replay.Inferred {
			l.Put(themes.Muted, "They come with a route, or with the first pull; ")
		} else {
			l.Put(themes.Muted, "Queues come with the first rebalance; ")
		}
		l.
			Text(themes.Key, d.clean.Cell(d.in.KeyOf("view-events"))).Put(themes.Muted, " shows what happens.")
	}
}

func (d *drawing) rate(v snapshot.Val[float64], missing int) views.Span {
	s := views.Value(v, themes.Text, func(r float64) views.Safe { return views.Rate(r, d.in.Exact) })
	if v.OK() && missing > 0 {
		s.Text = views.Join(views.Sign(d.in.Theme.Glyphs.AtLeast), s.Text)
	}
	return s
}

// between says what is wrong between the members of the group, empty if nothing is.
func (d *drawing) between() views.Spans {
	m := d.f.group()
	n, what := d.f.unread, views.Plural(d.f.unread, " queue read by nobody", " queues read by nobody")
	switch m {
	case snapshot.MarkOK:
		return nil
	case snapshot.MarkWarn:
		n, what = d.f.differ, views.Plural(d.f.differ, " member subscribes otherwise", " members subscribe otherwise")
	}
	return views.Spans{views.MarkSpan(m, d.in.Theme.Glyphs), {Tok: views.MarkToken(m), Text: views.Join(views.Own(" "), views.Exact(int64(n)), views.Own(what))}}
}

// worst is the crumb line's right end.
func (d *drawing) worst() views.Spans {
	g := d.in.Theme.Glyphs
	if between := d.between(); len(between) > 0 && views.Severity(d.f.group()) < views.Severity(d.f.worst) {
		return between
	}
	out := views.Spans{views.MarkSpan(d.f.worst, g)}
	tok := views.MarkToken(d.f.worst)
	bad := d.f.marks[snapshot.MarkBad] + d.f.marks[snapshot.MarkWarn] + d.f.marks[snapshot.MarkWatch]
	switch {
	case d.f.owned == 0:
		return append(out, views.Say(tok, " no queue"))
	case bad > 0:
		return append(out, views.Span{Tok: tok, Text: views.Join(views.Own(" "), views.Exact(int64(bad)), views.Own(" of "), views.Exact(int64(d.f.owned)), views.Own(" need a look"))})
	case d.f.worst == snapshot.MarkOK:
		return append(out, views.Say(tok, " all queues ok"))
	}
	return append(out, views.Say(tok, " not all is known"))
}

func (d *drawing) spoken() views.Safe {
	f := d.f
	parts := []views.Safe{views.Own("Overview. "), views.Exact(int64(f.owned)), views.Own(" queues")}
	for _, m := range [...]snapshot.Mark{snapshot.MarkBad, snapshot.MarkWarn, snapshot.MarkWatch, snapshot.MarkStale, snapshot.MarkUnknown, snapshot.MarkOK} {
		if f.marks[m] > 0 {
			parts = append(parts, views.Own(", "), views.Exact(int64(f.marks[m])), views.Own(" "), views.Own(views.MarkWord(m)))
		}
	}
	if f.unread > 0 {
		parts = append(parts, views.Own(", "), views.Exact(int64(f.unread)), views.Own(" read by nobody"))
	}
	if f.differ > 0 {
		parts = append(parts, views.Own(", "), views.Exact(int64(f.differ)), views.Own(" members subscribe otherwise"))
	}
	lag := views.AtLeast(f.lag, f.missing, d.in.Exact, d.in.Theme.Glyphs).Text
	return views.Join(append(parts, views.Own(". Waiting "), lag, views.Own("."))...)
}
