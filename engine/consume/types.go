package consume

import (
	"cmp"
	"context"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Status is a listener's answer (Java: ConsumeConcurrentlyStatus).
type Status uint8

const (
	ReconsumeLater Status = iota // also what no answer, a panic or an unreadable body means
	Success
)

// String returns Java's name.
func (s Status) String() string {
	if s == Success {
		return "CONSUME_SUCCESS"
	}
	return "RECONSUME_LATER"
}

// Context is what a listener may read and set for its batch; it is the listener's until it
// returns (Java: ConsumeConcurrentlyContext).
type Context struct {
	Queue mq.MessageQueue
	// DelayLevel is when messages that failed come back: 0 lets the broker choose
	// 3 + times, -1 sends them to the dead-letter topic at once.
	DelayLevel int32
	// AckIndex is the last message that succeeded, with Success; all of them by default.
	AckIndex int
}

// Listener consumes a batch. It may be called from many threads at once. msgs and the bodies
// in them are valid until it returns; Clone a message to keep it. ctx ends when the consumer
// shuts down and its patience is over. A panic counts as a failed attempt.
type Listener func(ctx context.Context, msgs []mq.Message, c *Context) Status

// SendBacker returns a failed message to its broker, or by whatever path is left; nil means
// that the broker has it. delayLevel and maxReconsume are as in CONSUMER_SEND_MSG_BACK.
type SendBacker interface {
	SendBack(ctx context.Context, m mq.Message, delayLevel, maxReconsume int32) error
}

// Config is how messages are consumed; zero values stand for DefaultMQPushConsumer's.
type Config struct {
	Group        string
	Threads      int           // consumeThreadMin, default 20
	Batch        int           // consumeMessageBatchMaxSize, default 1
	MaxReconsume int32         // default 16, which -1 means too
	Timeout      time.Duration // consumeTimeout, default 15 min; whole milliseconds, under 24 days
	RetryDelay   time.Duration // after a failed send-back, default 5 s
	Model        mq.MessageModel
	Listener     Listener
	SendBack     SendBacker // not used when Broadcasting
	// Emit tells what is worth telling; it must not block.
	Emit  func(event.Entry)
	Clock clock.Clock // default clock.System
	// Decisions is told what is decided, nil for nobody.
	Decisions *decision.Recorder
}

const (
	defaultThreads      = 20
	defaultBatch        = 1
	defaultMaxReconsume = 16
	defaultTimeout      = 15 * time.Minute
	defaultRetryDelay   = 5 * time.Second
)

func (c *Config) setDefaults() {
	c.Threads = cmp.Or(c.Threads, defaultThreads)
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.RetryDelay = cmp.Or(c.RetryDelay, defaultRetryDelay)
	if c.MaxReconsume <= 0 {
		c.MaxReconsume = defaultMaxReconsume
	}
	if c.Emit == nil {
		c.Emit = func(event.Entry) {}
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
}

// Stats are totals, of messages except for Panics, and the present state of the threads.
type Stats struct {
	Consumed       uint64 // acknowledged by the listener
	Failed         uint64 // refused by it, or with a body that can not be read
	SentBack       uint64
	SendBackFailed uint64
	TimedOut       uint64 // swept while their listener was still at it
	Dropped        uint64 // given up, when Broadcasting
	Panics         uint64 // calls that panicked or ended their goroutine
	Threads        snapshot.Threads
}
