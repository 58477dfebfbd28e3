package events

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Params is what a person chose to see: undo goes back through these.
type Params struct {
	Filter string
	Level  uint8 // least level, as snapshot.Level
}

// State is the screen's own value.
type State struct {
	Params
	Follow bool
	Sel    uint64 // number of the event under the cursor
	Top    uint64 // number of the first event on screen while not following
	Seen   uint64 // newest number when following ended
	Full   bool   // the event under the cursor is shown in full
	// Going is the event that a recording was sent to, There that it stands at it: the cursor stays on
	// it until the recording moves on.
	Going uint64
	There bool

	past views.Past[Params]
}

func (st State) change(p Params) State {
	st.past, st.Params = st.past.Change(st.Params, p), p
	return st
}

// moved takes the next picture of a recording: it goes on following once that has moved on from where
// it was sent.
func (st State) moved(s *snapshot.Snapshot) State {
	switch here := isTold(st.Going, s); {
	case st.Going == 0:
	case here:
		st.There = true
	case st.There:
		st.Going, st.There, st.Follow = 0, false, true
	}
	return st
}

// isTold tells whether the event that a recording stands at is what told the entry of a number.
func isTold(seq uint64, s *snapshot.Snapshot) bool {
	return s.Replay.Told != 0 && seq >= s.Replay.Told
}

// pos is the place of the cursor among the events that pass; that of the next older one
// when its own is gone; -1 when there are none.
func (st State) pos(seqs []uint64) int {
	if len(seqs) == 0 {
		return -1
	}
	if st.Follow {
		return len(seqs) - 1
	}
	i, ok := slices.BinarySearch(seqs, st.Sel)
	if !ok {
		i--
	}
	return min(max(i, 0), len(seqs)-1)
}

// top is the first of rows lines on screen: the newest are seen while following.
func (st State) top(seqs []uint64, pos, rows int) int {
	if st.Follow {
		return max(len(seqs)-rows, 0)
	}
	i, _ := slices.BinarySearch(seqs, st.Top)
	return views.TopFor(i, pos, rows, len(seqs))
}

// rowsIn is how many events a body of h lines shows.
func (st State) rowsIn(h int) int {
	return max(views.RowsIn(h-1-st.fullHeight(h), false), 0)
}

// fullHeight is how many lines the event in full takes.
func (st State) fullHeight(h int) int {
	if !st.Full || h < 8 {
		return 0
	}
	return min(max(h/3, 5), 12)
}
