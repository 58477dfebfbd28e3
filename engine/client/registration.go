package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/route"
)

// Registration is one consumer group on an instance (Java: MQConsumerInner). Its functions
// are called without any lock and must not block; those that get a context may wait for it.
type Registration struct {
	Group string
	Type  mq.ConsumeType
	Model mq.MessageModel
	From  mq.ConsumeFromWhere
	// UnitMode is passed on to brokers, which mark the group's retry topic with it.
	UnitMode bool
	// Subscriptions returns what the group subscribes to now, sorted by topic; it is asked
	// at each heartbeat and whenever a route was read.
	Subscriptions func() []protocol.SubscriptionData
	// Notify gets event.RouteChanged of subscribed topics, RebalanceWanted, BrokerReachable,
	// BrokerLost and Entry, one at a time in the order they happened.
	Notify func(event.Event)

	// What follows answers requests of brokers, several at a time. Each may be nil; an error
	// is the remark of the answer, a *Refusal has its code too.

	// Offsets returns the offsets in memory of the queues of a topic
	// (GET_CONSUMER_STATUS_FROM_CLIENT). nil: answered with an error.
	Offsets func(ctx context.Context, topic string) (map[mq.MessageQueue]int64, error)
	// RunningInfo tells of the queues of the group (GET_CONSUMER_RUNNING_INFO); its properties
	// go before those that the instance knows. nil: the answer has no queues.
	RunningInfo func(ctx context.Context) (protocol.ConsumerRunningInfo, error)
	// AllowStacks is asked whether a dump of all goroutines may go into a running info that
	// from, a broker's address, wants with one. nil: it may not.
	AllowStacks func(from string) bool
	// ResetOffsets has queues go on at other offsets (RESET_CONSUMER_CLIENT_OFFSET). It returns
	// when that has begun. nil: refused.
	ResetOffsets func(ctx context.Context, r ResetOffsets) error
	// ConsumeDirectly gives one message to the listener and tells what it made of it
	// (CONSUME_MESSAGE_DIRECTLY). nil: refused.
	ConsumeDirectly func(ctx context.Context, d ConsumeDirectly) (protocol.ConsumeMessageDirectlyResult, error)
}

// group is a registration and what its consumer was told.
type group struct {
	Registration

	since time.Time
	told  map[string]event.RouteChanged // by topic
	gone  bool                          // unregistered: nothing more is told
}

// notice is an event on its way to a group.
type notice struct {
	to *group
	e  event.Event
}

// Register adds a consumer group; ErrDuplicateGroup when it is there already. Routes that
// are known are told before it returns, others are asked for. A heartbeat is left to the
// caller, who knows when the group is ready to be given queues.
func (i *Instance) Register(r Registration) error {
	if err := mq.ValidateGroup(r.Group); err != nil {
		return err
	}
	if r.Subscriptions == nil || r.Notify == nil {
		return fmt.Errorf("registration of group %s: Subscriptions and Notify must be set", r.Group)
	}
	g := &group{Registration: r, since: i.clock.Now(), told: map[string]event.RouteChanged{}}
	subscriptions := r.Subscriptions()
	i.mu.Lock()
	if _, ok := i.groups[r.Group]; ok {
		i.mu.Unlock()
		return fmt.Errorf("register group %s: %w", r.Group, ErrDuplicateGroup)
	}
	i.groups[r.Group] = g
	var ask []string
	for _, s := range subscriptions {
		if t, ok := i.table.Topic(s.Topic); ok {
			i.tellRoute(g, event.RouteChanged{Topic: s.Topic, Queues: t.Readable(), Known: true})
			continue
		}
		ask = append(ask, s.Topic)
	}
	i.mu.Unlock()
	i.deliver()
	i.askRoutesNow(ask)
	return nil
}

// Unregister takes a group off the instance and tells every broker that we are connected
// with (request 35); a broker that lost our connection has dropped the group by itself. The
// group is gone here in any case; the error joins what brokers said.
func (i *Instance) Unregister(ctx context.Context, name string) error {
	wait, err := i.sendGoodbyes(ctx, name)
	if err != nil {
		return fmt.Errorf("unregister group %s: %w", name, err)
	}
	var errs []error
	for _, r := range wait(ctx) {
		if r.err != nil {
			errs = append(errs, fmt.Errorf("unregister group %s at %s: %w", name, r.to.BrokerName, r.err))
		}
	}
	return joined(errs)
}

// sendGoodbyes forgets a group and tells brokers, with no heartbeat on its way out: one that
// still named the group would, coming after the goodbye, make it a member again.
func (i *Instance) sendGoodbyes(ctx context.Context, name string) (wait func(context.Context) []fanReply, err error) {
	// To be forgotten here needs nobody's patience.
	known, addrs := i.forgetGroup(name)
	if !known {
		return i.fan(nil, nil), nil
	}
	if err := i.await(ctx); err != nil {
		return nil, err
	}
	if clock.Wait(ctx, i.clock, clock.Waits{First: i.beating}) == clock.Ended {
		return nil, ctx.Err()
	}
	defer func() { i.beating <- struct{}{} }()
	up := i.connections()
	var calls []fanCall
	for _, f := range addrs {
		if up[f.Addr].Up {
			calls = append(calls, fanCall{f, request(protocol.UnregisterClient, &protocol.UnregisterClientRequest{
				Base: protocol.Base{BName: f.BrokerName}, ClientID: i.cfg.ClientID, ConsumerGroup: name,
			}, nil)})
		}
	}
	return i.fan(calls, nil), nil
}

func (i *Instance) forgetGroup(name string) (known bool, addrs []route.Found) {
	i.mu.Lock()
	defer i.mu.Unlock()
	g, known := i.groups[name]
	if known {
		g.gone = true
		delete(i.groups, name)
	}
	return known, i.table.Addrs()
}

// subscribers returns the groups that subscribe to each topic, in a fixed order, and drops
// what groups were told of topics that they left.
func (i *Instance) subscribers() map[string][]*group {
	groups := i.registered()
	topics := map[string][]*group{}
	for _, g := range groups {
		for _, s := range g.Subscriptions() {
			topics[s.Topic] = append(topics[s.Topic], g)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, g := range groups {
		for t := range g.told {
			if !slices.Contains(topics[t], g) {
				delete(g.told, t)
			}
		}
	}
	return topics
}

// registered returns the groups sorted by name.
func (i *Instance) registered() []*group {
	i.mu.Lock()
	defer i.mu.Unlock()
	groups := make([]*group, 0, len(i.groups))
	for _, g := range i.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *group) int { return strings.Compare(a.Group, b.Group) })
	return groups
}

// tellRoute queues e unless the group was told the same before. i.mu is held.
func (i *Instance) tellRoute(g *group, e event.RouteChanged) {
	was, ok := g.told[e.Topic]
	if ok && was.Known == e.Known && text(was.Err) == text(e.Err) && slices.Equal(was.Queues, e.Queues) {
		return
	}
	g.told[e.Topic] = e
	i.tell(g, e)
}

// tell queues an event for a group. i.mu is held; deliver follows once it is not.
func (i *Instance) tell(g *group, e event.Event) {
	i.out = append(i.out, notice{g, e})
}

// tellAll is tell for every group. i.mu is held.
func (i *Instance) tellAll(e event.Event) {
	for _, name := range slices.Sorted(maps.Keys(i.groups)) {
		i.tell(i.groups[name], e)
	}
}

// deliver hands queued events over, in order, by one goroutine at a time and without the
// mutex: whoever comes meanwhile leaves its events to the one that is at it.
func (i *Instance) deliver() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.telling {
		return
	}
	i.telling = true
	defer func() { i.telling = false }()
	for len(i.out) > 0 {
		batch := i.out
		i.out = nil
		for _, n := range batch {
			if !n.to.gone {
				i.unlocked(func() { n.to.Notify(n.e) })
			}
		}
	}
}

// unlocked runs fn without the mutex and takes it again, also when fn panics.
func (i *Instance) unlocked(fn func()) {
	i.mu.Unlock()
	defer i.mu.Lock()
	fn()
}

func (i *Instance) entry(level event.Level, where, what string) event.Entry {
	return event.Entry{At: i.clock.Now(), Level: level, Source: "remote", Where: where, What: what, Count: 1}
}
