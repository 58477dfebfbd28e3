package consumer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/snapshot"
)

// run joins the group, works until ctx ends, and leaves: what runs may finish, offsets are
// sent, then the group is left (Java: DefaultMQPullConsumerImpl.start and shutdown).
func (l *onDemand) run(ctx context.Context) error {
	if err := l.runsOnce(); err != nil {
		return err
	}
	isOver := sync.OnceFunc(func() { close(l.over) })
	defer isOver() // also when it could not begin: nobody must wait for it then
	if l.cfg.Model == mq.Broadcasting {
		if err := l.useFile(ctx, l.cfg.OffsetsDir); err != nil {
			return fmt.Errorf("offsets of group %s: %w", l.group, err)
		}
	}
	l.tellStart("pool of threads made")
	if err := l.client.Register(l.registration()); err != nil {
		l.closeOffsets(ctx)
		return fmt.Errorf("register group %s: %w", l.group, err)
	}
	l.tellStart("registered, it is told when its queues change")
	// What the end still needs outlives ctx.
	after, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	calls, callsCtx := lifecycle.NewGroup(after)
	l.calls = newCalls(calls)
	l.crew = newCrew(after, l.clock, l.tell)

	front, _ := lifecycle.NewGroup(ctx)
	front.Go("loop", l.loop)
	front.Go("start", l.start)
	front.Go("failure behind it", func(ctx context.Context) error {
		if clock.Wait(ctx, l.clock, clock.Waits{First: callsCtx.Done()}) == clock.First {
			return context.Cause(callsCtx)
		}
		return nil
	})
	front.Go("instance", func(ctx context.Context) error {
		if clock.Wait(ctx, l.clock, clock.Waits{First: l.client.Ready()}) == clock.First {
			close(l.ready)
		}
		return nil
	})
	errs := []error{front.Wait()}
	isOver()
	stuck := l.crew.end(after)
	if stuck != nil {
		l.note(l.clock.Now(), event.Error, "engine", "", stuck.Error()+": left behind")
	}
	errs = append(errs, lifecycle.Guard(after, "shutdown", l.shutdown))
	end()
	errs = append(errs, calls.Wait(), stuck)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// registration is how the client instance knows this consumer. Java's pull consumers say
// CONSUME_FROM_LAST_OFFSET whatever is configured.
func (l *onDemand) registration() client.Registration {
	r := client.Registration{
		Group: l.group, Type: mq.Actively, Model: l.cfg.Model, From: mq.FromLastOffset,
		Subscriptions: l.subs.told,
		Notify:        l.inbox.post,
	}
	l.answerRequests(&r)
	return r
}

// start brings the consumer into its group and tries again what fails, as a push consumer's
// start does. A topic that can not be found does not keep the others from being consumed.
func (l *onDemand) start(ctx context.Context) error {
	pause := startRetryFirst
	for {
		err := l.tryStart(ctx)
		if err == nil {
			l.inbox.post(sourceStatus{state: snapshot.Running})
			return nil
		}
		if ctx.Err() != nil { // it ends while it starts: nothing went wrong
			return ctx.Err()
		}
		l.inbox.post(sourceStatus{state: snapshot.Failing, err: err, retryAt: l.clock.Now().Add(pause)})
		l.note(l.clock.Now(), event.Warn, "engine", "", "start: "+err.Error())
		if err := clock.Sleep(ctx, l.clock, pause); err != nil {
			return err
		}
		pause = min(2*pause, startRetryMost)
	}
}

func (l *onDemand) tryStart(ctx context.Context) error {
	topics := l.subs.topics()
	if len(topics) == 0 {
		return nil // the first pull brings a topic
	}
	routes := l.client.RefreshRoutes(ctx, topics...)
	if !slices.ContainsFunc(topics, func(topic string) bool { _, known := l.routeQueues(topic); return known }) {
		return routes
	}
	if l.started != nil {
		if err := l.started(ctx); err != nil {
			return err
		}
	}
	if !l.heartbeat(ctx) {
		return errNoHeartbeat
	}
	l.inbox.post(event.RebalanceWanted{Why: "start"})
	return routes
}

// shutdown sends offsets, gives the queues up and leaves the group, in this order.
func (l *onDemand) shutdown(ctx context.Context) error {
	now := l.clock.Now()
	l.stepping = true // from here on
	for _, e := range l.inbox.take(nil) {
		switch e := e.(type) {
		case event.Entry, event.BrokerLost, offset.Saved, event.PullDone:
			l.step(now, e)
		}
	}
	l.persistAll(now)
	l.tellShutdown("offsets persisted")
	l.dirty = true
	l.publishNow(now) // the last picture that has the queues
	for _, q := range slices.Clone(l.order) {
		l.revoke(now, event.QueueRevoked{Queue: q, Why: event.RevokedByShutdown})
	}
	l.tellShutdown("queues given up")
	if l.file != nil {
		l.file.flush(ctx, &l.membership, nil)
	}
	goodbye, cancel := clock.WithTimeout(ctx, l.clock, unregisterWithin)
	defer cancel()
	if err := l.client.Unregister(goodbye, l.group); err != nil {
		l.note(l.clock.Now(), event.Warn, "remote", "", "leaving the group: "+err.Error())
	}
	l.tellShutdown("group left")
	l.source.State = snapshot.Ended
	l.dirty = true
	l.publishNow(l.clock.Now())
	return nil
}
