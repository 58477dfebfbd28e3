package queues

import (
	"slices"

	"mqscope/engine/snapshot"
)

// GroupKind says what rows are grouped by.
type GroupKind uint8

// Groupings in the order that the key walks through.
const (
	NoGroup GroupKind = iota
	ByTopic
	ByBroker
	ByOwner
)

// Params is what a person chose to see: undo goes back through these.
type Params struct {
	Filter string
	Sort   string // id of a column
	Desc   bool
	Group  GroupKind
}

// State is the screen's own value. It holds identities, never row numbers alone.
type State struct {
	Params
	Folded []string // groups whose rows are hidden, sorted

	Sel    Target
	Pos    int // row of Sel when it was last seen, to find a neighbour when it is gone
	Top    int
	Scroll int // columns scrolled away

	undo, redo []Params
}

// Target is what the cursor is on: a queue, or the head of a group.
type Target struct {
	Queue   snapshot.MessageQueue
	Group   string
	IsGroup bool
}

const maxUndo = 100

// change remembers the present parameters and sets others.
func (st State) change(p Params) State {
	if p == st.Params {
		return st
	}
	st.undo = append(slices.Clip(st.undo[max(len(st.undo)-maxUndo, 0):]), st.Params)
	st.redo, st.Params = nil, p
	return st
}

// checkpoint remembers the parameters before text is typed, without a change yet.
func (st State) checkpoint() State {
	if n := len(st.undo); n == 0 || st.undo[n-1] != st.Params {
		st.undo = append(slices.Clip(st.undo[max(len(st.undo)-maxUndo, 0):]), st.Params)
	}
	st.redo = nil
	return st
}

// step takes the newest of from that differs and keeps the present one in to.
func (st State) back() (State, bool) {
	for n := len(st.undo); n > 0; n = len(st.undo) {
		p := st.undo[n-1]
		st.undo = st.undo[:n-1]
		if p != st.Params {
			st.redo = append(slices.Clip(st.redo), st.Params)
			st.Params = p
			return st, true
		}
	}
	return st, false
}

func (st State) again() (State, bool) {
	n := len(st.redo)
	if n == 0 {
		return st, false
	}
	p := st.redo[n-1]
	st.undo = append(slices.Clip(st.undo), st.Params)
	st.redo, st.Params = st.redo[:n-1], p
	return st, true
}

func (st State) isFolded(group string) bool {
	_, ok := slices.BinarySearch(st.Folded, group)
	return ok
}

func (st State) toggle(group string) State {
	i, ok := slices.BinarySearch(st.Folded, group)
	st.Folded = slices.Clone(st.Folded)
	if ok {
		st.Folded = slices.Delete(st.Folded, i, i+1)
	} else {
		st.Folded = slices.Insert(st.Folded, i, group)
	}
	return st
}
