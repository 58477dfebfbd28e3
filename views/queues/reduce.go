package queues

import (
	"slices"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

const groupPrefix = "group\x00"

// encode writes what a row stands for into the argument of a click.
func encode(t Target) string {
	if t.IsGroup {
		return groupPrefix + t.Group
	}
	return views.EncodeQueue(t.Queue)
}

func decode(s string) (Target, bool) {
	if name, ok := strings.CutPrefix(s, groupPrefix); ok {
		return Target{Group: name, IsGroup: true}, true
	}
	q, ok := views.DecodeQueue(s)
	return Target{Queue: q}, ok
}

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st := stateOf(state)
	if p, ok, intents := st.Choose(ev, &st.past, &st.Scroll, choices(ev, s)); ok {
		st.Params = p
		return st, intents
	}
	if ev.Action == keymap.GroupBy {
		p := st.Params
		p.Group = (p.Group + 1) % (ByOwner + 1)
		st.past, st.Params = st.past.Change(st.Params, p), p
		return st, nil
	}
	if s == nil {
		return st, nil
	}
	m := v.list(s, st, ev.Now)
	pos, found := m.find(st)
	var intents []views.Intent
	if ev.Action == views.Refresh && !found && st.Sel != (Target{}) && pos >= 0 {
		intents = v.gone(st, s)
	}
	switch ev.Action {
	case keymap.Open:
		return v.open(st, m, pos)
	case keymap.Related:
		if pos >= 0 && m.rows[pos].queue >= 0 {
			return st, []views.Intent{v.clean.Related(m.target(m.rows[pos]).Queue, s, v.ID())}
		}
		return st, nil
	case keymap.Copy:
		return st, v.copying(m, pos)
	}
	return st.moved(m, move(m, st, ev, pos), ev), intents
}

// choices are what can be chosen of the rows.
func choices(ev views.Event, s *snapshot.Snapshot) views.Choices {
	return views.Choices{
		Terms: Terms(), Sort: sortable,
		Desc:    func(id string) bool { return !textual(id) },
		Columns: func() []views.Column { return columnsOf(ev.W >= wideFrom, themes.Unicode(), s) },
	}
}

// gone tells that the selected queue is no longer there: the cursor goes to its neighbour.
func (v *View) gone(st State, s *snapshot.Snapshot) []views.Intent {
	if st.Sel.IsGroup || slices.ContainsFunc(s.Queues, func(q snapshot.Queue) bool { return q.ID == st.Sel.Queue }) {
		return nil // only hidden by the filter
	}
	return []views.Intent{views.Toast{Level: snapshot.MarkWatch,
		Text: views.Join(v.clean.FullName(st.Sel.Queue), views.Own(" is gone, the cursor moved to its neighbour"))}}
}

func (v *View) open(st State, m *memo, pos int) (any, []views.Intent) {
	if pos < 0 {
		return st, nil
	}
	t := m.target(m.rows[pos])
	st.Sel, st.Pos = t, pos
	if t.IsGroup {
		return st.toggle(t.Group), nil
	}
	return st, []views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(t.Queue)}}
}

func (v *View) copying(m *memo, pos int) []views.Intent {
	if pos < 0 {
		return nil
	}
	t := m.target(m.rows[pos])
	if t.IsGroup {
		return []views.Intent{v.clean.Copying(t.Group)}
	}
	return []views.Intent{v.clean.Copying(views.RawName(t.Queue))}
}

// move is the row that the cursor goes to.
func move(m *memo, st State, ev views.Event, pos int) int {
	switch ev.Action {
	case keymap.Next, keymap.Prev:
		return views.NextWorth(ev.Action, pos, len(m.rows), func(i int) bool { return m.mark(m.rows[i]) != snapshot.MarkOK })
	case views.Point:
		if t, ok := decode(ev.Text); ok {
			st.Sel, st.Pos = t, pos
			if i, found := m.find(st); found {
				return i
			}
		}
	}
	to, _ := views.Moved(ev, pos, len(m.rows), views.RowsIn(ev.H-1, false))
	return to
}

// moved puts the cursor on a row and scrolls so far that it is seen.
func (st State) moved(m *memo, to int, ev views.Event) State {
	if len(m.rows) == 0 {
		st.Pos, st.Top = 0, 0
		return st
	}
	to = min(max(to, 0), len(m.rows)-1)
	st.Sel, st.Pos = m.target(m.rows[to]), to
	st.Top = views.TopFor(st.Top, to, max(views.RowsIn(ev.H-1, false), 1), len(m.rows))
	return st
}

// sortable are the columns that rows can be ordered by.
func sortable() []views.Option {
	list := []views.Option{{ID: worstFirst, Name: views.Own("state"), Note: views.Own("the worst first")}}
	for _, c := range columns(true, themes.Unicode()) {
		if c.ID == "note" || c.ID == worstFirst {
			continue
		}
		head := c.Head
		if c.ID == "slope" {
			head = "SLOPE"
		}
		list = append(list, views.Option{ID: c.ID, Name: views.Own(head), Note: views.Own(sortNote(c.ID))})
	}
	return list
}

// textual tells whether a column is read from its small end first.
func textual(id string) bool {
	switch id {
	case "topic", "broker", "queue", "owner", "state", "flow", "task":
		return true
	}
	return false
}

func sortNote(id string) views.Lit {
	switch id {
	case "topic":
		return "topic, broker and queue id"
	case "lag":
		return "messages not acknowledged"
	case "slope":
		return "where the lag grows most"
	case "cached":
		return "messages in the ProcessQueue"
	case "p99":
		return "slowest pulls"
	case "pulled":
		return "last pull"
	case "flow":
		return "put back, and why"
	}
	return ""
}
