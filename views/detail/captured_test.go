package detail

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest/captured"
)

// TestGoldenFramesOfCaptures draws the queue with the most messages that were delivered and not
// committed.
func TestGoldenFramesOfCaptures(t *testing.T) {
	s := subject()
	s.Start = func(v views.View, snap *snapshot.Snapshot) any {
		best := 0
		for i := range snap.Queues {
			if q := &snap.Queues[i]; q.ID.Topic == "orders" && q.Count.V >= snap.Queues[best].Count.V {
				best = i
			}
		}
		return v.Start(views.EncodeQueue(snap.Queues[best].ID))
	}
	captured.Goldens(t, root, "detail", s)
}
