package rebalance

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// View is the Rebalance screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	memo   facts
	answer answer
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "rebalance" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InRebalance }

// Start implements views.View; the argument is a topic.
func (v *View) Start(arg string) any { return State{Params: Params{Topic: arg}} }

// drawing is one frame in the making.
type drawing struct {
	*View
	in   views.In
	st   State
	f    *facts
	plan *snapshot.Plan      // of the question, nil when there is none
	pass *snapshot.Rebalance // the one on show, nil for now
	t    table
	lay  layout
	pos  int
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st, _ := in.State.(State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Rebalance")}, Mark: snapshot.MarkUnknown}
	out.Keys = []keymap.ID{keymap.PlanStrategy, keymap.PlanMore, keymap.PlanFewer, keymap.PlanWithout, keymap.PlanNow, keymap.Open,
		keymap.PassBefore, keymap.PassAfter, keymap.PlanTopic, keymap.Undo, keymap.PauseScreen, keymap.Copy, keymap.PauseConsume, keymap.Theme}
	out.Label = map[keymap.ID]views.Lit{keymap.Open: "its queues"}
	if in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.Queues) == 0 {
		v.loading(a, in)
		out.Spoken = views.Own("Rebalance. No data yet.")
	} else {
		d := v.begin(in, st)
		d.draw(a, &out)
		if why := unaskable(in.Snap); why != "" {
			for _, id := range []keymap.ID{keymap.PlanStrategy, keymap.PlanMore, keymap.PlanFewer, keymap.PlanWithout, keymap.PlanNow} {
				out.Off = append(out.Off, views.Off{ID: id, Why: why})
			}
		}
		if !in.Snap.Mode.Driving || in.Snap.Mode.ReadOnly {
			out.Off = append(out.Off, views.Off{ID: keymap.PauseConsume, Why: "read-only: nothing is driven"})
		}
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (v *View) begin(in views.In, st State) *drawing {
	d := &drawing{View: v, in: in, st: st, f: v.facts(in.Snap, st.Topic)}
	d.t, d.plan, d.pass = v.table(d.f, st, in.Now)
	d.lay = arrange(in.W, in.H, &d.t)
	d.pos = d.t.find(st)
	return d
}

// table is what is on show: a rebalance that was seen, the answer to a question, or who has
// what now.
func (v *View) table(f *facts, st State, now time.Time) (table, *snapshot.Plan, *snapshot.Rebalance) {
	if pass, _, _ := f.passOf(st.Pass); pass != nil {
		return of(pass, f.snap.Group.ClientID), nil, pass
	}
	if unaskable(f.snap) != "" || !st.asks(f.snap) || len(f.queues) == 0 {
		return f.now(), nil, nil
	}
	p := v.ask(f, st.Params, now)
	if p.Err != "" {
		return f.now(), p, nil
	}
	return f.with(p), p, nil
}

// find is the row of the cursor, which begins at this member; -1 when there are no rows.
func (t *table) find(st State) int {
	for i := range t.lines {
		l := &t.lines[i]
		if st.Sel == "" && l.me || st.Sel != "" && l.id == st.Sel && !l.nobody || st.Sel == nobodyID && l.nobody {
			return i
		}
	}
	return min(max(st.Pos, 0), len(t.lines)-1)
}

// nobodyID selects the line of queues without an owner; it is no client id.
const nobodyID = "\x00nobody"

// idOf is what the cursor remembers of a line.
func (l *line) idOf() string {
	if l.nobody {
		return nobodyID
	}
	return l.id
}

func (d *drawing) draw(a views.Area, out *views.Out) {
	g := d.in.Theme.Glyphs
	if len(d.f.topics) > 0 {
		out.Crumb = append(out.Crumb, d.clean.Cell(d.f.current()))
	}
	d.verdict(a.Line(0).Space(1))
	if len(d.t.ids) == 0 {
		d.nothing(a)
		out.Spoken = views.Own("Rebalance. No queue is known.")
		return
	}
	d.question(a.Line(1).Space(1))
	d.heads(a)
	top := views.TopFor(d.st.Top, d.pos, d.lay.rows, len(d.t.lines))
	shown := min(d.lay.rows, len(d.t.lines)-top)
	for i := range shown {
		d.row(a, above+i, top+i)
	}
	if d.lay.panes > 0 {
		y := above + min(d.lay.rows, len(d.t.lines))
		if d.lay.boxed {
			y = min(y+1, a.H-1-d.lay.panes)
		}
		d.panes(a.Sub(0, y, a.W, min(d.lay.panes, a.H-1-y)))
	}
	d.legend(a.Line(a.H - 1).Space(1))
	if d.pos >= 0 {
		l := &d.t.lines[d.pos]
		out.Mark = d.mark(l)
		out.Worst = views.Spans{views.MarkSpan(out.Mark, g), views.Say(themes.None, " "), {Tok: themes.Text, Text: d.name(l).Middle(36, g)},
			views.Say(themes.None, "  "), {Tok: themes.Muted, Text: d.counts(l)}}
		out.Spoken = views.Join(d.name(l), views.Own(", "), d.counts(l), views.Own(", "), views.Own(views.MarkWord(out.Mark)), views.Own("."))
		if isNew(l.id, d.f.members) {
			out.Label[keymap.PlanWithout] = "without it"
		} else if d.st.isOut(l.id) {
			out.Label[keymap.PlanWithout] = "back in"
		}
	}
}

// counts says how many queues a member has, on both sides.
func (d *drawing) counts(l *line) views.Safe {
	n := views.Join(views.Exact(int64(len(l.before))), views.Own(views.Plural(len(l.before), " queue", " queues")))
	if !d.t.two {
		return n
	}
	return views.Join(n, views.Own(" then "), views.Exact(int64(len(l.after))))
}

// mark is the state of a member.
func (d *drawing) mark(l *line) snapshot.Mark {
	switch {
	case l.nobody && d.f.why != "":
		return snapshot.MarkUnknown
	case l.nobody || d.shared(l):
		return snapshot.MarkBad
	case !d.t.past && len(d.f.differs[l.id]) > 0:
		return snapshot.MarkWarn
	case d.t.two && l.leaves:
		return snapshot.MarkWatch
	case d.t.two && len(l.after) == 0, !d.t.two && len(l.before) == 0:
		return snapshot.MarkWatch
	case d.f.old && !d.t.past:
		return snapshot.MarkStale
	}
	return snapshot.MarkOK
}

// shared tells whether a member has a queue that another one has, too.
func (d *drawing) shared(l *line) bool {
	return len(diff(d.t.double, diff(d.t.double, l.before))) > 0
}

// name is the name of a line.
func (d *drawing) name(l *line) views.Safe {
	if l.nobody {
		return views.Own("(no owner)")
	}
	return d.clean.Cell(l.id)
}

// loading is the shape of the table.
func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	g := in.Theme.Glyphs
	a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
	a.Line(above-1).Space(3).Put(themes.Muted, "MEMBER")
	for i := range min(3, max(a.H-above-1, 0)) {
		l := a.Line(above+i).Space(3).Glyph(themes.Faint, g.Ellipsis)
		l.To(3+leastName+1).Repeat(themes.Faint, g.Gap, 16)
	}
}
