package queues

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// columns are the table's columns. Small screens write broker and queue as one.
func columns(wide bool, g *themes.Glyphs) []views.Column {
	out := []views.Column{
		{ID: "mark", Frozen: true, Tight: true},
		{ID: "topic", Head: "TOPIC", Min: 12, Max: 60, Grow: 6, Frozen: true, Cut: views.CutMiddle},
	}
	if wide {
		out = append(out,
			views.Column{ID: "broker", Head: "BROKER", Min: 8, Max: 24, Grow: 9, Frozen: true, Cut: views.CutMiddle},
			views.Column{ID: "queue", Head: "Q", Right: true, Frozen: true},
			views.Column{ID: "owner", Head: "OWNER", Min: 5, Max: 24, Prio: 9, Cut: views.CutMiddle},
		)
	} else {
		out = append(out, views.Column{ID: "queue", Head: "B/Q", Min: 4, Max: 16, Frozen: true, Cut: views.CutHead})
	}
	slope := views.Column{ID: "slope", Head: "Δ/s", Right: true, Prio: 3}
	if g.Delta != "Δ" {
		slope.Head = "d/s"
	}
	return append(out,
		views.Column{ID: "state", Head: "STATE", Prio: 11},
		views.Column{ID: "lag", Head: "LAG", Right: true, Prio: 1},
		slope,
		views.Column{ID: "committed", Head: "COMMITTED", Right: true, Prio: 5},
		views.Column{ID: "next", Head: "NEXT", Right: true, Prio: 8},
		views.Column{ID: "cached", Head: "CACHED", Right: true, Prio: 4},
		views.Column{ID: "bytes", Head: "BYTES", Right: true, Prio: 7},
		views.Column{ID: "flow", Head: "FLOW", Max: 16, Prio: 2},
		views.Column{ID: "p99", Head: "p99", Right: true, Prio: 6},
		views.Column{ID: "task", Head: "TASK", Prio: 10},
		views.Column{ID: "in", Head: "IN/s", Right: true, Prio: 12},
		views.Column{ID: "out", Head: "OUT/s", Right: true, Prio: 13},
		views.Column{ID: "pulled", Head: "PULLED", Right: true, Prio: 15},
		views.Column{ID: "max", Head: "MAX", Right: true, Prio: 16},
		views.Column{ID: "note", Head: "WHY", Min: 16, Max: 60, Prio: 14},
	)
}

// columnsOf leaves out what never shows of a group that was seen from outside, and makes room
// for who pulls what.
func columnsOf(wide bool, g *themes.Glyphs, s *snapshot.Snapshot) []views.Column {
	all := columns(wide, g)
	if s == nil || !s.Replay.Inferred {
		return all
	}
	var out []views.Column
	for _, c := range all {
		switch c.ID {
		case "bytes", "flow":
			continue
		case "owner":
			c.Min = 15
		}
		out = append(out, c)
		if c.ID == "cached" && s.Group.Kind == snapshot.PopKind {
			out = append(out, views.Column{ID: "acked", Head: "ACKED", Right: true, Prio: 1}, views.Column{ID: "deferred", Head: "DEFERRED", Right: true, Prio: 1})
		}
		if c.ID == "queue" && !wide {
			out = append(out, views.Column{ID: "owner", Head: "OWNER", Min: 15, Max: 24, Prio: 4, Cut: views.CutMiddle})
		}
	}
	return out
}

// filler writes the cells of one frame.
type filler struct {
	*View
	in   views.In
	m    *memo
	st   State
	cols []views.Column
}

func (f *filler) fill(i int, cells []views.Span) {
	r := f.m.rows[i]
	for c := range f.cols {
		if r.queue < 0 {
			cells[c] = f.groupCell(f.cols[c].ID, &f.m.groups[r.group])
		} else {
			cells[c] = f.cell(f.cols[c].ID, &f.in.Snap.Queues[r.queue])
		}
	}
}

func (f *filler) cell(column string, q *snapshot.Queue) views.Span {
	g, exact := f.in.Theme.Glyphs, f.in.Exact
	off := func(n int64) views.Safe { return views.Exact(n) }
	rate := func(v snapshot.Val[float64]) views.Span {
		return views.Value(v, themes.Text, func(r float64) views.Safe { return views.Rate(r, exact) })
	}
	switch column {
	case "mark":
		return views.MarkSpan(q.Mark, g)
	case "topic":
		name := f.clean.Cell(q.ID.Topic)
		if f.st.Group != NoGroup {
			name = views.Join(views.Own("  "), name)
		}
		return views.Span{Tok: themes.Text, Text: name}
	case "broker":
		return views.Span{Tok: themes.Text, Text: f.clean.Cell(q.ID.BrokerName)}
	case "queue":
		id := views.Plain(int64(q.ID.QueueID))
		if !f.wide() {
			id = views.Join(f.clean.Cell(f.m.short.Of(q.ID.BrokerName)), views.Own("/"), id)
		}
		return views.Span{Tok: themes.Text, Text: id}
	case "owner":
		if q.Mine && q.Inferred {
			return views.Value(q.Owner, themes.Title, f.clean.Cell)
		}
		if q.Mine {
			return views.Say(themes.Title, "me")
		}
		return views.Value(q.Owner, themes.Muted, f.clean.Cell)
	case "state":
		return views.Span{Tok: stateToken(q.State), Text: f.clean.Cell(q.State.String())}
	case "lag":
		return views.Lag(q.Lag, exact, g)
	case "slope":
		return f.slope(q.LagSlope)
	case "committed":
		return views.Value(q.Committed, themes.Text, off)
	case "next":
		return views.Value(q.Next, themes.Text, off)
	case "max":
		return views.Value(q.Max, themes.Text, off)
	case "cached":
		return views.Value(q.Count, themes.Text, func(n int) views.Safe { return views.Count(int64(n), exact) })
	case "bytes":
		return views.Value(q.Bytes, themes.Text, func(n int64) views.Safe { return views.Bytes(n, exact) })
	case "acked":
		return views.Span{Tok: themes.Text, Text: views.Total(q.Acked, exact)}
	case "deferred":
		return views.Span{Tok: themes.Text, Text: views.Total(q.Deferred, exact)}
	case "flow":
		return f.flow(q)
	case "p99":
		return views.P99(q.RoundTrip, g)
	case "task":
		return f.task(q)
	case "in":
		return rate(q.InRate)
	case "out":
		return rate(q.OutRate)
	case "pulled":
		return views.Value(q.LastPull, themes.Muted, func(p snapshot.Pull) views.Safe { return views.Ago(f.in.Now, p.At, g) })
	}
	return views.Span{Tok: themes.Muted, Text: f.clean.Cell(q.Note)}
}

// slope writes in which direction the lag goes: sign and arrow say it without colour.
func (f *filler) slope(v snapshot.Val[float64]) views.Span {
	g := f.in.Theme.Glyphs
	return views.Value(v, slopeToken(v.V), func(r float64) views.Safe {
		text := views.Rate(r, f.in.Exact)
		switch {
		case text.String() == "0":
			return views.Join(text, views.Own(" "), views.Sign(g.Flat))
		case r > 0:
			return views.Join(views.Own("+"), text, views.Own(" "), views.Sign(g.Up))
		case r < 0:
			return views.Join(text, views.Own(" "), views.Sign(g.Down))
		}
		return text
	})
}

func slopeToken(r float64) themes.Token {
	if r > 1 {
		return themes.Watch
	}
	return themes.Text
}

func (f *filler) flow(q *snapshot.Queue) views.Span {
	switch cause := string(q.Flow.Cause); {
	case cause == "" && q.Inferred:
		return views.Say(themes.Unknown, "?")
	case cause == "" && (q.State == snapshot.NotOwned || q.State == snapshot.Dropped):
		return views.Say(themes.Faint, "n/a")
	case cause == "":
		return views.Say(themes.Faint, "-")
	default:
		return views.Span{Tok: themes.Warn, Text: views.Join(views.Own("!"), f.clean.Cause(cause))}
	}
}

func (f *filler) task(q *snapshot.Queue) views.Span {
	g, t := f.in.Theme.Glyphs, q.Task
	word := f.clean.Cell(t.State.String())
	switch t.State {
	case snapshot.TaskDelayed:
		return views.Span{Tok: themes.TaskDelay, Text: views.Join(word, views.Own(" "), views.Until(f.in.Now, t.Due, g))}
	case snapshot.TaskRunning, snapshot.TaskParked:
		tok := themes.TaskRun
		if t.State == snapshot.TaskParked {
			tok = themes.TaskPark
		}
		if t.Since.IsZero() {
			return views.Span{Tok: tok, Text: word}
		}
		return views.Span{Tok: tok, Text: views.Join(word, views.Own(" "), views.Age(f.in.Now, t.Since, g))}
	case snapshot.TaskReady:
		return views.Span{Tok: themes.TaskReady, Text: word}
	}
	if q.Inferred {
		return views.Say(themes.Unknown, "?") // no pull is at a broker; what is planned does not show
	}
	if q.Mine && q.State == snapshot.Pulling {
		return views.Span{Tok: themes.Bad, Text: views.Join(views.Sign(g.Bad), views.Own(" "), word)}
	}
	return views.Span{Tok: themes.TaskDrop, Text: word}
}

func stateToken(s snapshot.QueueState) themes.Token {
	switch s {
	case snapshot.Pulling, snapshot.Popping:
		return themes.Muted
	case snapshot.Resolving, snapshot.QueuePaused, snapshot.Unpulled:
		return themes.Watch
	case snapshot.Dropped:
		return themes.Warn
	}
	return themes.Faint
}

func (f *filler) groupCell(column string, gr *group) views.Span {
	g, exact := f.in.Theme.Glyphs, f.in.Exact
	least := func(s views.Safe) views.Span {
		if gr.partial {
			s = views.Join(views.Sign(g.AtLeast), s)
		}
		return views.Span{Tok: themes.Title, Text: s}
	}
	rates := func(v float64) views.Span {
		if gr.rates == 0 {
			return views.Say(themes.Unknown, "?")
		}
		s := views.Rate(v, exact)
		if gr.rates < gr.n {
			s = views.Join(views.Sign(g.AtLeast), s)
		}
		return views.Span{Tok: themes.Title, Text: s}
	}
	switch column {
	case "mark":
		return views.MarkSpan(gr.mark, g)
	case "topic":
		sign := g.Open
		if f.st.isFolded(gr.name) {
			sign = g.Folded
		}
		return views.Span{Tok: themes.Title, Text: views.Join(views.Sign(sign), views.Own(" "), f.clean.Cell(gr.name))}
	case "queue":
		return views.Span{Tok: themes.Title, Text: views.Join(views.Sign(g.Times), views.Exact(int64(gr.n)))}
	case "lag":
		s := views.AtLeast(gr.lag, gr.missing, exact, g)
		if gr.lag.OK() && gr.lag.V == 0 {
			s.Tok = themes.Title
		}
		return s
	case "cached":
		return least(views.Count(gr.cached, exact))
	case "bytes":
		return least(views.Bytes(gr.bytes, exact))
	case "in":
		return rates(gr.in)
	case "out":
		return rates(gr.out)
	}
	return views.Span{}
}
