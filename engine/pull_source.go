package engine

import (
	"context"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
)

// OpenPull checks cfg and returns a source with a pull consumer. Its application works on each
// queue of this member beside the others: it pulls and lets the broker hold the pull, works,
// and sets the offset.
func OpenPull(cfg Config, app App) (*OnDemand, error) {
	s, settings, err := pullSettings(cfg)
	if err != nil {
		return nil, err
	}
	p, err := consumer.NewPull(settings, s.instance)
	if err != nil {
		return nil, err
	}
	s.member = p
	w := &pullWork{source: s, pull: p, app: app, queues: map[mq.MessageQueue]context.CancelFunc{}, changed: make(chan struct{}, 1), mine: map[string][]mq.MessageQueue{}}
	for _, sub := range s.cfg.Consumer.Subscriptions {
		if err := p.RegisterMessageQueueListener(sub.Topic, w.moved); err != nil {
			return nil, err
		}
	}
	s.app = w.run
	return s, nil
}

func pullSettings(cfg Config) (*OnDemand, consumer.PullConfig, error) {
	s, common, err := openOnDemand(cfg)
	if err != nil {
		return nil, consumer.PullConfig{}, err
	}
	c := &s.cfg.Consumer
	settings := consumer.PullConfig{MemberConfig: common, MaxReconsume: c.MaxReconsume, Selectors: map[string]consumer.Selector{}}
	for _, sub := range c.Subscriptions {
		settings.Topics = append(settings.Topics, sub.Topic)
		if sub.Expression != "" && sub.Expression != "*" {
			settings.Selectors[sub.Topic] = sub.Selector()
		}
	}
	return s, settings, nil
}

// pullWork is the application of a pull consumer: a worker for each queue that is ours.
type pullWork struct {
	source *OnDemand
	pull   *consumer.Pull
	app    App

	queues map[mq.MessageQueue]context.CancelFunc // of run alone

	changed chan struct{}
	mu      sync.Mutex
	mine    map[string][]mq.MessageQueue // by topic, as last told
}

// moved is told of queues.
func (w *pullWork) moved(_ context.Context, topic string, _, mine []mq.MessageQueue) {
	w.mu.Lock()
	w.mine[topic] = mine
	w.mu.Unlock()
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// run starts and ends workers until ctx ends, and waits for them.
func (w *pullWork) run(ctx context.Context) error {
	group, groupCtx := lifecycle.NewGroup(ctx)
	for {
		wanted := map[mq.MessageQueue]bool{}
		w.mu.Lock()
		for _, queues := range w.mine {
			for _, q := range queues {
				wanted[q] = true
			}
		}
		w.mu.Unlock()
		for q, stop := range w.queues {
			if !wanted[q] {
				stop()
				delete(w.queues, q)
			}
		}
		for q := range wanted {
			if w.queues[q] == nil {
				workerCtx, stop := context.WithCancel(groupCtx)
				w.queues[q] = stop
				group.Go("worker", func(context.Context) error {
					return lifecycle.Guard(workerCtx, "worker", func(ctx context.Context) error { return w.work(ctx, q) })
				})
			}
		}
		select {
		case <-w.changed:
		case <-groupCtx.Done():
			for _, stop := range w.queues {
				stop()
			}
			return group.Wait()
		}
	}
}

// work pulls one queue until ctx ends.
func (w *pullWork) work(ctx context.Context, q mq.MessageQueue) error {
	for {
		if err := w.source.whilePaused(ctx); err != nil {
			return err
		}
		if err := w.source.pullOnce(ctx, w.pull, q, w.app, true); err != nil {
			if err := w.source.failed(ctx, q, err); err != nil {
				return err
			}
		}
	}
}

// pullOnce pulls one batch from where the group is, works on it, and sets the offset
// (Java: what the example of MQPullConsumerScheduleService does).
func (s *OnDemand) pullOnce(ctx context.Context, p *consumer.Pull, q mq.MessageQueue, app App, block bool) error {
	at, found, err := p.FetchConsumeOffset(ctx, q, false)
	if err == nil && !found {
		at, err = s.begin(ctx, p, q)
	}
	if err != nil {
		return err
	}
	batch := s.cfg.Consumer.Pull.Batch
	if batch == 0 {
		batch = 32
	}
	r, err := p.Do(ctx, consumer.Ask{Queue: q, Select: s.selects(q.Topic), Offset: at, MaxNums: batch, Block: block})
	if err != nil {
		return err
	}
	defer r.Release()
	if len(r.Messages) > 0 {
		if err := clock.Sleep(ctx, s.cfg.Clock, app.Work); err != nil {
			return err // not done: pulled again
		}
	}
	return p.UpdateConsumeOffset(ctx, q, r.Next)
}

// selects is the selection of a topic.
func (s *OnDemand) selects(topic string) consumer.Selector {
	topic = mq.WithNamespace(s.cfg.Consumer.Namespace, topic)
	for _, sub := range s.cfg.Consumer.Subscriptions {
		if sub.Topic == topic {
			return sub.Selector()
		}
	}
	return consumer.Selector{}
}

// begin is where a queue starts of which the group has no offset.
func (s *OnDemand) begin(ctx context.Context, p *consumer.Pull, q mq.MessageQueue) (int64, error) {
	switch s.cfg.Consumer.From {
	case mq.FromFirstOffset:
		return p.MinOffset(ctx, q)
	case mq.FromTimestamp:
		at := s.cfg.Consumer.Timestamp
		if at.IsZero() {
			at = s.cfg.Clock.Now().Add(-30 * time.Minute)
		}
		return p.SearchOffset(ctx, q, at)
	}
	return p.MaxOffset(ctx, q)
}
