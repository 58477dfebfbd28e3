package consumer

import (
	"context"
	"errors"
	"slices"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

var errNoHeartbeat = errors.New("no broker took the heartbeat: are the brokers of the topic up and reachable from here?")

// unregisterWithin bounds the goodbye to brokers, so that a dead one does not hold us.
const unregisterWithin = 2 * time.Second

// shutdown ends the consumer in the one order that loses nothing: stop scheduling, let
// running listeners finish up to a deadline, send offsets, give the queues and their locks up,
// leave the group. Connections are closed by whoever runs the client instance. Its error is that of
// the consume threads.
func (l *loop) shutdown(ctx context.Context, t *threads) error {
	now := l.cfg.Clock.Now()
	l.stepping = true // from here on
	l.running = false
	l.source.State = snapshot.Stopping
	l.note(now, event.Info, "engine", "", "stopping: waits for running listeners, then sends offsets")
	l.dirty = true
	none := mq.MessageQueue{}
	l.decisions.Fact(decision.ShutdownBegin, none, "", [6]int64{int64(len(l.order)), int64(l.cfg.Drain)})
	l.publishNow(now)
	err := l.endThreads(ctx, t)

	now = l.cfg.Clock.Now()
	l.takeIn(now)
	hung := map[mq.MessageQueue]bool{}
	if l.locked() {
		for _, q := range l.order {
			hung[q] = l.queues[q].pq.Running() > 0
		}
		l.commitLast(ctx, now)
	}
	l.persistAll(now)
	l.decisions.Fact(decision.ShutdownPersisted, none, "", [6]int64{int64(len(l.order))})
	l.decisions.Fact(decision.ShutdownGivenUp, none, "", [6]int64{int64(len(l.order))})
	last := l.picture(now) // the last that has the queues
	for _, q := range slices.Clone(l.order) {
		l.revoke(now, event.QueueRevoked{Queue: q, Epoch: l.queues[q].epoch, Why: event.RevokedByShutdown})
	}
	if l.locked() {
		l.unlockLast(ctx, now, hung)
	}
	if l.file != nil {
		l.file.flush(ctx, &l.membership, nil)
		l.decisions.Fact(decision.ShutdownFlushed, none, "", [6]int64{})
	}
	goodbye, cancel := clock.WithTimeout(ctx, l.cfg.Clock, unregisterWithin)
	defer cancel()
	left := l.client.Unregister(goodbye, l.cfg.Group)
	if !l.decisions.Is(decision.ShutdownUnregistered, none, left == nil, [6]int64{int64(unregisterWithin)}) {
		l.note(l.cfg.Clock.Now(), event.Warn, "remote", "", "leaving the group: "+left.Error())
	}
	l.decisions.Fact(decision.ShutdownDone, none, "", [6]int64{})
	l.publishEnd(*last)
	return err
}

// publishEnd shows the queues as they were when they were given up, with all that was done
// and told until the end.
func (l *loop) publishEnd(s snapshot.Snapshot) {
	l.source.State = snapshot.Ended
	end := l.picture(l.cfg.Clock.Now())
	s.Seq, s.Source, s.Counters, s.Events = end.Seq, end.Source, end.Counters, end.Events
	l.out.put(&s)
}

// endThreads lets running listeners finish: first in peace, then with an ended context.
func (l *loop) endThreads(ctx context.Context, t *threads) error {
	drain, cancel := clock.WithTimeout(ctx, l.cfg.Clock, l.cfg.Drain)
	err := l.pool.Drain(drain)
	cancel()
	if !l.decisions.Is(decision.ShutdownDrained, mq.MessageQueue{}, err == nil, [6]int64{int64(l.cfg.Drain)}) {
		l.note(l.cfg.Clock.Now(), event.Warn, "consume", "", "listeners still run after "+l.cfg.Drain.String()+": their messages will be delivered again")
	}
	last, cancel := clock.WithTimeout(ctx, l.cfg.Clock, abandonAfter)
	defer cancel()
	err = t.end(last)
	l.decisions.Is(decision.ShutdownThreads, mq.MessageQueue{}, err == nil, [6]int64{int64(abandonAfter)})
	if hung, ok := errors.AsType[*HungError](err); ok {
		l.noteQueue(l.cfg.Clock.Now(), event.Error, "consume", hung.Queue, hung.Error()+": left behind")
	}
	if stuck := l.directCalls.end(ctx); stuck != nil {
		l.note(l.cfg.Clock.Now(), event.Error, "consume", "", stuck.Error()+": left behind")
		err = errors.Join(err, stuck)
	}
	return err
}

// takeIn takes the events that came while listeners were waited for: answers of pulls bring
// nothing new, but what they say about offsets still counts. A turn that a person left open stays so.
func (l *loop) takeIn(now time.Time) {
	late, left := l.inbox.take(nil), 0
	defer func() {
		l.decisions.Fact(decision.ShutdownTaken, mq.MessageQueue{}, "", [6]int64{int64(len(late) - left), int64(left)})
	}()
	for _, e := range late {
		switch e.(type) {
		case event.RebalanceWanted, event.RouteChanged, event.MembersListed, event.OffsetRead, event.BrokerReachable,
			rebalance.LocksAnswered, rebalance.LocksFreed, rechecked, driven, released, carriedOn:
			left++
		default:
			l.step(now, e)
		}
	}
}
