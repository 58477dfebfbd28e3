package scheduler

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// columns are those of the task table. When tasks are wrong, why comes before the next offset.
func columns(wrong bool) []views.Column {
	why := 6
	if wrong {
		why = 4
	}
	return []views.Column{
		{ID: "mark", Frozen: true, Tight: true},
		{ID: "task", Head: "TASK", Max: 8, Frozen: true, Tight: true, Cut: views.CutHead},
		{ID: "queue", Head: "QUEUE", Min: 10, Max: 48, Frozen: true, Grow: 4, Cut: views.CutMiddle},
		{ID: "state", Head: "STATE", Prio: 1},
		{ID: "due", Head: "DUE", Prio: 2, Right: true},
		{ID: "why", Head: "WHY", Min: 9, Max: 40, Prio: 3, Grow: why},
		{ID: "next", Head: "NEXT", Prio: 4, Right: true, Cut: views.CutHead},
		{ID: "cached", Head: "CACHED", Prio: 6, Right: true},
	}
}

// tasks draws the table.
func (d *drawing) tasks(a views.Area) {
	g := d.in.Theme.Glyphs
	if !d.lay.bare {
		p := views.Pane{Title: d.tasksTitle(), Focused: d.f.traced && d.in.Focus == taskPane, Boxed: d.lay.boxed}
		if n := len(d.d.Tasks); d.pos >= 0 && n > d.lay.rows() {
			p.Note = views.Spans{{Tok: themes.Muted, Text: views.Join(views.Exact(int64(d.pos+1)), views.Own("/"), views.Exact(int64(n)))}}
		}
		a = p.Draw(a, g)
	}
	if len(d.d.Tasks) == 0 {
		l := a.Line(min(1, max(a.H-1, 0))).Space(1)
		if d.d.Steps > 0 {
			l.Put(themes.Text, "No tasks yet: they come with the first rebalance")
			return
		}
		l.Put(themes.Text, "No tasks: consumer not started, ").Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.PauseScreen))).Put(themes.Muted, " starts it")
		return
	}
	d.table.Draw(a, views.TableIn{
		Cols: columns(d.f.wrong > 0), N: len(d.d.Tasks), Fill: d.fill, Sel: d.pos, Top: d.st.Top, Fixed: true, Blur: d.f.traced && d.in.Focus != taskPane,
		Now: d.in.Now, Theme: d.in.Theme,
		Hit: func(i int) views.Hit {
			return views.Hit{Action: views.Point, Text: encodeTask(targetOf(d.f.at(i))), Pane: taskPane}
		},
	})
}

func targetOf(t *snapshot.SchedTask) Target { return Target{ID: t.ID, Queue: t.Queue} }

// fill writes one task; the order of cells is that of columns.
func (d *drawing) fill(i int, cells []views.Span) {
	g, t := d.in.Theme.Glyphs, d.f.at(i)
	cells[0] = d.sign(t)
	cells[1] = views.Span{Tok: themes.Text, Text: number(t.ID)}
	cells[2] = views.Span{Tok: themes.Text, Text: d.clean.QueueName(t.Queue, d.f.short)}
	cells[3] = d.state(t)
	cells[4] = d.due(t)
	cells[5] = d.why(t)
	if cells[6] = views.Say(themes.Faint, "-"); t.Next >= 0 {
		cells[6] = views.Span{Tok: themes.Text, Text: views.Offset(t.Next, 26, g)}
	}
	cells[7] = views.Span{Tok: themes.Muted, Text: views.Count(int64(t.Count), d.in.Exact)}
}

// number is the name of a task.
func number(id uint64) views.Safe {
	if id == 0 {
		return views.Own("-")
	}
	return views.Join(views.Own("#"), views.Total(id, true))
}

// sign is what is special about a task, the worst of it.
func (d *drawing) sign(t *snapshot.SchedTask) views.Span {
	g := d.in.Theme.Glyphs
	switch {
	case t.Wrong != "":
		return views.Span{Tok: themes.Bad, Text: views.Sign(g.Bad)}
	case t.Current:
		return views.Span{Tok: themes.TaskRun, Text: views.Sign(g.Run)}
	case t.Break:
		return views.Say(themes.Title, "B")
	case t.Held:
		return views.Span{Tok: themes.MsgHeld, Text: views.Sign(g.Held)}
	}
	return views.Span{}
}

// decides tells whether a task has its turn.
func (d *drawing) decides(t *snapshot.SchedTask) bool { return t.Current && !d.d.Current.Done }

func (d *drawing) state(t *snapshot.SchedTask) views.Span {
	word := d.clean.Cell(t.State.String())
	switch {
	case t.Dropped:
		return views.Say(themes.TaskDrop, "dropped")
	case t.Held:
		return views.Say(themes.MsgHeld, "held")
	case d.decides(t):
		return views.Say(themes.TaskRun, "deciding")
	case t.State == snapshot.TaskReady:
		return views.Span{Tok: themes.TaskReady, Text: word}
	case t.State == snapshot.TaskDelayed:
		return views.Span{Tok: themes.TaskDelay, Text: word}
	case t.State == snapshot.TaskRunning:
		return views.Span{Tok: themes.TaskRun, Text: word}
	case t.State == snapshot.TaskParked:
		return views.Span{Tok: themes.TaskPark, Text: word}
	}
	return views.Span{Tok: themes.TaskDrop, Text: word}
}

// due is when a task fires, or how long it has been at a broker.
func (d *drawing) due(t *snapshot.SchedTask) views.Span {
	g := d.in.Theme.Glyphs
	aged := func(s views.Span) views.Span {
		if d.old {
			s = views.Span{Tok: themes.Stale, Text: views.Join(views.Sign(g.Stale), s.Text)}
		}
		return s
	}
	switch {
	case d.decides(t) || t.Held:
		return views.Say(themes.Text, "now")
	case t.State == snapshot.TaskReady:
		return views.Say(themes.Text, "due")
	case t.State == snapshot.TaskDelayed && !t.Due.IsZero():
		return aged(views.Span{Tok: themes.Text, Text: views.Until(d.now, t.Due, g)})
	case (t.State == snapshot.TaskRunning || t.State == snapshot.TaskParked) && !t.Since.IsZero():
		return aged(views.Span{Tok: themes.Muted, Text: views.Age(d.now, t.Since, g)})
	}
	return views.Say(themes.Faint, "-")
}

// why is why a task waits.
func (d *drawing) why(t *snapshot.SchedTask) views.Span {
	switch {
	case t.Wrong != "":
		return views.Span{Tok: themes.Bad, Text: d.clean.Cell(t.Wrong)}
	case t.Cause != "" && d.in.W < 100:
		return views.Span{Tok: themes.Warn, Text: d.clean.Cause(string(t.Cause))}
	case t.Cause != "":
		return views.Span{Tok: themes.Warn, Text: d.clean.Cell(string(t.Cause))}
	case t.State == snapshot.TaskParked:
		return views.Say(themes.Muted, longPoll)
	case t.State == snapshot.TaskRunning && !d.decides(t):
		if d.in.Snap.Group.Kind == snapshot.ScheduledKind { // whether it pulls there, its trace says
			return views.Say(themes.Muted, "in callback")
		}
		return views.Say(themes.Muted, "at broker")
	}
	return views.Say(themes.Faint, "-")
}
