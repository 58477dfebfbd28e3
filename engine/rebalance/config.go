package rebalance

import (
	"slices"
	"time"

	"mqscope/engine/mq"
)

// Config is what a pass needs to know; zero durations stand for RebalanceService's values.
type Config struct {
	Group, ClientID string
	Strategy        Strategy // default Averagely
	Model           mq.MessageModel
	From            mq.ConsumeFromWhere
	Timestamp       time.Time // for FromTimestamp
	Topics          []string  // subscribed, the retry topic included

	Interval      time.Duration // between passes, default 20 s
	MinInterval   time.Duration // between the starts of two passes, default 1 s
	DispatchDelay time.Duration // before the first pull of a new queue, default 500 ms; negative: none
	PullIdle      time.Duration // without a pull attempt a queue is dropped, default 120 s
	// MissingConfirmations is how many member lists in a row, with others but without us,
	// it takes to give our queues up; a broker that was restarted forgets its members for a
	// moment. Default 2; an empty list or an error never takes queues away.
	MissingConfirmations int
}

func (c Config) withDefaults() Config {
	if c.Strategy == nil {
		c.Strategy = Averagely{}
	}
	if c.MissingConfirmations <= 0 {
		c.MissingConfirmations = 2
	}
	if c.DispatchDelay == 0 {
		c.DispatchDelay = 500 * time.Millisecond
	}
	c.DispatchDelay = max(0, c.DispatchDelay)
	c.Interval = positive(c.Interval, 20*time.Second)
	c.MinInterval = positive(c.MinInterval, time.Second)
	c.PullIdle = positive(c.PullIdle, 120*time.Second)
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
