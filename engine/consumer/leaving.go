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

// lastCommits are the last offsets of the queues of one broker, and how their commits went.
type lastCommits struct {
	broker string
	list   []settled
}

// lastCommits are those of a shutdown: all queues whose lock is held.
func (l *loop) lastCommits(now time.Time) []lastCommits {
	byBroker := map[string][]settled{}
	for _, q := range l.order {
		o := l.queues[q]
		l.advance(now, o)
		l.handOverReset(now, q, event.RevokedByShutdown)
		if at := l.offsets.Read(q); at >= 0 && !o.beyondEnd(at) && o.pq.HoldsLock(now, l.lockTrust()) {
			l.in.act(actCommit, int64(q.QueueID), at)
			byBroker[q.BrokerName] = append(byBroker[q.BrokerName], settled{queue: q, offset: at})
		}
	}
	var all []lastCommits
	for _, broker := range slices.Sorted(maps.Keys(byBroker)) {
		all = append(all, lastCommits{broker, byBroker[broker]})
	}
	return all
}

// commitLast commits the last offsets and waits for the brokers to say so: the locks are given back
// next.
func (l *loop) commitLast(ctx context.Context) leaveCommitted {
	ctx, cancel := clock.WithTimeout(ctx, l.clock, goodbyeWithin)
	defer cancel()
	group, ctx := lifecycle.NewGroup(ctx)
	all := l.farewell.commits
	for _, one := range all {
		group.Go("last commits to "+one.broker, func(context.Context) error {
			for i := range one.list {
				e := &one.list[i]
				e.err = l.client.CommitOffsetSync(ctx, l.cfg.Group, e.queue, e.offset)
			}
			return nil
		})
	}
	return leaveCommitted{all, group.Wait()}
}

func (l *loop) committedLast(now time.Time, e leaveCommitted) {
	if e.err != nil {
		l.note(now, event.Warn, "offset", "", "last commits: "+e.err.Error())
	}
	for _, broker := range e.list {
		for _, e := range broker.list {
			l.decisions.Is(decision.ShutdownCommitted, e.queue, e.err == nil, [6]int64{e.offset})
			l.offsetSent(now, event.OffsetSent{Queue: e.queue, Offset: e.offset, Err: e.err})
		}
	}
}

// lastUnlock is the locks that one broker gets back, and how that went.
type lastUnlock struct {
	broker string
	queues []mq.MessageQueue
	err    error
}

// lastUnlocks are all locks, but for those of queues whose listener did not return: they
// expire at the broker.
func (l *loop) lastUnlocks(now time.Time, hung []mq.MessageQueue) (all []lastUnlock) {
	for _, a := range l.rebalance.Step(now, rebalance.Stopped{}) {
		a, ok := a.(rebalance.UnlockQueues)
		if !ok {
			continue
		}
		one := lastUnlock{broker: a.Broker}
		for _, q := range a.Queues {
			if !l.decisions.Is(decision.ShutdownHung, q, slices.Contains(hung, q), [6]int64{}) {
				one.queues = append(one.queues, q)
			}
		}
		l.in.actText(actCall, locksLane(a.Broker))
		all = append(all, one)
	}
	return all
}

// unlockLast gives the locks back and waits for the brokers to say so.
func (l *loop) unlockLast(ctx context.Context) leaveUnlocked {
	ctx, cancel := clock.WithTimeout(ctx, l.clock, goodbyeWithin)
	defer cancel()
	group, ctx := lifecycle.NewGroup(ctx)
	all := l.farewell.unlocks
	for i := range all {
		one := &all[i]
		group.Go("last unlock at "+one.broker, func(context.Context) error {
			one.err = l.client.UnlockBatch(ctx, l.cfg.Group, one.broker, one.queues)
			return nil
		})
	}
	_ = group.Wait() // its functions do not fail
	return leaveUnlocked{all}
}

func (l *loop) unlockedLast(now time.Time, list []lastUnlock) {
	for _, one := range list {
		if !l.decisions.Told(decision.ShutdownUnlocked, mq.MessageQueue{}, one.err == nil, one.broker, [6]int64{int64(len(one.queues))}) {
			l.note(now, event.Warn, "rebalance", one.broker, "locks not given back, the next owners wait for them: "+one.err.Error())
		}
	}
}
