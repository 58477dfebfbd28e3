package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	rocketmq "github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/admin"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
	"github.com/apache/rocketmq-client-go/v2/rlog"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
)

// fillBatch is how many messages one request of setup carries.
const fillBatch = 50

// body is message n, sent at the wall clock's time at; 0 when nobody measures its way.
func body(size, n int, at int64) []byte {
	b := []byte(strings.Repeat(string(rune(filling)), size))
	binary.BigEndian.PutUint64(b, uint64(n))
	binary.BigEndian.PutUint64(b[8:], uint64(at))
	return b
}

// runSetup makes the topic and fills it with Apache's Go client: the messages have the
// properties of a plain send.
func runSetup(ctx context.Context, j job) (report, error) {
	rlog.SetLogLevel("error")
	if err := makeTopic(ctx, j); err != nil {
		return report{}, err
	}
	return report{}, fill(ctx, j)
}

// makeTopic makes the topic on the first broker that makes topics, and returns when a client
// sees all its queues.
func makeTopic(ctx context.Context, j job) error {
	return withInstance(ctx, j, func(ctx context.Context, in *client.Instance) error {
		if err := in.RefreshRoutes(ctx, mq.AutoCreateTopic); err != nil {
			return err
		}
		brokers := in.Brokers()
		if len(brokers) != 1 {
			return fmt.Errorf("the cluster has %d brokers: one is wanted", len(brokers))
		}
		a, err := admin.NewAdmin(admin.WithResolver(primitive.NewPassthroughResolver([]string{j.NameServer})))
		if err != nil {
			return err
		}
		err = a.CreateTopic(ctx, admin.WithTopicCreate(j.Topic), admin.WithBrokerAddrCreate(brokers[0].Addr),
			admin.WithReadQueueNums(j.Queues), admin.WithWriteQueueNums(j.Queues))
		if err := errors.Join(err, a.Close()); err != nil {
			return err
		}
		_, err = queuesOf(ctx, in, j)
		return err
	})
}

// queuesOf waits for the route of the topic.
func queuesOf(ctx context.Context, in *client.Instance, j job) ([]mq.MessageQueue, error) {
	for {
		err := in.RefreshRoutes(ctx, j.Topic)
		if q, ok := in.Queues(j.Topic); err == nil && ok && len(q) == j.Queues {
			return q, nil
		}
		if err := clock.Sleep(ctx, clock.System{}, 100*time.Millisecond); err != nil {
			return nil, fmt.Errorf("topic %s has no route with %d queues: %w", j.Topic, j.Queues, err)
		}
	}
}

// withInstance runs do with a client of ours.
func withInstance(ctx context.Context, j job, do func(context.Context, *client.Instance) error) error {
	in, err := instance(j)
	if err != nil {
		return err
	}
	group, ctx := lifecycle.NewGroup(ctx)
	ctx, end := context.WithCancel(ctx)
	group.Go("instance", func(context.Context) error { return in.Run(ctx) })
	group.Go("what it is for", func(context.Context) error {
		defer end()
		return do(ctx, in)
	})
	return group.Wait()
}

// inTurn gives each request the next queue.
type inTurn struct{ next int }

// Select implements producer.QueueSelector.
func (t *inTurn) Select(_ *primitive.Message, queues []*primitive.MessageQueue, _ string) *primitive.MessageQueue {
	t.next++
	return queues[t.next%len(queues)]
}

func fill(ctx context.Context, j job) error {
	p, err := rocketmq.NewProducer(
		producer.WithNameServer(primitive.NamesrvAddr{j.NameServer}),
		producer.WithGroupName("peers_fill"),
		producer.WithQueueSelector(&inTurn{}),
	)
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	for first := 0; first < j.Count; first += fillBatch {
		var batch []*primitive.Message
		for n := first; n < min(first+fillBatch, j.Count); n++ {
			msg := primitive.NewMessage(j.Topic, body(j.Size, n, 0))
			msg.WithTag("TagA")
			msg.WithKeys([]string{"k" + strconv.Itoa(n)})
			msg.WithProperty(primitive.PropertyUniqueClientMessageIdKeyIndex, primitive.CreateUniqID())
			batch = append(batch, msg)
		}
		if _, err := p.SendSync(ctx, batch...); err != nil {
			return fmt.Errorf("send messages %d to %d: %w", first, first+len(batch)-1, err)
		}
	}
	return p.Shutdown()
}
