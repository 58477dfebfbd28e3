package capture

import (
	"cmp"
	"slices"
	"time"
)

// sweepEvery is how much time of the capture passes before streams that wait are looked at
// again.
const sweepEvery = 100 * time.Millisecond

// sweep gives up packets that will not come any more. It looks at all streams that wait, so
// it is done at most once in as many packets.
func (r *Reader) sweep() {
	if r.sinceSweep++; r.sinceSweep < len(r.holed) {
		return
	}
	r.sinceSweep, r.sweepAt = 0, r.now.Add(sweepEvery)
	var due []*end
	for e := range r.holed {
		if e.overdue(r.now) {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(x, y *end) int {
		return cmp.Or(cmp.Compare(x.c.id, y.c.id), cmp.Compare(y.side(), x.side()))
	})
	for _, e := range due {
		for e.overdue(r.now) {
			e.giveUp(e)
		}
		if len(e.held) == 0 {
			delete(r.holed, e)
		}
		e.caughtUp()
		e.c.settle()
	}
}

func (e *end) side() int {
	if e.fromA {
		return 1
	}
	return 0
}

// hold is part of holder.
func (e *end) hold(n int) { e.c.r.held += n }

// lost is part of holder.
func (e *end) lost(s *stream, n int64) {
	text := "packets are missing from the capture"
	if s.ackSeen && int32(s.acked-s.next) >= 0 {
		text += ": the receiver had them"
	}
	e.trouble(NoteGap, n, text)
}

// differs is part of holder.
func (e *end) differs() {
	e.trouble(NoteDiffers, 0, "bytes were sent again with other values: the first ones count")
}
