package scheduler

import (
	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Sheet implements views.Exporter: the tasks, or, in the pane below, the decisions on show.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	st, _ := in.State.(State)
	f := v.facts(in.Snap, in.Now)
	switch {
	case f.traced && in.Focus == lessonPane, f.traced && in.Focus == lowerPane && st.Mode == Lesson:
		return views.Sheet{}, false
	case f.traced && in.Focus == lowerPane:
		return decisionSheet(in.Snap, f.rows(st.Mode)), true
	}
	s := views.NewSheet("tasks", in.Snap.At, "task", "topic", "broker", "queue_id", "state", "due", "since", "why", "wrong", "next", "cached",
		"dropped", "held", "breakpoint", "current")
	for i := range f.order {
		t := f.at(i)
		next := views.Is(t.Next)
		if t.Next < 0 {
			next = views.Cell{Why: "it has none"}
		}
		s.Add(append([]views.Cell{views.Is(t.ID)}, append(views.QueueCells(t.Queue), views.Is(t.State.String()), views.When(t.Due), views.When(t.Since),
			views.Cause(string(t.Cause)), views.Cause(t.Wrong), next, views.Is(t.Count), views.Is(t.Dropped), views.Is(t.Held), views.Is(t.Break), views.Is(t.Current))...)...)
	}
	return s, f.d.Known || len(f.order) > 0
}

func decisionSheet(snap *snapshot.Snapshot, rows []entry) views.Sheet {
	s := views.NewSheet("decisions", snap.At, "step", "at", "member", "task", "topic", "broker", "queue_id", "decision", "changed_by_you")
	for i := range rows {
		e := &rows[i]
		if e.mark != nil {
			s.Add(append([]views.Cell{views.Is(e.step), {}, {}, {}}, append(views.QueueCells(snapshot.MessageQueue{}), views.Cell{}, views.Is(e.mark.What))...)...)
			continue
		}
		d := &e.line.Decision
		task := views.Is(d.Task)
		if d.Task == 0 {
			task = views.Cell{}
		}
		s.Add(append([]views.Cell{views.Is(e.step), views.When(d.At), views.Cause(d.Member), task}, append(views.QueueCells(d.Queue), views.Is(decision.Words(d)), views.Cell{})...)...)
	}
	return s
}
