package consumer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// TestS4DefaultsOfAPushConsumer: a consumer of which only group, topic and listener are known
// tells tools the values of DefaultMQPushConsumer's constructor. Two are ours: a listener has
// three seconds at the end, not none, and the start is at the first offset in these tests.
func TestS4DefaultsOfAPushConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		m.after(2 * time.Second)
		got := w.admin().info(m.id, false).Properties
		want := map[string]string{
			"consumerGroup": group, "messageModel": "CLUSTERING", "allocateMessageQueueStrategy": "AVG", "clientRebalance": "true",
			"consumeThreadMin": "20", "consumeThreadMax": "20", "PROP_THREADPOOL_CORE_SIZE": "20", "PROP_CONSUMEORDERLY": "false",
			"consumeMessageBatchMaxSize": "1", "pullBatchSize": "32", "pullBatchSizeInBytes": "262144", "pullInterval": "0",
			"pullThresholdForQueue": "1000", "pullThresholdForTopic": "-1", "pullThresholdSizeForQueue": "100", "pullThresholdSizeForTopic": "-1",
			"consumeConcurrentlyMaxSpan": "2000", "maxReconsumeTimes": "16", "consumeTimeout": "15", "persistConsumerOffsetInterval": "5000",
			"pollNameServerInterval": "30000", "heartbeatBrokerInterval": "30000", "pullTimeDelayMillsWhenException": "1000",
			"unitMode": "false", "PROP_CONSUME_TYPE": "CONSUME_PASSIVELY",
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				delete(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("properties (-want +got):\n%s", diff)
		}
	})
}

// TestS4ConfigOfAPushConsumer: the checks of DefaultMQPushConsumerImpl.checkConfig, each at its
// bounds; all faults are reported, not the first one.
func TestS4ConfigOfAPushConsumer(t *testing.T) {
	good := func() consumer.Config {
		return consumer.Config{Group: group, Subscriptions: []consumer.Subscription{{Topic: topic}}, Listener: discard}
	}
	long := strings.Repeat("g", 255)
	type change = func(*consumer.Config)
	for _, c := range []struct {
		name   string
		change change
		wrong  string // empty: allowed
	}{
		{"the defaults", func(*consumer.Config) {}, ""},
		{"no group", func(c *consumer.Config) { c.Group = " " }, "group is blank"},
		{"255 characters", func(c *consumer.Config) { c.Group = long }, ""},
		{"256 characters", func(c *consumer.Config) { c.Group = long + "g" }, "255"},
		{"characters of a group", func(c *consumer.Config) { c.Group = "a.b" }, `"a.b"`},
		{"the reserved group", func(c *consumer.Config) { c.Group = "DEFAULT_CONSUMER" }, "reserved"},
		{"no model", func(c *consumer.Config) { c.Model = mq.UnknownModel }, "model UNKNOWN"},
		{"no place to start from", func(c *consumer.Config) { c.From = 99 }, "can not start from UNKNOWN"},
		{"a deprecated place to start from", func(c *consumer.Config) { c.From = mq.FromMaxOffset }, ""},
		{"no topic", func(c *consumer.Config) { c.Subscriptions = nil }, "no subscription"},
		{"a topic twice", func(c *consumer.Config) { c.Subscriptions = append(c.Subscriptions, c.Subscriptions[0]) }, "subscribed twice"},
		{"an expression of separators", func(c *consumer.Config) { c.Subscriptions[0].Expression = "||" }, "separators"},
		{"no listener", func(c *consumer.Config) { c.Listener = nil }, "no listener"},
		{"1,000 threads", func(c *consumer.Config) { c.Threads = 1000 }, ""},
		{"1,001 threads", func(c *consumer.Config) { c.Threads = 1001 }, "Threads is 1001"},
		{"fewer than one thread", func(c *consumer.Config) { c.Threads = -1 }, "Threads is -1"},
		{"a span of 65,535", func(c *consumer.Config) { c.Pull.Limits.Span = 65535 }, ""},
		{"a span of 65,536", func(c *consumer.Config) { c.Pull.Limits.Span = 65536 }, "Span is 65536"},
		{"65,535 messages", func(c *consumer.Config) { c.Pull.Limits.CountPerQueue = 65535 }, ""},
		{"65,536 messages", func(c *consumer.Config) { c.Pull.Limits.CountPerQueue = 65536 }, "CountPerQueue is 65536"},
		{"6,553,500 messages of a topic", func(c *consumer.Config) { c.Pull.Limits.CountPerTopic = 6553500 }, ""},
		{"6,553,501 messages of a topic", func(c *consumer.Config) { c.Pull.Limits.CountPerTopic = 6553501 }, "CountPerTopic is 6553501"},
		{"1,024 MiB", func(c *consumer.Config) { c.Pull.Limits.MiBPerQueue = 1024 }, ""},
		{"1,025 MiB", func(c *consumer.Config) { c.Pull.Limits.MiBPerQueue = 1025 }, "MiBPerQueue is 1025"},
		{"102,400 MiB of a topic", func(c *consumer.Config) { c.Pull.Limits.MiBPerTopic = 102400 }, ""},
		{"102,401 MiB of a topic", func(c *consumer.Config) { c.Pull.Limits.MiBPerTopic = 102401 }, "MiBPerTopic is 102401"},
		{"an interval of 65,535 ms", func(c *consumer.Config) { c.Pull.Interval = 65535 * time.Millisecond }, ""},
		{"an interval of 65,536 ms", func(c *consumer.Config) { c.Pull.Interval = 65536 * time.Millisecond }, "Pull.Interval is 1m5.536s"},
		{"a negative interval", func(c *consumer.Config) { c.Pull.Interval = -1 }, "Pull.Interval is -1ns"},
		{"1,024 messages a call", func(c *consumer.Config) { c.Batch = 1024 }, ""},
		{"1,025 messages a call", func(c *consumer.Config) { c.Batch = 1025 }, "Batch is 1025"},
		{"1,024 messages a pull", func(c *consumer.Config) { c.Pull.Batch = 1024 }, ""},
		{"1,025 messages a pull", func(c *consumer.Config) { c.Pull.Batch = 1025 }, "Pull.Batch is 1025"},
		{"broadcasting without a folder", func(c *consumer.Config) { c.Model = mq.Broadcasting }, "OffsetsDir"},
	} {
		cfg := good()
		c.change(&cfg)
		err := cfg.Validate()
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		}
	}
	cfg := good()
	cfg.Group, cfg.Listener, cfg.Threads, cfg.Pull.Batch, cfg.Model, cfg.From = "", nil, 1001, 1025, mq.UnknownModel, 99
	err := cfg.Validate()
	for _, part := range []string{"group is blank", "no listener", "Threads is 1001", "Pull.Batch is 1025", "model UNKNOWN", "can not start from"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("of six faults %q is not named: %v", part, err)
		}
	}
}
