package consumer

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/snapshot"
)

// offsetRead brings an answer to whoever asked: the rebalance, or the watch over the tail of
// queues that are not pulled now.
func (l *loop) offsetRead(now time.Time, e event.OffsetRead) {
	if o := l.live(e.Queue, e.Epoch); o != nil && e.Source == event.MaxOffset {
		l.endTold(now, o, e)
		return
	}
	l.offsetStep(now, e)
	l.rebalanceStep(now, e)
}

func (l *loop) assign(now time.Time, e event.QueueAssigned) {
	o := newOwned(e)
	o.pq.in, o.pq.Recycle = l.in, l.batches.put
	if l.locked() { // from the first moment on: nothing waits for the next renewal
		o.pq.Lock(l.rebalance.Lock(e.Queue).GrantedAt)
	}
	if at := l.offsets.Read(e.Queue); at >= 0 {
		o.committed = snapshot.Of(at, now)
		o.sent.known(now, at)
	} else {
		o.committed.Reason = "nothing committed yet"
	}
	o.max.Reason = "not pulled yet"
	o.served.assigned = now
	l.enter(o)
	l.shareLimits()
	l.noteQueue(now, event.Info, "rebalance", e.Queue, fmt.Sprintf("assigned, starts at %d", e.Start))
	l.scheduleStep(now, e)
	l.beginReset(now, o)
}

// revoke gives a queue up: what is known to be consumed is sent before anything is forgotten.
func (l *loop) revoke(now time.Time, e event.QueueRevoked) {
	o := l.live(e.Queue, e.Epoch)
	if o == nil {
		return
	}
	if l.locked() && l.running {
		l.retire(now, o, e)
		return
	}
	l.advance(now, o)
	o.pq.Drop()
	l.advance(now, o) // what was resolved in between
	l.handOverReset(now, e.Queue, e.Why)
	l.offsetStep(now, offset.PersistQueue{Queue: e.Queue})
	l.forget(now, o, e)
	l.noteQueue(now, event.Info, "rebalance", e.Queue, "given up: "+e.Why.String())
}

// forget removes a dropped queue from every part.
func (l *loop) forget(now time.Time, o *owned, e event.QueueRevoked) {
	l.offsetStep(now, offset.Removed{Queue: o.id})
	l.scheduleStep(now, e)
	l.pull.Step(now, e)
	o.pq.Clear()
	if l.orderly != nil && !l.in.remakes() {
		l.orderly.Forget(o.pq.Queue)
	}
	l.countCalls(o)
	l.leave(o)
	l.shareLimits()
}

// enter and leave keep the sorted list of owned queues.
func (m *membership) enter(o *owned) {
	i, there := slices.BinarySearchFunc(m.order, o.id, mq.MessageQueue.Compare)
	if !there {
		m.order = slices.Insert(m.order, i, o.id)
	}
	m.queues[o.id] = o
	m.lately.Forget()
}

func (m *membership) leave(o *owned) {
	if i, there := slices.BinarySearchFunc(m.order, o.id, mq.MessageQueue.Compare); there {
		m.order = slices.Delete(m.order, i, i+1)
	}
	delete(m.queues, o.id)
	m.lately.Forget()
	m.in.forget(windowKey(o.id))
}
