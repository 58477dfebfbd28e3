package ondemand

import (
	"context"
	"time"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// OpenPull checks cfg and returns a source with a pull consumer. Its application works on each
// queue of this member beside the others: it pulls and lets the broker hold the pull, works,
// and sets the offset. Where app names queues it works on those.
func OpenPull(cfg engine.Config, app App) (*Source, error) {
	s, settings, err := pullSettings(cfg)
	if err != nil {
		return nil, err
	}
	p, err := consumer.NewPull(settings, s.instance)
	if err != nil {
		return nil, err
	}
	s.member = p
	w := newPullWork(s, p, app)
	for _, sub := range s.cfg.Consumer.Subscriptions {
		if len(app.Queues) > 0 {
			break // whatever the group allots
		}
		if err := p.RegisterMessageQueueListener(sub.Topic, w.moved); err != nil {
			return nil, err
		}
	}
	s.app = w.run
	return s, nil
}

func pullSettings(cfg engine.Config) (*Source, consumer.PullConfig, error) {
	s, common, err := open(cfg)
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

// pullOnce pulls one batch from where the group is, works on it, and sets the offset
// (Java: what the example of MQPullConsumerScheduleService does).
func (s *Source) pullOnce(ctx context.Context, p *consumer.Pull, q mq.MessageQueue, app App) error {
	at, err := s.place(ctx, p, q)
	if err != nil {
		return err
	}
	r, err := s.pull(ctx, p, q, at, app, false)
	if err != nil {
		return err
	}
	defer r.Release()
	return p.UpdateConsumeOffset(ctx, q, r.Next)
}

// place is where the group is in q, or where it begins.
func (s *Source) place(ctx context.Context, p *consumer.Pull, q mq.MessageQueue) (int64, error) {
	at, found, err := p.FetchConsumeOffset(ctx, q, false)
	if err == nil && !found {
		at, err = s.begin(ctx, p, q)
	}
	return at, err
}

// pull pulls one batch and works on it. Without an error the caller must release it.
func (s *Source) pull(ctx context.Context, p *consumer.Pull, q mq.MessageQueue, at int64, app App, block bool) (*consumer.PullResult, error) {
	batch := s.cfg.Consumer.Pull.Batch
	if batch == 0 {
		batch = 32
	}
	r, err := p.Do(ctx, consumer.Ask{Queue: q, Select: s.selects(q.Topic), Offset: at, MaxNums: batch, Block: block})
	if err != nil {
		return nil, err
	}
	if len(r.Messages) > 0 {
		if err := clock.Sleep(ctx, s.cfg.Clock, app.Work); err != nil {
			r.Release()
			return nil, err // not done: pulled again
		}
	}
	return r, nil
}

// selects is the selection of a topic.
func (s *Source) selects(topic string) consumer.Selector {
	topic = mq.WithNamespace(s.cfg.Consumer.Namespace, topic)
	for _, sub := range s.cfg.Consumer.Subscriptions {
		if sub.Topic == topic {
			return sub.Selector()
		}
	}
	return consumer.Selector{}
}

// begin is where a queue starts of which the group has no offset.
func (s *Source) begin(ctx context.Context, p *consumer.Pull, q mq.MessageQueue) (int64, error) {
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
