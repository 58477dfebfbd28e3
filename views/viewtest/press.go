package viewtest

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// Acts are events of actions, with nothing else in them.
func Acts(ids ...keymap.ID) (out []views.Event) {
	for _, id := range ids {
		out = append(out, views.Event{Action: id})
	}
	return out
}

// In are events with the keys in a pane.
func In(pane int, evs ...views.Event) []views.Event {
	evs = slices.Clone(evs)
	for i := range evs {
		evs[i].Focus = pane
	}
	return evs
}

// Press tells events to a view, one after the other, and returns its state then, and the intents
// of each. A frame is one of 120x36 and it is Now, where an event says nothing else.
func Press[State any](v views.View, state any, s *snapshot.Snapshot, evs ...views.Event) (State, [][]views.Intent) {
	each := make([][]views.Intent, len(evs))
	for i, ev := range evs {
		if ev.W == 0 {
			ev.W = 120
		}
		if ev.H == 0 {
			ev.H = 31
		}
		if ev.Now.IsZero() {
			ev.Now = Now()
		}
		state, each[i] = v.Reduce(state, ev, s)
	}
	return state.(State), each
}
