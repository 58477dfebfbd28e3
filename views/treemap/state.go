package treemap

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Metric is what makes a rectangle large.
type Metric uint8

// The metrics in the order that the key walks through.
const (
	ByBytes Metric = iota
	ByCount
	ByLag
	metrics
)

// Shade is what the inside of a rectangle tells.
type Shade uint8

// The shades in the order that the key walks through.
const (
	OfLag Shade = iota
	OfLock
	OfFlow
	OfAge
	shades
)

// Grouping is what the outer rectangles are.
type Grouping uint8

// Groupings in the order that the key walks through.
const (
	ByBroker Grouping = iota
	ByTopic
	ByOwner
	Flat
	groupings
)

// Params is what a person chose to see: undo goes back through these.
type Params struct {
	Size  Metric
	Shade Shade
	Group Grouping
}

// State is the screen's own value.
type State struct {
	Params
	Sel  Target
	Pos  int // tile of Sel when it was last seen, to find a neighbour when it is gone
	past views.Past[Params]
}

// Target is what the cursor is on: a queue, or what had no room of its own in a group.
type Target struct {
	Queue  snapshot.MessageQueue
	Group  string
	IsRest bool
}

func (st State) change(p Params) State {
	st.past, st.Params = st.past.Change(st.Params, p), p
	return st
}
