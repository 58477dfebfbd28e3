package ledger

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Said compares, when all is quiet, the books with the newest pictures of all members: what
// each says of its queues is so (check 9), each queue has one owner, none counts more messages
// as consumed than its listeners succeeded with (less it may: what they answer after their
// queue was given up does not count), and nothing is held for messages that are resolved
// (check 8).
func (l *Ledger) Said(at time.Time, members map[string]*snapshot.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, s := range members {
		if said := s.Counters.Consumed; said > l.did[id] {
			l.fault(WhatTheScreenSays, mq.MessageQueue{}, at, "%s says that it consumed %d messages, its listeners succeeded with %d", id, said, l.did[id])
		}
	}
	for _, a := range l.order {
		if a.end == 0 {
			continue
		}
		var owners []string
		for id, s := range members {
			i := slices.IndexFunc(s.Queues, func(q snapshot.Queue) bool { return q.ID == a.id })
			if i < 0 || !s.Queues[i].Mine || s.Queues[i].State == snapshot.NotOwned {
				continue
			}
			owners = append(owners, id)
			l.saidOf(a, at, id, &s.Queues[i])
		}
		if len(owners) != 1 {
			slices.Sort(owners)
			l.fault(WhatTheScreenSays, a.id, at, "its owners are %v, want one", owners)
		}
	}
}

func (l *Ledger) saidOf(a *account, at time.Time, member string, q *snapshot.Queue) {
	if q.Count.V != 0 || q.Bytes.V != 0 || q.InListener != 0 {
		l.fault(Resource, a.id, at, "%s holds %d messages, %d bytes and %d in listeners though all are resolved", member, q.Count.V, q.Bytes.V, q.InListener)
	}
	wrong := func(what string, v snapshot.Val[int64], want int64) {
		if !v.OK() || v.V != want {
			said := fmt.Sprint(v.V)
			if !v.OK() {
				said = "unknown"
			}
			l.fault(WhatTheScreenSays, a.id, at, "%s says %s %s, it is %d", member, what, said, want)
		}
	}
	wrong("max", q.Max, a.end)
	wrong("committed", q.Committed, a.low)
	wrong("lag", q.Lag, a.end-a.low)
	if l.cfg.Orderly && q.Lock.BrokerSays != snapshot.LockMine {
		l.fault(WhatTheScreenSays, a.id, at, "%s says lock %v, it has it", member, q.Lock.BrokerSays)
	}
}

// Back is check 8 for anything that a run takes and must give back: after must not be more
// than before and spare.
func (l *Ledger) Back(at time.Time, what string, before, after, spare int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after > before+spare {
		l.fault(Resource, mq.MessageQueue{}, at, "%d %s after the run, %d before it", after, what, before)
	}
}
