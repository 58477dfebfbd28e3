package overview

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// table draws one of the three panes.
func (d *drawing) table(a views.Area, pane int) {
	g := d.in.Theme.Glyphs
	names := d.f.names[pane]
	title := [...]views.Lit{"Brokers", "Members", "Topics"}[pane]
	p := views.Pane{
		Title:   views.Spans{views.Say(themes.Title, title), {Tok: themes.Muted, Text: views.Join(views.Own(" "), views.Exact(int64(len(names))))}},
		Focused: d.in.Focus == pane, Boxed: d.in.Boxed(),
	}
	h := a.H - 1
	if p.Boxed {
		h--
	}
	if more := len(names) - views.RowsIn(h, false); more > 0 && h > 0 {
		p.Note = views.Spans{{Tok: themes.Muted, Text: views.Join(views.Own("+"), views.Exact(int64(more)), views.Own(" more"))}}
	}
	inner := p.Draw(a, g)
	if !p.Boxed {
		inner = a.Below(1)
	}
	sel := -1
	if p.Focused {
		sel = locate(names, d.st.Sel[pane], d.st.Pos[pane])
	}
	in := views.TableIn{
		N: len(names), Sel: sel, Scroll: d.st.Scroll[pane], Now: d.in.Now, Theme: d.in.Theme,
		Hit: func(row int) views.Hit { return views.Hit{Action: views.Point, Text: names[row], Pane: pane} },
	}
	in.Cols = columns(pane, d.f)
	in.Fill = [...]func(int, []views.Span){d.broker, d.member, d.topic}[pane]
	d.tables[pane].Draw(inner, in)
	if len(names) == 0 {
		d.none(inner, pane)
	}
}

// none says why a pane has no rows.
func (d *drawing) none(a views.Area, pane int) {
	l := a.Line(1).Space(1)
	s, g := d.in.Snap, d.in.Theme.Glyphs
	switch pane {
	case brokersPane:
		l.Put(themes.Muted, "no route names a broker yet")
	case membersPane:
		if s.MembersKnown.State == snapshot.Unknown {
			l.Put(themes.Unknown, "? ")
			l.Text(themes.Muted, d.clean.Cell(s.MembersKnown.Reason).Cut(l.Left(), g))
			return
		}
		l.Put(themes.Muted, "no member online")
	default:
		l.Put(themes.Muted, "no topic subscribed")
	}
}

func columns(pane int, f *facts) []views.Column {
	switch pane {
	case brokersPane:
		return brokerColumns()
	case membersPane:
		return memberColumns(f.differ > 0)
	}
	return topicColumns()
}

func brokerColumns() []views.Column {
	return []views.Column{
		{ID: "mark", Frozen: true, Tight: true},
		{ID: "name", Head: "NAME", Min: 8, Max: 32, Grow: 4, Frozen: true, Cut: views.CutMiddle},
		{ID: "role", Head: "ROLE", Prio: 5},
		{ID: "in", Head: "IN/s", Right: true, Prio: 4},
		{ID: "out", Head: "OUT/s", Right: true, Prio: 3},
		{ID: "p99", Head: "p99", Right: true, Prio: 1},
		{ID: "addr", Head: "ADDRESS", Min: 12, Max: 24, Prio: 6, Cut: views.CutMiddle},
		{ID: "note", Head: "", Min: 10, Max: 40, Prio: 2, Grow: 5},
	}
}

func (d *drawing) broker(row int, cells []views.Span) {
	g := d.in.Theme.Glyphs
	b := &d.in.Snap.Cluster.Brokers[d.f.order[brokersPane][row]]
	rate := func(v snapshot.Val[float64]) views.Span {
		return views.Value(v, themes.Text, func(r float64) views.Safe { return views.Rate(r, d.in.Exact) })
	}
	role := views.Lit("slave")
	if b.Master {
		role = "master"
	}
	m := brokerMark(b)
	cells[0] = views.MarkSpan(m, g)
	cells[1] = views.Span{Tok: themes.Text, Text: d.clean.Cell(b.Name)}
	cells[2] = views.Say(themes.Muted, role)
	cells[3], cells[4] = rate(b.InRate), rate(b.OutRate)
	cells[5] = views.P99(b.RoundTrip, g)
	cells[6] = views.Span{Tok: themes.Muted, Text: d.clean.Cell(b.Addr)}
	switch {
	case b.Err != "" && !b.Up && !b.RetryAt.IsZero() && b.RetryAt.After(d.in.Now):
		cells[7] = views.Span{Tok: themes.Bad, Text: views.Join(views.Own("down, retry in "), views.Age(b.RetryAt, d.in.Now, g))}
	case b.Err != "" && !b.Up:
		cells[7] = views.Span{Tok: themes.Bad, Text: d.clean.Cell(b.Err)}
	case !b.Up:
		cells[7] = views.Say(themes.Unknown, "not connected")
	case m == snapshot.MarkWatch:
		cells[7] = views.Say(themes.Watch, "slow")
	}
}

// memberColumns have one for how members differ only when some do.
func memberColumns(differ bool) []views.Column {
	cols := []views.Column{
		{ID: "mark", Frozen: true, Tight: true},
		{ID: "client", Head: "CLIENT", Min: 16, Max: 40, Grow: 3, Frozen: true, Cut: views.CutMiddle},
		{ID: "me", Head: "", Prio: 4},
		{ID: "queues", Head: "Q", Right: true, Prio: 1},
		{ID: "cached", Head: "CACHED", Right: true, Prio: 3},
		{ID: "lag", Head: "LAG", Right: true, Prio: 2},
	}
	if differ {
		cols = append(cols, views.Column{ID: "differs", Head: "", Min: 14, Max: 60, Grow: 4, Prio: 1})
	}
	return cols
}

func (d *drawing) member(row int, cells []views.Span) {
	g := d.in.Theme.Glyphs
	m := &d.in.Snap.Members[d.f.order[membersPane][row]]
	count := func(n int) views.Safe { return views.Count(int64(n), d.in.Exact) }
	cells[0] = views.MarkSpan(memberMark(m, d.f.worst), g)
	cells[1] = views.Span{Tok: themes.Text, Text: d.clean.Cell(m.ID)}
	if m.Me {
		cells[2] = views.Say(themes.Title, "me")
	}
	cells[3] = views.Value(m.Queues, themes.Text, count)
	cells[4] = views.Value(m.Cached, themes.Text, count)
	cells[5] = views.Lag(m.Lag, d.in.Exact, g)
	if d.f.differ > 0 {
		cells[6] = views.Span{Tok: themes.Warn, Text: d.clean.Differences(m.Differs)}
	}
}

func topicColumns() []views.Column {
	return []views.Column{
		{ID: "mark", Frozen: true, Tight: true},
		{ID: "topic", Head: "TOPIC", Min: 10, Max: 60, Grow: 4, Frozen: true, Cut: views.CutMiddle},
		{ID: "queues", Head: "Q", Right: true, Prio: 3},
		{ID: "lag", Head: "LAG", Right: true, Prio: 1},
		{ID: "in", Head: "IN/s", Right: true, Prio: 5},
		{ID: "out", Head: "OUT/s", Right: true, Prio: 4},
		{ID: "trend", Head: "60s", Prio: 2},
	}
}

func (d *drawing) topic(row int, cells []views.Span) {
	g := d.in.Theme.Glyphs
	t := &d.in.Snap.Topics[d.f.order[topicsPane][row]]
	cells[0] = views.MarkSpan(t.Worst, g)
	cells[1] = views.Span{Tok: themes.Text, Text: d.clean.Cell(t.Name)}
	q := views.Exact(int64(t.Queues))
	if t.All.OK() && t.All.V != t.Queues {
		q = views.Join(q, views.Own("/"), views.Exact(int64(t.All.V)))
	}
	cells[2] = views.Span{Tok: themes.Text, Text: q}
	cells[3] = views.AtLeast(t.Lag, t.LagMissing, d.in.Exact, g)
	if t.Lag.OK() && t.Lag.V < 0 {
		cells[3] = views.Lag(t.Lag, d.in.Exact, g)
	}
	rate := func(v snapshot.Val[float64]) views.Span {
		return views.Value(v, themes.Text, func(r float64) views.Safe { return views.Rate(r, d.in.Exact) })
	}
	cells[4], cells[5] = rate(t.InRate), rate(t.OutRate)
	cells[6] = views.Span{Tok: themes.MsgWait, Text: views.Trend(t.LagTrend, 12, g)}
}
