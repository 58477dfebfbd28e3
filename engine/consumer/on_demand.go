package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// ErrNotRunning is the answer of a consumer whose Run has ended.
var ErrNotRunning = errors.New("the consumer is not running any more")

// onDemand is the loop of a consumer whose application asks for messages: pull, scheduled and
// lite. What differs between them is its manner.
type onDemand struct {
	membership
	cfg    *MemberConfig
	manner manner
	crew   *crew

	persistAt, sampleAt, routesAt time.Time

	stopping bool
	stopBy   time.Time
	epochs   uint64
	moved    map[string]time.Time        // topics whose queues changed since it was told, since when
	strays   map[mq.MessageQueue]*owned  // queues that were pulled from though they are not ours
	loose    map[mq.MessageQueue]bool    // queues not ours whose offset the application set
	started  func(context.Context) error // further checks of the start, may be nil
	// noRebalance leaves all queues to the application.
	noRebalance bool

	ready chan struct{} // closed when errands are taken
	over  chan struct{} // closed when they are not any more
}

// manner is what differs between consumers that are asked for messages. Its methods run on
// the loop.
type manner interface {
	// assigned and revoked follow a queue that was given, and come before one is forgotten.
	assigned(now time.Time, o *owned)
	revoked(now time.Time, o *owned)
	// queuesMoved tells of the queues of a topic after some came or went.
	queuesMoved(now time.Time, topic string, all, mine []mq.MessageQueue)
	// step takes events that only it knows.
	step(now time.Time, e event.Event)
	// tick does what is due without an event, nextDue says when that is.
	tick(now time.Time)
	nextDue() (time.Time, bool)
	// stop begins nothing any more; idle tells whether all that was begun has ended.
	stop(now time.Time)
	idle() bool
	// keepsStart tells whether an offset that a queue starts at is what the group has committed.
	keepsStart() bool
	task(q mq.MessageQueue) snapshot.Task
	// settings are what a tool is told of the configuration, by the names of Java's fields.
	settings() map[string]string
	// draw completes a snapshot, drawQueue the picture of one of our queues.
	draw(s *snapshot.Snapshot, now time.Time)
	drawQueue(q *snapshot.Queue, o *owned)
}

func newOnDemand(cfg *MemberConfig, instance *client.Instance, subs *subscriptions, m manner, r rebalance.Config) *onDemand {
	r.Group, r.ClientID, r.Strategy, r.Model = cfg.Group, cfg.ClientID, cfg.Strategy, cfg.Model
	r.DispatchDelay = -1 // the application decides when it pulls
	l := &onDemand{
		membership: newMembership(instance, subs, cfg.Clock, cfg.Log, r), cfg: cfg, manner: m,
		moved: map[string]time.Time{}, strays: map[mq.MessageQueue]*owned{}, loose: map[mq.MessageQueue]bool{},
		ready: make(chan struct{}), over: make(chan struct{}),
	}
	l.kind, l.pictureEvery, l.namespace = l, cfg.SnapshotInterval, cfg.Namespace
	return l
}

// loop takes events until ctx ends and then, for at most Drain, until what runs has ended.
func (l *onDemand) loop(ctx context.Context) error {
	now := l.clock.Now()
	l.persistAt, l.sampleAt, l.routesAt = now.Add(l.cfg.PersistInterval), now.Add(sampleEvery), now.Add(quietRoutesEvery)
	timer := l.clock.NewTimer(time.Hour)
	defer timer.Stop()
	var events []event.Event
	for {
		l.stepping = true
		events = l.inbox.take(events)
		for _, e := range events {
			l.step(l.clock.Now(), e)
		}
		now := l.clock.Now()
		l.tick(now)
		l.lookAtPass(now)
		l.peersTick(now)
		l.tellMoved(now)
		if l.stopping && (l.manner.idle() || !now.Before(l.stopBy)) {
			return nil
		}
		l.publish(now)
		timer.Reset(max(0, l.nextDue(now).Sub(now)))
		l.stepping = false
		if clock.Wait(ctx, l.clock, clock.Waits{First: l.inbox.wake, Second: l.out.taken, Timer: timer}) == clock.Ended {
			ctx = context.WithoutCancel(ctx)
			l.stop(l.clock.Now())
		}
	}
}

// stop begins the end: nothing new begins, what runs may finish.
func (l *onDemand) stop(now time.Time) {
	l.stopping, l.stopBy = true, now.Add(l.cfg.Drain)
	l.running, l.dirty = false, true
	l.source.State = snapshot.Stopping
	l.manner.stop(now)
	if !l.manner.idle() {
		l.note(now, event.Info, "engine", "", "stopping: waits for running callbacks, then sends offsets")
	}
}

// step hands e to the parts that it concerns.
func (l *onDemand) step(now time.Time, e event.Event) {
	l.dirty = true
	switch e := e.(type) {
	case *errand:
		e.run(now)
	case event.RebalanceWanted:
		if l.running && !l.noRebalance {
			l.peersStep(now, rebalance.GroupMoved{})
			l.rebalanceStep(now, e)
		}
	case event.RouteChanged, event.MembersListed:
		if l.running {
			l.rebalanceStep(now, e)
		}
	case rebalance.PeerTold, rebalance.GroupTold, rebalance.LocksWatched:
		l.peersStep(now, e)
	case event.OffsetRead:
		l.offsetRead(now, e)
	case committedRead:
		l.committedRead(now, e)
	case subscribed:
		l.subscribed(now, e)
	case event.BrokerReachable:
		l.note(now, event.Info, "remote", e.BrokerName, "connected to "+e.Addr)
		l.commitAgain(e.BrokerName)
		l.manner.step(now, e)
	case event.BrokerLost:
		l.note(now, event.Warn, "remote", e.BrokerName, lostText(e))
	case event.Entry:
		e.At = now
		l.journal.add(e)
	case offset.Saved:
		l.saved(now, e)
	case event.OffsetSent:
		l.offsetSent(now, e)
	case watchQueues:
		clear(l.watched)
		for _, q := range e.queues {
			l.watched[q] = true
		}
	case sourceStatus:
		l.status(e)
	default:
		l.manner.step(now, e)
	}
}

func (l *onDemand) status(e sourceStatus) {
	if l.stopping {
		return
	}
	if e.state == snapshot.Running {
		l.tellStart("running")
	}
	l.source.State, l.source.RetryAt, l.source.Err = e.state, e.retryAt, ""
	if e.err != nil {
		l.source.Err = e.err.Error()
	}
}

// tick does what is due without an event.
func (l *onDemand) tick(now time.Time) {
	if due, ok := l.rebalance.NextDue(); ok && !due.After(now) && l.running {
		l.rebalanceStep(now, event.Tick{})
	}
	l.manner.tick(now)
	if !l.persistAt.After(now) {
		l.persistAll(now)
		l.persistAt = now.Add(l.cfg.PersistInterval)
	}
	if !l.routesAt.After(now) {
		l.refreshQuiet(l.subs.quietTopics()...)
		l.routesAt = now.Add(quietRoutesEvery)
	}
	if !l.sampleAt.After(now) {
		l.sample(now)
		l.lookAtQuietRoutes(now)
		l.sampleAt = now.Add(sampleEvery)
	}
}

func (l *onDemand) nextDue(now time.Time) time.Time {
	due := l.sampleAt
	sooner := func(at time.Time, ok bool) {
		if ok && at.Before(due) {
			due = at
		}
	}
	for _, since := range l.moved {
		sooner(since.Add(settleFor), true)
	}
	sooner(l.persistAt, true)
	sooner(l.routesAt, true)
	sooner(l.manner.nextDue())
	if at, ok := l.rebalance.NextDue(); ok && l.running {
		sooner(at, true)
	}
	sooner(l.peersDue())
	sooner(l.nextPublish())
	if l.stopping {
		sooner(l.stopBy, true)
	}
	return due
}

// errand is something to be done on the loop, whose end somebody waits for, unless he has
// given up before it began.
type errand struct {
	question any                 // of ask, else nil
	fn       func(now time.Time) `pack:"-"`
	taken    atomic.Bool         `pack:"-"` // by the loop, or back by who gave up
	done     chan struct{}       `pack:"-"`
}

func (q *errand) run(now time.Time) {
	if q.taken.CompareAndSwap(false, true) {
		defer close(q.done)
		q.fn(now)
	}
}

// await returns when the consumer runs.
func (l *onDemand) await(ctx context.Context) error {
	select {
	case <-l.over:
		return ErrNotRunning
	default:
	}
	switch clock.Wait(ctx, l.clock, clock.Waits{First: l.ready, Second: l.over}) {
	case clock.First:
		return nil
	case clock.Second:
		return ErrNotRunning
	}
	return fmt.Errorf("the consumer has not begun to run: %w", ctx.Err())
}

// do has the loop run fn and waits for it. After an error fn has not run and never will.
func (l *onDemand) do(ctx context.Context, fn func(now time.Time)) error {
	if err := l.await(ctx); err != nil {
		return err
	}
	q := &errand{fn: fn, done: make(chan struct{})}
	l.inbox.post(q)
	var err error
	switch clock.Wait(ctx, l.clock, clock.Waits{First: q.done, Second: l.over}) {
	case clock.First:
		return nil
	case clock.Second:
		err = ErrNotRunning
	default:
		err = ctx.Err()
	}
	if q.taken.CompareAndSwap(false, true) {
		return err
	}
	clock.Wait(context.WithoutCancel(ctx), l.clock, clock.Waits{First: q.done})
	return nil
}
