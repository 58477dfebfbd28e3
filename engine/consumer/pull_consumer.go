package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// MessageQueueListener is told of the queues of a topic, all of them and those of this member,
// when the latter changed (Java: MessageQueueListener).
type MessageQueueListener func(ctx context.Context, topic string, all, mine []mq.MessageQueue)

// Pull is a pull consumer: the application says which queue to pull from, and from which
// offset (Java: DefaultMQPullConsumer). Make it with NewPull, run it with Run, once. Its
// methods may be called from any goroutine; those that need the consumer wait until it runs,
// as long as their context lasts, and return ErrNotRunning after it has ended.
type Pull struct {
	cfg    PullConfig
	client *client.Instance
	loop   *onDemand
	hooks  hooks

	mu       sync.Mutex
	listener MessageQueueListener
	suggest  map[mq.MessageQueue]int64 // broker ids for the next pulls (Java: pullFromWhichNodeTable)
}

// NewPull returns a consumer on instance, which the caller runs at least as long as Run.
// Its error is that of PullConfig.Validate.
func NewPull(cfg PullConfig, instance *client.Instance) (*Pull, error) {
	return newPull(cfg, instance, func(p *pulling) manner { return p })
}

// newPull lets a kind of pull consumer have a manner of its own, above that of all.
func newPull(cfg PullConfig, instance *client.Instance, wrap func(*pulling) manner) (*Pull, error) {
	cfg.inNamespace() // from here on there is one name of each
	if err := errors.Join(cfg.Validate(), cfg.on(instance)); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	subs, err := cfg.subscriptions(cfg.Clock.Now())
	if err != nil {
		return nil, err
	}
	p := &Pull{
		cfg: cfg, client: instance, suggest: map[mq.MessageQueue]int64{},
		hooks: hooks{consume: cfg.ConsumeHooks, filter: cfg.FilterHooks},
	}
	p.loop = newOnDemand(&p.cfg.MemberConfig, instance, newSubscriptionsOf(subs), wrap(newPulling(p)), rebalance.Config{})
	p.loop.started = p.loop.checkExpressions
	p.loop.noRebalance = cfg.NoRebalance
	// Where a queue starts is up to the application (Java: RebalancePullImpl.computePullFromWhere).
	p.loop.knownStart = func(a rebalance.ReadOffset) (event.OffsetRead, bool) {
		return event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Source: a.Source, Found: true}, true
	}
	return p, nil
}

// Run joins the group and works until ctx ends; it then leaves cleanly and returns nil.
// ErrDuplicateGroup of package client means that the instance has the group already. A
// *StuckError means that a callback never returned; everything else has ended.
func (p *Pull) Run(ctx context.Context) error { return p.loop.run(ctx) }

// Ready is closed once the consumer runs.
func (p *Pull) Ready() <-chan struct{} { return p.loop.ready }

// Snapshot returns the newest picture, never nil.
func (p *Pull) Snapshot() *snapshot.Snapshot { return p.loop.out.take() }

// Updates has room for one signal: a newer snapshot is there.
func (p *Pull) Updates() <-chan struct{} { return p.loop.out.updates }

// WatchDecisions is that of Push.
func (p *Pull) WatchDecisions(s decision.Sink) { p.loop.decisions.Watch(s) }

// Watch says which queues snapshots should show in detail.
func (p *Pull) Watch(queues ...mq.MessageQueue) { p.loop.inbox.post(watchQueues{queues}) }

// Note adds a line to the event stream, from the program around the consumer.
func (p *Pull) Note(e event.Entry) { p.loop.inbox.post(e) }

// RegisterTopic subscribes to the messages of a topic, to all unless Selectors has it. In Java a topic that is registered after
// the start is told to brokers but not rebalanced; here it is.
func (p *Pull) RegisterTopic(topic string) error {
	topic = p.loop.topic(topic)
	if err := mq.ValidateTopic(topic); err != nil {
		return err
	}
	d, err := p.cfg.subscription(topic, p.cfg.Clock.Now())
	if err != nil {
		return err
	}
	p.loop.subs.put(d, false)
	p.loop.inbox.post(subscribed{topic: topic})
	return nil
}

// RegisterMessageQueueListener registers topic and has l told of its queues. There is one
// listener for all topics: a nil one leaves that which is there.
func (p *Pull) RegisterMessageQueueListener(topic string, l MessageQueueListener) error {
	if err := p.RegisterTopic(topic); err != nil {
		return err
	}
	if l != nil {
		p.mu.Lock()
		p.listener = l
		p.mu.Unlock()
	}
	return nil
}

// subscribeAutomatically makes a topic that is pulled from one that is rebalanced, so that
// this member may be given queues of it. Heartbeats do not tell of it
// (Java: DefaultMQPullConsumerImpl.subscriptionAutomatically).
func (p *Pull) subscribeAutomatically(topic string) error {
	if p.loop.subs.has(topic) {
		return nil
	}
	d, err := Selector{}.of(topic, 0)
	if err != nil {
		return err
	}
	if p.loop.subs.putIfNew(d) {
		p.loop.inbox.post(subscribed{topic: topic, quiet: true})
	}
	return nil
}

func (p *Pull) told() MessageQueueListener {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.listener
}

// suggested is the broker id that the last answer about q named.
func (p *Pull) suggested(q mq.MessageQueue) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.suggest[q]
}

func (p *Pull) remember(q mq.MessageQueue, brokerID int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.suggest[q] = brokerID
}

var errNoQueues = errors.New("the topic has no readable queue: does it exist, and may it be read?")

// FetchSubscribeMessageQueues returns the readable queues of a topic, sorted. An error wraps
// the client's ErrNoRoute when the topic is not known.
func (p *Pull) FetchSubscribeMessageQueues(ctx context.Context, topic string) ([]mq.MessageQueue, error) {
	topic = p.loop.topic(topic)
	if err := p.loop.await(ctx); err != nil {
		return nil, err
	}
	queues, known := p.client.Queues(topic)
	if !known || !p.loop.subs.has(topic) {
		if err := p.client.RefreshRoutes(ctx, topic); err != nil {
			return nil, fmt.Errorf("queues of %s: %w", topic, err)
		}
		queues, _ = p.client.Queues(topic)
	}
	if len(queues) == 0 {
		return nil, fmt.Errorf("queues of %s: %w", topic, errNoQueues)
	}
	return p.loop.shownQueues(queues), nil
}

// FetchMessageQueuesInBalance returns the queues of a topic that this member has now, sorted.
func (p *Pull) FetchMessageQueuesInBalance(ctx context.Context, topic string) ([]mq.MessageQueue, error) {
	got := make(chan []mq.MessageQueue, 1)
	if err := p.loop.do(ctx, func(time.Time) { got <- p.loop.mine(p.loop.topic(topic)) }); err != nil {
		return nil, err
	}
	return p.loop.shownQueues(<-got), nil
}

// SendMessageBack gives a message that could not be processed back to its broker, which
// delivers it again later through the group's retry topic: see client.Instance.SendBack. An
// empty group is the consumer's own. It works before and after Run as long as the client
// instance does.
func (p *Pull) SendMessageBack(ctx context.Context, m mq.Message, delayLevel int32, group string) error {
	if group == "" {
		group = p.cfg.Group
	}
	group = p.loop.topic(group)
	return p.client.SendBack(ctx, group, m, delayLevel, int32(p.cfg.MaxReconsume))
}
