package offset

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Store is what a consumer's loop needs of its offsets, whichever kind they are
// (Java: OffsetStore). Broker and File take the same events.
type Store interface {
	// Step takes in one event and returns what to do about it. It never waits.
	Step(now time.Time, e event.Event) []Action
	// Advance takes in an Advanced as Step does: nothing is to be done about one.
	Advance(e Advanced)
	// Read returns the offset in memory, or None.
	Read(q mq.MessageQueue) int64
	// Record has r told what is decided, nil for nobody.
	Record(r *decision.Recorder)
}

var (
	_ Store = (*Broker)(nil)
	_ Store = (*File)(nil)
)
