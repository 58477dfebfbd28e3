package main

import (
	"context"
	"os"
	"strconv"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
)

// runOurs drains the topic with this engine at its defaults, but for the knobs.
func runOurs(ctx context.Context, s settings) (any, error) {
	m := newMeter("mqscope", s)
	id := client.ClientID("127.0.0.1", strconv.Itoa(os.Getpid()), "")
	instance, err := client.New(client.Config{NameServers: []string{s.NameServer}, ClientID: id})
	if err != nil {
		return nil, err
	}
	cfg := consumer.Config{
		Group: s.Group, ClientID: id, From: mq.FromFirstOffset, Batch: s.Batch,
		Subscriptions: []consumer.Subscription{{Topic: s.Topic, Expression: "*"}},
		Listener: func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
			m.call(len(msgs))
			for i := range msgs {
				m.take(msgs[i].Body())
			}
			return consume.Success
		},
	}
	cfg.Pull.Batch = s.Pull
	push, err := consumer.NewPush(cfg, instance)
	if err != nil {
		return nil, err
	}

	// The consumer leaves its group before the instance's connections end.
	outer, outerCtx := lifecycle.NewGroup(ctx)
	instanceCtx, endInstance := context.WithCancel(outerCtx)
	defer endInstance()
	outer.Go("instance", func(context.Context) error { return instance.Run(instanceCtx) })
	outer.Go("drain", func(ctx context.Context) error {
		defer endInstance()
		inner, innerCtx := lifecycle.NewGroup(ctx)
		pushCtx, endPush := context.WithCancel(innerCtx)
		defer endPush()
		inner.Go("consumer", func(context.Context) error { return push.Run(pushCtx) })
		inner.Go("wait", func(ctx context.Context) error {
			defer endPush()
			return m.wait(ctx)
		})
		return inner.Wait()
	})
	if err := outer.Wait(); err != nil {
		return nil, err
	}
	return m.result()
}
