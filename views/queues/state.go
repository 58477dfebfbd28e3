package queues

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// GroupKind says what rows are grouped by.
type GroupKind = uint8

// Groupings in the order that the key walks through.
const (
	NoGroup GroupKind = iota
	ByTopic
	ByBroker
	ByOwner
)

// Params is what a person chose to see: undo goes back through these.
type Params = views.Choice

// State is the screen's own value. It holds identities, never row numbers alone.
type State struct {
	Params
	Folded []string // groups whose rows are hidden, sorted

	Sel    Target
	Pos    int // row of Sel when it was last seen, to find a neighbour when it is gone
	Top    int
	Scroll int // columns scrolled away

	past views.Past[Params]
}

// Target is what the cursor is on: a queue, or the head of a group.
type Target struct {
	Queue   snapshot.MessageQueue
	Group   string
	IsGroup bool
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
