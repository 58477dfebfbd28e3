package pull

import "time"

// Config is how pulls are made; zero and negative values stand for the defaults of DefaultMQPushConsumer
// and DefaultMQPushConsumerImpl.
type Config struct {
	Limits     Limits
	Batch      int           // pullBatchSize, default 32
	BatchBytes int           // pullBatchSizeInBytes, default 262144
	Interval   time.Duration // pullInterval, default 0
	Hold       time.Duration // how long the broker may hold a pull, default 15 s
	Timeout    time.Duration // of the call, default 30 s
	// ExceptionDelay is the wait after an answer that is an error or brings no progress:
	// pullTimeDelayMillsWhenException, default 1 s.
	ExceptionDelay time.Duration
	FlowDelay      time.Duration // after local flow control, default 50 ms
	PausedDelay    time.Duration // while consumption is paused, default 1 s
	// BrokerFlowDelay is the wait after the broker's first FLOW_CONTROL (215), default 20 ms;
	// further ones in a row wait ExceptionDelay.
	BrokerFlowDelay time.Duration
}

// WithDefaults is c with what is not set replaced by its default.
func (c Config) WithDefaults() Config {
	c.Limits = c.Limits.WithDefaults()
	c.Batch = orDefault(c.Batch, 32)
	c.BatchBytes = orDefault(c.BatchBytes, 256<<10)
	c.Interval = max(0, c.Interval)
	c.Hold = orDefault(c.Hold, 15*time.Second)
	c.Timeout = orDefault(c.Timeout, 30*time.Second)
	c.ExceptionDelay = orDefault(c.ExceptionDelay, time.Second)
	c.FlowDelay = orDefault(c.FlowDelay, 50*time.Millisecond)
	c.PausedDelay = orDefault(c.PausedDelay, time.Second)
	c.BrokerFlowDelay = orDefault(c.BrokerFlowDelay, 20*time.Millisecond)
	return c
}
