package overview

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// work says what this consumer does: threads and totals.
func (d *drawing) work(a views.Area) {
	g, s := d.in.Theme.Glyphs, d.in.Snap
	title := views.Lit("This consumer")
	if s.Replay.Inferred {
		if title = "This client"; s.Replay.Client == "" {
			title = "This group"
		}
	}
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, title)}, Boxed: d.in.Boxed()}
	if id := d.clean.Cell(s.Group.ClientID); !id.Empty() {
		p.Note = views.Spans{{Tok: themes.Muted, Text: id.Middle(max(a.W/3, 8), g)}}
	}
	in := p.Draw(a, g)
	if p.Boxed {
		in = in.Sub(1, 0, in.W-2, in.H)
	} else {
		in = in.Sub(0, 0, in.W-1, in.H)
	}
	var lines []views.Spans
	if s.Replay.Inferred {
		in.Line(0).Put(themes.Muted, "threads ").Put(themes.Unknown, "?").Put(themes.Muted, "  listeners do not show on the wire")
	} else {
		lines = d.threads(in.Line(0), in.W)
	}
	lines = append(lines, d.totals()...)
	if p.Boxed {
		lines = append(lines, nil)
		lines = append(lines, d.flow(d.settings(), in.W)...)
		lines = append(lines, nil)
		lines = append(lines, d.subscriptions(in.H-1-len(lines))...)
	}
	for i, line := range lines {
		in.Line(i + 1).Spans(line...)
	}
}

// threads says what the consume threads do, and returns a line on the longest call, if any.
func (d *drawing) threads(l *views.Pen, w int) []views.Spans {
	g, t := d.in.Theme.Glyphs, d.in.Snap.Group.Threads
	l.Put(themes.Muted, "threads ")
	tok := themes.OK
	if t.Max > 0 && t.Busy >= t.Max {
		tok = themes.Warn
	}
	l.Text(tok, views.Join(views.Exact(int64(t.Busy)), views.Own("/"), views.Exact(int64(t.Max)))).Space(1)
	l.Put(themes.Faint, "[").Meter(tok, float64(t.Busy), float64(t.Max), min(max(w/5, 6), 20), g).Put(themes.Faint, "]")
	if t.Max > 0 && t.Busy >= t.Max {
		l.Put(themes.Warn, " all busy")
	}
	l.Space(2).Put(themes.Muted, "batches waiting ").Text(themes.Text, views.Count(int64(t.TasksQueue), d.in.Exact))
	if t.Oldest > 0 {
		line := views.Spans{views.Say(themes.Muted, "oldest "), {Tok: themes.Watch, Text: views.Duration(t.Oldest, g)},
			views.Say(themes.Muted, " in listener")}
		if t.OldestOn != (snapshot.MessageQueue{}) {
			line = append(line, views.Say(themes.Muted, ": "), views.Span{Tok: themes.Text, Text: d.clean.QueueName(t.OldestOn, d.short).Middle(40, g)},
				views.Say(themes.Muted, " at "), views.Span{Tok: themes.Text, Text: views.Exact(t.OldestAt)})
		}
		return []views.Spans{line}
	}
	return nil
}

// totals are the counters since the start.
func (d *drawing) totals() []views.Spans {
	c := d.in.Snap.Counters
	one := func(name views.Lit, n uint64, tok themes.Token) views.Spans {
		if n == 0 && tok != themes.Text {
			tok = themes.Text
		}
		return views.Spans{views.Say(themes.Muted, name), {Tok: tok, Text: views.Total(n, d.in.Exact)}, views.Say(themes.None, "  ")}
	}
	line := func(parts ...views.Spans) (out views.Spans) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	if d.in.Snap.Replay.Inferred {
		out := []views.Spans{
			line(one("delivered ", c.Received, themes.Text), one("passed over by the broker ", c.Filtered, themes.Text)),
			line(one("pulls ", c.Pulls, themes.Text), one("failed ", c.PullsFailed, themes.Warn)),
			line(one("sent back ", c.SentBack, themes.Text), one("send-back failed ", c.SendBackFailed, themes.Warn)),
			line(one("commits ", c.Commits, themes.Text), one("failed ", c.CommitsFailed, themes.Warn)),
		}
		if c.Acked+c.Deferred > 0 {
			out = append(out, line(one("popped and acknowledged ", c.Acked, themes.Text), one("deferred ", c.Deferred, themes.Text)))
		}
		return out
	}
	return []views.Spans{
		line(one("received ", c.Received, themes.Text), one("consumed ", c.Consumed, themes.Text), one("filtered ", c.Filtered, themes.Text)),
		line(one("pulls ", c.Pulls, themes.Text), one("failed ", c.PullsFailed, themes.Warn), one("pulled twice ", c.Duplicates, themes.Watch)),
		line(one("sent back ", c.SentBack, themes.Text), one("send-back failed ", c.SendBackFailed, themes.Warn)),
		line(one("commits ", c.Commits, themes.Text), one("failed ", c.CommitsFailed, themes.Warn),
			one("answers late ", c.LateAnswers, themes.Watch), one("unknown ", c.UnknownAnswers, themes.Watch)),
	}
}

// trouble is the newest events that a person should know of.
func (d *drawing) trouble(a views.Area) {
	g, all := d.in.Theme.Glyphs, d.in.Snap.Events.Entries
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, "Warnings and errors")}, Boxed: d.in.Boxed()}
	p.Note = views.Spans{{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf("view-events"))}, views.Say(themes.KeyText, " all events")}
	in := p.Draw(a, g)
	y := 0
	for i := len(all) - 1; i >= 0 && y < in.H; i-- {
		e := &all[i]
		if e.Level < snapshot.Warn {
			continue
		}
		m := snapshot.MarkWarn
		if e.Level == snapshot.Error {
			m = snapshot.MarkBad
		}
		l := in.Line(y)
		if p.Boxed {
			l.Space(1)
		}
		l.Text(themes.Faint, views.Clock(e.At)).Space(1).Spans(views.MarkSpan(m, g)).Space(1)
		where := d.clean.Cell(e.Where)
		if e.Queue != (snapshot.MessageQueue{}) {
			where = d.clean.QueueName(e.Queue, d.short)
		}
		if !where.Empty() {
			l.Text(themes.Muted, where.Middle(max(l.Left()/3, 8), g)).Space(1)
		}
		l.Text(themes.Text, d.clean.Cell(e.What).Cut(max(l.Left()-1, 1), g))
		if e.Count > 1 && l.Left() > 7 {
			l.Space(1).Text(themes.Muted, views.Join(views.Sign(g.Times), views.Count(int64(e.Count), d.in.Exact)))
		}
		y++
	}
	if y == 0 {
		in.Line(0).Space(1).Spans(views.MarkSpan(snapshot.MarkOK, g)).Put(themes.Muted, " none recorded")
	}
}

// settings is how the consumer is set.
func (d *drawing) settings() []views.Spans {
	g, s := d.in.Theme.Glyphs, d.in.Snap
	lim := s.Group.Limits
	num := func(n int) views.Span { return views.Span{Tok: themes.Text, Text: views.Exact(int64(n))} }
	say := func(l views.Lit) views.Span { return views.Say(themes.Muted, l) }
	if s.Replay.Inferred {
		return []views.Spans{
			{say("from "), {Tok: themes.Text, Text: d.clean.From(s.Group.From.String())}},
			{say("name servers "), d.nameServers()},
			{say("strategy "), views.Say(themes.Unknown, "?")},
			{say("limits "), views.Say(themes.Unknown, "?")},
			{say("batches "), views.Say(themes.Unknown, "?")},
			{say("timeout "), views.Say(themes.Unknown, "?")},
			{say("retries "), views.Say(themes.Unknown, "?")},
		}
	}
	return []views.Spans{
		{say("from "), {Tok: themes.Text, Text: d.clean.From(s.Group.From.String())}},
		{say("strategy "), {Tok: themes.Text, Text: d.clean.Cell(s.Group.Strategy).Middle(30, g)}},
		{say("batch "), num(lim.PullBatch), say("/"), num(lim.ConsumeBatch)},
		{say("limits >"), num(lim.CountPerQueue), say(" msgs >"), num(lim.MiBPerQueue), say(" MiB span >"), num(lim.Span)},
		{say("timeout "), {Tok: themes.Text, Text: views.Duration(lim.ConsumeTimeout, g)}},
		{say("retries "), {Tok: themes.Text, Text: views.Most(lim.MaxReconsume)}},
		{say("name servers "), d.nameServers()},
		{say("client "), {Tok: themes.Text, Text: d.clean.Cell(s.Group.Version).Middle(16, g)}},
	}
}

// nameServers says how many of them can be reached.
func (d *drawing) nameServers() views.Span {
	all, up := d.in.Snap.Cluster.NameServers, 0
	for _, e := range all {
		if e.Up {
			up++
		}
	}
	tok := themes.Text
	if up < len(all) {
		tok = themes.Warn
	}
	return views.Span{Tok: tok, Text: views.Join(views.Exact(int64(up)), views.Own("/"), views.Exact(int64(len(all))), views.Own(" up"))}
}

// flow puts items into lines of at most w cells.
func (d *drawing) flow(items []views.Spans, w int) []views.Spans {
	dot := views.Spans{views.Say(themes.None, " "), {Tok: themes.Faint, Text: views.Sign(d.in.Theme.Glyphs.Dot)}, views.Say(themes.None, " ")}
	var lines []views.Spans
	var line views.Spans
	for _, it := range items {
		if len(line) > 0 && line.Width()+3+it.Width() > w {
			lines, line = append(lines, line), nil
		}
		if len(line) > 0 {
			line = append(line, dot...)
		}
		line = append(line, it...)
	}
	return append(lines, line)
}

// subscriptions lists topics and expressions in at most most lines.
func (d *drawing) subscriptions(most int) []views.Spans {
	g, subs := d.in.Theme.Glyphs, d.in.Snap.Group.Subscriptions
	var out []views.Spans
	for i, sub := range subs {
		if len(out)+1 >= most && i+1 < len(subs) {
			return append(out, views.Spans{views.Say(themes.Muted, "           +"), {Tok: themes.Muted, Text: views.Exact(int64(len(subs) - i))}, views.Say(themes.Muted, " more")})
		}
		head := views.Say(themes.Muted, "           ")
		if i == 0 {
			head = views.Say(themes.Muted, "subscribed ")
		}
		out = append(out, views.Spans{head, {Tok: themes.Text, Text: d.clean.Cell(sub.Topic).Middle(30, g)}, views.Say(themes.None, "  "),
			{Tok: themes.Muted, Text: d.clean.Cell(sub.Expression).Cut(40, g)}})
	}
	return out
}
