package consumer

import (
	"context"
	"errors"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/rebalance"
)

var errNoHeartbeat = errors.New("no broker took the heartbeat: are the brokers of the topic up and reachable from here?")

// unregisterWithin bounds the goodbye to brokers, so that a dead one does not hold us.
const unregisterWithin = 2 * time.Second

// shutdown ends the consumer in the one order that loses nothing: stop scheduling, let
// running listeners finish up to a deadline, send offsets, give the queues and their locks up,
// leave the group. Connections are closed by whoever runs the client instance. Its error is that of
// the consume threads.
//
// What it waits for is done here; what follows from that for the loop is a step of the leave, see
// leaveStep. A recording goes on until the last of them.
func (l *loop) shutdown(ctx context.Context, t *threads) error {
	defer l.left()
	l.stepping = true // from here on
	l.leaves(leaveBegun{})
	err := l.endThreads(ctx, t)

	hung := l.takeIn(l.in.now(l.cfg.Clock))
	if l.locked() {
		l.leaves(l.commitLast(ctx))
	}
	l.leaves(leaveGivenUp{hung})
	if l.locked() {
		l.leaves(l.unlockLast(ctx))
	}
	if l.file != nil {
		for _, w := range l.farewell.writes {
			l.leaves(l.file.disk.Save(ctx, w))
		}
		l.leaves(leaveFlushed{l.file.disk.Path(), l.file.disk.Close(ctx)})
	}
	goodbye, cancel := clock.WithTimeout(ctx, l.cfg.Clock, unregisterWithin)
	defer cancel()
	l.leaves(leaveDone{l.client.Unregister(goodbye, l.cfg.Group)})
	return err
}

// left ends recording. What was told since the last step is for the log alone.
func (l *loop) left() {
	l.in.stop()
	l.tellsAsNow()
	for _, told := range l.inbox.takeTold() {
		l.journal.add(told)
	}
}

// endThreads lets running listeners finish: first in peace, then with an ended context.
func (l *loop) endThreads(ctx context.Context, t *threads) error {
	drain, cancel := clock.WithTimeout(ctx, l.cfg.Clock, l.cfg.Drain)
	err := l.pool.Drain(drain)
	cancel()
	l.leaves(leaveDrained{err == nil})
	last, cancel := clock.WithTimeout(ctx, l.cfg.Clock, abandonAfter)
	defer cancel()
	err = t.end(last)
	hung, _ := errors.AsType[*HungError](err)
	l.leaves(leaveThreads{err == nil, hung})
	if stuck := l.directCalls.end(ctx); stuck != nil {
		l.leaves(leaveCalls{stuck.Error()})
		err = errors.Join(err, stuck)
	}
	return err
}

// takeIn takes the events that came while listeners were waited for: answers of pulls bring
// nothing new, but what they say about offsets still counts. A turn that a person left open stays so.
// It returns the queues whose listener did not return, of a consumer that holds locks.
func (l *loop) takeIn(now time.Time) (hung []mq.MessageQueue) {
	taken, left := 0, 0
	for _, e := range l.inbox.take(nil) {
		switch e := e.(type) {
		case event.RebalanceWanted, event.RouteChanged, event.MembersListed, event.OffsetRead, event.BrokerReachable,
			rebalance.LocksAnswered, rebalance.LocksFreed, rechecked, driven, released, carriedOn:
			left++
		case recordTo:
			l.recordNow(now, e.to)
		default:
			l.takeLate(now, e)
			taken++
		}
	}
	for _, q := range l.order {
		if l.locked() && l.queues[q].pq.Queue.Running() > 0 {
			hung = append(hung, q)
		}
	}
	l.takeLate(now, leaveTaken{taken, left})
	return hung
}

// leaves has the loop take a step of its leave, behind what was told meanwhile.
func (l *loop) leaves(e event.Event) {
	now := l.in.now(l.cfg.Clock)
	for _, told := range l.inbox.takeTold() {
		l.takeLate(now, told)
	}
	l.takeLate(now, e)
}

// takeLate takes an event as the loop did while it ran. Nothing that is due is looked for.
func (l *loop) takeLate(now time.Time, e event.Event) {
	l.in.take(now, e)
	l.step(now, e)
	l.recorded(now, false)
}

// farewell is what a step of the leave wants done before the next one.
type farewell struct {
	commits []lastCommits
	unlocks []lastUnlock
	writes  []offset.Write
}
