package scheduler

import (
	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// next is the mode after this one.
func (st State) next(d *snapshot.Sched, lay layout) Mode {
	st.Mode = (st.shown(d, lay) + 1) % modes
	return st.shown(d, lay)
}

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st, _ := state.(State)
	if ev.Action == keymap.Cancel {
		return st, []views.Intent{views.GoBack{}}
	}
	if s == nil {
		return st, nil
	}
	f := v.facts(s, ev.Now)
	lay := arrange(ev.W, ev.H, f.traced, s.Sched.Lesson != nil, ev.Zoomed, ev.Focus)
	ev.Focus = min(ev.Focus, lay.panes(f.traced)-1)
	st.Mode = st.shown(f.d, lay)
	switch ev.Action {
	case views.Refresh:
		return v.refresh(st, f)
	case keymap.Mode:
		st.Mode, st.Step, st.LineTop = st.next(f.d, lay), 0, 0
		return st, nil
	case keymap.PointBefore, keymap.PointAfter:
		return st.turnPoint(f, ev, lay)
	}
	if next, ok, intents := v.steps(st, ev, f); ok {
		return next, intents
	}
	if step, ok := decodeLine(ev.Text); ok && ev.Action == views.Point {
		return st.onLine(f, step, lay), nil
	}
	if ev.Focus == lessonPane || ev.Focus == lowerPane && st.Mode == Lesson {
		st.LessonTop, _ = views.Moved(ev, st.LessonTop, v.lessonEnd(f.d.Lesson, lay)+1, lay.inside(lay.lower))
		return st, nil
	}
	if ev.Focus == lowerPane && ev.Action != views.Point {
		return v.onLower(st, ev, f, lay)
	}
	return v.onTasks(st, ev, f, lay)
}

// refresh moves the cursor to the task of a new hit, and says so when a task that was asked
// for from elsewhere is not there.
func (v *View) refresh(st State, f *facts) (State, []views.Intent) {
	if l := f.d.Lesson; l != nil && len(l.Text) > 0 && l.Text[0] != st.part { // the next part begins at its top
		st.part, st.LessonTop = l.Text[0], 0
	}
	if h := f.d.Hit; h != st.hit {
		st.hit = h
		if h.Step != 0 && !st.want {
			st.Sel, st.Step = Target{}, 0
		}
	}
	pos, found := f.find(st)
	wanted := st.want
	st.want, st.Pos = false, max(pos, 0)
	switch {
	case found || st.Sel == (Target{}):
		if pos >= 0 && (wanted || !f.traced) { // what is read about must not change by itself
			st.Sel = targetOf(f.at(pos))
		}
		return st, nil
	case wanted:
		name := v.clean.FullName(st.Sel.Queue)
		st.Sel = Target{}
		return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Join(name, views.Own(" has no pull task here"))}}
	}
	name := views.Join(number(st.Sel.ID), views.Own(" of "), v.clean.FullName(st.Sel.Queue))
	st.Sel = Target{}
	if pos >= 0 {
		st.Sel = targetOf(f.at(pos))
	}
	return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Join(views.Own("Task "), name, views.Own(" is gone, the cursor moved to its neighbour"))}}
}

// onTasks moves the cursor over the tasks.
func (v *View) onTasks(st State, ev views.Event, f *facts, lay layout) (State, []views.Intent) {
	pos, _ := f.find(st)
	if pos < 0 {
		st.Pos, st.Top = 0, 0
		return st, nil
	}
	t := f.at(pos)
	to := pos
	switch ev.Action {
	case keymap.Open:
		return st, []views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(t.Queue)}}
	case keymap.Related:
		return st, []views.Intent{v.clean.Related(t.Queue, f.snap, v.ID())}
	case keymap.Copy:
		return st, []views.Intent{v.clean.Copying(views.RawName(t.Queue))}
	case keymap.Next, keymap.Prev:
		to = views.NextWorth(ev.Action, pos, len(f.d.Tasks), func(i int) bool { return worthTask(f.at(i)) })
	case views.Point:
		if want, ok := decodeTask(ev.Text); ok {
			if i, found := f.find(State{Sel: want}); found {
				to = i
			}
		}
	default:
		var moves bool
		if to, moves = views.Moved(ev, pos, len(f.d.Tasks), lay.rows()); !moves {
			return st, nil
		}
	}
	st.Sel, st.Pos = targetOf(f.at(to)), to
	st.Top = views.TopFor(st.Top, to, max(lay.rows(), 1), len(f.d.Tasks))
	return st, nil
}

// worthTask tells whether a task is worth a look.
func worthTask(t *snapshot.SchedTask) bool {
	return t.Wrong != "" || t.Current || t.Break || t.Held || t.Dropped || t.State == snapshot.TaskDelayed
}

// onLower moves the cursor over decisions.
func (v *View) onLower(st State, ev views.Event, f *facts, lay layout) (State, []views.Intent) {
	page := lay.inside(lay.lower)
	rows := f.rows(st.Mode)
	pos := lineAt(rows, st.Step)
	if pos < 0 || rows[pos].line == nil {
		return st, nil
	}
	x := &rows[pos].line.Decision
	switch ev.Action {
	case keymap.Open:
		return st, open(f, rows[pos].step, x)
	case keymap.Related:
		if x.Queue == (snapshot.MessageQueue{}) {
			return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own("This decision is about no queue")}}
		}
		return st, []views.Intent{v.clean.Related(x.Queue, f.snap, v.ID())}
	case keymap.Copy:
		return st, []views.Intent{v.clean.Copying(decision.Words(x))}
	}
	to, moves := views.Moved(ev, pos, len(rows), page)
	if !moves {
		return st, nil
	}
	for to > 0 && to < len(rows)-1 && rows[to].line == nil { // a change is no decision
		if to > pos {
			to++
		} else {
			to--
		}
	}
	if rows[to].line == nil {
		to = pos
	}
	return st.at(rows, to, page), nil
}

// at puts the cursor of the lower pane on a row; on the newest it stays with the newest.
func (st State) at(rows []entry, to, page int) State {
	if st.Step == 0 {
		st.LineTop = max(len(rows)-page, 0)
	}
	st.Step = rows[to].step
	st.LineTop = views.TopFor(st.LineTop, to, max(page, 1), len(rows))
	if to == newestOf(rows) {
		st.Step = 0
	}
	return st
}

// onLine moves the cursor to a decision that was clicked.
func (st State) onLine(f *facts, step uint64, lay layout) State {
	rows := f.rows(st.Mode)
	if i := lineAt(rows, step); st.Mode != Lesson && i >= 0 && rows[i].step == step {
		return st.at(rows, i, lay.inside(lay.lower))
	}
	return st
}

// open goes to where a decision was made; on a live cluster it opens the decision's queue.
func open(f *facts, step uint64, x *decision.Decision) []views.Intent {
	switch {
	case f.d.Virtual():
		return []views.Intent{goTo(step)}
	case x.Queue != (snapshot.MessageQueue{}):
		return []views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(x.Queue)}}
	}
	return nil
}

// turnPoint walks through what is worth a stop in history.
func (st State) turnPoint(f *facts, ev views.Event, lay layout) (State, []views.Intent) {
	from := len(f.past)
	if st.Mode == History && st.Step != 0 {
		from = lineAt(f.past, st.Step)
	}
	step := 1
	if ev.Action == keymap.PointBefore {
		step = -1
	}
	for i := from + step; i >= 0 && i < len(f.past); i += step {
		if f.past[i].line == nil || !f.worth(i) && (i == 0 || f.past[i-1].mark == nil) {
			continue // of a change it is the decision after it
		}
		st.Mode = History
		st = st.at(f.past, i, lay.inside(lay.lower))
		st.Step = f.past[i].step // of the newest too, so that the next turn goes on from here
		return st, nil
	}
	word := views.Lit("Nothing later is worth a stop")
	if step < 0 {
		word = "Nothing earlier is worth a stop"
	}
	return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own(word)}}
}
