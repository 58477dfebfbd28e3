package latency

import (
	"slices"
	"time"

	"mqscope/engine/snapshot"
)

// Mode says what is done with answers that the broker held back.
type Mode uint8

// The modes in the order that the key walks through.
const (
	WithoutHolds Mode = iota
	WithHolds
	OnlyHolds
)

// Target is what the cursor is on: a broker, or one of its queues.
type Target struct {
	Broker  string
	Queue   snapshot.MessageQueue
	IsQueue bool
}

// State is the screen's own value.
type State struct {
	Mode Mode
	Open []string // brokers whose queues are shown, sorted
	Sel  Target
	Pos  int // row of Sel when it was last seen, to find a neighbour when it is gone
	Top  int
	At   time.Time // the moment under the time cursor, zero while there is none

	asked []snapshot.MessageQueue // queues that details were asked of
}

func (st State) isOpen(broker string) bool {
	_, ok := slices.BinarySearch(st.Open, broker)
	return ok
}

// open shows the queues of a broker, or hides them.
func (st State) open(broker string, show bool) State {
	i, ok := slices.BinarySearch(st.Open, broker)
	if ok == show {
		return st
	}
	st.Open = slices.Clone(st.Open)
	if show {
		st.Open = slices.Insert(st.Open, i, broker)
	} else {
		st.Open = slices.Delete(st.Open, i, i+1)
	}
	return st
}
