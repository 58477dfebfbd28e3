package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// Me is the client id of the member that is driven, unless Config says another.
const Me = "192.0.2.10@me"

// Start is when every world begins.
func Start() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// Topic is a topic of a world.
type Topic struct {
	Name   string
	Queues int // on each broker
	// Stored is how many messages there are in each queue at the start.
	Stored int
	// Body is the size of a body in bytes, default 64.
	Body int
}

// Attempt is one message in the hands of a handler.
type Attempt struct {
	Queue  mq.MessageQueue
	Offset int64
	Topic  string // that the message shows
	Tags   string
	Times  int32 // how often it failed before
}

// Work is what a handler makes of an attempt: how long it takes, and whether it succeeds.
type Work struct {
	Takes time.Duration
	Fails bool
}

// Config is the cast and the scene. Zero fields but Topics and Group have defaults.
type Config struct {
	Seed    uint64
	Group   string
	Brokers []string // default one, broker-a
	Topics  []Topic

	// Consumer is how all members consume: its Group, ClientID, Subscriptions (all topics unless
	// given), listeners, Clock and Log are set by the world. Threads are 4 unless given.
	Consumer consumer.Config
	// Scheduled makes the members pull-task services with this callback instead.
	Scheduled consumer.PullTaskCallback
	// Handler says what becomes of each message; by default it succeeds after 1 ms.
	Handler func(a Attempt) Work

	Me     string   // client id of the member that is driven
	Others []string // client ids of those that are there from the start

	// PullBatch is how many messages a broker gives at once, default 32.
	PullBatch int
	// DelayLevels and MaxBytes are the brokers', as in embedded.Config.
	DelayLevels string
	MaxBytes    int64
	// Latency is from one side of the network to the other, default 500 µs, Jitter what chance
	// adds to it at most, default 200 µs.
	Latency, Jitter time.Duration
	// Script plays beside the members, from the start, in a turn of its own.
	Script func(w *World)
	// Limit is how long the world lasts, default 24 hours.
	Limit time.Duration
}

func (c Config) withDefaults() (Config, error) {
	var faults []error
	if c.Group == "" {
		faults = append(faults, errors.New("a world needs a consumer group"))
	}
	if len(c.Topics) == 0 {
		faults = append(faults, errors.New("a world needs a topic"))
	}
	if len(c.Brokers) == 0 {
		c.Brokers = []string{"broker-a"}
	}
	c.Me = cmp.Or(c.Me, Me)
	if slices.Contains(c.Others, c.Me) {
		faults = append(faults, fmt.Errorf("member %s is the driven one: give the others ids of their own", c.Me))
	}
	if len(c.Consumer.Subscriptions) == 0 {
		for _, t := range c.Topics {
			c.Consumer.Subscriptions = append(c.Consumer.Subscriptions, consumer.Subscription{Topic: t.Name})
		}
	}
	c.Consumer.Threads = cmp.Or(c.Consumer.Threads, 4)
	// Nobody reads snapshots that are published: they are built when they are asked for.
	c.Consumer.SnapshotInterval = time.Hour
	if c.Handler == nil {
		c.Handler = func(Attempt) Work { return Work{Takes: time.Millisecond} }
	}
	c.Latency = cmp.Or(c.Latency, 500*time.Microsecond)
	c.Jitter = cmp.Or(c.Jitter, 200*time.Microsecond)
	c.Limit = cmp.Or(c.Limit, 24*time.Hour)
	return c, errors.Join(faults...)
}

// rand is a stream of chance of its own for each concern.
func (c *Config) rand(concern string) *rand.Rand {
	return rand.New(rand.NewPCG(c.Seed, uint64(uint32(mq.HashJava(concern)))))
}
