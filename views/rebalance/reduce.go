package rebalance

import (
	"slices"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st, _ := state.(State)
	switch ev.Action {
	case keymap.Cancel:
		return st.cancel(s)
	case keymap.Undo, keymap.Redo:
		var intents []views.Intent
		st.past, st.Params, intents = st.past.Turn(ev.Action, st.Params)
		return st, intents
	}
	if s == nil {
		return st, nil
	}
	f := v.facts(s, st.Topic)
	switch ev.Action {
	case keymap.PlanTopic:
		return st, []views.Intent{v.topicPick(f)}
	case keymap.Left, keymap.Right:
		return st.turnTopic(f, ev), nil
	case keymap.PassBefore, keymap.PassAfter:
		return st.turnPass(f, ev)
	case views.Picked:
		return st.picked(f, ev.Text), nil
	}
	t, _, _ := v.table(f, st, ev.Now)
	pos := t.find(st)
	if next, ok, intents := v.plans(st, ev, f, &t, pos); ok {
		return next, intents
	}
	if pos < 0 {
		st.Pos, st.Top = 0, 0
		return st, nil
	}
	m := &t.lines[pos]
	to := pos
	switch ev.Action {
	case keymap.Open:
		return st, v.open(f, m)
	case keymap.Related:
		return st, []views.Intent{v.related(f, &t, m)}
	case keymap.Copy:
		if m.nobody {
			return st, nil
		}
		return st, []views.Intent{v.clean.Copying(m.id)}
	case keymap.Next, keymap.Prev:
		to = views.NextWorth(ev.Action, pos, len(t.lines), func(i int) bool { return t.worth(i) })
	case views.Point:
		to = t.find(State{Sel: ev.Text, Pos: pos})
	default:
		to, _ = views.Moved(ev, pos, len(t.lines), arrange(ev.W, ev.H, &t).rows)
	}
	st.Pos = to
	if to != pos || ev.Action == views.Point || st.Sel != "" {
		st.Sel = t.lines[to].idOf()
	}
	st.Top = views.TopFor(st.Top, to, max(arrange(ev.W, ev.H, &t).rows, 1), len(t.lines))
	return st, nil
}

// worth tells whether a member has or gets other queues than before, or none.
func (t *table) worth(i int) bool {
	l := &t.lines[i]
	if t.two {
		return !slices.Equal(l.before, l.after) || len(l.after) == 0
	}
	return l.nobody || len(l.before) == 0 || len(diff(t.double, diff(t.double, l.before))) > 0
}

// cancel goes back to now, then leaves.
func (st State) cancel(s *snapshot.Snapshot) (any, []views.Intent) {
	switch {
	case !st.Pass.IsZero():
		st.Pass = time.Time{}
		return st, nil
	case s != nil && st.asks(s):
		return st.change(Params{Topic: st.Topic}), nil
	}
	return st, []views.Intent{views.GoBack{}}
}

// plans handles what changes the question. ok is false for other actions.
func (v *View) plans(st State, ev views.Event, f *facts, t *table, pos int) (_ State, ok bool, _ []views.Intent) {
	switch ev.Action {
	case keymap.PlanStrategy, keymap.PlanMore, keymap.PlanFewer, keymap.PlanWithout, keymap.PlanNow:
	default:
		return st, false, nil
	}
	if unaskable(f.snap) != "" {
		return st, true, nil
	}
	st.Pass = time.Time{}
	p := st.Params
	switch ev.Action {
	case keymap.PlanStrategy:
		return st, true, []views.Intent{v.strategyPick(f.snap, p)}
	case keymap.PlanMore:
		p.Delta = min(p.Delta+1, mostNew)
	case keymap.PlanFewer:
		if len(p.request(f.snap, f.current(), f.members).Members) <= 1 {
			return st, true, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own("At least one member has to stay")}}
		}
		p.Delta--
	case keymap.PlanNow:
		p = Params{Topic: p.Topic}
	case keymap.PlanWithout:
		if pos < 0 || t.lines[pos].nobody {
			return st, true, nil
		}
		id := t.lines[pos].id
		switch {
		case isNew(id, f.members):
			p.Delta--
		case !slices.Contains(f.members, id):
			return st, true, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Join(v.clean.Cell(id), views.Own(" is not in the member list"))}}
		default:
			p = p.toggle(id)
			if len(p.request(f.snap, f.current(), f.members).Members) == 0 {
				return st, true, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own("At least one member has to stay")}}
			}
			st.Sel = id
		}
	}
	return st.change(p), true, nil
}

// picked takes what was chosen from a list: a strategy or a topic.
func (st State) picked(f *facts, id string) State {
	p := st.Params
	switch kind, name := cut(id); {
	case kind == pickStrategy && slices.Contains(f.snap.Strategies, name):
		p.Strategy = name
		if name == f.snap.Group.Strategy {
			p.Strategy = ""
		}
	case kind == pickTopic && slices.Contains(f.topics, name):
		p.Topic, st.Pass, st.Top = name, time.Time{}, 0
	}
	return st.change(p)
}

// The kinds of lists that a pick may come from.
const (
	pickStrategy = 's'
	pickTopic    = 't'
)

func cut(id string) (kind byte, name string) {
	if len(id) < 2 {
		return 0, ""
	}
	return id[0], id[2:]
}

func (v *View) strategyPick(s *snapshot.Snapshot, p Params) views.Pick {
	now := p.Strategy
	if now == "" {
		now = s.Group.Strategy
	}
	pick := views.Pick{Title: "What if the strategy were", Now: "s:" + now}
	for _, name := range s.Strategies {
		o := views.Option{ID: "s:" + name, Name: v.clean.Cell(name)}
		if name == s.Group.Strategy {
			o.Note = views.Own("as now")
		}
		pick.Options = append(pick.Options, o)
	}
	return pick
}

func (v *View) topicPick(f *facts) views.Pick {
	pick := views.Pick{Title: "Topic", Now: "t:" + f.current()}
	for _, name := range f.topics {
		pick.Options = append(pick.Options, views.Option{ID: "t:" + name, Name: v.clean.Cell(name)})
	}
	return pick
}

// turnTopic shows the topic before or after this one.
func (st State) turnTopic(f *facts, ev views.Event) State {
	i := slices.Index(f.topics, f.current())
	if i < 0 {
		return st
	}
	if ev.Action == keymap.Left {
		i = max(i-ev.Step(), 0)
	} else {
		i = min(i+ev.Step(), len(f.topics)-1)
	}
	p := st.Params
	p.Topic = f.topics[i]
	st.Pass, st.Top = time.Time{}, 0
	return st.change(p)
}

// turnPass walks through the rebalances that were seen.
func (st State) turnPass(f *facts, ev views.Event) (any, []views.Intent) {
	at, ok := f.turn(st.Pass, ev.Action == keymap.PassBefore)
	if !ok {
		word := views.Lit("This is how it is now")
		switch {
		case ev.Action == keymap.PassBefore && st.Pass.IsZero():
			word = "No rebalance of this topic was seen"
		case ev.Action == keymap.PassBefore:
			word = "No earlier rebalance of this topic was seen"
		}
		return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own(word)}}
	}
	st.Pass = at
	return st, nil
}

// open lists the queues of a member.
func (v *View) open(f *facts, m *line) []views.Intent {
	owner := "?"
	switch {
	case isNew(m.id, f.members):
		return []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own("This member is made up, it has no queues")}}
	case !m.nobody:
		owner = views.Quote(m.id)
	}
	return []views.Intent{views.Open{View: "queues", Arg: "topic:" + views.Quote(f.current()) + " owner:" + owner}}
}

// mostRelated is how many queues are offered.
const mostRelated = 64

// related offers what else there is to see of the queues of a member.
func (v *View) related(f *facts, t *table, m *line) views.Pick {
	p := views.Pick{Title: "Of the queues of this topic"}
	if m.id == f.snap.Group.ClientID && !t.past {
		for _, pos := range m.before[:min(len(m.before), mostRelated)] {
			q := t.ids[pos]
			p.Options = append(p.Options, views.Option{ID: views.EncodeQueue(q), Name: v.clean.FullName(q), Note: views.Own("its pull task"),
				Show: &views.Open{View: "scheduler", Arg: views.EncodeQueue(q)}})
		}
	}
	p.Options = append(p.Options, views.Option{ID: "events", Name: views.Own("events"), Note: views.Own("what rebalancing did"),
		Show: &views.Open{View: "events", Arg: "src:rebalance"}})
	return p
}
