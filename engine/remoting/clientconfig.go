package remoting

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"mqscope/engine/clock"
)

// defaultTimeout is how long a call without a time of its own may take.
const defaultTimeout = 3 * time.Second

// ClientConfig says how a Client connects. A field's zero means its default.
type ClientConfig struct {
	// Dial connects to an address; default a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Clock drives deadlines, backoff and idle times; default clock.System.
	Clock clock.Clock
	// Rand is the source of the backoff's jitter; default one with a random seed. The
	// Client guards it, so nothing else may use it.
	Rand *rand.Rand
	// Limits bound frames and what may wait.
	Limits Limits
	// Log gets connections that come and go; default none.
	Log *slog.Logger
	// Language and Version are put on each request; default Go, also for Java (0), and 475
	// (V5_3_1), the newest that servers never send GO_AWAY to.
	Language Language
	Version  int32
	// ConnectTimeout bounds one dial. Default 3 s, as NettyClientConfig.
	ConnectTimeout time.Duration
	// BackoffBase doubles after each try without a frame from the other side, up to
	// BackoffMax, each varied by up to a fifth. Defaults 50 ms and 750 ms.
	BackoffBase, BackoffMax time.Duration
	// IdleAfter is how long a connection without calls may be silent. Default 120 s, as
	// NettyClientConfig.clientChannelMaxIdleTimeSeconds.
	IdleAfter time.Duration
	// DeadAfter is how long nothing may have come, while calls expired, until the connection
	// is taken for half open and replaced. Default 10 s.
	DeadAfter time.Duration
	// WantedFor is how long after the last request an address is still dialled again.
	// Default 2 minutes.
	WantedFor time.Duration
	// Hooks see requests and answers, in their order.
	Hooks []RPCHook
	// OnRequest answers requests of the other side, several at a time, off the reader. A nil
	// result is no answer. A panic is answered with code 1. Default: code 3 for everything.
	OnRequest func(ctx context.Context, addr string, req *Command) *Command
	// OnState hears of each change of an address's state; it must not block.
	OnState func(AddrState)
}

// WithDefaults returns c completed, for whoever stands in for a Client.
func (c ClientConfig) WithDefaults() ClientConfig { return c.withDefaults() }

func (c ClientConfig) withDefaults() ClientConfig {
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Language == Java {
		c.Language = Go
	}
	if c.Version == 0 {
		c.Version = 475
	}
	set := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&c.ConnectTimeout, 3*time.Second)
	set(&c.BackoffBase, 50*time.Millisecond)
	set(&c.BackoffMax, 750*time.Millisecond)
	set(&c.IdleAfter, 120*time.Second)
	set(&c.DeadAfter, 10*time.Second)
	set(&c.WantedFor, 2*time.Minute)
	c.Limits = c.Limits.withDefaults()
	return c
}

// AddrState is what is known of one address.
type AddrState struct {
	Addr string
	// Up: there is a connection.
	Up bool
	// Err is why there is none, nil while it is first being made or was closed for idleness.
	Err error
	// RetryAt is when the next dial is due; zero when none is planned or one is under way.
	RetryAt time.Time
	// Since is when the address came into this state.
	Since time.Time
	// InFlight is the number of calls without an answer, OldestCall the age of the first.
	InFlight   int
	OldestCall time.Duration
}
