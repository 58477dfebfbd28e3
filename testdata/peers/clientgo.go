package main

import (
	"context"
	"sync/atomic"

	rocketmq "github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/consumer"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/rlog"
)

// openClientGo starts Apache's Go client at its defaults, but for the knobs and its log,
// which is told errors only.
func openClientGo(_ context.Context, j job, m *meter) (end func() error, err error) {
	rlog.SetLogLevel("error")
	c, err := rocketmq.NewPushConsumer(
		consumer.WithGroupName(j.Group),
		consumer.WithNameServer(primitive.NamesrvAddr{j.NameServer}),
		consumer.WithConsumeFromWhere(consumer.ConsumeFromFirstOffset),
		consumer.WithConsumerOrder(j.Orderly),
		consumer.WithConsumeMessageBatchMaxSize(j.Batch),
		consumer.WithPullBatchSize(int32(j.Pull)),
	)
	if err != nil {
		return nil, err
	}
	// What it was handing over when it was told to end still comes.
	var ended atomic.Bool
	handle := func(_ context.Context, msgs ...*primitive.MessageExt) (consumer.ConsumeResult, error) {
		if ended.Load() {
			return consumer.ConsumeSuccess, nil
		}
		m.call(len(msgs))
		for _, msg := range msgs {
			m.take(msg.Queue.QueueId, msg.QueueOffset, msg.Body)
		}
		return consumer.ConsumeSuccess, nil
	}
	if err := c.Subscribe(j.Topic, consumer.MessageSelector{}, handle); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	return func() error {
		ended.Store(true)
		return c.Shutdown()
	}, nil
}
