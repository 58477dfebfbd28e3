package rebalance

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mqscope/engine/mq"
)

// Config is what a pass needs to know; zero durations stand for RebalanceService's values.
type Config struct {
	Group, ClientID string
	Strategy        Strategy `pack:"-"` // default Averagely
	Model           mq.MessageModel
	From            mq.ConsumeFromWhere
	Timestamp       time.Time // for FromTimestamp
	Topics          []string  // subscribed, the retry topic included

	// BrokerSide lets brokers allot the queues where they can: Java's clientRebalance=false.
	// With Orderly and with Broadcasting it is without effect, as in Java. Strategy is then
	// what brokers are told to use, and what is used where they can not allot: brokers know
	// AVG and AVG_BY_CIRCLE.
	BrokerSide bool

	Interval      time.Duration // between passes, default 20 s
	MinInterval   time.Duration // between the starts of two passes, default 1 s
	DispatchDelay time.Duration // before the first pull of a new queue, default 500 ms, none when Orderly; negative: none
	PullIdle      time.Duration // without a pull attempt a queue is dropped, default 120 s
	// MissingConfirmations is how many member lists in a row, with others but without us,
	// it takes to give our queues up; a broker that was restarted forgets its members for a
	// moment. Default 2; an empty list or an error never takes queues away.
	MissingConfirmations int

	// Orderly makes each queue need the lock of its broker, when Clustering.
	Orderly bool
	// LockInterval is how often locks are renewed, default 20 s (Java:
	// ProcessQueue.REBALANCE_LOCK_INTERVAL). LockLifetime is how long brokers keep a lock that
	// is not renewed, default 60 s (the broker's rocketmq.broker.rebalance.lockMaxLiveTime):
	// at least three times the interval.
	LockInterval, LockLifetime time.Duration
}

// LockTrust is how old a lock may be for messages to be handed over, half of its lifetime
// (Java: ProcessQueue.REBALANCE_LOCK_MAX_LIVE_TIME, 30 s).
func (c Config) LockTrust() time.Duration { return positive(c.LockLifetime, lockLifetime) / 2 }

const (
	lockInterval = 20 * time.Second
	lockLifetime = 60 * time.Second
)

// Validate tells what makes a Config unusable, all of it.
func (c Config) Validate() error {
	var errs []error
	if c.asksBrokers() && c.Strategy != nil && !brokersKnow(c.Strategy.Name()) {
		errs = append(errs, fmt.Errorf("brokers are to allot queues and the strategy is %s: they know AVG and AVG_BY_CIRCLE only; take one of these, or let members allot", c.Strategy.Name()))
	}
	for _, d := range []struct {
		name string
		v    time.Duration
	}{{"LockInterval", c.LockInterval}, {"LockLifetime", c.LockLifetime}} {
		if d.v < 0 {
			errs = append(errs, fmt.Errorf("%s is %v: it can not be negative", d.name, d.v))
		}
	}
	interval, lifetime := positive(c.LockInterval, lockInterval), positive(c.LockLifetime, lockLifetime)
	if lifetime < 3*interval {
		errs = append(errs, fmt.Errorf("LockLifetime is %v and LockInterval %v: locks would expire before they are renewed; "+
			"the lifetime must be at least three times the interval", lifetime, interval))
	}
	return errors.Join(errs...)
}

func (c Config) withDefaults() Config {
	if c.Strategy == nil {
		c.Strategy = Averagely{}
	}
	if c.MissingConfirmations <= 0 {
		c.MissingConfirmations = 2
	}
	if c.DispatchDelay == 0 && !c.Orderly {
		c.DispatchDelay = 500 * time.Millisecond
	}
	c.DispatchDelay = max(0, c.DispatchDelay)
	c.Interval = positive(c.Interval, 20*time.Second)
	c.MinInterval = positive(c.MinInterval, time.Second)
	c.PullIdle = positive(c.PullIdle, 120*time.Second)
	c.LockInterval = positive(c.LockInterval, lockInterval)
	c.LockLifetime = positive(c.LockLifetime, lockLifetime)
	c.Topics = slices.Clone(c.Topics)
	slices.SortFunc(c.Topics, mq.CompareJava)
	c.Topics = slices.Compact(c.Topics)
	return c
}

func positive(d, standard time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return standard
}
