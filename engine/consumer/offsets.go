package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/offset"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// resendAfter is when an unchanged offset is sent once more: a broker that lost its last
// seconds of offsets gets them back.
const resendAfter = time.Minute

// advance brings what the threads resolved into the offset store.
func (l *loop) advance(now time.Time, o *owned) {
	if at := o.pq.Committable(); at >= 0 {
		l.raise(now, o, at)
	}
}

func (l *loop) raise(now time.Time, o *owned, at int64) {
	l.offsetStep(now, offset.Advanced{Queue: o.id, Offset: at, IncreaseOnly: true})
}

// offsetStep lets the offset store take e and sends what it decides to send.
func (l *loop) offsetStep(now time.Time, e event.Event) {
	for _, a := range l.offsets.Step(now, e) {
		if a, ok := a.(offset.Send); ok {
			l.commit(now, a)
		}
	}
}

// commit sends an offset one-way. What was sent already is sent again only once a minute.
func (l *loop) commit(now time.Time, a offset.Send) {
	o := l.queues[a.Queue]
	if o != nil && o.lastSent == a.Offset && now.Sub(o.sentAt) < resendAfter {
		return
	}
	err := l.client.CommitOffset(l.cfg.Group, a.Queue, a.Offset)
	l.offsetSent(now, event.OffsetSent{Queue: a.Queue, Offset: a.Offset, Err: err})
}

func (l *loop) offsetSent(now time.Time, e event.OffsetSent) {
	if e.Err != nil {
		l.counters.CommitsFailed++
		l.note(now, event.Warn, "offset", e.Queue.BrokerName, "offsets not committed: "+e.Err.Error())
		return
	}
	l.counters.Commits++
	if o := l.queues[e.Queue]; o != nil {
		l.committed(now, o, e.Offset)
	}
}

func (l *loop) committed(now time.Time, o *owned, at int64) {
	o.lastSent, o.sentAt = at, now
	o.committed = snapshot.Of(at, now)
}

// persistAll sends the offsets of all owned queues (Java: RemoteBrokerOffsetStore.persistAll).
func (l *loop) persistAll(now time.Time) {
	for _, q := range l.order {
		l.advance(now, l.queues[q])
	}
	l.offsetStep(now, offset.PersistDue{Owned: l.order})
}

// repair follows OFFSET_ILLEGAL: the queue is dropped and its corrected offset frozen, so
// that no running listener overwrites it; once the broker has it, the queue is forgotten and
// a pass assigns it anew from there.
func (l *loop) repair(now time.Time, o *owned, a pull.RepairOffset) {
	l.noteQueue(now, event.Warn, "offset", o.id, fmt.Sprintf(
		"offset %d is illegal, queue has [%d, %d): continues at %d", a.Asked, a.Min, a.Max, a.Next))
	l.illegal[o.id]++
	o.pq.Drop()
	l.offsetStep(now, offset.Frozen{Queue: o.id, Offset: a.Next})
	l.scheduleStep(now, event.RequestDied{Queue: o.id, Epoch: o.epoch})
	l.calls.do(func(ctx context.Context) {
		err := l.client.CommitOffsetSync(ctx, l.cfg.Group, a.Queue, a.Next)
		l.inbox.post(repaired{action: a, err: err})
	})
}

func (l *loop) repaired(now time.Time, e repaired) {
	o := l.live(e.action.Queue, e.action.Epoch)
	if o == nil {
		return
	}
	l.offsetSent(now, event.OffsetSent{Queue: o.id, Offset: e.action.Next, Err: e.err})
	l.forget(now, o, event.QueueRevoked{Queue: o.id, Epoch: o.epoch, Why: event.RevokedIllegalOffset})
	l.rebalanceStep(now, rebalance.Dropped{Queue: o.id})
	l.rebalanceStep(now, event.RebalanceWanted{Why: "offset repaired"})
}
