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
	if p, ok, intents := v.params(st, ev, s); ok {
		return p, intents
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

// params handles what changes the choice of rows. ok is false for other actions.
func (v *View) params(st State, ev views.Event, s *snapshot.Snapshot) (_ State, ok bool, _ []views.Intent) {
	p := st.Params
	switch ev.Action {
	case keymap.Filter:
		st.past = st.past.Checkpoint(st.Params)
		return st, true, []views.Intent{views.Input{Prompt: "/", Text: st.Filter, Terms: Terms()}}
	case views.SetFilter:
		st.Filter = ev.Text
		return st, true, nil
	case keymap.Cancel:
		if st.Filter == "" {
			return st, true, []views.Intent{views.GoBack{}}
		}
		p.Filter = ""
		return st.change(p), true, nil
	case keymap.Sort:
		return st, true, []views.Intent{sortPick(st)}
	case views.Picked:
		if p.Sort == ev.Text {
			p.Desc = !p.Desc
		} else if sortable(ev.Text) {
			p.Sort, p.Desc = ev.Text, !textual(ev.Text)
		}
		return st.change(p), true, nil
	case keymap.Reverse:
		p.Desc = !p.Desc
		return st.change(p), true, nil
	case keymap.GroupBy:
		p.Group = (p.Group + 1) % (ByOwner + 1)
		return st.change(p), true, nil
	case keymap.Left:
		st.Scroll = max(st.Scroll-ev.Step(), 0)
		return st, true, nil
	case keymap.Right:
		st.Scroll = min(st.Scroll+ev.Step(), views.Scrollable(columnsOf(ev.W >= wideFrom, themes.Unicode(), s)))
		return st, true, nil
	case keymap.Undo, keymap.Redo:
		var intents []views.Intent
		st.past, st.Params, intents = st.past.Turn(ev.Action, st.Params)
		return st, true, intents
	}
	return st, false, nil
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
	page := max(views.RowsIn(ev.H-1, false)-1, 1)
	switch ev.Action {
	case keymap.Up, views.WheelUp:
		return pos - ev.Step()
	case keymap.Down, views.WheelDown:
		return pos + ev.Step()
	case keymap.Top:
		return 0
	case keymap.Bottom:
		return len(m.rows) - 1
	case keymap.HalfUp:
		return pos - max(page/2, 1)
	case keymap.HalfDown:
		return pos + max(page/2, 1)
	case keymap.PageUp:
		return pos - page
	case keymap.PageDown:
		return pos + page
	case keymap.Next, keymap.Prev:
		step := 1
		if ev.Action == keymap.Prev {
			step = len(m.rows) - 1
		}
		for i, n := pos, 0; n < len(m.rows) && pos >= 0; n++ {
			i = (i + step) % len(m.rows)
			if m.mark(m.rows[i]) != snapshot.MarkOK {
				return i
			}
		}
	case views.Point:
		if t, ok := decode(ev.Text); ok {
			st.Sel, st.Pos = t, pos
			if i, found := m.find(st); found {
				return i
			}
		}
	}
	return pos
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

// sortPick offers the columns.
func sortPick(st State) views.Pick {
	p := views.Pick{Title: "Sort by", Now: st.Sort}
	p.Options = append(p.Options, views.Option{ID: worstFirst, Name: views.Own("state"), Note: views.Own("the worst first")})
	for _, c := range columns(true, themes.Unicode()) {
		if sortable(c.ID) && c.ID != worstFirst {
			head := c.Head
			if c.ID == "slope" {
				head = "SLOPE"
			}
			p.Options = append(p.Options, views.Option{ID: c.ID, Name: views.Own(head), Note: views.Own(sortNote(c.ID))})
		}
	}
	return p
}

func sortable(id string) bool {
	return id != "note" && slices.ContainsFunc(columns(true, themes.Unicode()), func(c views.Column) bool { return c.ID == id })
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
