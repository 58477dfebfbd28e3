package latency

import (
	"slices"
	"strings"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

const brokerPrefix = "broker\x00"

// encode writes what a row stands for into the argument of a click.
func encode(t Target) string {
	if t.IsQueue {
		return views.EncodeQueue(t.Queue)
	}
	return brokerPrefix + t.Broker
}

func decode(s string) (Target, bool) {
	if name, ok := strings.CutPrefix(s, brokerPrefix); ok {
		return Target{Broker: name}, true
	}
	q, ok := views.DecodeQueue(s)
	return Target{Broker: q.BrokerName, Queue: q, IsQueue: true}, ok
}

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st, _ := state.(State)
	if s == nil {
		if ev.Action == keymap.Cancel {
			return st, []views.Intent{views.GoBack{}}
		}
		return st, nil
	}
	st, intents := v.reduce(st, ev, s)
	return v.ask(st, ev, s, intents)
}

func (v *View) reduce(st State, ev views.Event, s *snapshot.Snapshot) (State, []views.Intent) {
	m := v.list(s, st, ev.Now)
	pos := m.find(st)
	lay := arrange(ev.W, ev.H, len(m.rows))
	ax := m.axisOf(lay.cols)
	cur, timed := ax.at(st.At)
	if timed = timed && !st.At.IsZero(); !timed {
		st.At = time.Time{}
	}
	switch ev.Action {
	case keymap.Mode:
		st.Mode = (st.Mode + 1) % (OnlyHolds + 1)
		return st, nil
	case keymap.Left, keymap.Right:
		return st.turn(ev, ax, cur, timed), nil
	case keymap.Reset:
		st.Open, st.At = nil, time.Time{}
		return v.moved(st, m.brokerOf(pos), ev, s), nil
	case keymap.Cancel:
		if !timed {
			return st, []views.Intent{views.GoBack{}}
		}
		st.At = time.Time{}
		return st, nil
	}
	if pos < 0 {
		st.Pos, st.Top = 0, 0
		return st, nil
	}
	r := m.rows[pos]
	t := m.target(r)
	switch ev.Action {
	case keymap.Open:
		if timed {
			return st, []views.Intent{eventsAt(t, ax, cur)}
		}
		if t.IsQueue {
			return st, []views.Intent{views.Open{View: "detail", Arg: views.EncodeQueue(t.Queue)}}
		}
		return v.moved(st.open(t.Broker, !st.isOpen(t.Broker)), t, ev, s), nil
	case keymap.More:
		return v.moved(st.open(t.Broker, true), t, ev, s), nil
	case keymap.Less:
		return v.moved(st.open(t.Broker, false), Target{Broker: t.Broker}, ev, s), nil
	case keymap.Related:
		if t.IsQueue {
			return st, []views.Intent{v.clean.Related(t.Queue, s, v.ID())}
		}
		return st, []views.Intent{views.Open{View: "queues", Arg: "broker:" + views.Quote(t.Broker)}}
	case keymap.Copy:
		if t.IsQueue {
			return st, []views.Intent{v.clean.Copying(views.RawName(t.Queue))}
		}
		return st, []views.Intent{v.clean.Copying(t.Broker)}
	}
	to := pos
	switch ev.Action {
	case keymap.Next, keymap.Prev:
		to = views.NextWorth(ev.Action, pos, len(m.rows), func(i int) bool { return m.mark(m.rows[i]) != snapshot.MarkOK })
	case views.Point:
		if want, ok := decode(ev.Text); ok {
			to = m.find(State{Sel: want, Pos: pos})
		}
	default:
		to, _ = views.Moved(ev, pos, len(m.rows), lay.rows)
	}
	return v.moved(st, m.target(m.rows[to]), ev, s), nil
}

// brokerOf is the target of a row, the broker of it when it is a queue; none without rows.
func (m *memo) brokerOf(pos int) Target {
	if pos < 0 {
		return Target{}
	}
	return Target{Broker: m.brokers[m.rows[pos].broker].name}
}

// moved puts the cursor on a target and scrolls so far that it is seen.
func (v *View) moved(st State, t Target, ev views.Event, s *snapshot.Snapshot) State {
	m := v.list(s, st, ev.Now)
	st.Sel = t
	st.Pos = max(m.find(st), 0)
	st.Top = views.TopFor(st.Top, st.Pos, max(arrange(ev.W, ev.H, len(m.rows)).rows, 1), len(m.rows))
	return st
}

// turn moves the time cursor, which begins at the newest column.
func (st State) turn(ev views.Event, ax axis, cur int, timed bool) State {
	if ax.n == 0 {
		return st
	}
	to := ax.n - 1
	switch {
	case timed && ev.Action == keymap.Left:
		to = max(cur-ev.Step(), 0)
	case timed:
		to = min(cur+ev.Step(), ax.n-1)
	}
	st.At = ax.from(to).Add(ax.col / 2)
	return st
}

// eventsAt opens the events of a column's time; for a queue only its own.
func eventsAt(t Target, ax axis, cur int) views.Intent {
	const clock = "15:04:05"
	arg := "time:" + ax.from(cur).Format(clock) + ".." + ax.from(cur+1).Format(clock)
	if t.IsQueue {
		arg += " queue:" + views.Quote(views.RawName(t.Queue))
	} else if t.Broker != "" && !strings.ContainsAny(t.Broker, " \t\r\n\"") {
		arg += " where:" + t.Broker
	}
	return views.Open{View: "events", Arg: arg}
}

// ask asks for the details of the queues on screen when they are others than before.
func (v *View) ask(st State, ev views.Event, s *snapshot.Snapshot, intents []views.Intent) (any, []views.Intent) {
	m := v.list(s, st, ev.Now)
	rows := arrange(ev.W, ev.H, len(m.rows)).rows
	top := views.TopFor(st.Top, m.find(st), rows, len(m.rows))
	var want []snapshot.MessageQueue
	for i := top; i < min(top+rows, len(m.rows)); i++ {
		if q := m.rows[i].queue; q >= 0 {
			want = append(want, s.Queues[q].ID)
		}
	}
	slices.SortFunc(want, snapshot.MessageQueue.Compare)
	if slices.Equal(want, st.asked) {
		return st, intents
	}
	st.asked = want
	return st, append(intents, views.Watch{Queues: want})
}
