package events

import (
	"slices"
	"strconv"

	"mqscope/engine/replay/command"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// Reduce implements views.View.
func (v *View) Reduce(state any, ev views.Event, s *snapshot.Snapshot) (any, []views.Intent) {
	st := stateOf(state)
	if s != nil && s.Replay.Known {
		switch ev.Action {
		case keymap.Open:
			return v.goTo(st, ev, s)
		case views.Refresh:
			return st.moved(s), nil
		case keymap.Follow:
			st.Going, st.There = 0, false
		}
	}
	if next, ok, intents := v.params(st, ev); ok {
		return next, intents
	}
	if s == nil {
		return st, nil
	}
	seqs, _ := v.seqs(s, st.Params)
	pos := st.pos(seqs)
	switch ev.Action {
	case keymap.Follow:
		if st.Follow {
			return st.stop(seqs, pos, ev.H), nil
		}
		st.Follow = true
		return st, nil
	case keymap.Related:
		if pos < 0 {
			return st, nil
		}
		if e := views.EventAt(s.Events, seqs[pos]); e != nil && e.Queue != (snapshot.MessageQueue{}) {
			return st, []views.Intent{v.clean.Related(e.Queue, s, v.ID())}
		}
		return st, []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own("This event is about no queue")}}
	case keymap.Copy:
		if pos >= 0 {
			if e := views.EventAt(s.Events, seqs[pos]); e != nil {
				return st, []views.Intent{v.clean.Copying(e.What)}
			}
		}
		return st, nil
	}
	to, ok := v.move(st, ev, s, seqs, pos)
	if !ok || pos < 0 {
		return st, nil
	}
	to = min(max(to, 0), len(seqs)-1)
	st.Going, st.There = 0, false
	if ev.Action == keymap.Bottom || st.Follow && to == len(seqs)-1 {
		st.Follow, st.Sel = true, seqs[len(seqs)-1]
		return st, nil
	}
	if st.Follow {
		st = st.stop(seqs, pos, ev.H)
	}
	st.Sel = seqs[to]
	st.Top = seqs[st.top(seqs, to, max(st.rowsIn(ev.H), 1))]
	return st, nil
}

// goTo has the recording go to the event under the cursor; one where it stands is opened.
func (v *View) goTo(st State, ev views.Event, s *snapshot.Snapshot) (State, []views.Intent) {
	e := v.underCursor(st, s)
	if e == nil {
		return st, nil
	}
	if st.Full || isTold(e.Seq, s) {
		st.Full = !st.Full
		return st, nil
	}
	seqs, _ := v.seqs(s, st.Params)
	st = st.stop(seqs, st.pos(seqs), ev.H)
	st.Going, st.There = e.Seq, false
	return st, []views.Intent{views.Play{Command: command.SeekEntry{Seq: e.Seq, At: e.At}}}
}

func (v *View) underCursor(st State, s *snapshot.Snapshot) *snapshot.Entry {
	seqs, _ := v.seqs(s, st.Params)
	if pos := st.pos(seqs); pos >= 0 {
		return views.EventAt(s.Events, seqs[pos])
	}
	return nil
}

// stop ends following at the newest event.
func (st State) stop(seqs []uint64, pos, h int) State {
	if pos >= 0 {
		st.Top = seqs[st.top(seqs, pos, max(st.rowsIn(h), 1))]
		st.Sel, st.Seen = seqs[pos], seqs[len(seqs)-1]
	}
	st.Follow = false
	return st
}

// move is where the cursor goes; ok is false for actions that do not move it.
func (v *View) move(st State, ev views.Event, s *snapshot.Snapshot, seqs []uint64, pos int) (to int, ok bool) {
	page := max(st.rowsIn(ev.H)-1, 1)
	switch ev.Action {
	case keymap.Up, views.WheelUp:
		return pos - ev.Step(), true
	case keymap.Down, views.WheelDown:
		return pos + ev.Step(), true
	case keymap.Top:
		return 0, true
	case keymap.Bottom:
		return len(seqs) - 1, true
	case keymap.HalfUp:
		return pos - max(page/2, 1), true
	case keymap.HalfDown:
		return pos + max(page/2, 1), true
	case keymap.PageUp:
		return pos - page, true
	case keymap.PageDown:
		return pos + page, true
	case keymap.Next, keymap.Prev:
		step := 1
		if ev.Action == keymap.Prev {
			step = -1
		}
		for i := pos + step; i >= 0 && i < len(seqs); i += step {
			if e := views.EventAt(s.Events, seqs[i]); e != nil && e.Level >= snapshot.Warn {
				return i, true
			}
		}
	case views.Point:
		if seq, err := strconv.ParseUint(ev.Text, 10, 64); err == nil {
			if i, found := slices.BinarySearch(seqs, seq); found {
				return i, true
			}
		}
	}
	return pos, false
}

// params handles what changes the choice of events. ok is false for other actions.
func (v *View) params(st State, ev views.Event) (_ State, ok bool, _ []views.Intent) {
	p := st.Params
	switch ev.Action {
	case keymap.Open:
		st.Full = !st.Full
		return st, true, nil
	case keymap.Filter:
		st.past = st.past.Checkpoint(st.Params)
		return st, true, []views.Intent{views.Input{Prompt: "/", Text: st.Filter, Terms: Terms()}}
	case views.SetFilter:
		st.Filter = ev.Text
		return st, true, nil
	case keymap.Cancel:
		if st.Full {
			st.Full = false
			return st, true, nil
		}
		if st.Filter == "" {
			return st, true, []views.Intent{views.GoBack{}}
		}
		p.Filter = ""
		return st.change(p), true, nil
	case keymap.More:
		p.Level = max(p.Level, 1) - 1
		return st.change(p), true, nil
	case keymap.Less:
		p.Level = min(p.Level+1, uint8(snapshot.Error))
		return st.change(p), true, nil
	case keymap.Reset:
		p.Level = uint8(snapshot.Debug)
		return st.change(p), true, nil
	case keymap.Undo, keymap.Redo:
		var intents []views.Intent
		st.past, st.Params, intents = st.past.Turn(ev.Action, st.Params)
		return st, true, intents
	}
	return st, false, nil
}
