package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/offset"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// repaired says that the corrected offset of a queue reached its broker, or did not.
type repaired struct {
	action pull.RepairOffset
	err    error
}

// repair follows OFFSET_ILLEGAL: the queue is dropped and its corrected offset frozen, so
// that no running listener overwrites it; once the broker has it, the queue is forgotten and
// a pass assigns it anew from there (Java: PullCallback.onSuccess, OFFSET_ILLEGAL).
func (l *loop) repair(now time.Time, o *owned, a pull.RepairOffset) {
	level, text := illegalText(a, "continues at")
	l.noteQueue(now, level, "offset", o.id, text)
	l.illegal[o.id]++
	o.pq.Drop()
	if l.decisions.On() {
		l.record(decision.PullIllegalDropped, o.id, a.Task, [6]int64{int64(o.pq.shown())}, "")
	}
	l.offsetStep(now, offset.Frozen{Queue: o.id, Offset: a.Next})
	if l.decisions.On() {
		l.record(decision.PullIllegalFrozen, o.id, a.Task, [6]int64{a.Next}, "")
	}
	l.scheduleStep(now, event.RequestDied{Queue: o.id, Epoch: o.epoch})
	if l.file != nil { // the frozen offset is in the file's store, which is asked next
		l.inbox.post(repaired{action: a})
		return
	}
	l.call(o.id.BrokerName, func(ctx context.Context) {
		err := l.client.CommitOffsetSync(ctx, l.cfg.Group, a.Queue, a.Next)
		l.inbox.post(repaired{action: a, err: err})
	})
}

// illegalText says what a correction means for the messages; goesOn is what is done at the
// offset that the broker names.
func illegalText(a pull.RepairOffset, goesOn string) (event.Level, string) {
	text := fmt.Sprintf("offset %d is illegal, queue has [%d, %d): %s %d", a.Asked, a.Min, a.Max, goesOn, a.Next)
	switch {
	case isReset(a):
		return event.Warn, text + ": the broker wants it so, its offset was reset"
	case a.Asked < a.Min:
		return event.Warn, text + fmt.Sprintf(": %d offsets are skipped, the broker has deleted their messages", a.Next-a.Asked)
	}
	return event.Error, text + ": the newest messages are gone from the broker, or the topic was made anew"
}

// isReset tells whether a broker refused an offset that its queue has: somebody has reset it.
func isReset(a pull.RepairOffset) bool { return a.Asked >= a.Min && (a.Asked <= a.Max || a.Max < 0) }

func (l *loop) repaired(now time.Time, e repaired) {
	o := l.live(e.action.Queue, e.action.Epoch)
	if o == nil || o.leaving != nil { // one that was revoked meanwhile is settled another way
		return
	}
	l.offsetSent(now, event.OffsetSent{Queue: o.id, Offset: e.action.Next, Err: e.err})
	l.tellPersisted(e)
	if e.err != nil {
		l.noteQueue(now, event.Warn, "offset", o.id, "corrected offset not committed: "+e.err.Error())
	}
	l.forget(now, o, event.QueueRevoked{Queue: o.id, Epoch: o.epoch, Why: event.RevokedIllegalOffset})
	if l.decisions.On() {
		l.record(decision.PullIllegalRemoved, o.id, e.action.Task, [6]int64{}, "")
	}
	l.rebalanceStep(now, rebalance.Dropped{Queue: o.id})
	l.rebalanceStep(now, event.RebalanceWanted{Why: "offset repaired"})
}

func (l *loop) tellPersisted(e repaired) {
	if !l.decisions.On() {
		return
	}
	d := decision.Decision{
		Line: decision.PullIllegalPersisted, Queue: e.action.Queue, Task: e.action.Task, Yes: e.err == nil, N: [6]int64{e.action.Next},
	}
	if e.err != nil {
		d.Text = e.err.Error()
	}
	l.decisions.Record(&d)
}

// tailSeen takes in where a pull answer says that the queue begins and ends.
func (m *membership) tailSeen(now time.Time, o *owned, e *event.PullDone) {
	if e.Min < 0 || e.Max < 0 {
		return
	}
	o.min = snapshot.Of(e.Min, now)
	m.endSeen(now, o, e.Max, e.Slave)
}

// endTold takes in the answer to the question where a queue ends. What a pull has brought
// since it was asked, in that very moment too, is newer: it is only asked of a queue of which
// nothing was heard for long. A pull that is out and asked for no less was held.
func (m *membership) endTold(now time.Time, o *owned, e event.OffsetRead) {
	o.asksMax = false
	if e.Err != nil || !o.max.At.Before(o.askedMaxAt) {
		return
	}
	m.endSeen(now, o, e.Offset, false)
	o.waitsTail = o.waitsTail || o.asked >= e.Offset
}

// endSeen takes in the end of a queue, which only grows: a master that goes back has lost
// messages that it had acknowledged.
func (m *membership) endSeen(now time.Time, o *owned, end int64, slave bool) {
	if o.max.OK() && end < o.max.V && !slave {
		o.cutShort = true
		m.noteQueue(now, event.Error, "offset", o.id, fmt.Sprintf(
			"the end of the queue went back from %d to %d: the broker has lost messages, or the topic was made anew", o.max.V, end))
	}
	o.max = snapshot.Of(end, now)
}

// beyondEnd tells whether at lies beyond what is left of a queue whose broker lost its end:
// committed, it would hide the messages that come to stand there.
func (o *owned) beyondEnd(at int64) bool { return o.cutShort && o.max.OK() && at > o.max.V }
