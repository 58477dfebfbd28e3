package detail

import (
	"strconv"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st, _ := state.(State)
	switch ev.Action {
	case views.Refresh:
		return st.refresh(ev, s, v.clean)
	case keymap.Mode:
		st.Mode = (st.Mode + 1) % (Charts + 1)
		return st, nil
	case keymap.Related:
		return st, []views.Intent{v.clean.Related(st.Queue, s, v.ID())}
	case keymap.Cancel:
		if st.From == 0 && st.To == 0 {
			return st, []views.Intent{views.GoBack{}}
		}
		st.From, st.To = 0, 0
		return st, nil
	}
	pic, q := st.picture(s)
	if q == nil {
		return st, nil
	}
	switch ev.Focus {
	case rulerPane:
		return v.onRuler(st, ev, q)
	case eventsPane:
		return v.onEvents(st, ev, pic)
	}
	return v.onWindow(st, ev, pic.Windows[q.ID], q)
}

// refresh keeps the newest picture of the queue, and notes when it went away or came back.
func (st State) refresh(ev views.Event, s *snapshot.Snapshot, c *views.Cleaner) (any, []views.Intent) {
	if find(s, st.Queue) != nil {
		back := !st.GoneAt.IsZero()
		st.Last, st.GoneAt = s, time.Time{}
		if back {
			return st, []views.Intent{views.Toast{Level: snapshot.MarkOK, Text: views.Join(c.FullName(st.Queue), views.Own(" is back"))}}
		}
		return st, nil
	}
	if s == nil || st.Last == nil || !st.GoneAt.IsZero() {
		return st, nil
	}
	st.GoneAt = ev.Now
	return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch,
		Text: views.Join(c.FullName(st.Queue), views.Own(" is no longer ours: this is the last picture"))}}
}

func (st State) allEvents() views.Intent {
	return views.Open{View: "events", Arg: "queue:" + views.Quote(views.RawName(st.Queue))}
}

// onWindow moves the cursor over the cells and zooms.
func (v *View) onWindow(st State, ev views.Event, w snapshot.Window, q *snapshot.Queue) (any, []views.Intent) {
	_, g := geometry(st, w, ev.W, ev.H, ev.Zoomed, ev.Focus)
	if ev.Action == keymap.Reset && st.From == 0 && st.To == 0 {
		return st.toggleScale(q), nil
	}
	n := g.used()
	if n == 0 {
		if ev.Action == keymap.Copy {
			return st, []views.Intent{v.clean.Copying(views.RawName(st.Queue))}
		}
		return st, nil
	}
	at := g.cellOf(st.cursor(w, g))
	to := at
	switch ev.Action {
	case keymap.Left:
		to -= ev.Step()
	case keymap.Right:
		to += ev.Step()
	case keymap.Up, views.WheelUp:
		to -= g.cols * ev.Step()
	case keymap.Down, views.WheelDown:
		to += g.cols * ev.Step()
	case keymap.HalfUp, keymap.PageUp:
		to -= g.cols * max(g.rows/2, 1)
	case keymap.HalfDown, keymap.PageDown:
		to += g.cols * max(g.rows/2, 1)
	case keymap.Top:
		to = 0
	case keymap.Bottom:
		to = n - 1
	case keymap.Open, keymap.More:
		if g.per == 1 {
			return st, []views.Intent{views.Toast{Level: snapshot.MarkOK, Text: views.Own("Each cell is one offset already")}}
		}
		return st.zoomTo(g, at, ev.Action == keymap.Open), nil
	case keymap.Less, keymap.Reset:
		st.From, st.To = 0, 0
		return st, nil
	case keymap.Copy:
		return st, []views.Intent{v.clean.Copying(strconv.FormatInt(st.cursor(w, g), 10))}
	default:
		return st, nil
	}
	if to < 0 || to >= n {
		if ev.Action != keymap.Left && ev.Action != keymap.Right {
			return st, nil // there is no row above or below
		}
		to = min(max(to, 0), n-1)
	}
	st.Offset, _ = g.bounds(to)
	st.Placed = true
	return st, nil
}

// zoomTo shows the offsets of one cell, or the quarter of the grid around it.
func (st State) zoomTo(g grid, cell int, whole bool) State {
	from, to := g.bounds(cell)
	if !whole {
		quarter := int64(uint64(g.to-g.from) / 8)
		from, to = max(g.from, from-min(quarter, from-g.from)), min(g.to, to+min(quarter, g.to-to))
	}
	if !st.Placed || st.Offset < from || st.Offset > to {
		st.Offset, st.Placed = from, true
	}
	st.From, st.To = from, to
	return st
}

// onRuler zooms and pans the ruler.
func (v *View) onRuler(st State, ev views.Event, q *snapshot.Queue) (any, []views.Intent) {
	if ev.Action == keymap.Copy {
		return st, []views.Intent{v.clean.Copying(views.RawName(st.Queue))}
	}
	if !q.Min.OK() || !q.Max.OK() || q.Max.V <= q.Min.V {
		return st, nil
	}
	lo, hi := q.Min.V, q.Max.V
	from, to := st.RulerFrom, st.RulerTo
	if from == 0 && to == 0 {
		from, to = lo, hi
	}
	size := to - from
	switch ev.Action {
	case keymap.Reset, keymap.Open:
		return st.toggleScale(q), nil
	case keymap.More:
		mid := from + size/2
		if q.Committed.OK() {
			mid = min(max(q.Committed.V, from), to)
		}
		size = max(size/2, 16)
		from = mid - size/2
	case keymap.Less:
		if size >= hi-lo {
			st.RulerFrom, st.RulerTo = 0, 0
			return st, nil
		}
		from -= min(size/2, from-lo)
		size = min(size, (hi-lo)/2) * 2
	case keymap.Left:
		from -= max(size/8, 1)
	case keymap.Right:
		from += max(size/8, 1)
	default:
		return st, nil
	}
	size = min(size, hi-lo)
	from = min(max(from, lo), hi-size)
	st.RulerFrom, st.RulerTo = from, from+size
	return st, nil
}

// toggleScale changes between piecewise and true scale.
func (st State) toggleScale(q *snapshot.Queue) State {
	if st.RulerFrom != 0 || st.RulerTo != 0 {
		st.RulerFrom, st.RulerTo = 0, 0
		return st
	}
	if q.Min.OK() && q.Max.OK() && q.Max.V > q.Min.V {
		st.RulerFrom, st.RulerTo = q.Min.V, q.Max.V
	}
	return st
}

// onEvents moves the cursor over the queue's events.
func (v *View) onEvents(st State, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	seqs := v.eventsOf(s, st.Queue)
	at := place(seqs, st.Event)
	to := at
	switch ev.Action {
	case keymap.Up, views.WheelUp:
		to -= ev.Step()
	case keymap.Down, views.WheelDown:
		to += ev.Step()
	case keymap.HalfUp, keymap.PageUp:
		to -= 8
	case keymap.HalfDown, keymap.PageDown:
		to += 8
	case keymap.Top:
		to = 0
	case keymap.Bottom:
		to = len(seqs) - 1
	case keymap.Open:
		return st, []views.Intent{st.allEvents()}
	case keymap.Copy:
		if len(seqs) > 0 {
			if e := views.EventAt(s.Events, seqs[len(seqs)-1-at]); e != nil {
				return st, []views.Intent{v.clean.Copying(e.What)}
			}
		}
		return st, nil
	default:
		return st, nil
	}
	to = min(max(to, 0), len(seqs)-1)
	st.Event = 0
	if to > 0 { // the newest stays the newest
		st.Event = seqs[len(seqs)-1-to]
	}
	return st, nil
}
