package consume

import (
	"cmp"
	"context"
	"math"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// OrderlyStatus is the answer of a listener that consumes in order
// (Java: ConsumeOrderlyStatus).
type OrderlyStatus uint8

const (
	// SuspendCurrentQueueAMoment has the batch consumed again after the suspension; nothing
	// else of its queue is handed over before. No answer, a panic or a body that can not be
	// read mean the same.
	SuspendCurrentQueueAMoment OrderlyStatus = iota
	// OrderlySuccess is SUCCESS: the batch is done and, with AutoCommit, committed.
	OrderlySuccess
	// Commit commits the batch and all that succeeded since the last commit. It is for
	// listeners that switch AutoCommit off; with it on it means success.
	Commit
	// Rollback has all that was not committed consumed again after the suspension. With
	// AutoCommit on it means success, as in Java: the batch is committed.
	Rollback
)

// String returns Java's name.
func (s OrderlyStatus) String() string {
	return [...]string{"SUSPEND_CURRENT_QUEUE_A_MOMENT", "SUCCESS", "COMMIT", "ROLLBACK"}[min(s, Rollback)]
}

// OrderlyContext is what a listener may read and set for its batch; it is the listener's
// until it returns (Java: ConsumeOrderlyContext).
type OrderlyContext struct {
	Queue mq.MessageQueue
	// AutoCommit commits each batch that succeeds; on by default. Off, only Commit commits.
	AutoCommit bool
	// Suspend is how long the queue pauses after a failure or a rollback: 10 ms to 30 s, what
	// lies outside is taken for the nearer end. Zero stands for the configured time.
	Suspend time.Duration
	// Times is how often each message was consumed before without success: as its broker
	// counted, and by this owner of the queue.
	Times []int32
}

// OrderlyListener consumes a batch. Of one queue there is one call at a time, lowest offset
// first; calls of different queues come from many threads. msgs and the bodies in them are
// valid until it returns; Clone a message to keep it. ctx ends when the consumer shuts down
// and its patience is over.
type OrderlyListener func(ctx context.Context, msgs []mq.Message, c *OrderlyContext) OrderlyStatus

// OrderlyConfig is how messages are consumed in order; zero values stand for
// DefaultMQPushConsumer's.
type OrderlyConfig struct {
	Group   string
	Threads int // consumeThreadMin, default 20
	Batch   int // consumeMessageBatchMaxSize, default 1
	// MaxReconsume is how often a message may fail before the dead-letter topic takes it;
	// 0 and -1 stand for no limit: it blocks its queue until it succeeds.
	MaxReconsume int32
	// Suspend is suspendCurrentQueueTimeMillis, default 1 s.
	Suspend time.Duration
	// Continuous is how long a queue may keep a thread before others get their turn, default
	// 60 s (Java: MAX_TIME_CONSUME_CONTINUOUSLY).
	Continuous time.Duration
	// LockExpiry is how old the broker's lock may be when messages are handed over; default
	// processqueue.LockExpiry.
	LockExpiry time.Duration
	// Timeout is after how long a call that does not return is told; default 15 min.
	Timeout time.Duration
	// ManualCommit switches AutoCommit off in the contexts that listeners get.
	ManualCommit bool
	Model        mq.MessageModel // no lock is needed when Broadcasting
	Listener     OrderlyListener
	// SendBack takes what failed too often, with delay level -1. It is not used without a limit.
	SendBack SendBacker
	// Emit tells what is worth telling; it must not block.
	Emit  func(event.Entry)
	Clock clock.Clock // default clock.System
	// Decisions is told what is decided, nil for nobody.
	Decisions *decision.Recorder
}

// Limits of one suspension (Java: submitConsumeRequestLater).
const (
	shortestSuspend = 10 * time.Millisecond
	longestSuspend  = 30 * time.Second

	defaultSuspend    = time.Second
	defaultContinuous = time.Minute
)

func (c *OrderlyConfig) setDefaults() {
	c.Threads = cmp.Or(c.Threads, defaultThreads)
	c.Batch = cmp.Or(c.Batch, defaultBatch)
	c.Suspend = cmp.Or(c.Suspend, defaultSuspend)
	c.Continuous = cmp.Or(c.Continuous, defaultContinuous)
	c.LockExpiry = cmp.Or(c.LockExpiry, processqueue.LockExpiry)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	if c.MaxReconsume <= 0 || c.SendBack == nil {
		c.MaxReconsume = math.MaxInt32
	}
	if c.Emit == nil {
		c.Emit = func(event.Entry) {}
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
}

// suspension is how long a queue pauses when its listener asked for d.
func (c *OrderlyConfig) suspension(d time.Duration) time.Duration {
	if d <= 0 {
		d = c.Suspend
	}
	return min(max(d, shortestSuspend), longestSuspend)
}
