package queues

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// wideFrom is the width from which broker, queue and owner have columns of their own.
const wideFrom = 100

// View is the Queues screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	table  views.Table
	memo   memo
	width  int
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "queues" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InQueues }

// Start implements views.View; the argument is a filter.
func (v *View) Start(arg string) any {
	return State{Params: Params{Filter: arg, Sort: worstFirst, Desc: true}}
}

func (v *View) wide() bool { return v.width >= wideFrom }

func stateOf(state any) State {
	if st, ok := state.(State); ok {
		return st
	}
	return State{Params: Params{Sort: worstFirst, Desc: true}}
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	v.width = in.W
	st := stateOf(in.State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Queues")}, Mark: snapshot.MarkUnknown}
	if st.Filter != "" {
		out.Crumb = append(out.Crumb, v.clean.Cell(st.Filter))
	}
	out.Keys = []keymap.ID{keymap.Open, keymap.Filter, keymap.Sort, keymap.Related, keymap.GroupBy, keymap.Next,
		keymap.PauseScreen, keymap.Copy, keymap.PauseConsume, keymap.Reverse, keymap.Exact, keymap.Theme}
	switch {
	case in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.Queues) == 0:
		v.loading(a, in)
		out.Spoken = views.Own("Queues. No data yet.")
	default:
		v.draw(a, in, st, &out)
		out.ReadOnly(in.Snap)
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (v *View) draw(a views.Area, in views.In, st State, out *views.Out) {
	m := v.list(in.Snap, st, in.Now)
	pos, _ := m.find(st)
	f := &filler{View: v, in: in, m: m, st: st, cols: columnsOf(v.wide(), in.Theme.Glyphs, in.Snap)}
	body := a.Above(1)
	drawn := v.table.Draw(body, views.TableIn{
		Cols: f.cols, N: len(m.rows), Fill: f.fill, Sel: pos, Top: st.Top, Scroll: st.Scroll,
		Sort: st.Sort, Desc: st.Desc, Now: in.Now, Theme: in.Theme,
		Hit: func(i int) views.Hit { return views.Hit{Action: views.Point, Text: encode(m.target(m.rows[i]))} },
	})
	if len(m.rows) == 0 {
		v.nothing(body, in, st)
	}
	v.footer(a.Line(a.H-1), in, st, m, pos, drawn.Hidden)
	if pos < 0 {
		out.Spoken = views.Own("Queues. None to show.")
		return
	}
	r := m.rows[pos]
	out.Mark = m.mark(r)
	out.Worst = v.worst(in, m, r)
	out.Spoken = v.spoken(in, m, r)
	out.Label = map[keymap.ID]views.Lit{}
	if r.queue < 0 {
		out.Label[keymap.Open] = "fold"
	}
}

// loading is the shape of the table.
func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	g := in.Theme.Glyphs
	dots := views.Span{Tok: themes.Faint, Text: views.Sign(g.Ellipsis)}
	cols := columns(v.wide(), g)
	v.table.Draw(a.Above(1), views.TableIn{
		Cols: cols, N: min(max(a.H-2, 0), 8), Sel: -1, Now: in.Now, Theme: in.Theme,
		Fill: func(_ int, cells []views.Span) {
			for i := 1; i < len(cells); i++ {
				cells[i] = dots
			}
		},
	})
	a.Line(a.H-1).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
}

// nothing says why there are no rows, and which key helps.
func (v *View) nothing(a views.Area, in views.In, st State) {
	g, s := in.Theme.Glyphs, in.Snap
	y := min(2, max(a.H-2, 0))
	l := a.Line(y).Space(1)
	key := func(id keymap.ID) views.Safe { return v.clean.Cell(in.KeyOf(id)) }
	if len(s.Queues) > 0 {
		l.Put(themes.Text, "Filter ").Text(themes.Match, v.clean.Cell(st.Filter).Cut(max(l.Left()-40, 10), g))
		l.Put(themes.Text, " hides all ").Text(themes.Text, views.Exact(int64(len(s.Queues)))).Put(themes.Text, views.Plural(len(s.Queues), " queue, ", " queues, "))
		l.Text(themes.Key, key(keymap.Cancel)).Put(themes.Muted, " clears it")
		return
	}
	if s.Replay.Inferred {
		l.Put(themes.Text, "No queue of this group was seen yet.")
	} else {
		l.Put(themes.Text, "Nothing is assigned to this member yet.")
	}
	l = a.Line(y + 1).Space(1)
	switch {
	case s.Source.Err != "":
		l.Put(themes.Muted, "because ").Text(themes.Text, v.clean.Cell(s.Source.Err).Cut(max(l.Left(), 8), g))
	case s.Group.RebalanceNote != "":
		l.Put(themes.Muted, "last rebalance: ").Text(themes.Muted, v.clean.Cell(s.Group.RebalanceNote).Cut(max(l.Left(), 8), g))
	case s.Replay.Inferred:
		l.Put(themes.Muted, "They come with a route, or with the first pull.")
	case len(s.Group.Subscriptions) == 0:
		l.Put(themes.Muted, "No topic is subscribed.")
	default:
		l.Put(themes.Muted, "Queues come with the first rebalance.")
	}
	a.Line(y+2).Space(1).Text(themes.Key, key(keymap.ViewEvents)).Put(themes.Muted, " shows what happens")
}

// footer says how much there is and how it is shown.
func (v *View) footer(l *views.Pen, in views.In, st State, m *memo, pos, hidden int) {
	g := in.Theme.Glyphs
	dot := func() { l.Space(1).Glyph(themes.Faint, g.Dot).Space(1) }
	l.Space(1)
	if pos >= 0 {
		l.Text(themes.Text, views.Exact(int64(pos+1))).Put(themes.Faint, "/")
	}
	l.Text(themes.Text, views.Exact(int64(len(m.rows))))
	if len(m.order) != len(in.Snap.Queues) {
		l.Put(themes.Muted, " of ").Text(themes.Muted, views.Exact(int64(len(in.Snap.Queues))))
	}
	dot()
	sign := g.SortUp
	if st.Desc {
		sign = g.SortDown
	}
	if st.Sort == worstFirst {
		l.Put(themes.Muted, "by state")
	} else {
		l.Put(themes.Muted, "sort ").Text(themes.Text, sortName(st.Sort, g))
	}
	l.Space(1).Glyph(themes.Title, sign)
	if st.Group != NoGroup {
		dot()
		l.Put(themes.Muted, "group ").Put(themes.Text, [...]views.Lit{"", "topic", "broker", "owner"}[st.Group])
	}
	if m.bad != nil {
		dot()
		l.Glyph(themes.Bad, g.Bad).Space(1).Text(themes.Bad, v.clean.Cell(m.bad.Error()).Cut(max(l.Left(), 8), g))
		return
	}
	if hidden > 0 {
		more := views.Spans{
			{Tok: themes.Muted, Text: views.Join(views.Exact(int64(hidden)), views.Own(views.Plural(hidden, " column hidden ", " columns hidden ")))},
			{Tok: themes.Title, Text: views.Sign(g.MoreRight)}, views.Say(themes.Muted, " ("),
			{Tok: themes.Key, Text: v.clean.Cell(in.KeyOf(keymap.Right))}, views.Say(themes.Muted, ")"),
		}
		if l.Left() >= more.Width()+3 {
			dot()
			l.Spans(more...)
		}
	}
	if pos >= 0 && m.rows[pos].queue >= 0 {
		q := &in.Snap.Queues[m.rows[pos].queue]
		if q.Note != "" && l.Left() > 24 {
			dot()
			l.Spans(views.MarkSpan(q.Mark, g)).Space(1).Text(themes.Text, v.clean.Cell(q.Note).Cut(max(l.Left()-1, 1), g))
		}
	}
}

func sortName(id string, g *themes.Glyphs) views.Safe {
	for _, c := range columns(true, g) {
		if c.ID == id {
			return views.Own(c.Head)
		}
	}
	return views.Own("?")
}

// worst is the state of the selected row for the crumb line.
func (v *View) worst(in views.In, m *memo, r row) views.Spans {
	g := in.Theme.Glyphs
	mark := m.mark(r)
	out := views.Spans{views.MarkSpan(mark, g), views.Say(themes.None, " ")}
	if r.queue < 0 {
		return append(out, views.Span{Tok: themes.Muted, Text: v.clean.Cell(m.groups[r.group].name).Middle(30, g)})
	}
	q := &in.Snap.Queues[r.queue]
	out = append(out, views.Span{Tok: views.MarkToken(mark), Text: v.clean.QueueName(q.ID, m.short).Middle(36, g)})
	if q.Flow.Cause != "" {
		out = append(out, views.Say(themes.None, "  "), views.Span{Tok: themes.Warn, Text: views.Join(views.Own("!"), v.clean.Cause(string(q.Flow.Cause)))})
	}
	return out
}

func (v *View) spoken(in views.In, m *memo, r row) views.Safe {
	g := in.Theme.Glyphs
	if r.queue < 0 {
		gr := &m.groups[r.group]
		return views.Join(views.Own("Group "), v.clean.Cell(gr.name), views.Own(", "), views.Exact(int64(gr.n)), views.Own(" queues, "), views.Own(views.MarkWord(gr.mark)), views.Own("."))
	}
	q := &in.Snap.Queues[r.queue]
	parts := []views.Safe{views.Own("Queue "), v.clean.FullName(q.ID), views.Own(", "), views.Own(views.MarkWord(q.Mark)),
		views.Own(", lag "), views.Lag(q.Lag, in.Exact, g).Text}
	if q.Flow.Cause != "" {
		parts = append(parts, views.Own(", put back for "), v.clean.Cell(string(q.Flow.Cause)))
	}
	if q.Note != "" {
		parts = append(parts, views.Own(", "), v.clean.Cell(q.Note))
	}
	return views.Join(append(parts, views.Own("."))...)
}

// FilterNote implements views.Filterer.
func (v *View) FilterNote(in views.In) (note, bad views.Safe) {
	if in.Snap == nil {
		return note, bad
	}
	v.clean.Use(in.Theme.Glyphs)
	m := v.list(in.Snap, stateOf(in.State), in.Now)
	note = views.Join(views.Exact(int64(len(m.order))), views.Own(" of "), views.Exact(int64(len(in.Snap.Queues))))
	if m.bad != nil {
		bad = v.clean.Cell(m.bad.Error())
	}
	return note, bad
}
