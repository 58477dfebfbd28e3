package rebalance

import (
	"strings"

	"mqscope/views"
)

// Sheet implements views.Exporter: who has each queue of the topic on show, and, of a question
// or a rebalance that was seen, who would have it or had it then.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	st, _ := in.State.(State)
	f := v.facts(in.Snap, st.Topic)
	t, _, _ := v.table(f, st, in.Now)
	cols := []string{"topic", "broker", "queue_id", "owner"}
	switch {
	case t.past:
		cols = []string{"topic", "broker", "queue_id", "owner_before", "owner_after", "moved"}
	case t.two:
		cols = append(cols, "owner_then", "moves")
	}
	s := views.NewSheet("rebalance", in.Snap.At, cols...)
	before, after := make([][]string, len(t.ids)), make([][]string, len(t.ids))
	for i := range t.lines {
		l := &t.lines[i]
		if l.nobody {
			continue
		}
		for _, pos := range l.before {
			before[pos] = append(before[pos], l.id)
		}
		for _, pos := range l.after {
			after[pos] = append(after[pos], l.id)
		}
	}
	for pos, id := range t.ids {
		was, then := strings.Join(before[pos], " "), strings.Join(after[pos], " ")
		row := append(views.QueueCells(id), owner(was, f.why))
		if t.two {
			row = append(row, owner(then, "nobody"), views.Is(was != then))
		}
		s.Add(row...)
	}
	return s, len(t.ids) > 0
}

func owner(ids, why string) views.Cell {
	if ids == "" {
		if why == "" {
			why = "not known"
		}
		return views.Cell{Why: why}
	}
	return views.Is(ids)
}
