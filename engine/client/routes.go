package client

import (
	"context"
	"errors"
	"fmt"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// flight is a route question being asked; others who want the answer wait for it.
type flight struct {
	done chan struct{}
	err  error
}

// routeLoop refreshes all routes at once and then every RouteInterval, and single ones when
// woken.
func (i *Instance) routeLoop(ctx context.Context) error {
	t := i.clock.NewTimer(0)
	defer t.Stop()
	for {
		switch clock.Wait(ctx, i.clock, clock.Waits{First: i.wakeRoutes, Timer: t}) {
		case clock.Ended:
			return nil
		case clock.Fired:
			i.guard(ctx, "route refresh", func(ctx context.Context) error {
				topics := i.wanted()
				i.decisions.Fact(decision.InstanceRefresh, nowhere, "", [6]int64{int64(len(topics)), 1})
				err := i.refreshAll(ctx, topics)
				i.forgetUnwanted()
				i.dropOffline()
				return err
			})
			t.Reset(i.cfg.RouteInterval)
		default:
			i.guard(ctx, "route refresh", func(ctx context.Context) error {
				topics := i.takeWanted()
				i.decisions.Fact(decision.InstanceRefresh, nowhere, "", [6]int64{int64(len(topics)), 0})
				return i.refreshAll(ctx, topics)
			})
		}
	}
}

// guard runs one round of periodic work: whatever happens in it, the next round comes.
func (i *Instance) guard(ctx context.Context, what string, fn func(context.Context) error) {
	if err := lifecycle.Guard(ctx, what, fn); err != nil && ctx.Err() == nil {
		i.log.Warn(what, "err", err)
	}
}

// RefreshRoutes reads the routes of topics, or with none given of every topic in use, from
// a name server now. Consumers of the topics are told what changed. The error joins what
// went wrong per topic: ErrNoRoute for one that the name server does not know (retry topics
// excepted: they come with their group's first heartbeat), a *route.RejectedError,
// ErrNoNameServer, which ends the pass.
func (i *Instance) RefreshRoutes(ctx context.Context, topics ...string) error {
	if err := i.await(ctx); err != nil {
		return err
	}
	if len(topics) == 0 {
		topics = i.wanted()
	} else {
		i.noteAsked(topics)
	}
	return i.refreshAll(ctx, topics)
}

func (i *Instance) refreshAll(ctx context.Context, topics []string) error {
	var errs []error
	for n, topic := range topics {
		err := i.refresh(ctx, topic)
		if err != nil && i.over(ctx) != nil {
			return fmt.Errorf("route of %s: %w", topic, err)
		}
		if err == nil || mq.IsRetryTopic(topic) && errors.Is(err, ErrNoRoute) {
			continue
		}
		errs = append(errs, err)
		if errors.Is(err, ErrNoNameServer) {
			// The others would fail alike, each after its whole timeout.
			for _, t := range topics[n+1:] {
				i.routeFailed(t, err)
			}
			break
		}
	}
	return joined(errs)
}

// learn reads the route of a topic that somebody uses from now on.
func (i *Instance) learn(ctx context.Context, topic string) error {
	i.noteAsked([]string{topic})
	return i.refresh(ctx, topic)
}

// refresh asks for one route, or waits for the answer when it is being asked already.
func (i *Instance) refresh(ctx context.Context, topic string) error {
	for {
		i.mu.Lock()
		f, busy := i.flights[topic]
		if !busy {
			f = &flight{done: make(chan struct{})}
			i.flights[topic] = f
			i.questions++
			seq := i.questions
			i.topic(topic).tried = i.clock.Now()
			i.mu.Unlock()
			return i.fly(ctx, f, topic, seq)
		}
		i.mu.Unlock()
		if clock.Wait(ctx, i.clock, clock.Waits{First: f.done}) == clock.Ended {
			return ctx.Err()
		}
		// Another caller's end is none of ours.
		if !errors.Is(f.err, context.Canceled) && !errors.Is(f.err, context.DeadlineExceeded) {
			return f.err
		}
	}
}

func (i *Instance) fly(ctx context.Context, f *flight, topic string, seq uint64) (err error) {
	defer func() {
		i.mu.Lock()
		delete(i.flights, topic)
		i.mu.Unlock()
		f.err = err
		close(f.done)
	}()
	data, err := i.askRoute(ctx, topic)
	if ended := i.over(ctx); err != nil && ended != nil {
		return ended
	}
	if err == nil {
		err = i.routeRead(topic, seq, data)
	}
	if err != nil && !i.topicGone(topic, err) {
		i.routeFailed(topic, err)
	}
	return err
}

func (i *Instance) askRoute(ctx context.Context, topic string) (*protocol.TopicRouteData, error) {
	cmd, addr, err := i.askNameServer(ctx, func() *remoting.Command {
		return request(protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{
			Topic: topic, AcceptStandardJSONOnly: protocol.Some(true),
		}, nil)
	})
	if err != nil {
		return nil, fmt.Errorf("route of %s: %w", topic, err)
	}
	if err := answered(cmd, addr); err != nil {
		if code, _ := codeOf(err); code == protocol.TopicNotExist {
			err = fmt.Errorf("%w: %w", ErrNoRoute, err)
		}
		return nil, fmt.Errorf("route of %s: %w", topic, err)
	}
	data, err := protocol.DecodeTopicRouteData(cmd.Body)
	if err != nil {
		return nil, fmt.Errorf("route of %s: %w", topic, badAnswer(addr, err))
	}
	return &data, nil
}

// routeRead takes in a route and tells the groups that subscribe to its topic.
func (i *Instance) routeRead(topic string, seq uint64, data *protocol.TopicRouteData) error {
	subscribers := i.subscribers()
	i.mu.Lock()
	data, vanished, missing := i.keepVanished(topic, data)
	c, err := i.table.Apply(topic, seq, data)
	if err != nil {
		i.mu.Unlock()
		return err
	}
	if !c.Stale {
		i.noteVanished(topic, data, vanished, subscribers[topic])
	}
	i.topic(topic).denied = false
	for _, g := range subscribers[topic] {
		i.tellRoute(g, event.RouteChanged{Topic: topic, Queues: c.Topic.Readable(), Known: true})
	}
	if c.Changed {
		i.tellRefusals(subscribers[topic], c.Topic)
	}
	for _, f := range c.Gone {
		delete(i.links, f.Addr)
	}
	i.mu.Unlock()
	i.tellMissing(missing)
	for _, f := range c.Gone {
		i.log.Info("broker moved", "broker", f.BrokerName, "from", f.Addr)
		i.forget(f.Addr)
	}
	if i.decisions.Told(decision.InstanceRoute, nowhere, c.Changed, topic,
		[6]int64{int64(len(c.Topic.Readable())), int64(len(c.Topic.Brokers))}) {
		i.log.Info("route changed", "topic", topic, "queues", len(c.Topic.Readable()), "brokers", len(c.Topic.Brokers))
	}
	i.deliver()
	return nil
}

// routeFailed tells the groups that subscribe to topic that its route could not be read;
// what was known stays.
func (i *Instance) routeFailed(topic string, err error) {
	subscribers := i.subscribers()
	i.mu.Lock()
	e := event.RouteChanged{Topic: topic, Err: err}
	if t, ok := i.table.Topic(topic); ok {
		e.Queues, e.Known = t.Readable(), true
	}
	for _, g := range subscribers[topic] {
		i.tellRoute(g, e)
	}
	i.mu.Unlock()
	if i.decisions.On() {
		i.decisions.Fact(decision.InstanceRouteFailed, nowhere, err.Error(), [6]int64{})
	}
	i.log.Debug("route not read", "topic", topic, "err", err)
	i.deliver()
}

// topicGone tells whether a topic was deleted: the name server does not know it and a broker
// says the same. A name server alone proves nothing, it forgets all routes when it restarts
// or loses its brokers; then the old route stays.
func (i *Instance) topicGone(topic string, err error) bool {
	if !errors.Is(err, ErrNoRoute) {
		return false
	}
	subscribers := i.subscribers()
	i.mu.Lock()
	_, known := i.table.Topic(topic)
	gone := known && i.topic(topic).denied
	if gone {
		i.table.Forget(topic)
		i.topic(topic).route = nil
		for _, g := range subscribers[topic] {
			i.tellRoute(g, event.RouteChanged{Topic: topic, Known: true})
			i.tell(g, i.entry(event.Warn, topic, "topic is gone: name server and broker do not know it"))
		}
	}
	i.mu.Unlock()
	i.decisions.Told(decision.InstanceTopicGone, nowhere, gone, topic, [6]int64{})
	i.deliver()
	return gone
}

// tellRefusals says which addresses of a route are not used. i.mu is held.
func (i *Instance) tellRefusals(groups []*group, t *route.Topic) {
	for _, b := range t.Brokers {
		for _, r := range b.Refused {
			for _, g := range groups {
				i.tell(g, i.entry(event.Warn, r.BrokerName, fmt.Sprintf("address %q of broker id %d refused: %s", r.Addr, r.ID, r.Why)))
			}
		}
	}
}

// Queues returns the readable queues of a topic, sorted; false while its route was never
// read. The slice must not be changed.
func (i *Instance) Queues(topic string) ([]mq.MessageQueue, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t, ok := i.table.Topic(topic)
	if !ok {
		return nil, false
	}
	return t.Readable(), true
}
