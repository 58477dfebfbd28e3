package consumer

import (
	"errors"
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/pull"
)

// LiteConfig is how a lite consumer behaves. A field's zero means the default of
// DefaultLitePullConsumer.
type LiteConfig struct {
	MemberConfig
	// From says where a group without offsets starts: FromLastOffset, FromFirstOffset or
	// FromTimestamp; Timestamp by default is 30 minutes before the start.
	From      mq.ConsumeFromWhere
	Timestamp time.Time

	// ManualCommit leaves commits to the application. Else what polls returned is committed
	// by later polls, AutoCommitInterval apart, which is 1 s or more, default 5 s.
	ManualCommit       bool
	AutoCommitInterval time.Duration

	PullBatch int // messages a pull asks for, 1 to 1024, default 10: pullBatchSize
	// Limits pause the pulls of a queue, each above its value: 1000 messages, 100 MiB, a span
	// of 2000 offsets.
	Limits pull.Limits
	// ThresholdForAll pauses all pulls when that many messages wait to be polled, counting each
	// batch as a full one: pullThresholdForAll, default 10000.
	ThresholdForAll int

	// PollTimeout is how long Poll waits; default 5 s.
	PollTimeout time.Duration
	// WatchInterval is how often the queues of topics are compared that have a
	// TopicQueueListener; default 30 s: topicMetadataCheckIntervalMillis.
	WatchInterval time.Duration

	ConsumeHooks []ConsumeHook
	FilterHooks  []FilterHook
}

// leastAutoCommit is the shortest interval that Java takes.
const leastAutoCommit = time.Second

func (c *LiteConfig) setDefaults() {
	c.MemberConfig.setDefaults()
	for _, d := range []struct {
		v   *time.Duration
		def time.Duration
	}{
		{&c.AutoCommitInterval, 5 * time.Second}, {&c.PollTimeout, 5 * time.Second}, {&c.WatchInterval, 30 * time.Second},
	} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	for _, n := range []struct {
		v   *int
		def int
	}{
		{&c.PullBatch, 10}, {&c.ThresholdForAll, 10_000},
		{&c.Limits.CountPerQueue, 1000}, {&c.Limits.MiBPerQueue, 100}, {&c.Limits.Span, 2000},
	} {
		if *n.v == 0 {
			*n.v = n.def
		}
	}
	if c.From == mq.FromTimestamp && c.Timestamp.IsZero() {
		c.Timestamp = c.Clock.Now().Add(-30 * time.Minute)
	}
}

// Validate reports all faults at once, each with field, value and what is allowed
// (Java: DefaultLitePullConsumerImpl.checkConfig and setters, which stop at the first).
func (c *LiteConfig) Validate() error {
	errs := c.MemberConfig.validate()
	errs = append(errs, notNegative([]namedDuration{
		{"AutoCommitInterval", c.AutoCommitInterval}, {"PollTimeout", c.PollTimeout}, {"WatchInterval", c.WatchInterval},
	})...)
	if d := c.AutoCommitInterval; d > 0 && d < leastAutoCommit {
		errs = append(errs, fmt.Errorf("AutoCommitInterval is %v: %v or more is allowed", d, leastAutoCommit))
	}
	switch c.From {
	case mq.FromLastOffset, mq.FromFirstOffset, mq.FromTimestamp:
	default:
		errs = append(errs, fmt.Errorf("a group can not start from %v: the last or first offset, or a time, is allowed", c.From))
	}
	for _, n := range []struct {
		name    string
		v, high int
	}{
		{"PullBatch", c.PullBatch, maxBatch}, {"ThresholdForAll", c.ThresholdForAll, 1<<31 - 1},
		{"Limits.CountPerQueue", c.Limits.CountPerQueue, maxCountPerQueue},
		{"Limits.MiBPerQueue", c.Limits.MiBPerQueue, maxMiBPerQueue}, {"Limits.Span", c.Limits.Span, maxSpan},
	} {
		if n.v != 0 && (n.v < 1 || n.v > n.high) {
			errs = append(errs, fmt.Errorf("%s is %d: 1 to %d is allowed", n.name, n.v, n.high))
		}
	}
	return errors.Join(errs...)
}
