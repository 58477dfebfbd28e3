package detail

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

const mib = 1 << 20

// limits are the three flow-control checks, as DefaultMQPushConsumerImpl.pullMessage makes
// them: the count above its limit, whole MiB above theirs, the span above its.
func (d *drawing) limits() [3]views.Limit {
	q, lim := d.q, d.s.Group.Limits
	num := func(n int64) views.Safe { return views.Count(n, d.in.Exact) }
	maxOf := func(n int) views.Safe { return views.Count(int64(n), d.in.Exact || n < 100_000) }
	return [3]views.Limit{
		{
			Name: "count", Known: q.Count.OK(), Part: float64(q.Count.V), Whole: float64(lim.CountPerQueue),
			Tripped: q.Count.OK() && q.Count.V > lim.CountPerQueue && lim.CountPerQueue > 0,
			Shown:   views.Value(q.Count, themes.Text, func(n int) views.Safe { return num(int64(n)) }), Max: maxOf(lim.CountPerQueue),
		},
		{
			Name: "bytes", Known: q.Bytes.OK(), Part: float64(q.Bytes.V) / mib, Whole: float64(lim.MiBPerQueue),
			Tripped: q.Bytes.OK() && q.Bytes.V/mib > int64(lim.MiBPerQueue) && lim.MiBPerQueue > 0,
			Shown:   views.Value(q.Bytes, themes.Text, func(n int64) views.Safe { return views.Bytes(n, d.in.Exact) }),
			Max:     views.Join(maxOf(lim.MiBPerQueue), views.Own(" MiB")),
		},
		{
			Name: "span", Known: q.Span.OK(), Part: float64(q.Span.V), Whole: float64(lim.Span),
			Tripped: q.Span.OK() && q.Span.V > int64(lim.Span) && lim.Span > 0,
			Shown:   views.Value(q.Span, themes.Text, num), Max: maxOf(lim.Span),
		},
	}
}

// withoutLimits draws the readings of a queue that was seen from outside: which limits its client
// has, and whether they trip, does not show on the wire.
func (d *drawing) withoutLimits(a views.Area) {
	in, step := a.Sub(1, 0, a.W-1, a.H), 1
	if d.lay.boxed || a.H > 3 {
		in = d.pane(a, "Gauges", nil, false)
	}
	if d.lay.boxed {
		step = 2
	}
	for i, l := range d.limits() {
		p := in.Line(i*step).Put(themes.Muted, l.Name).To(7).Spans(l.Shown)
		if i == 2 && !d.lay.boxed {
			p.Put(themes.Muted, "   limits ").Put(themes.Unknown, "?").Put(themes.Muted, "  put-backs ").Put(themes.Unknown, "?")
		}
	}
	if d.lay.boxed {
		in.Line(6).Put(themes.Muted, "limits ").Put(themes.Unknown, "?").Put(themes.Muted, "  put-backs ").Put(themes.Unknown, "?")
		in.Line(7).Put(themes.Faint, "not on the wire")
	}
}

// gauges draws the limits: two lines each in a box, one line each else.
func (d *drawing) gauges(a views.Area) {
	if d.q.Inferred {
		d.withoutLimits(a)
		return
	}
	g := d.in.Theme.Glyphs
	limits := d.limits()
	valueWidth := 0
	for _, l := range limits {
		valueWidth = max(valueWidth, l.Shown.Text.Width())
	}
	if !d.lay.boxed {
		in := a
		if a.H > 3 {
			in = d.pane(a, "Gauges", nil, false)
		} else {
			in = a.Sub(1, 0, a.W-1, a.H)
		}
		for i, l := range limits {
			p := in.Line(i)
			l.Label(p, valueWidth)
			p.To(max(p.At()+2, 30))
			l.Bar(p, min(max(p.Left()-24, 12), 32), g)
			if i == 2 {
				d.putBacks(p.Space(2))
			}
		}
		return
	}
	in := d.pane(a, "Gauges", views.Spans{views.Say(themes.Muted, "trip above limit")}, false)
	step := 2
	if in.H >= 11 {
		step = 3
	}
	for i, l := range limits {
		l.Label(in.Line(i*step), valueWidth)
		l.Bar(in.Line(i*step+1), in.W-1, g)
	}
	d.putBacks(in.Line(3 * step))
	if f := d.q.Flow; f.Cause != "" && !f.Since.IsZero() {
		in.Line(3*step+1).Put(themes.Muted, "since ").Text(themes.Text, d.ago(f.Since))
	}
}

// putBacks says how often pulls were put back, and why the last one was.
func (d *drawing) putBacks(p *views.Pen) {
	f := d.q.Flow
	switch {
	case f.Cause != "":
		p.Put(themes.Warn, "!").Text(themes.Warn, d.clean.Cause(string(f.Cause)).Cut(14, d.in.Theme.Glyphs)).Space(1)
		p.Text(themes.Text, views.Total(f.PutBacks, f.PutBacks < 1e6)).Put(themes.Muted, " put-backs")
	case f.PutBacks > 0:
		p.Text(themes.Text, views.Total(f.PutBacks, f.PutBacks < 1e6)).Put(themes.Muted, " put-backs, none now")
	default:
		p.Put(themes.Muted, "never put back")
	}
}

// charts draws lag and commits over time in the gauges' place.
func (d *drawing) charts(a views.Area) {
	g := d.in.Theme.Glyphs
	in := a.Sub(1, 0, a.W-1, a.H)
	if a.H > 3 || d.lay.boxed {
		in = d.pane(a, "Lag and commits", nil, false)
	}
	h := d.s.Histories[d.q.ID]
	if len(h.Lag) == 0 && len(h.Commit) == 0 {
		in.Line(0).Put(themes.Muted, "no history yet")
		return
	}
	if !d.lay.boxed {
		half := in.W / 2
		d.chart(in.Sub(0, 0, half-1, in.H), "lag", h.Lag, views.Lag(d.q.Lag, d.in.Exact, g), themes.MsgRun)
		d.chart(in.Sub(half, 0, in.W-half-1, in.H), "commit", h.Commit, d.rate(d.q.OutRate), themes.MsgWait)
		return
	}
	half := in.H / 2
	d.chart(in.Sub(0, 0, in.W-1, half), "lag", h.Lag, views.Lag(d.q.Lag, d.in.Exact, g), themes.MsgRun)
	d.chart(in.Sub(0, half, in.W-1, in.H-half), "commit", h.Commit, d.rate(d.q.OutRate), themes.MsgWait)
}

func (d *drawing) chart(a views.Area, name views.Lit, samples []float64, now views.Span, tok themes.Token) {
	l := a.Line(0).Put(themes.Muted, name).Space(1)
	l.Right(now)
	views.Chart(a.Below(1), tok, samples, d.in.Theme.Glyphs)
}

func (d *drawing) rate(v snapshot.Val[float64]) views.Span {
	return views.Value(v, themes.Text, func(r float64) views.Safe { return views.PerSecond(r, d.in.Exact) })
}
