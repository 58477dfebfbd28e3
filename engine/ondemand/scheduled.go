package ondemand

import (
	"context"
	"time"

	"mqscope/engine"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// OpenScheduled checks cfg and returns a source with a scheduled consumer. The callback of its
// application pulls once, works, sets the offset, and wants to be called again after the
// interval.
func OpenScheduled(cfg engine.Config, app App) (*Source, error) {
	s, settings, err := pullSettings(cfg)
	if err != nil {
		return nil, err
	}
	c, err := consumer.NewScheduled(consumer.ScheduledConfig{PullConfig: settings, Threads: app.Threads}, s.instance)
	if err != nil {
		return nil, err
	}
	if app.Delay == 0 {
		app.Delay = 100 * time.Millisecond
	}
	s.member = c
	for _, sub := range s.cfg.Consumer.Subscriptions {
		err := c.RegisterPullTaskCallback(sub.Topic, func(ctx context.Context, q mq.MessageQueue, t *consumer.PullTaskContext) error {
			t.Delay = app.Delay
			if s.closed() != nil {
				return nil
			}
			return s.pullOnce(ctx, t.PullConsumer(), q, app)
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}
