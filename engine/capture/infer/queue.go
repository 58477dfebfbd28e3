package infer

import (
	"slices"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// maxPullers is how many clients are remembered as pulling one queue.
const maxPullers = 1000

func (q *Queue) assigned(e Event, f Assigned) {
	if q.pulledBy(f.Client) || len(q.Pullers) >= maxPullers {
		return
	}
	if len(q.Pullers) == 0 && q.Window.State != snapshot.NotApplicable {
		// Whoever takes over gets again what was not committed.
		q.offsets = nil
		q.count(e)
	}
	q.Pullers = append(q.Pullers, Puller{Client: f.Client, Since: e.At, Last: e.At, Pop: f.Pop})
	if f.Pop {
		q.Next = snapshot.NA[int64]()
		q.Committed = snapshot.UnknownBecause[int64]("the broker keeps account of popped messages")
		q.Window = snapshot.UnknownBecause[int]("the broker keeps account of popped messages")
	}
}

func (q *Queue) pullSent(e Event, f PullSent) {
	if p := q.puller(f.Client); p != nil {
		p.Last = e.At
		p.Open++
	}
	if q.lastAsker != f.Client && len(q.Pullers) > 1 {
		// The messages of the one who pulled before are not those of this one.
		q.offsets = nil
	}
	q.lastAsker = f.Client
	q.Next = snapshot.Of(f.Offset, e.At)
	if n := len(q.offsets); n > 0 && f.Offset <= q.offsets[n-1] { // it pulls again from there
		i, _ := slices.BinarySearch(q.offsets, f.Offset)
		q.offsets = q.offsets[:i]
	}
	q.count(e)
}

// pullDone takes an answer; room is how many offsets may be kept.
func (q *Queue) pullDone(e Event, f PullDone, room int) {
	if p := q.puller(f.Client); p != nil && p.Open > 0 {
		p.Last = e.At
		p.Open--
	}
	if !f.Answered {
		return
	}
	q.LastStatus, q.LastAt = f.Status, e.At
	q.Pulls[f.Status]++
	if f.Status == mq.PullFailed {
		return
	}
	if f.Status != mq.OffsetIllegal || f.Next >= 0 {
		q.Next = snapshot.Of(f.Next, e.At)
	}
	q.Delivered += len(f.Offsets)
	if f.Cut {
		q.blind = "the capture lacks messages that were delivered"
	}
	for i, o := range f.Offsets {
		if n := len(q.offsets); n > 0 && o <= q.offsets[n-1] {
			continue
		}
		if q.Committed.OK() && o < q.Committed.V {
			continue
		}
		if len(q.offsets) >= room {
			q.blind = "more messages wait for a commit than are counted"
			break
		}
		if len(q.offsets) == cap(q.offsets) { // once for all of them
			q.offsets = slices.Grow(q.offsets, min(len(f.Offsets)-i, room-len(q.offsets)))
		}
		q.offsets = append(q.offsets, o)
	}
	q.count(e)
}

func (q *Queue) committed(e Event, offset int64) {
	if q.Committed.State == snapshot.NotApplicable {
		return
	}
	q.Committed = snapshot.Of(offset, e.At)
	i, _ := slices.BinarySearch(q.offsets, offset)
	q.offsets = slices.Delete(q.offsets, 0, i)
	if len(q.offsets) == 0 {
		q.offsets = nil
		if !q.Next.OK() || q.Next.V <= offset {
			q.blind = "" // nothing is left that could be missing
		}
	}
	q.count(e)
}

// Offsets are those that were delivered and not committed, rising. They are for reading, and
// mean something only where Window is known.
func (q *Queue) Offsets() []int64 { return q.offsets }

// count renews the window.
func (q *Queue) count(e Event) {
	switch {
	case q.Window.State == snapshot.NotApplicable:
	case q.blind != "":
		q.Window = snapshot.UnknownBecause[int](q.blind)
	case !q.Committed.OK():
		q.Window = snapshot.UnknownBecause[int](q.Committed.Reason)
	default:
		q.Window = snapshot.Of(len(q.offsets), e.At)
	}
}
