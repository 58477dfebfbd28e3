package engine

import (
	"context"

	"mqscope/engine/client"
	"mqscope/engine/clock"
)

// OutMessage is a message to send (Java: Message).
type OutMessage = client.OutMessage

// SendFunc sends one message and returns when its broker has stored it.
type SendFunc func(ctx context.Context, m OutMessage) error

// Producer sends messages to a cluster.
type Producer struct{ instance *client.Instance }

// OpenProducer checks cfg; its consumer part is not looked at.
func OpenProducer(cfg Config) (*Producer, error) {
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	instance, err := cfg.Instance()
	if err != nil {
		return nil, err
	}
	return &Producer{instance}, nil
}

// Run connects, calls fn with a way to send, and closes the connections when fn returned.
func (p *Producer) Run(ctx context.Context, fn func(ctx context.Context, send SendFunc) error) error {
	return p.instance.RunAround(ctx, func(ctx context.Context) error {
		return fn(ctx, func(ctx context.Context, m OutMessage) error {
			_, err := p.instance.Send(ctx, m)
			return err
		})
	})
}
