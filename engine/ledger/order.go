package ledger

import (
	"slices"
	"time"
)

// lane is one queue as orderly members have it.
type lane struct {
	busy     []string  // members with the listener now
	last     string    // member of the last call
	at       int64     // highest first offset of its calls in a row
	anew     bool      // its offset was asked for, or set: the next call may begin earlier
	unlocked time.Time // until then two may have it
}

func (n *lane) remove(member string) {
	n.busy = slices.DeleteFunc(n.busy, func(m string) bool { return m == member })
}

// startInOrder is check 4 for the START of a call.
func (l *Ledger) startInOrder(a *account, e Start) {
	n, first := &a.lane, e.Messages[0].Offset
	free := e.At.Before(n.unlocked)
	switch {
	case len(n.busy) > 0 && free:
		l.report.Overlaps++
	case len(n.busy) > 0:
		l.fault(Order, a.id, e.At, "%s gets %d while %s is at it", e.Member, first, n.busy[0])
	}
	switch {
	case first > a.low && !(free && a.given.has(a.low)):
		l.fault(Order, a.id, e.At, "%s gets %d before %d was resolved", e.Member, first, a.low)
	case n.last == e.Member && first < n.at && !n.anew:
		l.fault(Order, a.id, e.At, "%s gets %d again after %d", e.Member, first, n.at)
	}
	for i, m := range e.Messages[1:] {
		if m.Offset <= e.Messages[i].Offset {
			l.fault(Order, a.id, e.At, "%s gets %d behind %d in one call", e.Member, m.Offset, e.Messages[i].Offset)
		}
	}
	if n.last != e.Member || n.anew {
		n.last, n.at = e.Member, first
	}
	n.at = max(n.at, first)
	n.busy = append(n.busy, e.Member)
}
