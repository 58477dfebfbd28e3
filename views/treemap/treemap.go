package treemap

import (
	"math"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// View is the Map screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	memo   memo
	sorted []int32
	lines  []joint
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "map" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InMap }

// Start implements views.View; the argument is a queue as views.EncodeQueue writes it.
func (v *View) Start(arg string) any {
	q, _ := views.DecodeQueue(arg)
	return State{Sel: Target{Queue: q}}
}

// drawing is one frame in the making.
type drawing struct {
	*View
	in views.In
	st State
	m  *memo
	sh shader
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st, _ := in.State.(State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Map")}, Mark: snapshot.MarkUnknown}
	out.Keys = []keymap.ID{keymap.Open, keymap.MapSize, keymap.Mode, keymap.GroupBy, keymap.Next, keymap.Related,
		keymap.PauseScreen, keymap.Copy, keymap.PauseConsume, keymap.Undo, keymap.Exact, keymap.Theme}
	out.Label = map[keymap.ID]views.Lit{keymap.Mode: "shade"}
	if in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.Queues) == 0 {
		v.loading(a, in)
		out.Spoken = views.Own("Map. No data yet.")
	} else {
		d := v.begin(in, st)
		d.draw(a, &out)
		out.ReadOnly(in.Snap)
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

// area is the size of the picture in a body: the answer stands above it, the legend below.
func area(w, h int) (int, int) { return w, h - 2 }

func (v *View) begin(in views.In, st State) *drawing {
	w, h := area(in.W, in.H)
	st.Params = st.Params.on(in.Snap)
	d := &drawing{View: v, in: in, st: st, m: v.layout(in.Snap, st.Params, w, h)}
	d.sh = shader{shade: st.Shade, s: in.Snap, now: in.Now, exact: in.Exact, g: in.Theme.Glyphs, clean: v.clean}
	if in.Now.Sub(in.Snap.At) > views.StaleAfter {
		d.sh.old = true
	}
	return d
}

func (d *drawing) draw(a views.Area, out *views.Out) {
	if len(d.m.tiles) == 0 {
		d.nothing(a)
		out.Spoken = views.Own("Map. Nothing to draw.")
		return
	}
	d.answer(a.Line(0).Space(1))
	pos := d.m.find(d.st)
	d.picture(a.Below(1).Above(1), pos)
	d.legend(a.Line(a.H - 1).Space(1))
	d.say(out, &d.m.tiles[pos])
}

// loading is the shape of the picture.
func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	g := in.Theme.Glyphs
	a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
	p := views.Pane{Title: views.Spans{{Tok: themes.Faint, Text: views.Sign(g.Ellipsis)}}, Boxed: true}
	p.Draw(a.Below(1).Above(1), g)
}

// nothing says why there is no picture, and which key helps.
func (d *drawing) nothing(a views.Area) {
	g, s, m := d.in.Theme.Glyphs, d.in.Snap, d.m
	l, why := a.Line(0).Space(1), a.Line(1).Space(3)
	key := func(id keymap.ID) views.Safe { return d.clean.Cell(d.in.KeyOf(id)) }
	owned := 0
	for i := range m.groups {
		owned += len(m.groups[i].queues)
	}
	switch {
	case owned == 0 && s.Replay.Inferred:
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Put(themes.Text, " No queue of this picture was seen yet.")
		why.Text(themes.Key, key(keymap.ViewEvents)).Put(themes.Muted, " shows what happens")
	case owned == 0:
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Put(themes.Text, " No queue is assigned to this member yet.")
		why.Text(themes.Key, key(keymap.ViewEvents)).Put(themes.Muted, " shows what happens")
	case m.none == owned:
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Put(themes.Text, " What the queues hold is not known.")
		for i := range s.Queues {
			if reason := d.st.Size.why(&s.Queues[i]); reason != "" {
				why.Text(themes.Muted, d.clean.Cell(reason).Cut(max(why.Left(), 1), g))
				break
			}
		}
	case m.sum > 0:
		l.Put(themes.Text, "There is no room for a picture.")
	case d.st.Size == ByLag:
		l.Spans(views.MarkSpan(snapshot.MarkOK, g)).Put(themes.Text, " Nothing waits anywhere.")
		why.Text(themes.Key, key(keymap.MapSize)).Put(themes.Muted, " sizes by what is cached")
	default:
		l.Spans(views.MarkSpan(snapshot.MarkOK, g)).Put(themes.Text, " Nothing cached anywhere.")
		why.Text(themes.Key, key(keymap.MapSize)).Put(themes.Muted, " sizes by lag")
	}
	if m.none > 0 && m.none < owned {
		a.Line(2).Space(3).Put(themes.Unknown, "? ").Text(themes.Text, views.Exact(int64(m.none))).Put(themes.Muted, views.Plural(m.none, " queue is not known", " queues are not known"))
	}
}

// percent writes a part of the whole.
func (m *memo) percent(part float64) views.Safe {
	p := part / m.sum * 100
	if p > 0 && p < 1 {
		return views.Own("<1%")
	}
	if p > 99 && p < 100 {
		return views.Own(">99%")
	}
	return views.Join(views.Exact(int64(math.Round(min(p, 100)))), views.Own("%"))
}

// total writes a sum with what is not known of it.
func (d *drawing) total(sum float64, missing int, stale bool) views.Safe {
	s := d.m.size.write(int64(min(sum, math.MaxInt64/2)), d.in.Exact)
	if missing > 0 {
		s = views.Join(views.Sign(d.in.Theme.Glyphs.AtLeast), s)
	}
	if stale {
		s = views.Join(views.Own("~"), s)
	}
	return s
}

// answer says which queue is the largest, whether it is sick, and what the sick ones have.
func (d *drawing) answer(l *views.Pen) {
	g, m := d.in.Theme.Glyphs, d.m
	if m.top < 0 {
		return
	}
	q := &d.in.Snap.Queues[m.top]
	r := m.size.read(q)
	l.Spans(views.MarkSpan(q.Mark, g)).Space(1)
	part := m.percent(float64(r.size))
	whole := d.total(m.sum, m.none, false)
	room := max(l.Left()-part.Width()-whole.Width()-30, 10)
	l.Text(themes.Text, d.clean.QueueName(q.ID, m.short).Middle(min(room, 44), g)).Put(themes.Text, " has ").Text(themes.Text, part)
	l.Put(themes.Muted, " of ").Text(themes.Text, whole)
	switch m.size {
	case ByBytes:
		l.Put(themes.Muted, " cached")
	case ByCount:
		l.Put(themes.Muted, " messages cached")
	default:
		l.Put(themes.Muted, " waiting")
	}
	sick := views.Spans{{Tok: themes.Faint, Text: views.Sign(g.Dot)}, views.Say(themes.None, " "), {Tok: themes.Text, Text: views.Exact(int64(m.sickN))},
		views.Say(themes.Text, views.Plural(m.sickN, " sick queue has ", " sick queues have ")), {Tok: themes.Text, Text: m.percent(m.sick)}}
	if m.sickN == 0 {
		sick = views.Spans{{Tok: themes.Faint, Text: views.Sign(g.Dot)}, views.Say(themes.Muted, " no queue is sick")}
	}
	note := d.clean.Cell(q.Note)
	if views.Severity(q.Mark) <= 2 && !note.Empty() && l.Left() >= sick.Width()+12 {
		l.Put(themes.Muted, ": ").Text(views.MarkToken(q.Mark), note.Cut(l.Left()-sick.Width()-2, g))
	}
	if l.Left() >= sick.Width()+1 {
		l.Space(1).Spans(sick...)
	}
}

// legend says what sizes, fills and marks mean, and which keys change that.
func (d *drawing) legend(l *views.Pen) {
	g := d.in.Theme.Glyphs
	wide := d.in.W >= 100
	key := func(id keymap.ID) {
		l.Put(themes.Muted, " (").Text(themes.Key, views.KeyName(d.clean.Cell(d.in.KeyOf(id)), g)).Put(themes.Muted, ")")
	}
	dot := func() { l.Space(1).Glyph(themes.Faint, g.Dot).Space(1) }
	if d.in.W >= 80 {
		l.Put(themes.Muted, "size ")
	}
	l.Put(themes.Text, d.st.Size.name())
	key(keymap.MapSize)
	dot()
	l.Put(themes.Text, d.st.Shade.name())
	key(keymap.Mode)
	for i, word := range d.st.Shade.scale() {
		if word == "" {
			continue
		}
		item := views.Spans{views.Say(themes.None, " "), views.MarkSpan(markOfStep(i), g), views.Say(themes.Muted, word)}
		if wide {
			item = views.Spans{views.Say(themes.None, "  "), views.MarkSpan(markOfStep(i), g), views.Say(themes.None, " "), views.Say(themes.Muted, word)}
			if i > 0 {
				item = append(item, views.Say(themes.None, " "))
			}
		}
		if i > 0 {
			item = append(item, views.Span{Tok: themes.Lag(i), Text: views.Sign(fillOf(i, g))})
		}
		if l.Left() >= item.Width() {
			l.Spans(item...)
		}
	}
	if wide {
		l.Space(2).Spans(views.MarkSpan(snapshot.MarkUnknown, g)).Put(themes.Muted, " unknown  ").Spans(views.MarkSpan(snapshot.MarkStale, g)).Put(themes.Muted, " stale")
	}
	if l.Left() >= 20 {
		dot()
		l.Put(themes.Muted, "by ").Put(themes.Text, d.st.Group.name())
		key(keymap.GroupBy)
	}
}

// say fills what is told beside the picture.
func (d *drawing) say(out *views.Out, t *tile) {
	g := d.in.Theme.Glyphs
	if t.queue < 0 {
		out.Label[keymap.Open] = "list them"
		_, mark := d.sh.worst(t.rest)
		out.Mark = mark
		out.Worst = views.Spans{views.MarkSpan(mark, g), {Tok: themes.Muted, Text: views.Join(views.Own(" +"), views.Exact(int64(len(t.rest))), views.Own(" queues"))}}
		out.Spoken = views.Join(views.Exact(int64(len(t.rest))), views.Own(" smaller queues, worst "), views.Own(views.MarkWord(mark)), views.Own("."))
		return
	}
	q := &d.in.Snap.Queues[t.queue]
	lv := d.sh.of(q)
	out.Mark = lv.mark
	r := d.m.size.read(q)
	size := d.sizeOf(r)
	out.Worst = views.Spans{views.MarkSpan(q.Mark, g), views.Say(themes.None, " "), {Tok: themes.Text, Text: d.clean.QueueName(q.ID, d.m.short).Middle(36, g)},
		views.Say(themes.None, "  "), {Tok: themes.Text, Text: size}, views.Say(themes.None, "  "), {Tok: views.MarkToken(lv.mark), Text: lv.text.Cut(24, g)}}
	out.Spoken = views.Join(views.Own("Queue "), d.clean.FullName(q.ID), views.Own(", "), size, views.Own(", "), lv.text, views.Own(", "),
		views.Own(views.MarkWord(q.Mark)), views.Own("."))
}

// sizeOf writes the size of a queue with its trust.
func (d *drawing) sizeOf(r reading) views.Safe {
	switch {
	case !r.ok:
		return views.Own("?")
	case r.stale:
		return views.Join(views.Own("~"), d.m.size.write(r.size, d.in.Exact))
	}
	return d.m.size.write(r.size, d.in.Exact)
}
