package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
)

// MemberConfig is what consumers that are asked for messages have in common: Pull, Scheduled
// and Lite. A field's zero means the default, which is Java's unless said.
type MemberConfig struct {
	Group string
	// Namespace is put before the names of the group and of all topics, wherever it is not
	// there yet; what comes back shows names without it (Java: ClientConfig.namespace).
	Namespace string
	ClientID  string // of the instance it runs on; default that instance's
	Model     mq.MessageModel
	Strategy  rebalance.Strategy // default AVG
	// OffsetsDir is where a broadcasting consumer keeps its offsets; see Config.OffsetsDir.
	OffsetsDir string

	// Hold is how long a broker may hold a pull that waits for messages; default 20 s:
	// brokerSuspendMaxTimeMillis.
	Hold time.Duration
	// HoldTimeout is how long such a pull may take in all, at least Hold; default 30 s:
	// consumerTimeoutMillisWhenSuspend.
	HoldTimeout time.Duration

	// PersistInterval is how often offsets are sent to the brokers; default 5 s.
	PersistInterval time.Duration
	// Drain is how long an ending consumer waits for callbacks of the application; default 3 s.
	Drain time.Duration
	// SnapshotInterval is the shortest time between two snapshots; default 100 ms.
	SnapshotInterval time.Duration

	// AllowBrokerRequests is what brokers may have this consumer do; only Stacks is ever asked.
	AllowBrokerRequests AllowBrokerRequests

	Clock clock.Clock
	Log   *slog.Logger
}

func (c *MemberConfig) setDefaults() {
	for _, d := range []struct {
		v   *time.Duration
		def time.Duration
	}{
		{&c.Hold, 20 * time.Second}, {&c.HoldTimeout, 30 * time.Second},
		{&c.PersistInterval, 5 * time.Second}, {&c.Drain, 3 * time.Second},
		{&c.SnapshotInterval, 100 * time.Millisecond},
	} {
		if *d.v == 0 {
			*d.v = d.def
		}
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
}

// validate reports all faults (Java: DefaultMQPullConsumerImpl.checkConfig and
// DefaultLitePullConsumerImpl.checkConfig, which stop at the first).
func (c *MemberConfig) validate() []error {
	errs := []error{mq.ValidateGroup(c.Group)}
	switch c.Model {
	case mq.Clustering:
	case mq.Broadcasting:
		if c.OffsetsDir == "" {
			errs = append(errs, errors.New("OffsetsDir is empty: a broadcasting consumer needs a folder for its offsets"))
		}
	default:
		errs = append(errs, fmt.Errorf("model %v is not allowed: CLUSTERING or BROADCASTING is", c.Model))
	}
	errs = append(errs, notNegative([]namedDuration{
		{"Hold", c.Hold}, {"HoldTimeout", c.HoldTimeout}, {"PersistInterval", c.PersistInterval},
		{"Drain", c.Drain}, {"SnapshotInterval", c.SnapshotInterval},
	})...)
	d := *c
	d.setDefaults()
	if d.HoldTimeout < d.Hold {
		errs = append(errs, fmt.Errorf("HoldTimeout is %v and Hold is %v: a pull must be waited for at least as long as its broker may hold it", d.HoldTimeout, d.Hold))
	}
	return errs
}

type namedDuration struct {
	name string
	v    time.Duration
}

func notNegative(list []namedDuration) (errs []error) {
	for _, d := range list {
		if d.v < 0 {
			errs = append(errs, fmt.Errorf("%s is %v: it can not be negative", d.name, d.v))
		}
	}
	return errs
}

// on completes c with the instance that the consumer runs on.
func (c *MemberConfig) on(instance *client.Instance) error {
	if c.ClientID == "" {
		c.ClientID = instance.ClientID()
	}
	if c.ClientID != instance.ClientID() {
		return fmt.Errorf("ClientID is %q, the instance's is %q: the consumer would not find itself in member lists", c.ClientID, instance.ClientID())
	}
	return nil
}
