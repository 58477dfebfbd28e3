package consumer

import (
	"context"
	"maps"
	"slices"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/plant"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
)

// An orderly consumer gives a queue up in steps, each an event: its listener returns, what it
// did is committed and the broker has said so, and only then the lock is given back
// (Java: RebalancePushImpl.removeUnnecessaryMessageQueue).
type (
	// listenerIdle says that no listener has messages of a retired queue.
	listenerIdle struct {
		queue mq.MessageQueue
		epoch uint64
	}
	// settled says that the last offset of a retired queue is committed, or could not be.
	settled struct {
		queue  mq.MessageQueue
		epoch  uint64
		offset int64 // -1 when there was nothing to commit
		err    error
	}
)

// retire stops a queue that was revoked, but for what its listener has.
func (l *loop) retire(now time.Time, o *owned, e event.QueueRevoked) {
	o.leaving = &e
	l.resetWaitsForNobody(now, o.id)
	l.advance(now, o) // as long as it is known that what was pulled came in
	l.scheduleStep(now, event.RequestDied{Queue: o.id, Epoch: o.epoch})
	l.pull.Step(now, e) // an answer that is still to come leads to nothing
	idle, inbox := listenerIdle{o.id, o.epoch}, l.inbox
	o.pq.Retire(func() { inbox.post(idle) })
	if plant.SkipUnlockWait {
		l.settle(now, o)
		return
	}
	if o.pq.Running() > 0 {
		o.pq.CountUnlockTry()
		l.noteQueue(now, event.Info, "rebalance", o.id, "revoked, waits for its listener: "+e.Why.String())
	}
}

// remind counts a further try to give a queue up, or ends the wait for its listener.
func (l *loop) remind(now time.Time, a rebalance.Release) {
	o := l.live(a.Queue, a.Epoch)
	switch {
	case o == nil:
		l.inbox.post(settled{queue: a.Queue, epoch: a.Epoch, offset: -1})
	case a.Force:
		l.settle(now, o)
	case !o.settling:
		o.pq.CountUnlockTry()
	}
}

// settle commits the last offset of a retired queue, if its lock is still held: without it the
// queue may be another member's, and further.
func (l *loop) settle(now time.Time, o *owned) {
	if o.leaving == nil || o.settling {
		return
	}
	o.settling = true
	l.advance(now, o)
	o.pq.Drop()
	l.advance(now, o) // what was resolved in between
	l.handOverReset(now, o.id, o.leaving.Why)
	e := settled{queue: o.id, epoch: o.epoch, offset: l.offsets.Read(o.id)}
	if e.offset < 0 || o.beyondEnd(e.offset) || !o.pq.HoldsLock(now, l.lockTrust()) {
		e.offset = -1
		l.inbox.post(e)
		return
	}
	l.call(o.id.BrokerName, func(ctx context.Context) {
		e.err = l.client.CommitOffsetSync(ctx, l.cfg.Group, e.queue, e.offset)
		l.inbox.post(e)
	})
}

func (l *loop) settled(now time.Time, e settled) {
	if o := l.live(e.queue, e.epoch); o != nil && o.leaving != nil {
		if e.offset >= 0 {
			l.decisions.Is(decision.OffsetCommitted, e.queue, e.err == nil, [6]int64{e.offset})
			l.offsetSent(now, event.OffsetSent{Queue: e.queue, Offset: e.offset, Err: e.err})
		}
		if e.err != nil {
			l.noteQueue(now, event.Warn, "offset", o.id, "last offset not committed, messages will be delivered again: "+e.err.Error())
		}
		l.forget(now, o, *o.leaving)
		l.noteQueue(now, event.Info, "rebalance", o.id, "given up: "+o.leaving.Why.String())
	}
	l.rebalanceStep(now, rebalance.Released{Queue: e.queue, Epoch: e.epoch})
}

// goodbyeWithin bounds the last commits and unlocks, so that a broker that is silent does not
// hold us.
const goodbyeWithin = 2 * time.Second

// commitLast commits the offsets of all queues at a shutdown and waits for the brokers to say
// so: the locks are given back next.
func (l *loop) commitLast(ctx context.Context, now time.Time) {
	ctx, cancel := clock.WithTimeout(ctx, l.clock, goodbyeWithin)
	defer cancel()
	byBroker := map[string][]settled{}
	for _, q := range l.order {
		o := l.queues[q]
		l.advance(now, o)
		l.handOverReset(now, q, event.RevokedByShutdown)
		if at := l.offsets.Read(q); at >= 0 && !o.beyondEnd(at) && o.pq.HoldsLock(now, l.lockTrust()) {
			byBroker[q.BrokerName] = append(byBroker[q.BrokerName], settled{queue: q, offset: at})
		}
	}
	group, ctx := lifecycle.NewGroup(ctx)
	brokers := slices.Sorted(maps.Keys(byBroker))
	for _, broker := range brokers {
		list := byBroker[broker]
		group.Go("last commits to "+broker, func(context.Context) error {
			for i := range list {
				list[i].err = l.client.CommitOffsetSync(ctx, l.cfg.Group, list[i].queue, list[i].offset)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		l.note(l.clock.Now(), event.Warn, "offset", "", "last commits: "+err.Error())
	}
	for _, broker := range brokers {
		for _, e := range byBroker[broker] {
			l.decisions.Is(decision.ShutdownCommitted, e.queue, e.err == nil, [6]int64{e.offset})
			l.offsetSent(now, event.OffsetSent{Queue: e.queue, Offset: e.offset, Err: e.err})
		}
	}
}

// unlockLast gives all locks back, but for those of queues whose listener did not return: they
// expire at the broker.
func (l *loop) unlockLast(ctx context.Context, now time.Time, hung map[mq.MessageQueue]bool) {
	ctx, cancel := clock.WithTimeout(ctx, l.clock, goodbyeWithin)
	defer cancel()
	group, ctx := lifecycle.NewGroup(ctx)
	for _, a := range l.rebalance.Step(now, rebalance.Stopped{}) {
		a, ok := a.(rebalance.UnlockQueues)
		if !ok {
			continue
		}
		var queues []mq.MessageQueue
		for _, q := range a.Queues {
			if !l.decisions.Is(decision.ShutdownHung, q, hung[q], [6]int64{}) {
				queues = append(queues, q)
			}
		}
		group.Go("last unlock at "+a.Broker, func(context.Context) error {
			err := l.client.UnlockBatch(ctx, l.cfg.Group, a.Broker, queues)
			if !l.decisions.Told(decision.ShutdownUnlocked, mq.MessageQueue{}, err == nil, a.Broker, [6]int64{int64(len(queues))}) {
				l.note(l.clock.Now(), event.Warn, "rebalance", a.Broker, "locks not given back, the next owners wait for them: "+err.Error())
			}
			return nil
		})
	}
	_ = group.Wait() // its functions do not fail
}
