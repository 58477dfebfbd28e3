package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// ErrSubscriptionType is the answer to Assign after Subscribe, and the other way round.
var ErrSubscriptionType = errors.New("queues are either subscribed to or assigned, not both: make another consumer for the other")

// Lite is a lite pull consumer: it pulls by itself, the application polls
// (Java: DefaultLitePullConsumer). Say what it consumes by Subscribe, which shares the queues
// of topics with the other members of the group, or by Assign, which takes given queues. Make
// it with NewLite, run it with Run, once. Its methods may be called from any goroutine.
//
// It has no pool of pull threads: pulls wait for their brokers without one, so that no queue
// waits for a thread while others hold all of them (Java's pullThreadNums).
type Lite struct {
	cfg    LiteConfig
	client *client.Instance
	loop   *onDemand
	tasks  *liteTasks
	hooks  hooks
	polled chan struct{} // has one token, taken while a poll is made

	mu        sync.Mutex
	mode      liteMode
	begun     bool                            // Run was called
	exprs     map[string]Selector             // of topics whose queues are assigned
	listeners map[string]MessageQueueListener // by topic
	commitAt  time.Time                       // of the next commit of a poll
}

// liteMode is Java's SubscriptionType.
type liteMode uint8

const (
	modeNone liteMode = iota
	modeSubscribe
	modeAssign
)

// NewLite returns a consumer on instance, which the caller runs at least as long as Run.
// Its error is that of LiteConfig.Validate.
func NewLite(cfg LiteConfig, instance *client.Instance) (*Lite, error) {
	cfg.Group = mq.WithNamespace(cfg.Namespace, cfg.Group)
	if err := errors.Join(cfg.Validate(), cfg.on(instance)); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	c := &Lite{
		cfg: cfg, client: instance, polled: make(chan struct{}, 1),
		hooks: hooks{consume: cfg.ConsumeHooks, filter: cfg.FilterHooks},
		exprs: map[string]Selector{}, listeners: map[string]MessageQueueListener{},
	}
	c.polled <- struct{}{}
	c.tasks = &liteTasks{
		lite: c, queues: map[mq.MessageQueue]*liteQueue{}, available: make(chan struct{}, 1),
		schedule: schedule.New(), watches: map[string]*topicWatch{},
		pull: pull.New(pull.Config{Limits: cfg.Limits, Batch: cfg.PullBatch, Hold: cfg.Hold, Timeout: cfg.HoldTimeout}),
	}
	c.tasks.schedule.CallTimeout = cfg.HoldTimeout
	c.loop = newOnDemand(&c.cfg.MemberConfig, instance, newSubscriptionsOf(nil), c.tasks, rebalance.Config{
		From: cfg.From, Timestamp: cfg.Timestamp,
	})
	c.loop.started = c.loop.checkExpressions
	return c, nil
}

// Run joins the group and works until ctx ends; it then leaves cleanly and returns nil. What
// was polled and not committed will be delivered again, to whoever has its queue then.
func (c *Lite) Run(ctx context.Context) error {
	c.mu.Lock()
	c.begun = true
	c.mu.Unlock()
	return c.loop.run(ctx)
}

// Ready is closed once the consumer runs.
func (c *Lite) Ready() <-chan struct{} { return c.loop.ready }

// Snapshot returns the newest picture, never nil.
func (c *Lite) Snapshot() *snapshot.Snapshot { return c.loop.out.take() }

// Updates has room for one signal: a newer snapshot is there.
func (c *Lite) Updates() <-chan struct{} { return c.loop.out.updates }

// Watch says which queues snapshots should show in detail.
func (c *Lite) Watch(queues ...mq.MessageQueue) { c.loop.inbox.post(watchQueues{queues}) }

// Note adds a line to the event stream, from the program around the consumer.
func (c *Lite) Note(e event.Entry) { c.loop.inbox.post(e) }

// become fixes how queues come to this consumer.
func (c *Lite) become(mode liteMode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mode != modeNone && c.mode != mode {
		return ErrSubscriptionType
	}
	c.mode = mode
	return nil
}

// Subscribe subscribes to messages of a topic; this member gets its share of the queues. A
// topic may be subscribed again with another selector. A listener that is not nil is told of
// queues that come and go.
func (c *Lite) Subscribe(topic string, s Selector, listener MessageQueueListener) error {
	topic = c.loop.topic(topic)
	if err := mq.ValidateTopic(topic); err != nil {
		return err
	}
	d, err := s.of(topic, c.cfg.Clock.Now().UnixMilli())
	if err != nil {
		return err
	}
	if err := c.become(modeSubscribe); err != nil {
		return fmt.Errorf("subscribe to %s: %w", topic, err)
	}
	c.mu.Lock()
	if listener != nil {
		c.listeners[topic] = listener
	}
	c.mu.Unlock()
	c.loop.subs.put(d, false)
	c.loop.inbox.post(subscribed{topic: topic})
	return nil
}

// Unsubscribe leaves a topic: its queues are given up at once, and batches of them that were
// not polled are dropped. (Java's may still be polled, and their committed offsets are not
// sent.)
func (c *Lite) Unsubscribe(topic string) {
	topic = c.loop.topic(topic)
	c.loop.subs.remove(topic)
	c.mu.Lock()
	delete(c.listeners, topic)
	c.mu.Unlock()
	c.loop.inbox.post(unsubscribed{topic})
}

// Assign takes exactly these queues, in place of those that were assigned before. Other
// members of the group do not get out of the way.
func (c *Lite) Assign(queues ...mq.MessageQueue) error {
	queues = c.loop.queuesOf(queues)
	for _, q := range queues {
		if err := mq.ValidateTopic(q.Topic); err != nil {
			return fmt.Errorf("assign %v: %w", q, err)
		}
	}
	if err := c.become(modeAssign); err != nil {
		return fmt.Errorf("assign: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range queues {
		d, err := c.exprs[q.Topic].of(q.Topic, c.cfg.Clock.Now().UnixMilli())
		if err != nil {
			return err
		}
		c.loop.subs.putIfNew(d)
	}
	c.loop.inbox.post(assignedByHand{queues})
	return nil
}

// SetSubExpressionForAssign selects the messages of a topic whose queues are assigned; only
// before Run, and before Assign.
func (c *Lite) SetSubExpressionForAssign(topic, expression string) error {
	topic = c.loop.topic(topic)
	s := ByTag(expression)
	if _, err := s.of(topic, 0); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun {
		return fmt.Errorf("expression of %s: it can be set before the start alone", topic)
	}
	c.exprs[topic] = s
	if d, err := s.of(topic, c.cfg.Clock.Now().UnixMilli()); err == nil && c.loop.subs.has(topic) {
		c.loop.subs.put(d, true)
	}
	return nil
}

// Assignment returns the queues that this consumer has now, sorted.
func (c *Lite) Assignment(ctx context.Context) ([]mq.MessageQueue, error) {
	got := make(chan []mq.MessageQueue, 1)
	if err := c.loop.do(ctx, func(time.Time) { got <- slices.Clone(c.loop.order) }); err != nil {
		return nil, err
	}
	return c.loop.shownQueues(<-got), nil
}

// FetchMessageQueues returns the readable queues of a topic, as its route says now.
func (c *Lite) FetchMessageQueues(ctx context.Context, topic string) ([]mq.MessageQueue, error) {
	topic = c.loop.topic(topic)
	if err := c.loop.await(ctx); err != nil {
		return nil, err
	}
	if err := c.client.RefreshRoutes(ctx, topic); err != nil {
		return nil, fmt.Errorf("queues of %s: %w", topic, err)
	}
	queues, _ := c.client.Queues(topic)
	if len(queues) == 0 {
		return nil, fmt.Errorf("queues of %s: %w", topic, errNoQueues)
	}
	return c.loop.shownQueues(queues), nil
}

// OffsetForTimestamp is the first offset of q that was stored at t or later.
func (c *Lite) OffsetForTimestamp(ctx context.Context, q mq.MessageQueue, t time.Time) (int64, error) {
	if err := c.loop.await(ctx); err != nil {
		return 0, err
	}
	return c.client.SearchOffset(ctx, c.loop.queue(q), t)
}

func (c *Lite) listenerOf(topic string) MessageQueueListener {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listeners[topic]
}
