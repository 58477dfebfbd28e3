package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"

	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
)

// Subscription is one topic and the expression that selects its messages.
type Subscription struct {
	Topic      string
	Expression string // "*" or empty for all, else tags joined by "||"; or SQL92
	Type       string // protocol.ExpressionTAG, which is the default, or ExpressionSQL92
}

// Selector is what of the topic is wanted.
func (s Subscription) Selector() Selector { return Selector{Expression: s.Expression, Type: s.Type} }

// data is the subscription as brokers are told of it.
func (s Subscription) data(version int64) (protocol.SubscriptionData, error) {
	return s.Selector().of(s.Topic, version)
}

// Config is how a push consumer behaves. A field's zero means the default, which is that of
// DefaultMQPushConsumer unless said.
type Config struct {
	Group string
	// Namespace is put before the names of the group and of all topics, as in
	// "namespace%topic", wherever it is not there yet; messages show their topic without it
	// (Java: ClientConfig.namespace). Empty: none.
	Namespace     string
	ClientID      string // of the instance it runs on; to find itself in member lists
	Subscriptions []Subscription
	Model         mq.MessageModel
	From          mq.ConsumeFromWhere
	Timestamp     time.Time          // for FromTimestamp; default 30 minutes before the start
	Strategy      rebalance.Strategy `pack:"-"`
	// BrokerRebalance has brokers divide the queues where they can (Java:
	// clientRebalance=false); see rebalance.Config.BrokerSide.
	BrokerRebalance bool
	// OffsetsDir is where a broadcasting consumer keeps its offsets, in the layout of the Java
	// client: OffsetsDir/clientID/group/offsets.json. It has no default.
	OffsetsDir string

	Pull     pull.Config
	Threads  int              // consumeThreadMin, 1 to 1000, default 20
	Batch    int              // consumeMessageBatchMaxSize, 1 to 1024, default 1
	Timeout  time.Duration    // consumeTimeout, default 15 min
	Listener consume.Listener `pack:"-"`
	// ConsumeHooks are told of each call of the listener, before and after it.
	ConsumeHooks []ConsumeHook `pack:"-"`
	// FilterHooks take messages out of what a pull brings. They are called on the goroutine that
	// reads the broker's connection: they must not wait for anything.
	FilterHooks []FilterHook `pack:"-"`
	// UnitMode is told to brokers and to filter hooks.
	UnitMode bool
	// MaxReconsume is how often a message may come back before the dead-letter topic takes
	// it; default 16. With Orderly the default is no limit: a message that fails holds up its
	// queue until it succeeds.
	MaxReconsume int

	// Orderly has the messages of each queue consumed one batch after the other, by
	// OrderlyListener in place of Listener. When Clustering a queue needs the broker's lock.
	Orderly         bool
	OrderlyListener consume.OrderlyListener `pack:"-"`
	// ManualCommit begins each call of OrderlyListener with AutoCommit off.
	ManualCommit bool
	// SuspendTime is how long a queue pauses after a failed batch, 10 ms to 30 s, default 1 s:
	// suspendCurrentQueueTimeMillis.
	SuspendTime time.Duration
	// LockInterval is how often locks are renewed, default 20 s, LockLifetime how long brokers
	// keep them, default 60 s and at least three times as long. Half of it we trust them.
	LockInterval, LockLifetime time.Duration

	// PersistInterval is how often offsets are sent to the brokers; default 5 s.
	PersistInterval time.Duration
	// DispatchDelay is the wait before the first pull of a new queue; default 500 ms, none
	// with Orderly.
	DispatchDelay time.Duration
	// Drain is how long an ending consumer waits for running listeners; default 3 s. (Java's
	// awaitTerminationMillisWhenShutdown is 0: it interrupts them and loses their results.)
	Drain time.Duration
	// SnapshotInterval is the shortest time between two snapshots; default 100 ms.
	SnapshotInterval time.Duration

	// AllowBrokerRequests is what brokers may have this consumer do.
	AllowBrokerRequests AllowBrokerRequests
	// UserInfo is shown by tools beside what they know of every consumer (Java:
	// ConsumerRunningInfo.userConsumerInfo).
	UserInfo map[string]string `pack:"-"`

	Clock clock.Clock  `pack:"-"`
	Log   *slog.Logger `pack:"-"`
}

// Ranges that DefaultMQPushConsumerImpl.checkConfig enforces.
const (
	maxThreads       = 1000
	maxSpan          = 65535
	maxCountPerQueue = 65535
	maxMiBPerQueue   = 1024
	maxCountPerTopic = 6553500
	maxMiBPerTopic   = 102400
	maxPullInterval  = 65535 * time.Millisecond
	maxBatch         = 1024
	minSuspend       = 10 * time.Millisecond
	maxSuspend       = 30 * time.Second
)

// rebalanceConfig is the part of c that decides who owns what.
func (c *Config) rebalanceConfig() rebalance.Config {
	return rebalance.Config{
		Group: c.Group, ClientID: c.ClientID, Strategy: c.Strategy, BrokerSide: c.BrokerRebalance, Model: c.Model, From: c.From,
		Timestamp: c.Timestamp, DispatchDelay: c.DispatchDelay,
		Orderly: c.Orderly, LockInterval: c.LockInterval, LockLifetime: c.LockLifetime,
	}
}

func (c *Config) setDefaults() {
	if c.Threads == 0 {
		c.Threads = 20
	}
	if c.Batch == 0 {
		c.Batch = 1
	}
	if c.Timeout == 0 {
		c.Timeout = 15 * time.Minute
	}
	switch {
	case c.MaxReconsume == 0 && c.Orderly:
		c.MaxReconsume = -1
	case c.MaxReconsume == 0:
		c.MaxReconsume = 16
	}
	if c.PersistInterval == 0 {
		c.PersistInterval = 5 * time.Second
	}
	if c.Drain == 0 {
		c.Drain = 3 * time.Second
	}
	if c.SnapshotInterval == 0 {
		c.SnapshotInterval = 100 * time.Millisecond
	}
	if c.Strategy == nil {
		c.Strategy = rebalance.Averagely{}
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Pull = c.Pull.WithDefaults()
	if c.From == mq.FromTimestamp && c.Timestamp.IsZero() {
		c.Timestamp = c.Clock.Now().Add(-30 * time.Minute)
	}
}

// InNamespace returns c with the names of group and topics as brokers know them; it changes
// nothing when they are so already.
func (c Config) InNamespace() Config {
	c.Group = mq.WithNamespace(c.Namespace, c.Group)
	c.Subscriptions = slices.Clone(c.Subscriptions)
	for i := range c.Subscriptions {
		c.Subscriptions[i].Topic = mq.WithNamespace(c.Namespace, c.Subscriptions[i].Topic)
	}
	return c
}

// Validate reports all faults at once, each with field, value and what is allowed
// (Java: DefaultMQPushConsumerImpl.checkConfig, which stops at the first).
func (c *Config) Validate() error {
	errs := []error{mq.ValidateGroup(c.Group)}
	if !utf8.ValidString(c.ClientID) {
		errs = append(errs, fmt.Errorf("client id %q is not UTF-8: member lists would bring back another one", c.ClientID))
	}
	if len(c.Subscriptions) == 0 {
		errs = append(errs, errors.New("no subscription: name at least one topic"))
	}
	seen := map[string]bool{}
	for _, s := range c.Subscriptions {
		if err := mq.ValidateTopic(s.Topic); err != nil {
			errs = append(errs, err)
			continue
		}
		if seen[s.Topic] {
			errs = append(errs, fmt.Errorf("topic %q is subscribed twice: join its tags with ||", s.Topic))
		}
		seen[s.Topic] = true
		if _, err := s.data(0); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, c.validateModel()...)
	switch {
	case c.Orderly && c.OrderlyListener == nil:
		errs = append(errs, errors.New("no OrderlyListener: there is nobody to give messages to"))
	case c.Orderly && c.Listener != nil:
		errs = append(errs, errors.New("both Listener and Orderly are set: in order it is OrderlyListener that is called"))
	case !c.Orderly && c.OrderlyListener != nil:
		errs = append(errs, errors.New("an OrderlyListener is set without Orderly: nobody would call it"))
	case !c.Orderly && c.Listener == nil:
		errs = append(errs, errors.New("no listener: there is nobody to give messages to"))
	}
	if err := c.rebalanceConfig().Validate(); err != nil {
		errs = append(errs, err)
	}
	if c.SuspendTime != 0 && (c.SuspendTime < minSuspend || c.SuspendTime > maxSuspend) {
		errs = append(errs, fmt.Errorf("SuspendTime is %v: %v to %v is allowed", c.SuspendTime, minSuspend, maxSuspend))
	}
	span := func(name string, v, low, high int) {
		if v != 0 && (v < low || v > high) {
			errs = append(errs, fmt.Errorf("%s is %d: %d to %d is allowed", name, v, low, high))
		}
	}
	span("Threads", c.Threads, 1, maxThreads)
	span("Batch", c.Batch, 1, maxBatch)
	span("Pull.Batch", c.Pull.Batch, 1, maxBatch)
	errs = append(errs, validateLimits(c.Pull.Limits))
	span("MaxReconsume", c.MaxReconsume, -1, 1<<31-1)
	if c.Pull.Interval < 0 || c.Pull.Interval > maxPullInterval {
		errs = append(errs, fmt.Errorf("Pull.Interval is %v: 0 to %v is allowed", c.Pull.Interval, maxPullInterval))
	}
	for _, d := range []struct {
		name string
		v    time.Duration
	}{
		{"Timeout", c.Timeout}, {"PersistInterval", c.PersistInterval},
		{"DispatchDelay", c.DispatchDelay}, {"Drain", c.Drain}, {"SnapshotInterval", c.SnapshotInterval},
	} {
		if d.v < 0 {
			errs = append(errs, fmt.Errorf("%s is %v: it can not be negative", d.name, d.v))
		}
	}
	return errors.Join(errs...)
}

// validateModel checks the message model and where the group starts.
func (c *Config) validateModel() (errs []error) {
	switch {
	case c.Model > mq.Broadcasting:
		errs = append(errs, fmt.Errorf("model %v is not allowed: CLUSTERING or BROADCASTING is", c.Model))
	case c.Model == mq.Broadcasting && c.OffsetsDir == "":
		errs = append(errs, errors.New("OffsetsDir is empty: a broadcasting consumer needs a folder for its offsets"))
	}
	if c.From > mq.FromMaxOffset {
		errs = append(errs, fmt.Errorf("can not start from %v: the first offset, the last one or a timestamp is allowed", c.From))
	}
	return errs
}
