package rebalance

import (
	"math"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// verdict says in one line how the queues of the topic are shared out now.
func (d *drawing) verdict(l *views.Pen) {
	g, f := d.in.Theme.Glyphs, d.f
	n := len(f.queues)
	num := func(n int) *views.Pen { return l.Text(themes.Text, views.Exact(int64(n))) }
	say := func(m snapshot.Mark) { l.Spans(views.MarkSpan(m, g)).Space(1) }
	switch {
	case len(f.topics) == 0:
		say(snapshot.MarkUnknown)
		l.Put(themes.Text, "No topic subscribed.")
		return
	case n == 0:
		say(snapshot.MarkUnknown)
		l.Put(themes.Text, "No queue of ").Text(themes.Text, d.clean.Cell(f.current()).Middle(max(l.Left()-14, 8), g)).Put(themes.Text, " is known.")
		return
	case f.each:
		say(snapshot.MarkOK)
		l.Put(themes.Text, "Broadcasting: each of ")
		num(len(f.members)).Put(themes.Text, views.Plural(len(f.members), " member reads all ", " members reads all "))
		num(n).Put(themes.Text, views.Plural(n, " queue", " queues"))
	case len(f.doubles) > 0:
		say(snapshot.MarkBad)
		num(len(f.doubles)).Put(themes.Text, " of ")
		num(n).Put(themes.Text, views.Plural(len(f.doubles), " queues has two owners: ", " queues have two owners: "))
		l.Text(themes.Bad, d.runs(f.doubles, f.ids, f.blocks, min(l.Left(), 30)))
	case len(f.unread) > 0:
		say(snapshot.MarkBad)
		num(len(f.unread)).Put(themes.Text, " of ")
		num(n).Put(themes.Text, views.Plural(len(f.unread), " queues is read by nobody, its owner does not subscribe: ", " queues are read by nobody, their owners do not subscribe: "))
		l.Text(themes.Bad, d.runs(f.unread, f.ids, f.blocks, min(l.Left(), 30)))
	case len(f.nobody) > 0:
		m := snapshot.MarkBad
		if f.why != "" {
			m = snapshot.MarkUnknown
		}
		say(m)
		num(len(f.nobody)).Put(themes.Text, " of ")
		num(n).Put(themes.Text, views.Plural(len(f.nobody), " queues has no known owner: ", " queues have no known owner: "))
		l.Text(views.MarkToken(m), d.runs(f.nobody, f.ids, f.blocks, min(l.Left(), 20)))
		if why := d.clean.Cell(f.why); !why.Empty() && l.Left() > 14 {
			l.Put(themes.Muted, " (").Text(themes.Muted, why.Cut(l.Left()-2, g)).Put(themes.Muted, ")")
		}
	case f.idle > 0:
		say(snapshot.MarkWatch)
		num(f.idle).Put(themes.Text, " of ")
		num(len(f.members)).Put(themes.Text, views.Plural(f.idle, " members is idle: ", " members are idle: "))
		num(n).Put(themes.Text, views.Plural(n, " queue for ", " queues for "))
		num(len(f.members)).Put(themes.Text, views.Plural(len(f.members), " member", " members"))
	default:
		m := snapshot.MarkOK
		if f.old {
			m = snapshot.MarkStale
		}
		say(m)
		l.Put(themes.Text, "Each of ")
		num(n).Put(themes.Text, views.Plural(n, " queue has one owner", " queues has one owner"))
		least, most := f.spread()
		l.Put(themes.Text, "; ")
		num(len(f.members)).Put(themes.Text, views.Plural(len(f.members), " member has ", " members have "))
		d.span(l, least, most)
	}
	if d.in.Now.Sub(d.in.Snap.At) > views.StaleAfter && l.Left() > 18 {
		l.Space(1).Glyph(themes.Faint, g.Dot).Put(themes.Stale, " ~as of ").Text(themes.Stale, views.Ago(d.in.Now, d.in.Snap.At, g))
	}
	if len(f.topics) > 1 {
		l.Right(views.Say(themes.Muted, "topic "), views.Span{Tok: themes.Muted, Text: views.Exact(int64(d.topicAt() + 1))}, views.Say(themes.Muted, "/"),
			views.Span{Tok: themes.Muted, Text: views.Exact(int64(len(f.topics)))}, views.Say(themes.None, " "),
			views.Span{Tok: themes.Key, Text: views.KeyName(d.clean.Cell(d.in.KeyOf(keymap.PlanTopic)), g)}, views.Say(themes.None, " "))
	}
}

func (d *drawing) topicAt() int {
	for i, t := range d.f.topics {
		if t == d.f.current() {
			return i
		}
	}
	return 0
}

// span writes least..most.
func (d *drawing) span(l *views.Pen, least, most int) {
	l.Text(themes.Text, views.Exact(int64(least)))
	if least != most {
		l.Put(themes.Muted, "..").Text(themes.Text, views.Exact(int64(most)))
	}
}

// question says what is asked and what the answer comes to; or which rebalance is on show; or
// how it is now.
func (d *drawing) question(l *views.Pen) {
	g, s := d.in.Theme.Glyphs, d.in.Snap
	dot := func() { l.Space(1).Glyph(themes.Faint, g.Dot).Space(1) }
	switch {
	case d.pass != nil:
		d.passLine(l, d.pass)
		if _, n, of := d.f.passOf(d.st.Pass); l.Left() > 24 {
			dot()
			l.Text(themes.Muted, views.Exact(int64(n))).Put(themes.Muted, " of ").Text(themes.Muted, views.Exact(int64(of))).Put(themes.Muted, " seen")
		}
		return
	case d.plan == nil:
		d.allotter(l)
		l.Put(themes.Muted, ", ").Spans(d.memberCount()...)
		d.whyNotBroker(l)
		_, _, seen := d.f.passOf(d.st.Pass)
		if seen > 0 && l.Left() > 30 {
			dot()
			if !s.Replay.Known {
				l.Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.PassBefore))).Space(1)
			}
			l.Put(themes.Muted, "last of ").Text(themes.Text, views.Exact(int64(seen))).Put(themes.Muted, " rebalances seen")
		}
		if unaskable(s) != "" {
			l.Right(views.Say(themes.Muted, "what if can not be asked here "))
		}
		return
	}
	to := d.answer.req
	l.Put(themes.Title, "What if ")
	switch {
	case to.Strategy != s.Group.Strategy:
		l.Text(themes.Text, d.clean.Cell(to.Strategy).Middle(26, g)).Put(themes.Muted, ", ")
	case to.Strategy == "" && d.plan.Strategy != "": // nobody said, but it comes to what was seen
		l.Text(themes.Text, d.clean.Cell(d.plan.Strategy).Middle(26, g)).Put(themes.Muted, " as it seems, ")
	}
	l.Text(themes.Text, views.Exact(int64(len(to.Members)))).Put(themes.Text, views.Plural(len(to.Members), " member", " members")).Put(themes.Muted, ": ")
	if d.plan.Err != "" {
		l.Glyph(themes.Bad, g.Bad).Space(1).Text(themes.Bad, d.clean.Cell(d.plan.Err).Cut(max(l.Left(), 1), g))
		return
	}
	room := 3
	if d.in.W >= 100 {
		room += len("simulation only ") + 1
	}
	for i, item := range d.effects() {
		if i > 0 && l.Left() < item.Width()+room {
			break
		}
		if i > 0 {
			dot()
		}
		l.Spans(item...)
	}
	l.Right(views.Say(themes.Muted, "simulation only "))
}

func (d *drawing) memberCount() views.Spans {
	s := d.in.Snap
	switch {
	case s.MembersKnown.State == snapshot.Unknown && len(s.Members) == 0:
		return views.Spans{views.Say(themes.Unknown, "? members")}
	case s.MembersKnown.State == snapshot.Unknown:
		return views.Spans{{Tok: themes.Unknown, Text: views.Join(views.Sign(d.in.Theme.Glyphs.AtLeast), views.Exact(int64(len(d.f.members))))}, views.Say(themes.Muted, " members")}
	}
	return views.Spans{{Tok: themes.Text, Text: views.Exact(int64(len(d.f.members)))}, views.Say(themes.Muted, views.Plural(len(d.f.members), " member", " members"))}
}

// effects is what the plan would come to, the most important first.
func (d *drawing) effects() []views.Spans {
	g, p := d.in.Theme.Glyphs, d.plan
	num := func(n int) views.Safe { return views.Exact(int64(n)) }
	percent := int64(0)
	if !math.IsNaN(p.Percent) {
		percent = int64(math.Round(min(max(p.Percent, 0), 100)))
	}
	out := []views.Spans{
		{views.Say(themes.Muted, "moves "), {Tok: themes.Text, Text: num(p.Moves)}, views.Say(themes.Muted, "/"), {Tok: themes.Text, Text: num(len(d.t.ids))},
			{Tok: themes.Muted, Text: views.Join(views.Own(" ("), views.Exact(percent), views.Own("%)"))}},
	}
	if len(p.Orphans) > 0 {
		out = append(out, views.Spans{views.Say(themes.Muted, "orphans "), {Tok: themes.Bad, Text: num(len(p.Orphans))}})
	}
	if len(p.Doubles) > 0 {
		out = append(out, views.Spans{views.Say(themes.Muted, "two owners "), {Tok: themes.Bad, Text: num(len(p.Doubles))}})
	}
	if len(p.Idle) > 0 {
		out = append(out, views.Spans{views.Say(themes.Muted, "idle "), {Tok: themes.Watch, Text: num(len(p.Idle))}})
	}
	spread := func(least, most int) views.Safe { return views.Join(num(least), views.Own(".."), num(most)) }
	out = append(out,
		views.Spans{views.Say(themes.Muted, "spread "), {Tok: themes.Text, Text: spread(p.MinBefore, p.MaxBefore)}, views.Say(themes.None, " "),
			{Tok: themes.Muted, Text: views.Sign(g.Arrow)}, views.Say(themes.None, " "), {Tok: themes.Text, Text: spread(p.MinAfter, p.MaxAfter)}},
		views.Spans{views.Say(themes.Muted, "may repeat "), {Tok: themes.Text, Text: views.Count(int64(p.MayRepeat), d.in.Exact)}},
	)
	if d.f.locked {
		out = append(out, views.Spans{views.Say(themes.Muted, "locks to retake "), {Tok: themes.Text, Text: num(p.Moves)}})
	}
	if len(p.Orphans) == 0 {
		out = append(out, views.Spans{views.Say(themes.Muted, "orphans "), {Tok: themes.Text, Text: num(0)}})
	}
	return out
}

// passLine is one rebalance in a line.
func (d *drawing) passLine(l *views.Pen, r *snapshot.Rebalance) {
	g := d.in.Theme.Glyphs
	l.Text(themes.Title, views.ShortClock(r.At)).Put(themes.Muted, ", ").Text(themes.Muted, views.Ago(d.in.Now, r.At, g)).Put(themes.Muted, ": ")
	why := d.clean.Cell(r.Why)
	if why.Empty() {
		why = views.Own("no reason known")
	}
	l.Text(themes.Text, why.Cut(max(min(l.Left()-34, 60), 12), g))
	item := func(s views.Spans) {
		if l.Left() >= s.Width()+3 {
			l.Space(1).Glyph(themes.Faint, g.Dot).Space(1).Spans(s...)
		}
	}
	n := moved(r)
	item(views.Spans{{Tok: themes.Text, Text: views.Exact(int64(n))}, views.Say(themes.Muted, views.Plural(n, " queue moved", " queues moved"))})
	strategy := views.Span{Tok: themes.Text, Text: d.clean.Cell(r.Strategy).Middle(24, g)}
	if r.Strategy == "" {
		strategy = views.Say(themes.Unknown, "? strategy")
	}
	item(views.Spans{strategy, views.Say(themes.Muted, ", "), {Tok: themes.Text, Text: views.Exact(int64(len(r.Members)))},
		views.Say(themes.Muted, views.Plural(len(r.Members), " member", " members"))})
}

// nothing says what helps when there is no table.
func (d *drawing) nothing(a views.Area) {
	l := a.Line(1).Space(3)
	if len(d.f.topics) == 0 {
		l.Put(themes.Muted, "A topic is subscribed when the consumer starts.")
	} else if d.in.Snap.Replay.Inferred {
		l.Put(themes.Muted, "Queues come with the topic's route, or with the first pull.")
	} else {
		l.Put(themes.Muted, "Queues come with the topic's route.")
	}
	a.Line(3).Space(3).Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.ViewEvents))).Put(themes.Muted, " shows what happens")
}

// legend says what the signs mean, and which keys ask.
func (d *drawing) legend(l *views.Pen) {
	g := d.in.Theme.Glyphs
	if n := len(d.t.lines); n > d.lay.rows {
		l.Text(themes.Text, views.Exact(int64(d.pos+1))).Put(themes.Faint, "/").Text(themes.Text, views.Exact(int64(n))).Space(1).Glyph(themes.Faint, g.Dot).Space(1)
	}
	if d.lay.matrix {
		l.Glyph(themes.MsgWait, g.Wait).Put(themes.Muted, " has")
		if len(d.t.double) > 0 {
			l.Space(2).Glyph(themes.Bad, g.Bad).Put(themes.Muted, " two owners")
		}
		if d.t.two {
			l.Space(2).Put(themes.DiffDel, "-").Put(themes.Muted, " loses").Space(2).Put(themes.DiffAdd, "+").Put(themes.Muted, " gains")
		}
	} else {
		l.Put(themes.Muted, "a0-7 = broker a, queues 0 to 7")
	}
	if d.in.W >= 80 {
		l.Space(2).Glyph(themes.Watch, g.Watch).Put(themes.Muted, " idle")
	}
}
