package network

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/embedded"
)

// Timeline is virtual time: a *stage.Stage is one. Functions given to After run one at a time,
// never inside After, when their time has come; those of the same time in a fixed order.
type Timeline interface {
	Now() time.Time
	// After has fn run d from now. cancel takes it back unless its time has come.
	After(d time.Duration, fn func()) (cancel func())
}

// Config describes a cluster and the network around it. Zero fields but Timeline have defaults.
type Config struct {
	Timeline Timeline
	// Cluster is the State's. Its Clock and Listen are not used. Default addresses are
	// 127.0.0.1:9876 and, for the brokers, 127.0.0.1:10911, 10931, …
	Cluster embedded.Config
	// Latency is the time from one side to the other, the same for all frames, default 1 ms.
	// Up to Jitter is added to it; what is sent later on a connection still comes later.
	Latency, Jitter time.Duration
	// Rand is the source of the jitter; default a fixed seed.
	Rand *rand.Rand
	// OnFrame sees each frame when it is sent. It must not keep Bytes and must not block.
	OnFrame func(Frame)
}

// Frame is one frame on its way.
type Frame struct {
	At, Arrives time.Time
	From, To    string // host:port
	Bytes       []byte // with the 4 bytes of length
}

const defaultLatency = time.Millisecond

func (c Config) withDefaults() (Config, error) {
	if c.Timeline == nil {
		return c, errors.New("simulated network: there is no Timeline")
	}
	if c.Latency < 0 || c.Jitter < 0 {
		return c, fmt.Errorf("simulated network: latency %v, jitter %v: neither may be below 0", c.Latency, c.Jitter)
	}
	if c.Latency == 0 {
		c.Latency = defaultLatency
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(1, 1))
	}
	e := &c.Cluster
	e.Clock = stateClock{c.Timeline}
	if e.NameServerAddr == "" {
		e.NameServerAddr = "127.0.0.1:9876"
	}
	if len(e.BrokerAddrs) == 0 {
		for i := range max(len(e.Brokers), 1) {
			e.BrokerAddrs = append(e.BrokerAddrs, fmt.Sprintf("127.0.0.1:%d", 10911+20*i))
		}
	}
	return c, nil
}

// delay is how long one frame is on its way.
func (c *Config) delay() time.Duration {
	if c.Jitter == 0 {
		return c.Latency
	}
	return c.Latency + time.Duration(c.Rand.Int64N(int64(c.Jitter)+1))
}

// stateClock tells a State the time; a State makes no timers.
type stateClock struct{ Timeline }

func (stateClock) NewTimer(time.Duration) clock.Timer {
	panic("simulated network: the state of a cluster made a timer")
}
