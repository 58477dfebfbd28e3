package detail

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// The panes that tab walks through.
const (
	windowPane = iota
	rulerPane
	eventsPane
	panes
)

// Mode is what stands in the gauges' place.
type Mode uint8

// The modes of the gauges' pane.
const (
	Gauges Mode = iota
	Charts
)

// State is the screen's own value.
type State struct {
	Queue snapshot.MessageQueue

	// Offset is the message under the cursor; while Placed is false the cursor is on the one
	// that matters most.
	Offset int64
	Placed bool
	// From and To are the offsets that the cells are zoomed to, both 0 for all.
	From, To int64
	// RulerFrom and RulerTo are the ruler's true scale, both 0 for piecewise.
	RulerFrom, RulerTo int64
	Mode               Mode
	Event              uint64 // number of the event under the cursor, 0 for the newest

	// Last is the newest snapshot that had the queue, and GoneAt when it was found missing.
	Last   *snapshot.Snapshot
	GoneAt time.Time
}

// find returns the queue of a snapshot, nil when it is not there.
func find(s *snapshot.Snapshot, id snapshot.MessageQueue) *snapshot.Queue {
	if s == nil {
		return nil
	}
	for i := range s.Queues {
		if s.Queues[i].ID == id {
			return &s.Queues[i]
		}
	}
	return nil
}

// picture is the snapshot to draw: the present one, or the last that had the queue.
func (st State) picture(s *snapshot.Snapshot) (*snapshot.Snapshot, *snapshot.Queue) {
	if q := find(s, st.Queue); q != nil {
		return s, q
	}
	return st.Last, find(st.Last, st.Queue)
}

// ruler is the ruler of q as it is scaled.
func (st State) ruler(q *snapshot.Queue) views.Ruler {
	return views.Ruler{Min: q.Min, Commit: q.Committed, Next: q.Next, Max: q.Max, From: st.RulerFrom, To: st.RulerTo}
}
