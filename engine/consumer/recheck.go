package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/pull"
)

// rechecked answers the second question for the start offset of a queue.
type rechecked struct {
	queue  mq.MessageQueue
	epoch  uint64
	task   uint64
	next   int64 // as it was computed at the assignment
	offset int64
	found  bool
	err    error
}

// recheck asks for the committed offset once more, at the first pull of a queue whose lock is
// held: its last owner may have committed late (Java: the previouslyLocked branch of
// DefaultMQPushConsumerImpl.pullMessage). The request is out until the answer comes.
func (l *loop) recheck(o *owned, a pull.Recheck) {
	queue, epoch := o.id, o.epoch
	l.call(queue.BrokerName, func(ctx context.Context) {
		e := rechecked{queue: queue, epoch: epoch, next: a.Next, task: a.Task}
		e.offset, e.found, e.err = l.client.QueryOffset(ctx, l.cfg.Group, queue)
		l.inbox.post(e)
	})
}

// rechecked starts the queue. Without an answer it starts where the assignment said: that
// offset was read with the lock held, and any guess would be worse.
func (l *loop) rechecked(now time.Time, e rechecked) {
	o := l.live(e.queue, e.epoch)
	if o == nil || o.leaving != nil {
		return
	}
	o.startKnown = true
	next := e.next
	moves := e.err == nil && e.found && e.offset != next
	l.tellStart(e, moves)
	switch {
	case e.err != nil:
		l.noteQueue(now, event.Warn, "offset", o.id, fmt.Sprintf("committed offset not read again, starts at %d as assigned: %v", next, e.err))
	case moves:
		l.noteQueue(now, event.Info, "offset", o.id, fmt.Sprintf("starts at %d: that is committed now, it was %d at the assignment", e.offset, next))
		next = e.offset
		o.start = next
		l.offsetStep(now, event.OffsetRead{Queue: o.id, Epoch: o.epoch, Source: event.CommittedOffset, Offset: next, Found: true})
		l.committed(now, o, next)
	}
	l.putBack(now, o, event.PutBack{Queue: o.id, Epoch: o.epoch, Next: next})
}

func (l *loop) tellStart(e rechecked, moves bool) {
	if !l.decisions.On() {
		return
	}
	d := decision.Decision{
		Line: decision.PullStartRead, Queue: e.queue, Task: e.task, Yes: moves, N: [6]int64{offset.None, e.next},
	}
	if e.found {
		d.N[0] = e.offset
	}
	if e.err != nil {
		d.Text = e.err.Error()
	}
	l.decisions.Record(&d)
}
