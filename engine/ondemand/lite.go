package ondemand

import (
	"context"
	"fmt"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// OpenLite checks cfg and returns a source with a lite consumer. Its application polls, works,
// and polls again.
func OpenLite(cfg engine.Config, app App) (*Source, error) {
	s, common, err := open(cfg)
	if err != nil {
		return nil, err
	}
	c := &s.cfg.Consumer
	lite, err := consumer.NewLite(consumer.LiteConfig{
		MemberConfig: common, From: c.From, Timestamp: c.Timestamp, PullBatch: c.Pull.Batch, Limits: c.Pull.Limits,
		ThresholdForAll: app.LimitAll, AutoCommitInterval: app.AutoCommit,
	}, s.instance)
	if err != nil {
		return nil, err
	}
	s.member = lite
	if err := s.liteTakes(lite, app); err != nil {
		return nil, err
	}
	s.app = func(ctx context.Context) error { return s.poll(ctx, lite, app) }
	return s, nil
}

// liteTakes says what a lite consumer consumes.
func (s *Source) liteTakes(lite *consumer.Lite, app App) error {
	for _, sub := range s.cfg.Consumer.Subscriptions {
		if len(app.Queues) > 0 {
			if sub.Type == protocol.ExpressionSQL92 {
				return fmt.Errorf("SQL92 expression %q of topic %s: of queues that are named only tags select", sub.Expression, sub.Topic)
			}
			if err := lite.SetSubExpressionForAssign(sub.Topic, sub.Expression); err != nil {
				return err
			}
			continue
		}
		if err := lite.Subscribe(sub.Topic, sub.Selector(), nil); err != nil {
			return err
		}
	}
	if len(app.Queues) > 0 {
		return lite.Assign(app.Queues...)
	}
	return nil
}

// poll is the application of a lite consumer.
func (s *Source) poll(ctx context.Context, lite *consumer.Lite, app App) error {
	for ctx.Err() == nil {
		p, err := lite.Poll(ctx)
		if err != nil {
			if err := s.failed(ctx, mq.MessageQueue{}, err); err != nil {
				return err
			}
			continue
		}
		if len(p.Messages) > 0 {
			err = clock.Sleep(ctx, s.cfg.Clock, app.Work)
		}
		p.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
