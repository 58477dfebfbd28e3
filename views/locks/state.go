package locks

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// byExpiry is the order that the screen starts with: what ends first is on top.
const byExpiry = "expiry"

// Params is what a person chose to see: undo goes back through these.
type Params = views.Choice

// State is the screen's own value.
type State struct {
	Params
	Sel    snapshot.MessageQueue
	Pos    int // row of Sel when it was last seen, to find a neighbour when it is gone
	Top    int
	Scroll int // columns scrolled away
	past   views.Past[Params]
}

func stateOf(state any) State {
	if st, ok := state.(State); ok {
		return st
	}
	return State{Params: Params{Sort: byExpiry}}
}
