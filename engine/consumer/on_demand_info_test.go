package consumer_test

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// TestConsumersThatAreAskedTellAToolWhatTheyDo has a tool ask a consumer of each kind for its
// running info, with a dump, and for its offsets.
func TestConsumersThatAreAskedTellAToolWhatTheyDo(t *testing.T) {
	common := map[string]string{
		"PROP_CONSUME_TYPE": "CONSUME_ACTIVELY", "PROP_CLIENT_VERSION": "V5_3_1", "PROP_NAMESERVER_ADDR": nameServer + ";",
		"namesrvAddr": nameServer, "clientIP": "192.0.2.10", "instanceName": "me", "language": "GO", "useTLS": "false",
		"consumerGroup": group, "messageModel": "CLUSTERING", "allocateMessageQueueStrategy": "AVG", "unitMode": "false", "vipChannelEnabled": "false",
		"brokerSuspendMaxTimeMillis": "15000", "consumerTimeoutMillisWhenSuspend": "30000", "persistConsumerOffsetInterval": "5000",
		"pollNameServerInterval": "30000", "heartbeatBrokerInterval": "30000", "mqClientApiTimeout": "3000",
	}
	pulls := map[string]string{"consumerPullTimeoutMillis": "10000", "maxReconsumeTimes": "3"}
	polls := map[string]string{
		"consumeFromWhere": "CONSUME_FROM_TIMESTAMP", "consumeTimestamp": "20300102030405", "autoCommit": "false", "autoCommitIntervalMillis": "5000",
		"pullBatchSize": "7", "pullThresholdForAll": "10000", "pullThresholdForQueue": "600", "pullThresholdSizeForQueue": "100",
		"consumeMaxSpan": "2000", "pollTimeoutMillis": "5000", "topicMetadataCheckIntervalMillis": "30000",
	}
	hold := 15 * time.Second
	for _, tt := range []struct {
		name string
		open func(w *world) *running
		want map[string]string
	}{
		{"pull", func(w *world) *running {
			c, r := w.puller("192.0.2.10@me", func(c *consumer.PullConfig) { c.MaxReconsume, c.Hold = 3, hold })
			r.after(time.Second)
			if err := c.UpdateConsumeOffset(w.ctx, first, 4); err != nil {
				w.t.Fatal(err)
			}
			return r
		}, pulls},
		{"scheduled", func(w *world) *running {
			c, r := w.scheduled("192.0.2.10@me", newWorker().work, func(c *consumer.ScheduledConfig) { c.MaxReconsume, c.Hold = 3, hold })
			r.after(time.Second)
			if err := c.UpdateConsumeOffset(w.ctx, first, 4); err != nil {
				w.t.Fatal(err)
			}
			return r
		}, pulls},
		{"lite", func(w *world) *running {
			c, r := w.lite("192.0.2.10@me", subscribing, manual, func(c *consumer.LiteConfig) {
				c.PullBatch, c.Limits.CountPerQueue, c.Hold = 7, 600, hold
				c.From, c.Timestamp = mq.FromTimestamp, time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
			})
			r.after(time.Second)
			if err := c.CommitOffsets(w.ctx, map[mq.MessageQueue]int64{first: 4}, false); err != nil {
				w.t.Fatal(err)
			}
			return r
		}, polls},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 2)
				w.sendTo(first, 4)
				started := time.Now()
				r := tt.open(w)
				defer r.stop()
				r.after(time.Second)
				info := w.admin().info(r.id, true)
				want := maps.Clone(common)
				maps.Copy(want, tt.want)
				want[protocol.PropStartTimestamp] = strconv.FormatInt(started.UnixMilli(), 10)
				if d := cmp.Diff(want, info.Properties); d != "" {
					t.Errorf("properties (-want +got):\n%s", d)
				}
				if !strings.Contains(info.Stack, "consumer.(*onDemand).loop") {
					t.Errorf("the dump does not show the loop:\n%.1000s", info.Stack)
				}
				if len(info.SubscriptionSet) != 1 || info.SubscriptionSet[0].Topic != topic {
					t.Errorf("subscribed to %v", info.SubscriptionSet)
				}
				if q := info.MQTable[first]; len(info.MQTable) != 2 || q.CommitOffset != 4 || q.Dropped {
					t.Errorf("queues are %+v", info.MQTable)
				}
				if got := w.admin().status(r.id)[first]; got != 4 {
					t.Errorf("the offset in memory is told as %d, want 4", got)
				}
				if e := told(r.after(time.Second), "asked for running info with a dump"); len(e) != 1 {
					t.Errorf("told %v", e)
				}
			})
		})
	}
}

func TestConsumersThatAreAskedCanRefuseDumps(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		_, r := w.lite("192.0.2.10@me", subscribing, func(c *consumer.LiteConfig) { c.AllowBrokerRequests.Stacks = consumer.Refused })
		defer r.stop()
		r.after(time.Second)
		if info := w.admin().info(r.id, true); info.Stack != "" || len(info.MQTable) != 1 {
			t.Errorf("a dump was given although it is refused, or no queue: %+v", info.MQTable)
		}
		if e := told(r.after(time.Second), "asked for running info with a dump", "refused by configuration"); len(e) != 1 {
			t.Errorf("told %v", e)
		}
	})
}

// TestASelectionStaysWhenItsTopicIsRegisteredAgain: whoever wants to be told of the queues of a
// topic subscribes to no more of it.
func TestASelectionStaysWhenItsTopicIsRegisteredAgain(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		p, r := w.puller("192.0.2.10@me", func(c *consumer.PullConfig) {
			c.Selectors = map[string]consumer.Selector{topic: consumer.ByTag("a || b")}
		})
		defer r.stop()
		if err := p.RegisterMessageQueueListener(topic, func(context.Context, string, []mq.MessageQueue, []mq.MessageQueue) {}); err != nil {
			t.Fatal(err)
		}
		r.after(time.Second)
		if s := w.admin().info(r.id, false).SubscriptionSet; len(s) != 1 || s[0].SubString != "a || b" {
			t.Errorf("subscribed to %+v", s)
		}
	})
}
