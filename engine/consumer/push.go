package consumer

import (
	"context"
	"fmt"
	"sync/atomic"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// Push is a push consumer: it pulls by itself and calls a listener
// (Java: DefaultMQPushConsumer). Make it with NewPush, run it with Run, once.
type Push struct {
	cfg    Config
	client *client.Instance
	loop   *loop
}

// NewPush returns a consumer on instance, which the caller runs at least as long as Run.
// Its error is that of Config.Validate.
func NewPush(cfg Config, instance *client.Instance) (*Push, error) {
	if cfg.ClientID == "" {
		cfg.ClientID = instance.ClientID()
	}
	cfg = cfg.InNamespace() // from here on there is one name of each
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.ClientID != instance.ClientID() {
		return nil, fmt.Errorf("ClientID is %q, the instance's is %q: the consumer would not find itself in member lists", cfg.ClientID, instance.ClientID())
	}
	cfg.setDefaults()
	p := &Push{cfg: cfg, client: instance}
	var err error
	p.loop, err = newLoop(&p.cfg, instance)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// newLoop returns the loop of a consumer with cfg, which is whole; a remake has no instance.
func newLoop(cfg *Config, instance *client.Instance) (*loop, error) {
	subs, err := newSubscriptions(cfg, cfg.Clock.Now())
	if err != nil {
		return nil, err
	}
	l := &loop{
		membership: newMembership(instance, subs, cfg.Clock, cfg.Log, cfg.rebalanceConfig()),
		cfg:        cfg, limits: cfg.Pull.Limits, wantLimits: cfg.Pull.Limits,
		schedule: schedule.New(), pull: pull.New(cfg.Pull),
		resets: map[mq.MessageQueue]*reset{}, direct: directListener(cfg),
		hooks: hooks{consume: cfg.ConsumeHooks, filter: cfg.FilterHooks, unitMode: cfg.UnitMode},
	}
	l.in = &inputs{}
	l.schedule.Decisions, l.pull.Decisions = l.decisions, l.decisions
	l.namespace = cfg.Namespace
	l.pictureEvery = cfg.SnapshotInterval
	l.kind = l
	l.pool = newService(l)
	l.locks = l
	if cfg.Pull.Timeout > 0 {
		l.schedule.CallTimeout = cfg.Pull.Timeout
	}
	return l, nil
}

// Snapshot returns the newest picture, never nil.
func (p *Push) Snapshot() *snapshot.Snapshot { return p.loop.out.take() }

// Updates has room for one signal: a newer snapshot is there. Reading Snapshot after it
// skips those in between.
func (p *Push) Updates() <-chan struct{} { return p.loop.out.updates }

// Pause stops pulling; what is cached is still consumed. Resume ends it.
func (p *Push) Pause() { p.loop.inbox.post(event.ConsumptionPaused{}) }

// Resume lets pulls go on after Pause.
func (p *Push) Resume() { p.loop.inbox.post(event.ConsumptionResumed{}) }

// Watch says which queues snapshots should show in detail: windows and histories.
func (p *Push) Watch(queues ...mq.MessageQueue) { p.loop.inbox.post(watchQueues{queues}) }

// WatchLocks says whether somebody looks at the locks of an orderly consumer's group: only then
// are the other members asked which they hold.
func (p *Push) WatchLocks(on bool) { p.loop.inbox.post(rebalance.LocksWatched{On: on}) }

// WatchDecisions has all that this consumer decides go to s, nil for nobody, and what its instance
// decides too: consumers that share one take that from each other. It may be called at any time.
func (p *Push) WatchDecisions(s decision.Sink) {
	p.loop.decisions.Watch(s)
	p.client.WatchDecisions(s)
}

// Note adds a line to the event stream, from the program around the consumer.
func (p *Push) Note(e event.Entry) { p.loop.inbox.post(e) }

type sendBacker struct {
	client   *client.Instance
	group    string
	messages *atomic.Pointer[messageTape]
}

func (s sendBacker) SendBack(ctx context.Context, m mq.Message, level, maxReconsume int32) error {
	if t := s.messages.Load(); t != nil {
		t.failed(mq.MessageQueue{Topic: m.StoredTopic(), BrokerName: m.Batch().BrokerName, QueueID: m.QueueID()}, m)
	}
	return s.client.SendBack(ctx, s.group, m, level, maxReconsume)
}

var _ consume.SendBacker = sendBacker{}
