package detail

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// View is the Queue detail screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	index  views.EventIndex
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "detail" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InDetail }

// Start implements views.View; the argument is a queue as views.EncodeQueue writes it.
func (v *View) Start(arg string) any {
	q, _ := views.DecodeQueue(arg)
	return State{Queue: q}
}

// drawing is one frame in the making.
type drawing struct {
	*View
	in    views.In
	st    State
	s     *snapshot.Snapshot // the one drawn, which may be an older one
	q     *snapshot.Queue
	w     snapshot.Window
	known bool // that the window is known message by message
	late  func(*snapshot.Message) bool
	grid  grid
	short views.ShortNames
	lay   layout
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st, _ := in.State.(State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: panes, Mark: snapshot.MarkUnknown}
	out.Keys = []keymap.ID{keymap.Open, keymap.NextPane, keymap.Related, keymap.Zoom, keymap.Mode, keymap.PauseScreen, keymap.Copy,
		keymap.PauseConsume, keymap.More, keymap.Less, keymap.Reset, keymap.Exact, keymap.Theme}
	out.Label = labels(in.Focus, st)
	short := views.ShortBrokers(in.Snap)
	out.Crumb = []views.Safe{views.Own("Queues"), v.clean.QueueName(st.Queue, short)}
	s, q := st.picture(in.Snap)
	if q == nil {
		v.missing(a, in, st)
		out.Spoken = views.Join(views.Own("Queue "), v.clean.FullName(st.Queue), views.Own(". Nothing is known of it."))
	} else {
		d := v.begin(in, st, s, q)
		d.draw(a)
		out.Mark = q.Mark
		out.Worst = d.worst()
		out.Spoken = d.spoken()
		out.ReadOnly(s)
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

// labels are the words of the hint line for the pane that has the keys.
func labels(focus int, st State) map[keymap.ID]views.Lit {
	l := map[keymap.ID]views.Lit{keymap.Mode: "charts", keymap.Open: "zoom in"}
	if st.Mode == Charts {
		l[keymap.Mode] = "gauges"
	}
	switch focus {
	case eventsPane:
		l[keymap.Open] = "all its events"
	case rulerPane:
		l[keymap.Open] = "true scale"
		if st.RulerFrom != 0 || st.RulerTo != 0 {
			l[keymap.Open] = "piecewise"
		}
	}
	return l
}

func (v *View) begin(in views.In, st State, s *snapshot.Snapshot, q *snapshot.Queue) *drawing {
	d := &drawing{View: v, in: in, st: st, s: s, q: q, short: views.ShortBrokers(s)}
	d.late = lateBy(in.Now, s.Group.Limits.ConsumeTimeout)
	d.w, d.known = s.Windows[q.ID]
	d.lay, d.grid = geometry(st, d.w, in.W, in.H, in.Zoomed, in.Focus)
	d.grid.fill(d.w, d.late)
	return d
}

// geometry is the layout and the grid of a state, for drawing and for moving alike.
func geometry(st State, w snapshot.Window, width, height int, zoomed bool, focus int) (layout, grid) {
	from, to, ok := span(w)
	if st.From != 0 || st.To != 0 {
		from, to = max(from, st.From), min(to, st.To)
	}
	lay := arrange(width, height, zoomed, focus, views.Exact(to).Width())
	if !ok || to < from {
		return lay, grid{}
	}
	return lay, newGrid(from, to, lay.cols, lay.rows)
}

// cursor is the offset under the cursor.
func (st State) cursor(w snapshot.Window, g grid) int64 {
	if !st.Placed {
		return min(max(matters(w), g.from), max(g.to, g.from))
	}
	return min(max(st.Offset, g.from), max(g.to, g.from))
}

func (d *drawing) draw(a views.Area) {
	l := d.lay
	at := func(r rect) views.Area { return a.Sub(r.x, r.y, r.w, r.h) }
	if l.offsets.h > 0 {
		d.offsets(at(l.offsets))
	}
	if l.window.h > 0 {
		d.window(at(l.window))
	}
	if l.gauges.h > 0 {
		if d.st.Mode == Charts {
			d.charts(at(l.gauges))
		} else {
			d.gauges(at(l.gauges))
		}
	}
	if l.trends.h > 0 {
		d.trends(at(l.trends))
	}
	if l.events.h > 0 {
		d.events(at(l.events))
	}
}

// missing says that there is no picture of the queue, and the way back.
func (v *View) missing(a views.Area, in views.In, st State) {
	g := in.Theme.Glyphs
	if in.Snap == nil {
		if in.Waited >= views.ShowWait {
			a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
			for y, word := range []views.Lit{"min", "committed", "next", "max", "lag", "count", "bytes", "span"} {
				a.Line(y+2).Space(2).Put(themes.Muted, word).To(13).Glyph(themes.Faint, g.Ellipsis)
			}
		}
		return
	}
	l := a.Line(0).Space(1).Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Space(1)
	if st.Queue == (snapshot.MessageQueue{}) {
		l.Put(themes.Text, "No queue is chosen.")
	} else {
		l.Text(themes.Text, v.clean.FullName(st.Queue).Middle(max(l.Left()-34, 8), g)).Put(themes.Text, " is no queue of this consumer.")
	}
	a.Line(1).Space(3).Put(themes.Muted, "Its topic may not be subscribed, or its broker has fewer queues now.")
	a.Line(3).Space(3).Text(themes.Key, v.clean.Cell(in.KeyOf(keymap.Back))).Put(themes.Muted, " goes back")
}

// worst is the right end of the crumb line.
func (d *drawing) worst() views.Spans {
	g, q := d.in.Theme.Glyphs, d.q
	if !d.st.GoneAt.IsZero() && d.s != d.in.Snap {
		return views.Spans{views.MarkSpan(snapshot.MarkStale, g), views.Say(themes.Stale, " dropped "), {Tok: themes.Stale, Text: views.Ago(d.in.Now, d.st.GoneAt, g)}}
	}
	out := views.Spans{views.MarkSpan(q.Mark, g)}
	tok := views.MarkToken(q.Mark)
	switch {
	case q.Note != "":
		out = append(out, views.Span{Tok: tok, Text: views.Join(views.Own(" "), d.clean.Cell(q.Note).Cut(48, g))})
	default:
		out = append(out, views.Span{Tok: tok, Text: views.Join(views.Own(" "), views.Own(views.MarkWord(q.Mark)))})
	}
	if q.State != snapshot.Pulling {
		out = append(out, views.Say(themes.None, "  "), views.Span{Tok: themes.Watch, Text: d.clean.Cell(q.State.String())})
	}
	if q.Flow.Cause != "" {
		out = append(out, views.Say(themes.None, "  "), views.Span{Tok: themes.Warn, Text: views.Join(views.Own("!"), d.clean.Cause(string(q.Flow.Cause)).Cut(20, g))})
	}
	return out
}

func (d *drawing) spoken() views.Safe {
	g, q := d.in.Theme.Glyphs, d.q
	parts := []views.Safe{views.Own("Queue "), d.clean.FullName(q.ID), views.Own(", "), views.Own(views.MarkWord(q.Mark))}
	if q.Note != "" {
		parts = append(parts, views.Own(", "), d.clean.Cell(q.Note))
	}
	num := func(name views.Lit, v snapshot.Val[int64]) {
		parts = append(parts, views.Own(", "), views.Own(name), views.Value(v, themes.Text, views.Exact).Text)
	}
	num("lag ", q.Lag)
	num("committed ", q.Committed)
	num("next ", q.Next)
	if q.Flow.Cause != "" {
		parts = append(parts, views.Own(", put back for "), d.clean.Cell(string(q.Flow.Cause)))
	}
	if d.s != d.in.Snap && !d.st.GoneAt.IsZero() {
		parts = append(parts, views.Own(", dropped "), views.Ago(d.in.Now, d.st.GoneAt, g))
	}
	return views.Join(append(parts, views.Own("."))...)
}

// pane draws a pane of the screen and returns its inside, indented by one cell.
func (d *drawing) pane(a views.Area, title views.Lit, note views.Spans, focused bool) views.Area {
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, title)}, Note: note, Focused: focused, Boxed: d.lay.boxed}
	in := p.Draw(a, d.in.Theme.Glyphs)
	if d.lay.boxed {
		return in.Sub(1, 0, in.W-1, in.H)
	}
	return in
}
