package consumer

import (
	"fmt"
	"time"

	"mqscope/engine/snapshot"
)

// pictureOrderly adds what only a queue has that is consumed in order: its lock, and what
// stops it.
func (l *loop) pictureOrderly(s *snapshot.Queue, o *owned, now time.Time) {
	held := o.pq.HoldsLock(now, l.lockTrust())
	if s.Lock = l.rebalance.Lock(o.id); s.Lock.Used {
		s.Lock.TryUnlock = o.pq.UnlockTries()
		s.Lock.Believers = l.believers(o, now, held)
	}
	switch until, suspended := l.suspended(o.id); {
	case o.leaving != nil, s.Mark == snapshot.MarkBad:
	case l.locked() && s.Lock.BrokerSays == snapshot.LockRefused:
		s.Mark, s.Note = snapshot.MarkBad, "lock refused, another member has it"
	case l.locked() && !held:
		s.Mark, s.Note = snapshot.MarkBad, "lock expired, not renewed in time"
	case suspended && s.Mark == snapshot.MarkOK:
		s.Mark, s.Note = snapshot.MarkWatch, fmt.Sprintf("suspended after a failure, goes on in %v", until.Sub(now).Round(time.Millisecond))
	}
}
