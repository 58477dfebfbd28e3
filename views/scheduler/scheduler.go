package scheduler

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// countdown is how often a lease that ends soon is drawn.
const countdown = 250 * time.Millisecond

// View is the Scheduler screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	table  views.Table
	memo   facts
	line   timeLine
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "scheduler" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InScheduler }

// Start implements views.View; the argument is a queue as views.EncodeQueue writes it, whose
// task gets the cursor.
func (v *View) Start(arg string) any {
	q, ok := views.DecodeQueue(arg)
	if !ok {
		return State{}
	}
	return State{Sel: Target{Queue: q}, want: true}
}

// drawing is one frame in the making.
type drawing struct {
	*View
	in  views.In
	st  State
	f   *facts
	d   *snapshot.Sched
	lay layout
	pos int
	now time.Time
	old bool // the picture is so old that nothing in it counts down
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st, _ := in.State.(State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Scheduler")}, Mark: snapshot.MarkUnknown}
	if in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.Sched.Tasks) == 0 && !in.Snap.Sched.Stepping {
		v.loading(a, in)
		out.Keys = watching()
		out.Spoken = views.Own("Scheduler. No data yet.")
	} else {
		d := v.begin(in, st)
		d.keys(&out)
		d.draw(a)
		d.say(&out)
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (v *View) begin(in views.In, st State) *drawing {
	d := &drawing{View: v, in: in, st: st, f: v.facts(in.Snap, in.Now), d: &in.Snap.Sched, now: in.Now}
	d.pos, _ = d.f.find(st)
	if !d.d.Virtual() && in.Now.Sub(in.Snap.At) > views.StaleAfter {
		d.old = true
	}
	if d.old || d.d.Virtual() {
		d.now = in.Snap.At
	}
	d.lay = arrange(in.W, in.H, d.f.traced, d.d.Lesson != nil, in.Zoomed, in.Focus)
	d.in.Focus = min(in.Focus, d.lay.panes(d.f.traced)-1)
	d.st.Mode = st.shown(d.d, d.lay)
	return d
}

// shown is the mode in force: a lesson may have ended, or have a place of its own. It begins
// with its text where there is no room for both.
func (st State) shown(d *snapshot.Sched, lay layout) Mode {
	if st.Mode >= modes || st.Mode == Lesson && (d.Lesson == nil || lay.lesson.h > 0) {
		return Trace
	}
	if st.Mode == Trace && d.Lesson != nil && lay.lesson.h == 0 && d.Steps == 0 {
		return Lesson
	}
	return st.Mode
}

// empty tells whether there is no task, and no decision to show.
func (d *drawing) empty() bool { return len(d.d.Tasks) == 0 && !d.f.traced }

func (d *drawing) draw(a views.Area) {
	d.answer(a.Line(0).Space(1))
	if d.empty() {
		d.nothing(a.Below(1))
		return
	}
	if d.lay.tasks.h > 0 {
		d.tasks(d.part(a, d.lay.tasks))
	}
	if d.lay.heap.h > 0 {
		d.heap(d.part(a, d.lay.heap))
	}
	if d.lay.lower.h > 0 {
		d.lower(d.part(a, d.lay.lower))
	}
	if d.lay.lesson.h > 0 {
		p := views.Pane{Title: d.lessonTitle(), Boxed: d.lay.boxed, Focused: d.in.Focus == lessonPane}
		d.lesson(d.inner(p.Draw(d.part(a, d.lay.lesson), d.in.Theme.Glyphs)), d.st.LessonTop)
	}
}

func (d *drawing) part(a views.Area, r rect) views.Area { return a.Sub(r.x, r.y, r.w, r.h) }

// inner leaves a blank beside a box's edges.
func (d *drawing) inner(a views.Area) views.Area {
	if d.lay.boxed {
		return a.Sub(1, 0, a.W-2, a.H)
	}
	return a
}

// loading is the shape of the screen.
func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	g := in.Theme.Glyphs
	a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
	dots := views.Span{Tok: themes.Faint, Text: views.Sign(g.Ellipsis)}
	v.table.Draw(a.Below(1), views.TableIn{
		Cols: columns(false), N: min(max(a.H-2, 0), 8), Sel: -1, Now: in.Now, Theme: in.Theme, Fixed: true,
		Fill: func(_ int, cells []views.Span) {
			for i := 1; i < len(cells); i++ {
				cells[i] = dots
			}
		},
	})
}

// nothing says why there is no task, and which key helps.
func (d *drawing) nothing(a views.Area) {
	key := func(id keymap.ID) views.Safe { return d.clean.Cell(d.in.KeyOf(id)) }
	why, more := views.Lit("No pull task yet: nothing is assigned to this member."), views.Lit("Tasks come with the first rebalance.")
	switch {
	case d.d.Known:
	case d.in.Snap.Replay.Inferred:
		why, more = "When a client plans its pulls does not show on the wire.", "Which pulls are at a broker is in the queues' TASK column."
	case d.in.Snap.Group.Kind == snapshot.ScheduledKind, d.in.Snap.Group.Kind == snapshot.LiteKind:
		why, more = "This source does not tell the tasks of its consumer.", "What they did is among the events."
	default:
		why, more = "This consumer has no pull tasks of its own:", "its application says when to pull."
	}
	y := min(1, max(a.H-2, 0))
	a.Line(y).Space(1).Put(themes.Text, why)
	a.Line(y+1).Space(1).Put(themes.Muted, more)
	a.Line(y+2).Space(1).Text(themes.Key, key(keymap.ViewQueues)).Put(themes.Muted, " shows its queues, ").
		Text(themes.Key, key(keymap.ViewEvents)).Put(themes.Muted, " what happens")
}
