package consumer

import (
	"context"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/processqueue"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
)

// service is who gives cached messages to the listener: consume.Concurrent, or consume.Orderly.
type service interface {
	Run(ctx context.Context) error
	Submit(q *processqueue.Queue, b *mq.Batch, keep []int)
	Drain(ctx context.Context) error
	Stats() consume.Stats
	SetThreads(n int)
}

// newService returns the service that the configuration asks for.
func newService(l *loop) service {
	c, back := l.cfg, sendBacker{l.client, l.cfg.Group, &l.messages}
	if !c.Orderly {
		return consume.NewConcurrent(consume.Config{
			Group: c.Group, Threads: c.Threads, Batch: c.Batch, Timeout: c.Timeout,
			MaxReconsume: int32(c.MaxReconsume), Model: c.Model, Listener: l.hookedListener(),
			SendBack: back, Emit: l.tell, Clock: c.Clock, Decisions: l.decisions,
		})
	}
	o := consume.OrderlyConfig{
		Group: c.Group, Threads: c.Threads, Batch: c.Batch, Timeout: c.Timeout,
		MaxReconsume: int32(c.MaxReconsume), Suspend: c.SuspendTime, ManualCommit: c.ManualCommit,
		LockExpiry: l.lockTrust(), Model: c.Model, Listener: l.hookedOrderlyListener(),
		SendBack: back, Emit: l.tell, Clock: c.Clock, Decisions: l.decisions,
	}
	if c.Model == mq.Broadcasting {
		o.SendBack = nil // nobody would get what is sent back
	}
	l.orderly = consume.NewOrderly(o)
	return l.orderly
}

// locked tells whether queues need the broker's lock.
func (l *loop) locked() bool { return l.cfg.Orderly && l.cfg.Model == mq.Clustering }

// lockTrust is how old a lock may be for messages to be pulled, handed over and committed.
func (l *loop) lockTrust() time.Duration { return l.cfg.rebalanceConfig().LockTrust() }

// withheld keeps back, besides what every consumer does, the offset of a queue whose lock is
// not held: another member may have it, and be further.
func (l *loop) withheld(now time.Time, a offset.Send) bool {
	o := l.queues[a.Queue]
	return o != nil && l.withholds(now, o, a.Offset, l.locked() && !o.pq.HoldsLock(now, l.lockTrust()))
}

// lockOf is what the checks of a turn look at that only an orderly consumer has; nil for others.
func (l *loop) lockOf(now time.Time, o *owned) *pull.Lock {
	if !l.locked() {
		return nil
	}
	trust := l.lockTrust()
	lock := &pull.Lock{Held: o.pq.HoldsLock(now, trust), StartKnown: o.startKnown, Trust: trust}
	if at, granted := o.pq.LockedAt(); granted {
		lock.Granted, lock.Age = true, processqueue.LockAge(now, at)
	}
	return lock
}

// lockHolder is who is told about the locks of its queues.
type lockHolder interface {
	locksHeld(now time.Time, a rebalance.LocksHeld)
	locksLost(a rebalance.LocksLost)
	remind(now time.Time, a rebalance.Release)
}

// locksHeld lets queues go on that waited for their lock.
func (l *loop) locksHeld(now time.Time, a rebalance.LocksHeld) {
	for _, q := range a.Queues {
		if o := l.queues[q]; o != nil {
			o.pq.Lock(a.At)
			if !l.in.remakes() {
				l.orderly.Wake(o.pq.Queue)
			}
			l.scheduleStep(now, event.Woken{Queue: q, Causes: lockCauses, By: "lock held"})
		}
	}
}

// locksLost stops queues whose lock another member has.
func (l *loop) locksLost(a rebalance.LocksLost) {
	for _, q := range a.Queues {
		if o := l.queues[q]; o != nil {
			o.pq.Unlock()
		}
	}
}

// locksLane is the lane of calls about the locks of one broker: long lists of other calls to
// it must not make renewals late.
func locksLane(broker string) string { return "locks of " + broker }

// lockQueues asks for locks. Their age counts from before the request.
func (m *membership) lockQueues(a rebalance.LockQueues) {
	m.call(locksLane(a.Broker), func(ctx context.Context) {
		e := rebalance.LocksAnswered{Broker: a.Broker, Queues: a.Queues, At: m.clock.Now()}
		e.Granted, e.Err = m.client.LockBatch(ctx, m.group, a.Broker, a.Queues)
		m.inbox.post(e)
	})
}

func (m *membership) unlockQueues(a rebalance.UnlockQueues) {
	m.call(locksLane(a.Broker), func(ctx context.Context) {
		err := m.client.UnlockBatch(ctx, m.group, a.Broker, a.Queues)
		m.inbox.post(rebalance.LocksFreed{Broker: a.Broker, Queues: a.Queues, Err: err})
	})
}
