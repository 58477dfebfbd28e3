package detail

import (
	"math"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// trends draws the last minutes and what else is known of the queue.
func (d *drawing) trends(a views.Area) {
	g, q := d.in.Theme.Glyphs, d.q
	h := d.s.Histories[q.ID]
	var note views.Spans
	n := max(len(h.Lag), len(h.Count))
	if n > 0 {
		note = views.Spans{views.Say(themes.Muted, "last "), {Tok: themes.Muted, Text: views.Duration(time.Duration(n)*h.Step, g)}}
	}
	in := d.pane(a, "History", note, false)
	lat := views.P99(q.RoundTrip, g)
	lat.Text = views.Join(lat.Text, views.Own(" p99"))
	slope := d.rate(q.LagSlope)
	if q.LagSlope.OK() && q.LagSlope.V > 0 {
		slope.Text = views.Join(views.Own("+"), slope.Text)
	}
	lag := views.Lag(q.Lag, d.in.Exact, g)
	count := views.Value(q.Count, themes.Text, func(c int) views.Safe { return views.Count(int64(c), d.in.Exact) })
	rows := []struct {
		name views.Lit
		data []float64
		tok  themes.Token
		now  views.Spans
	}{
		{"lag", h.Lag, themes.MsgRun, views.Spans{lag, views.Say(themes.None, " "), slope}},
		{"commit", h.Commit, themes.MsgWait, views.Spans{d.rate(q.OutRate)}},
		{"count", h.Count, themes.MsgWait, append(views.Spans{count}, d.peakOf(h.Count)...)},
		{"pull", h.Latency, themes.MsgWait, views.Spans{lat}},
	}
	if !d.lay.boxed {
		half := in.W / 2
		for i, r := range rows {
			l := in.Sub(i%2*half, i/2, half-1, 1).Line(0)
			l.Put(themes.Muted, r.name).To(7).Spark(r.tok, r.data, max(half-24, 4), g).Space(1).Spans(r.now...)
		}
		d.where(in.Line(2), true)
		return
	}
	wide := max(in.W-9-20, 4)
	for i, r := range rows {
		in.Line(i).Put(themes.Muted, r.name).To(8).Spark(r.tok, r.data, wide, g).Space(2).Spans(r.now...)
	}
	y := len(rows)
	lock := views.LockAt(q, d.in.Now)
	if in.H > 9 && !lock.Used {
		y++
	}
	d.where(in.Line(y), false)
	if lock.Used {
		y++
		in.Line(y).Put(themes.Muted, "lock").To(8).Spans(lock.Short(g)...)
	}
	if !lock.Used || in.H > 8 { // else the lock says enough
		y++
		d.owner(in.Line(y))
	}
	l := in.Line(y+1).Put(themes.Muted, "pulled").To(8)
	type item struct {
		name views.Lit
		n    uint64
		bad  bool
	}
	items := []item{{"found ", q.Found, false}, {"filtered ", q.Filtered, false}, {"illegal ", q.Illegal, true}, {"failed ", q.Failures, true}}
	if q.State == snapshot.Popping {
		items = []item{{"acknowledged ", q.Acked, false}, {"deferred ", q.Deferred, false}, {"failed ", q.Failures, true}}
	}
	for i, it := range items {
		tok := themes.Text
		if it.bad && it.n > 0 {
			tok = themes.Warn
		}
		if i > 0 {
			l.Space(2)
		}
		l.Put(themes.Muted, it.name).Text(tok, views.Total(it.n, d.in.Exact))
	}
	d.lastPull(in.Line(y + 2))
	if q.LastError != "" {
		in.Line(y+3).Put(themes.Muted, "error").To(8).Text(themes.Bad, d.clean.Cell(q.LastError).Cut(in.W-9, g))
	}
}

func (d *drawing) owner(l *views.Pen) {
	l.Put(themes.Muted, "owner").To(8).Spans(views.Value(d.q.Owner, themes.Text, d.clean.Cell))
	switch {
	case d.q.Mine && d.q.Inferred:
		l.Put(themes.Muted, " (this client)")
	case d.q.Mine:
		l.Put(themes.Muted, " (this process)")
	}
	l.Space(2).Put(themes.Muted, "state ").Text(themes.Text, d.clean.Cell(d.q.State.String()))
}

func (d *drawing) peakOf(samples []float64) views.Spans {
	top := math.Inf(-1)
	for _, v := range samples {
		top = max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return nil
	}
	return views.Spans{views.Say(themes.Muted, " (max "), {Tok: themes.Muted, Text: views.Count(int64(top), d.in.Exact)}, views.Say(themes.Muted, ")")}
}

// where says what the one pull request of the queue does.
func (d *drawing) where(l *views.Pen, short bool) {
	g, t := d.in.Theme.Glyphs, d.q.Task
	l.Put(themes.Muted, "task").To(7)
	if !short {
		l.To(8)
	}
	if t.State == snapshot.TaskNone && d.q.Inferred {
		l.Put(themes.Unknown, "?").Put(themes.Muted, " no pull of it is at a broker")
	} else if t.State == snapshot.TaskNone {
		l.Put(themes.TaskDrop, "none")
		if d.q.Mine && d.q.State == snapshot.Pulling {
			l.Space(1).Glyph(themes.Bad, g.Bad).Put(themes.Bad, " nothing pulls this queue")
		}
	} else {
		l.Put(themes.Muted, "#").Text(themes.Text, views.Plain(int64(t.ID))).Space(1).Text(taskToken(t.State), d.clean.Cell(t.State.String())).Space(1)
		switch {
		case t.State == snapshot.TaskDelayed:
			l.Text(themes.Text, views.Until(d.in.Now, t.Due, g))
		case !t.Since.IsZero():
			l.Text(themes.Text, views.Age(d.in.Now, t.Since, g))
		}
		if t.Cause != "" {
			l.Space(1).Put(themes.Muted, "why ").Text(themes.Text, d.clean.Cell(string(t.Cause)).Cut(20, g))
		}
	}
	if lock := views.LockAt(d.q, d.in.Now); short && lock.Used {
		l.Space(3).Put(themes.Muted, "lock ").Spans(lock.Short(g)...)
		return
	}
	if short && l.Left() > 30 {
		l.Space(3).Put(themes.Muted, "owner ").Spans(views.Value(d.q.Owner, themes.Text, func(s string) views.Safe { return d.clean.Cell(s).Middle(24, g) }))
	}
}

func taskToken(s snapshot.TaskState) themes.Token {
	switch s {
	case snapshot.TaskReady:
		return themes.TaskReady
	case snapshot.TaskDelayed:
		return themes.TaskDelay
	case snapshot.TaskRunning:
		return themes.TaskRun
	case snapshot.TaskParked:
		return themes.TaskPark
	}
	return themes.TaskDrop
}

// lastPull says how the newest pull ended.
func (d *drawing) lastPull(l *views.Pen) {
	g := d.in.Theme.Glyphs
	l.Put(themes.Muted, "last").To(8)
	v := d.q.LastPull
	if !v.OK() {
		l.Spans(views.Value(v, themes.Text, func(snapshot.Pull) views.Safe { return views.Safe{} }))
		return
	}
	p := v.V
	l.Text(themes.Text, d.clean.Cell(p.Status).Cut(20, g)).Space(1)
	if p.Count > 0 {
		l.Text(themes.Text, views.Count(int64(p.Count), d.in.Exact)).Put(themes.Muted, views.Plural(p.Count, " msg ", " msgs "))
	}
	l.Put(themes.Muted, "in ").Text(themes.Text, views.Duration(p.Took, g))
	if p.Held {
		l.Put(themes.Muted, " held")
	}
	l.Put(themes.Muted, ", ").Text(themes.Text, d.ago(p.At))
}

// events draws the newest events of the queue, newest first.
func (d *drawing) events(a views.Area) {
	g := d.in.Theme.Glyphs
	note := views.Spans{{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf("related"))}, views.Say(themes.KeyText, " all of them")}
	focused := d.in.Focus == eventsPane
	in := d.pane(a, "Queue events", note, focused)
	seqs := d.seqs()
	if len(seqs) == 0 {
		in.Line(0).Put(themes.Muted, "nothing recorded")
		return
	}
	at := place(seqs, d.st.Event)
	top := 0 // counted from the newest
	if focused {
		top = views.TopFor(0, at, in.H, len(seqs))
	}
	for y := 0; y < in.H && top+y < len(seqs); y++ {
		e := views.EventAt(d.s.Events, seqs[len(seqs)-1-top-y])
		if e == nil {
			continue
		}
		l := in.Line(y)
		if focused && top+y == at {
			in.Shade(y, themes.Select)
		}
		l.Text(themes.Faint, views.Clock(e.At)).Space(1)
		if e.Level >= snapshot.Warn {
			l.Spans(views.MarkSpan(views.LevelMark(e), g)).Space(1)
		} else {
			l.Space(2)
		}
		l.Text(themes.Muted, d.clean.Cell(e.Source).Cut(9, g)).To(25)
		var times views.Spans
		if e.Count > 1 {
			times = views.Spans{{Tok: themes.Muted, Text: views.Join(views.Sign(g.Times), views.Count(int64(e.Count), d.in.Exact))}, views.Say(themes.None, " ")}
		}
		l.Text(themes.Text, d.clean.Cell(e.What).Cut(max(l.Left()-times.Width()-1, 1), g))
		l.Right(times...)
	}
}

// seqs are the numbers of the queue's events, oldest first.
func (d *drawing) seqs() []uint64 { return d.eventsOf(d.s, d.q.ID) }

func (v *View) eventsOf(s *snapshot.Snapshot, id snapshot.MessageQueue) []uint64 {
	return v.index.Update(s.Events, views.EncodeQueue(id), func(e *snapshot.Entry) bool { return e.Queue == id })
}

// place is how far from the newest an event is, 0 when it is gone or none is chosen.
func place(seqs []uint64, seq uint64) int {
	for i := len(seqs) - 1; i >= 0 && seq > 0; i-- {
		if seqs[i] <= seq {
			return len(seqs) - 1 - i
		}
	}
	return 0
}
