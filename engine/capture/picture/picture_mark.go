package picture

import "mqscope/engine/snapshot"

// mark is the worst thing that is plainly true of a queue.
func (d *drawing) mark(q *snapshot.Queue) (snapshot.Mark, string) {
	const few, seconds = 100, 10
	switch {
	case q.LastError != "":
		return snapshot.MarkBad, "last pull failed: " + q.LastError
	case q.State == snapshot.Unpulled && len(d.sg.Members) > 0:
		return snapshot.MarkWarn, q.Owner.Reason
	case q.State == snapshot.Unpulled:
		return snapshot.MarkUnknown, q.Owner.Reason
	case q.Lag.OK() && q.Lag.V < 0:
		return snapshot.MarkWarn, "committed is beyond the end that was told"
	case q.State == snapshot.Popping:
		return snapshot.MarkUnknown, whyPopped
	case q.Lag.State == snapshot.NotApplicable:
		return snapshot.MarkOK, ""
	case !q.Lag.OK():
		return snapshot.MarkUnknown, q.Lag.Reason
	case q.Lag.State == snapshot.Stale:
		return snapshot.MarkStale, "lag is an old reading"
	case q.LagSlope.OK() && q.LagSlope.V > 0 && q.Lag.V > few && float64(q.Lag.V) > seconds*q.LagSlope.V:
		return snapshot.MarkWatch, "lag grows"
	}
	return snapshot.MarkOK, ""
}

// window is what was delivered and not committed. Offsets between are of messages that the
// broker passed over.
func window(offsets []int64) snapshot.Window {
	var w snapshot.Window
	for _, o := range offsets {
		n := len(w.Runs)
		if n > 0 && w.Runs[n-1].To+1 == o {
			w.Runs[n-1].To = o
			continue
		}
		if n > 0 {
			w.Runs = append(w.Runs, snapshot.Run{From: w.Runs[n-1].To + 1, To: o - 1, State: snapshot.Gap})
		}
		w.Runs = append(w.Runs, snapshot.Run{From: o, To: o, State: snapshot.Delivered})
	}
	return w
}
