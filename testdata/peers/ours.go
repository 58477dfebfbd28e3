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

// instance returns a client of ours.
func instance(j job) (*client.Instance, error) {
	id := client.ClientID("127.0.0.1", strconv.Itoa(os.Getpid()), "")
	return client.New(client.Config{NameServers: []string{j.NameServer}, ClientID: id})
}

// openOurs starts this engine at its defaults, but for the knobs.
func openOurs(ctx context.Context, j job, m *meter) (end func() error, err error) {
	in, err := instance(j)
	if err != nil {
		return nil, err
	}
	cfg := consumer.Config{
		Group: j.Group, ClientID: in.ClientID(), From: mq.FromFirstOffset, Batch: j.Batch,
		Subscriptions: []consumer.Subscription{{Topic: j.Topic, Expression: "*"}},
	}
	cfg.Pull.Batch = j.Pull
	handle := func(msgs []mq.Message) {
		m.call(len(msgs))
		for i := range msgs {
			m.take(int(msgs[i].QueueID()), msgs[i].QueueOffset(), msgs[i].Body())
		}
	}
	if cfg.Orderly = j.Orderly; j.Orderly {
		cfg.OrderlyListener = func(_ context.Context, msgs []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
			handle(msgs)
			return consume.OrderlySuccess
		}
	} else {
		cfg.Listener = func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
			handle(msgs)
			return consume.Success
		}
	}
	push, err := consumer.NewPush(cfg, in)
	if err != nil {
		return nil, err
	}

	// The consumer leaves its group before the instance's connections end.
	group, ctx := lifecycle.NewGroup(ctx)
	instanceCtx, endInstance := context.WithCancel(ctx)
	pushCtx, endPush := context.WithCancel(ctx)
	run := func(name string, run func(context.Context) error, until context.Context, after func()) {
		group.Go(name, func(context.Context) error {
			defer after()
			err := run(until)
			if err != nil {
				m.fail(err)
			}
			return err
		})
	}
	run("instance", in.Run, instanceCtx, endPush)
	run("consumer", push.Run, pushCtx, endInstance)
	return func() error {
		endPush()
		return group.Wait()
	}, nil
}
