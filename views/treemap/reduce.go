package treemap

import (
	"strconv"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

const restPrefix = "rest\x00"

// encode writes what a tile stands for into the argument of a click.
func encode(t Target) string {
	if t.IsRest {
		return restPrefix + t.Group
	}
	return views.EncodeQueue(t.Queue)
}

func decode(s string) (Target, bool) {
	if name, ok := strings.CutPrefix(s, restPrefix); ok {
		return Target{Group: name, IsRest: true}, true
	}
	q, ok := views.DecodeQueue(s)
	return Target{Queue: q}, ok
}

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st, _ := state.(State)
	st.Params = st.Params.on(s)
	if next, ok, intents := st.params(ev); ok {
		return next, intents
	}
	if s == nil {
		return st, nil
	}
	w, h := area(ev.W, ev.H)
	m := v.layout(s, st.Params, w, h)
	if len(m.tiles) == 0 {
		return st, nil
	}
	pos, found := m.locate(st)
	var intents []views.Intent
	if ev.Action == views.Refresh && !found && !st.Sel.IsRest && gone(s, st.Sel.Queue) {
		intents = []views.Intent{views.Toast{Level: snapshot.MarkWatch,
			Text: views.Join(v.clean.FullName(st.Sel.Queue), views.Own(" is gone, the cursor moved to its neighbour"))}}
	}
	t := &m.tiles[pos]
	to := pos
	switch ev.Action {
	case views.Refresh:
		if found { // also of a queue that has no tile of its own now
			st.Pos = pos
			return st, nil
		}
	case keymap.Open:
		return st, []views.Intent{v.open(m, t)}
	case keymap.Related:
		if t.queue >= 0 {
			return st, []views.Intent{v.clean.Related(s.Queues[t.queue].ID, s, v.ID())}
		}
		return st, []views.Intent{v.open(m, t)}
	case keymap.Copy:
		if t.queue >= 0 {
			return st, []views.Intent{v.clean.Copying(views.RawName(s.Queues[t.queue].ID))}
		}
		return st, nil
	case keymap.Left, keymap.Right, keymap.Up, keymap.Down:
		for range min(ev.Step(), len(m.tiles)) {
			to = m.beside(to, ev.Action)
		}
	case keymap.Next, keymap.Prev:
		sh := shader{shade: st.Shade, s: s, now: ev.Now}
		to = views.NextWorth(ev.Action, pos, len(m.tiles), func(i int) bool { return sh.markOf(&m.tiles[i]) != snapshot.MarkOK })
	case views.Point:
		if want, ok := decode(ev.Text); ok {
			if i, found := m.locate(State{Sel: want}); found {
				to = i
			}
		}
	default: // wheel and pages walk in the order of sizes
		to, _ = views.Moved(ev, pos, len(m.tiles), 8)
	}
	st.Sel, st.Pos = m.target(&m.tiles[to]), to
	return st, intents
}

// markOf is the mark of a tile.
func (sh shader) markOf(t *tile) snapshot.Mark {
	if t.queue >= 0 {
		_, mark := sh.step(&sh.s.Queues[t.queue])
		return mark
	}
	_, mark := sh.worst(t.rest)
	return mark
}

// params handles what changes the picture. ok is false for other actions.
func (st State) params(ev views.Event) (_ State, ok bool, _ []views.Intent) {
	p := st.Params
	switch ev.Action {
	case keymap.MapSize:
		p.Size = (p.Size + 1) % metrics
	case keymap.Mode:
		p.Shade = (p.Shade + 1) % shades
	case keymap.GroupBy:
		p.Group = (p.Group + 1) % groupings
	case keymap.Undo, keymap.Redo:
		var intents []views.Intent
		st.past, st.Params, intents = st.past.Turn(ev.Action, st.Params)
		return st, true, intents
	case keymap.Cancel:
		return st, true, []views.Intent{views.GoBack{}}
	default:
		return st, false, nil
	}
	return st.change(p), true, nil
}

// open shows a queue, or lists the queues that a tile stands for: those of its group that
// are no larger than the largest of them.
func (v *View) open(m *memo, t *tile) views.Intent {
	if t.queue >= 0 {
		return views.Open{View: "detail", Arg: views.EncodeQueue(m.snap.Queues[t.queue].ID)}
	}
	var terms []string
	if t.group >= 0 {
		if key := m.by.key(); key != "" {
			terms = append(terms, key+views.Quote(m.groups[t.group].name))
		}
		most := int64(0)
		for _, i := range t.rest {
			most = max(most, m.size.read(&m.snap.Queues[i]).size)
		}
		// Written as its opposite, so that those whose size is not known are listed, too.
		terms = append(terms, "!"+m.size.key()+">"+strconv.FormatInt(most, 10))
	} else if key := m.by.key(); key != "" {
		for i := range m.groups[:m.shown] {
			terms = append(terms, "!"+key+views.Quote(m.groups[i].name))
		}
	}
	return views.Open{View: "queues", Arg: strings.Join(terms, " ")}
}

// key is the beginning of a filter's term for a group.
func (g Grouping) key() string { return [...]string{"broker:", "topic:", "owner:", ""}[min(g, Flat)] }

// key is the reading in a filter's term.
func (m Metric) key() string { return [...]string{"bytes", "cached", "lag"}[min(m, ByLag)] }
