package consumer

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/offset"
	"mqscope/engine/snapshot"
)

// advance brings what the threads resolved into the offset store. When nothing is cached,
// that is all before the next pull: what was filtered out at the end of the queue too.
func (l *loop) advance(_ time.Time, o *owned) {
	at := o.pq.Committable()
	if at >= 0 {
		l.raise(o, at)
	}
	if o.next > o.start && o.drained() && o.next != at {
		l.raise(o, o.next)
	}
}

func (l *loop) raise(o *owned, at int64) {
	l.offsets.Advance(offset.Advanced{Queue: o.id, Offset: at, IncreaseOnly: true})
}

// withheld keeps back what was sent often enough, and what lies beyond the end of a queue.
func (m *membership) withheld(now time.Time, a offset.Send) bool {
	o := m.queues[a.Queue]
	return o != nil && m.withholds(now, o, a.Offset, false)
}

func (m *membership) withholds(now time.Time, o *owned, at int64, lockless bool) bool {
	known, beyond := o.sent.enough(now, at), o.beyondEnd(at)
	return m.decisions.Is(decision.OffsetWithheld, o.id, known || beyond || lockless,
		[6]int64{at, decision.Bool(known), decision.Bool(beyond), decision.Bool(lockless)})
}

// committable is what a pull may carry along: what is in memory, 0 for nothing.
// Brokers keep no offsets of broadcasting consumers.
func (l *loop) committable(o *owned) int64 {
	if l.file != nil {
		return 0
	}
	at := l.offsets.Read(o.id)
	if o.beyondEnd(at) {
		return 0
	}
	return at
}

func (m *membership) offsetSent(now time.Time, e event.OffsetSent) {
	if e.Err != nil {
		m.counters.CommitsFailed++
		return
	}
	m.counters.Commits++
	if o := m.queues[e.Queue]; o != nil {
		m.committed(now, o, e.Offset)
	}
}

func (m *membership) committed(now time.Time, o *owned, at int64) {
	o.sent.note(now, at)
	o.committed = snapshot.Of(at, now)
}

// commitAgain has the offsets of a broker's queues sent anew: what was under way when its
// connection ended may not have arrived.
func (m *membership) commitAgain(broker string) {
	for _, q := range m.order {
		if q.BrokerName == broker {
			m.queues[q].sent = sentOffset{}
		}
	}
}

// persistAll sends the offsets of all owned queues (Java: RemoteBrokerOffsetStore.persistAll).
func (l *loop) persistAll(now time.Time) {
	for _, q := range l.order {
		l.advance(now, l.queues[q])
	}
	l.offsetStep(now, offset.PersistDue{Owned: l.order})
}
