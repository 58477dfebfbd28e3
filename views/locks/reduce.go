package locks

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st := stateOf(state)
	if p, ok, intents := st.Choose(ev, &st.past, &st.Scroll, choices(ev)); ok {
		st.Params = p
		return st, intents
	}
	if s == nil {
		return st, nil
	}
	m := v.list(s, st.Params, ev.Now)
	pos, found := m.find(st)
	var intents []views.Intent
	if ev.Action == views.Refresh && !found && pos >= 0 {
		intents = v.gone(st, ev, s)
	}
	if pos < 0 {
		st.Pos, st.Top = 0, 0
		return st, intents
	}
	q := s.Queues[m.rows[pos]].ID
	to := pos
	switch ev.Action {
	case keymap.Open:
		st.Sel, st.Pos = q, pos
		return st, []views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(q)}}
	case keymap.Related:
		return st, []views.Intent{v.clean.Related(q, s, v.ID())}
	case keymap.Copy:
		return st, []views.Intent{v.clean.Copying(views.RawName(q))}
	case keymap.ReleaseLock:
		st.Sel, st.Pos = q, pos
		return st, v.release(m.rows[pos], s)
	case keymap.Next, keymap.Prev:
		to = views.NextWorth(ev.Action, pos, len(m.rows), func(i int) bool {
			_, r := m.queue(i)
			return r.Kind < views.LockMine
		})
	case views.Point:
		if id, ok := views.DecodeQueue(ev.Text); ok {
			if i, found := m.find(State{Sel: id, Pos: pos}); found {
				to = i
			}
		}
	default:
		to, _ = views.Moved(ev, pos, len(m.rows), rowsIn(ev.H))
	}
	st.Sel, st.Pos = s.Queues[m.rows[to]].ID, to
	st.Top = views.TopFor(st.Top, to, max(rowsIn(ev.H), 1), len(m.rows))
	return st, intents
}

// release wants the lock of a queue given back, where we have it.
func (v *View) release(row int32, s *snapshot.Snapshot) []views.Intent {
	q := &s.Queues[row]
	if !q.Mine || !q.Lock.Used || q.Lock.BrokerSays != snapshot.LockMine {
		return []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Join(
			views.Own("Our lock of "), v.clean.Cell(views.RawName(q.ID)), views.Own(" is not held: nothing to release"))}}
	}
	return []views.Intent{views.ReleaseLock{Queue: q.ID}}
}

// rowsIn is how many locks a body of h lines shows, between answer and footer.
func rowsIn(h int) int { return views.RowsIn(h-2, false) }

// choices are what can be chosen of the rows.
func choices(ev views.Event) views.Choices {
	return views.Choices{
		Terms: Terms(), Sort: orders,
		Desc:    func(id string) bool { return id == "unlock" || id == "age" },
		Columns: func() []views.Column { return columns(ev.W >= wideFrom) },
	}
}

// orders are what rows can be ordered by.
func orders() []views.Option {
	return []views.Option{
		{ID: byExpiry, Name: views.Own("expiry"), Note: views.Own("the client's lease that ends first")},
		{ID: "mark", Name: views.Own("state"), Note: views.Own("the worst first")},
		{ID: "queue", Name: views.Own("queue"), Note: views.Own("topic, broker and queue id")},
		{ID: "says", Name: views.Own("lock"), Note: views.Own("what the broker says")},
		{ID: "believes", Name: views.Own("client believes"), Note: views.Own("client id")},
		{ID: "age", Name: views.Own("age"), Note: views.Own("longest without a grant")},
		{ID: "broker", Name: views.Own("broker lease"), Note: views.Own("the broker's lease that ends first")},
		{ID: "renew", Name: views.Own("renewal"), Note: views.Own("the next first")},
		{ID: "unlock", Name: views.Own("unlock"), Note: views.Own("most attempts to give it up")},
	}
}

// gone tells that the selected lock is no longer there: the cursor goes to its neighbour.
func (v *View) gone(st State, ev views.Event, s *snapshot.Snapshot) []views.Intent {
	if st.Sel == (snapshot.MessageQueue{}) || slices.ContainsFunc(s.Queues, func(q snapshot.Queue) bool { return q.ID == st.Sel && views.LockAt(&q, ev.Now).Used }) {
		return nil // nothing was selected, or the filter hides it
	}
	return []views.Intent{views.Toast{Level: snapshot.MarkWatch,
		Text: views.Join(v.clean.FullName(st.Sel), views.Own(" has no lock any more, the cursor moved to its neighbour"))}}
}
