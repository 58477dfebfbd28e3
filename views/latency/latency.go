package latency

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// View is the Latency screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	memo   memo
	cells  []cell
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "latency" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InLatency }

// Start implements views.View; the argument is a queue as views.EncodeQueue writes it, whose
// broker is opened then.
func (v *View) Start(arg string) any {
	q, ok := views.DecodeQueue(arg)
	if !ok {
		return State{}
	}
	return State{Open: []string{q.BrokerName}, Sel: Target{Broker: q.BrokerName, Queue: q, IsQueue: true}}
}

// drawing is one frame in the making.
type drawing struct {
	*View
	in  views.In
	st  State
	m   *memo
	lay layout
	ax  axis
	pos int
	cur int // column of the time cursor, -1 for none
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st, _ := in.State.(State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Latency")}, Mark: snapshot.MarkUnknown}
	out.Keys = []keymap.ID{keymap.Open, keymap.Left, keymap.Right, keymap.Mode, keymap.More, keymap.Less, keymap.Next,
		keymap.PauseScreen, keymap.Related, keymap.Copy, keymap.Reset, keymap.PauseConsume, keymap.Theme}
	if in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.BrokerPulls) == 0 {
		v.loading(a, in)
		out.Spoken = views.Own("Latency. No data yet.")
	} else {
		d := v.begin(in, st)
		d.draw(a)
		d.say(&out)
		out.ReadOnly(in.Snap)
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (v *View) begin(in views.In, st State) *drawing {
	d := &drawing{View: v, in: in, st: st, m: v.list(in.Snap, st, in.Now), cur: -1}
	d.lay = arrange(in.W, in.H, len(d.m.rows))
	d.ax = d.m.axisOf(d.lay.cols)
	d.pos = d.m.find(st)
	if i, ok := d.ax.at(st.At); ok && !st.At.IsZero() {
		d.cur = i
	}
	return d
}

func (d *drawing) draw(a views.Area) {
	d.answer(a.Line(0).Space(1))
	if len(d.m.rows) == 0 {
		d.nothing(a)
		return
	}
	d.legend(a.Line(1).Space(1))
	d.heads(a.Line(2))
	top := views.TopFor(d.st.Top, d.pos, d.lay.rows, len(d.m.rows))
	for i := range min(d.lay.rows, len(d.m.rows)-top) {
		d.row(a, above+i, top+i)
	}
	d.detail(a.Line(d.lay.detail).Space(1))
	if d.lay.panes > 0 {
		h := min(d.lay.panes, a.H-d.lay.detail-1)
		d.panes(a.Sub(0, d.lay.detail+1, a.W, h))
	}
}

// say fills what is told beside the picture.
func (d *drawing) say(out *views.Out) {
	g := d.in.Theme.Glyphs
	out.Label = map[keymap.ID]views.Lit{keymap.Left: "earlier", keymap.Right: "later", keymap.More: "queues", keymap.Less: "fold", keymap.Related: "its queues",
		keymap.Mode: [...]views.Lit{"with holds", "only holds", "no holds"}[min(d.st.Mode, OnlyHolds)], keymap.Open: "queues"}
	if d.pos < 0 {
		out.Spoken = views.Own("Latency. No broker is known.")
		return
	}
	r := d.m.rows[d.pos]
	if r.queue >= 0 {
		out.Label[keymap.Open], out.Label[keymap.Related] = "open", "related"
	}
	if d.cur >= 0 {
		out.Label[keymap.Open] = "events then"
	}
	out.Mark = d.m.mark(r)
	t, _ := d.m.total(r)
	p99 := views.P99(t, g)
	out.Worst = views.Spans{views.MarkSpan(out.Mark, g), views.Say(themes.None, " "),
		{Tok: views.MarkToken(out.Mark), Text: d.name(r).Middle(32, g)}, views.Say(themes.Muted, "  p99 "), p99}
	out.Spoken = views.Join(views.Own("Latency of "), d.name(r), views.Own(", "), views.Own(views.MarkWord(out.Mark)),
		views.Own(", median "), d.quantile(t, false).Text, views.Own(", 99th percentile "), p99.Text,
		views.Own(", longest "), views.Duration(t.Max, g), views.Own(", "), views.Total(t.N, d.in.Exact), views.Own(" answers, "),
		views.Total(t.HeldN, d.in.Exact), views.Own(" held."))
}

// name is the name of a row.
func (d *drawing) name(r row) views.Safe {
	if r.queue < 0 {
		return d.clean.Cell(d.m.brokers[r.broker].name)
	}
	return d.clean.QueueName(d.in.Snap.Queues[r.queue].ID, d.m.short)
}

// loading is the shape of the screen.
func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	g := in.Theme.Glyphs
	a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
	lay := arrange(in.W, in.H, 3)
	d := &drawing{View: v, in: in, lay: lay, cur: -1}
	d.heads(a.Line(2))
	for i := range min(3, lay.rows) {
		l := a.Line(above+i).Space(3).Glyph(themes.Faint, g.Ellipsis)
		l.To(3+lay.name+1).Repeat(themes.Faint, g.Dot, lay.cols)
	}
}

// nothing says that there is no row.
func (d *drawing) nothing(a views.Area) {
	a.Line(2).Space(3).Put(themes.Muted, "No route names a broker yet; brokers come with the topics' routes.")
	a.Line(4).Space(3).Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.ViewEvents))).Put(themes.Muted, " shows what happens")
}
