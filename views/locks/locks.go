package locks

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

const (
	// wideFrom is the width from which believers and both bars have columns of their own.
	wideFrom = 100
	// countdown is how often a lease that ends soon is drawn.
	countdown = 250 * time.Millisecond
)

// View is the Locks screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	table  views.Table
	memo   memo
	ranks  []views.Rank
	bar    struct {
		n     int
		set   string
		fills []views.Safe
	}
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "locks" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InLocks }

// Start implements views.View; the argument is a filter.
func (v *View) Start(arg string) any { return State{Params: Params{Filter: arg, Sort: byExpiry}} }

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st := stateOf(in.State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Locks")}, Mark: snapshot.MarkUnknown}
	if st.Filter != "" {
		out.Crumb = append(out.Crumb, v.clean.Cell(st.Filter))
	}
	out.Keys = []keymap.ID{keymap.Open, keymap.Filter, keymap.Sort, keymap.Next, keymap.Related,
		keymap.PauseScreen, keymap.Copy, keymap.ReleaseLock, keymap.Arm, keymap.PauseConsume, keymap.Reverse, keymap.Theme}
	if in.Snap == nil || in.Snap.Source.State == snapshot.Connecting && len(in.Snap.Queues) == 0 {
		v.loading(a, in)
		out.Spoken = views.Own("Locks. No data yet.")
	} else {
		v.draw(a, in, st, &out)
		if !out.ReadOnly(in.Snap, keymap.ReleaseLock) && !in.Armed {
			out.Off = append(out.Off, views.Off{ID: keymap.ReleaseLock, Why: "not armed: arm changes first"})
		}
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (v *View) draw(a views.Area, in views.In, st State, out *views.Out) {
	m := v.list(in.Snap, st.Params, in.Now)
	if m.all == 0 {
		v.noLocks(a, in)
		out.Keys = []keymap.ID{keymap.ViewQueues, keymap.ViewEvents, keymap.PauseScreen, keymap.Theme} // there is no row to do something about
		out.Spoken = views.Own("Locks. None is used.")
		return
	}
	pos, _ := m.find(st)
	d := &drawing{View: v, in: in, m: m, st: st, wide: in.W >= wideFrom}
	d.cols = columnsOf(d.wide, in.Snap)
	d.answer(a.Line(0).Space(1))
	body := a.Below(1).Above(1)
	sort := st.Sort
	if sort == byExpiry {
		sort = "client"
	}
	drawn := v.table.Draw(body, views.TableIn{
		Cols: d.cols, N: len(m.rows), Fill: d.fill, Sel: pos, Top: st.Top, Scroll: st.Scroll, Sort: sort, Desc: st.Desc,
		Now: in.Now, Theme: in.Theme,
		Hit: func(row int) views.Hit {
			return views.Hit{Action: views.Point, Text: views.EncodeQueue(in.Snap.Queues[m.rows[row]].ID)}
		},
	})
	out.Tick = d.tick
	if pos < 0 {
		d.hidden(body.Line(min(2, max(body.H-1, 0))).Space(1))
	}
	d.footer(a.Line(a.H-1), pos, drawn.Hidden)
	out.Mark = snapshot.MarkUnknown
	out.Spoken = views.Own("Locks. None to show.")
	if pos >= 0 {
		q, r := m.queue(pos)
		out.Mark = d.mark(r)
		out.Worst = d.worst(q, r)
		out.Spoken = d.spoken(q, r)
	}
}

// loading is the shape of the table.
func (v *View) loading(a views.Area, in views.In) {
	if in.Snap == nil && in.Waited < views.ShowWait {
		return
	}
	g := in.Theme.Glyphs
	cols := columns(in.W >= wideFrom)
	v.table.Draw(a.Below(1).Above(1), views.TableIn{
		Cols: cols, N: min(max(a.H-3, 0), 8), Sel: -1, Now: in.Now, Theme: in.Theme,
		Fill: func(_ int, cells []views.Span) {
			for i := 1; i < len(cells); i++ {
				cells[i] = views.Span{Tok: themes.Faint, Text: views.Sign(g.Ellipsis)}
			}
		},
	})
	a.Line(0).Space(1).Put(themes.Muted, "Waiting for the first reading").Glyph(themes.Muted, g.Ellipsis)
}

// noLocks says why there are none.
func (v *View) noLocks(a views.Area, in views.In) {
	l := a.Line(0).Space(1)
	key := func(id keymap.ID) views.Safe { return v.clean.Cell(in.KeyOf(id)) }
	if len(in.Snap.Queues) == 0 {
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, in.Theme.Glyphs)).Put(themes.Text, " No queue is assigned to this member yet.")
		if in.Snap.Replay.Inferred {
			a.Line(0).To(3).Put(themes.Text, "No queue of this group was seen yet.     ")
		}
		a.Line(1).Space(3).Put(themes.Muted, "An orderly consumer takes a lock with each queue it gets.")
		a.Line(3).Space(3).Text(themes.Key, key(keymap.ViewEvents)).Put(themes.Muted, " shows what happens")
		return
	}
	if in.Snap.Replay.Inferred {
		l.Spans(views.MarkSpan(snapshot.MarkUnknown, in.Theme.Glyphs)).Put(themes.Text, " No lock of this group was seen.")
		a.Line(1).Space(3).Put(themes.Muted, "An orderly consumer asks its broker for a lock before it pulls a queue.")
		a.Line(3).Space(3).Text(themes.Key, key(keymap.ViewRebalance)).Put(themes.Muted, " shows who pulls what")
		return
	}
	l.Spans(views.MarkSpan(snapshot.MarkOK, in.Theme.Glyphs)).Put(themes.Text, " Concurrent consumers do not use locks.")
	a.Line(1).Space(3).Put(themes.Muted, "Who has which queue follows from the rebalance alone.")
	a.Line(3).Space(3).Text(themes.Key, key(keymap.ViewRebalance)).Put(themes.Muted, " shows it")
}

// hidden says that the filter leaves no row.
func (d *drawing) hidden(l *views.Pen) {
	l.Put(themes.Text, "Filter ").Text(themes.Match, d.clean.Cell(d.st.Filter).Cut(max(l.Left()-40, 10), d.in.Theme.Glyphs))
	l.Put(themes.Text, " hides all ").Text(themes.Text, views.Exact(int64(d.m.all))).Put(themes.Text, views.Plural(d.m.all, " lock, ", " locks, "))
	l.Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.Cancel))).Put(themes.Muted, " clears it")
}

// FilterNote implements views.Filterer.
func (v *View) FilterNote(in views.In) (note, bad views.Safe) {
	if in.Snap == nil {
		return note, bad
	}
	v.clean.Use(in.Theme.Glyphs)
	m := v.list(in.Snap, stateOf(in.State).Params, in.Now)
	note = views.Join(views.Exact(int64(len(m.rows))), views.Own(" of "), views.Exact(int64(m.all)))
	if m.bad != nil {
		bad = v.clean.Cell(m.bad.Error())
	}
	return note, bad
}
