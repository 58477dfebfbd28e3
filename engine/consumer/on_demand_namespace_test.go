package consumer_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
)

// TestP31PullLiteAndScheduledConsumersInANamespace uses the bare names everywhere: brokers know
// the long ones, and nothing that comes back shows them.
func TestP31PullLiteAndScheduledConsumersInANamespace(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		const long, longGroup = "ns%orders", "ns%g"
		w.createTopic(long, 1)
		stored := mq.MessageQueue{Topic: long, BrokerName: "broker-a"}
		w.put(stored, 30, "", 0)
		commit := func(at int64) {
			w.on("broker-a", func(b *embedded.Broker) { b.Store.Commits.Put(longGroup, long, 0, at) })
		}
		committed := func() (at int64) {
			w.on("broker-a", func(b *embedded.Broker) { at, _ = b.Store.Commits.Get(longGroup, long, 0) })
			return at
		}
		commit(3)

		p, r := w.puller("192.0.2.10@pull", func(c *consumer.PullConfig) { c.Namespace = "ns" })
		r.after(2 * time.Second)
		mine, err := p.FetchMessageQueuesInBalance(w.ctx, topic)
		if err != nil || !slices.Equal(mine, []mq.MessageQueue{first}) {
			t.Errorf("pull: ours are %v, %v", mine, err)
		}
		if all, err := p.FetchSubscribeMessageQueues(w.ctx, topic); err != nil || !slices.Equal(all, mine) {
			t.Errorf("pull: queues are %v, %v", all, err)
		}
		at, found, err := p.FetchConsumeOffset(w.ctx, first, true)
		if err != nil || !found || at != 3 {
			t.Errorf("pull: the offset is %d %v %v", at, found, err)
		}
		got, err := p.Pull(w.ctx, first, consumer.Selector{}, 3, 7)
		if err != nil || len(got.Messages) != 7 || got.Messages[0].Topic() != topic {
			t.Fatalf("pull: %+v, %v", got, err)
		}
		if err := p.UpdateConsumeOffset(w.ctx, first, got.Next); err != nil {
			t.Error(err)
		}
		r.stop()
		if committed() != 10 {
			t.Errorf("pull: the broker has %d", committed())
		}

		var queues []mq.MessageQueue
		_, r = w.scheduled("192.0.2.10@scheduled", func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
			queues = append(queues, q)
			c.Delay = time.Hour
			return c.PullConsumer().UpdateConsumeOffset(ctx, q, 15)
		}, func(c *consumer.ScheduledConfig) { c.Namespace = "ns" })
		r.after(2 * time.Second)
		r.stop()
		if !slices.Equal(queues, []mq.MessageQueue{first}) || committed() != 15 {
			t.Errorf("scheduled: called for %v, the broker has %d", queues, committed())
		}

		c, r := w.lite("192.0.2.10@lite", subscribing, func(c *consumer.LiteConfig) { c.Namespace = "ns" })
		polled, err := c.Poll(w.ctx)
		if err != nil || polled.Queue != first || len(polled.Messages) != 10 || polled.Messages[0].Topic() != topic || polled.Messages[0].QueueOffset() != 15 {
			t.Fatalf("lite: %+v, %v", polled, err)
		}
		if err := c.Seek(w.ctx, first, 29); err != nil {
			t.Error(err)
		}
		if got := poll(w, c, 3*time.Second); len(got) != 1 {
			t.Errorf("lite: after a seek %v", got)
		}
		if err := c.CommitOffsets(w.ctx, map[mq.MessageQueue]int64{first: 30}, true); err != nil {
			t.Error(err)
		}
		if assigned, err := c.Assignment(w.ctx); err != nil || !slices.Equal(assigned, []mq.MessageQueue{first}) {
			t.Errorf("lite: assigned are %v, %v", assigned, err)
		}
		r.stop()
		if committed() != 30 {
			t.Errorf("lite: the broker has %d", committed())
		}
	})
}
