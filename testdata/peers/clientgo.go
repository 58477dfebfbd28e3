package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"

	rocketmq "github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/consumer"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
	"github.com/apache/rocketmq-client-go/v2/rlog"
)

// filling is each byte of a body after the message's number.
const filling = 'x'

// fillBatch is how many messages one request of runFill carries.
const fillBatch = 50

// runClientGo drains the topic with Apache's Go client at its defaults, but for the knobs
// and its log, which is told errors only.
func runClientGo(ctx context.Context, s settings) (any, error) {
	rlog.SetLogLevel("error")
	m := newMeter("client-go", s)
	c, err := rocketmq.NewPushConsumer(
		consumer.WithGroupName(s.Group),
		consumer.WithNameServer(primitive.NamesrvAddr{s.NameServer}),
		consumer.WithConsumeFromWhere(consumer.ConsumeFromFirstOffset),
		consumer.WithConsumeMessageBatchMaxSize(s.Batch),
		consumer.WithPullBatchSize(int32(s.Pull)),
	)
	if err != nil {
		return nil, err
	}
	handle := func(_ context.Context, msgs ...*primitive.MessageExt) (consumer.ConsumeResult, error) {
		m.call(len(msgs))
		for _, msg := range msgs {
			m.take(msg.Body)
		}
		return consumer.ConsumeSuccess, nil
	}
	if err := c.Subscribe(s.Topic, consumer.MessageSelector{}, handle); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	if err := c.Shutdown(); err != nil {
		return nil, err
	}
	return m.result()
}

// inTurn gives each request the next queue.
type inTurn struct{ next int }

// Select implements producer.QueueSelector.
func (t *inTurn) Select(_ *primitive.Message, queues []*primitive.MessageQueue, _ string) *primitive.MessageQueue {
	t.next++
	return queues[t.next%len(queues)]
}

// runFill sends the messages with Apache's Go client; the broker makes the topic. Their
// properties are those of a plain send: unique key, keys, tag.
func runFill(ctx context.Context, s settings) (any, error) {
	rlog.SetLogLevel("error")
	p, err := rocketmq.NewProducer(
		producer.WithNameServer(primitive.NamesrvAddr{s.NameServer}),
		producer.WithGroupName("peers_fill"),
		producer.WithDefaultTopicQueueNums(s.Queues),
		producer.WithQueueSelector(&inTurn{}),
	)
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	for first := 0; first < s.Messages; first += fillBatch {
		var batch []*primitive.Message
		for n := first; n < min(first+fillBatch, s.Messages); n++ {
			batch = append(batch, fillMessage(s, n))
		}
		if _, err := p.SendSync(ctx, batch...); err != nil {
			return nil, fmt.Errorf("send messages %d to %d: %w", first, first+len(batch)-1, err)
		}
	}
	return struct{ Sent int }{s.Messages}, p.Shutdown()
}

func fillMessage(s settings, n int) *primitive.Message {
	body := make([]byte, s.Size)
	for i := range body {
		body[i] = filling
	}
	binary.BigEndian.PutUint64(body, uint64(n))
	msg := primitive.NewMessage(s.Topic, body)
	msg.WithTag("TagA")
	msg.WithKeys([]string{"k" + strconv.Itoa(n)})
	msg.WithProperty(primitive.PropertyUniqueClientMessageIdKeyIndex, primitive.CreateUniqID())
	return msg
}
