package consumer

import (
	"fmt"

	"mqscope/engine/snapshot"
)

// markOf is the worst thing that is plainly true of a queue. It states facts; why they came
// about is for a person, and for package diagnose.
func markOf(s *snapshot.Queue, o *owned) (snapshot.Mark, string) {
	switch {
	case o.unreadable >= parkAfter:
		return snapshot.MarkBad, fmt.Sprintf("parked: the message at %d can not be decoded", o.next)
	case o.leaving != nil:
		return snapshot.MarkWarn, "given up, waits for its listener"
	case s.State == snapshot.Dropped:
		return snapshot.MarkWarn, "dropped, its offset is being repaired"
	case s.LastError != "":
		return snapshot.MarkBad, "last pull failed"
	case s.Lag.OK() && s.Lag.V < 0:
		return snapshot.MarkWarn, "committed is beyond the broker's max"
	case s.Flow.Cause.IsFlow() && s.OutRate.OK() && s.OutRate.V == 0:
		return snapshot.MarkBad, string(s.Flow.Cause) + " and nothing finishes"
	case s.Flow.Cause.IsFlow():
		return snapshot.MarkWarn, string(s.Flow.Cause)
	case s.State == snapshot.QueuePaused:
		return snapshot.MarkWatch, "paused by hand"
	case !s.Lag.OK():
		return snapshot.MarkUnknown, s.Lag.Reason
	case s.Lag.State == snapshot.Stale:
		return snapshot.MarkStale, "lag is an old reading"
	case growing(s):
		return snapshot.MarkWatch, "lag grows"
	}
	return snapshot.MarkOK, ""
}

// growing tells whether more comes in than is finished and it shows: a lag of a few messages
// goes up and down all the time.
func growing(s *snapshot.Queue) bool {
	const few, seconds = 100, 10
	return s.LagSlope.OK() && s.LagSlope.V > 0 && s.Lag.V > few && float64(s.Lag.V) > seconds*s.LagSlope.V
}
