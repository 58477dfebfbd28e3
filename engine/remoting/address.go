package remoting

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// errGone: the address has ended and must be looked up again.
var errGone = errors.New("remoting: address has ended")

// address is one address from the first request for it until it is forgotten, idle or no
// longer wanted. Its goroutine goes connecting → up → (lost) backoff → connecting … and ends
// after an idle connection, or when nobody has asked for the address for a while.
type address struct {
	client *Client
	addr   string
	cancel context.CancelFunc // guarded by the client's mutex; nil until launched

	mu      sync.Mutex
	link    *link // takes requests: while first connecting and while up
	up      bool
	gone    bool
	asked   time.Time // last
	since   time.Time
	err     error // why it is not up
	retryAt time.Time
}

func newAddress(c *Client, addr string) *address {
	now := c.cfg.Clock.Now()
	a := &address{client: c, addr: addr, asked: now, since: now}
	a.link = a.newLink()
	return a
}

func (a *address) newLink() *link {
	cfg := &a.client.cfg
	l := &link{
		addr: a.addr, clock: cfg.Clock, limits: &cfg.Limits, pool: &a.client.pool, count: &a.client.count,
		idle: cfg.IdleAfter, dead: cfg.DeadAfter, language: cfg.Language, version: cfg.Version,
	}
	l.onRequest = func(_ context.Context, cmd *Command, buf *Buffer) { a.client.incoming(l, cmd, buf) }
	return l.start()
}

// ask returns the link for one more request.
func (a *address) ask() (*link, error) {
	now := a.client.cfg.Clock.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone {
		return nil, errGone
	}
	a.asked = now
	if a.link == nil {
		return nil, &UnreachableError{Addr: a.addr, RetryAt: a.retryAt, Err: a.err}
	}
	return a.link, nil
}

// run is the address's goroutine.
func (a *address) run(ctx context.Context) error {
	a.mu.Lock()
	l := a.link
	a.mu.Unlock()
	for tries := 0; ; tries++ {
		err := l.run(ctx, func(ctx context.Context) (net.Conn, error) { return a.connect(ctx, l) })
		if p := (*lifecycle.PanicError)(nil); errors.As(err, &p) {
			a.leave(err)
			return err
		}
		if ctx.Err() != nil || errors.Is(err, ErrClosed) || errors.Is(err, errIdle) {
			a.leave(nil)
			return nil
		}
		if l.heard() {
			tries = 0
		}
		wait := a.client.backoff(tries)
		a.lost(cause(err), wait)
		if clock.Sleep(ctx, a.client.cfg.Clock, wait) != nil {
			a.leave(nil)
			return nil
		}
		if a.unwanted() {
			return nil
		}
		l = a.newLink()
	}
}

// cause is what is behind a LostError or UnreachableError.
func cause(err error) error {
	if e, ok := errors.AsType[*LostError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*UnreachableError](err); ok {
		return e.Err
	}
	return err
}

// connect dials for l and makes it the one that takes requests.
func (a *address) connect(ctx context.Context, l *link) (net.Conn, error) {
	cfg := &a.client.cfg
	a.mu.Lock()
	a.retryAt = time.Time{} // it is under way
	a.mu.Unlock()
	dctx, cancel := context.WithTimeoutCause(ctx, cfg.ConnectTimeout, errConnectTimeout)
	defer cancel()
	conn, err := cfg.Dial(dctx, "tcp", a.addr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ErrClosed
		}
		if dctx.Err() != nil {
			err = errors.Join(context.Cause(dctx), err)
		}
		return nil, &UnreachableError{Addr: a.addr, Err: err}
	}
	now := cfg.Clock.Now()
	a.mu.Lock()
	a.link, a.up, a.err, a.since = l, true, nil, now
	a.mu.Unlock()
	cfg.Log.Info("connected", "addr", a.addr)
	a.tell()
	return conn, nil
}

// errConnectTimeout is why a dial was given up.
var errConnectTimeout = errors.New("no connection in time: host down, or packets dropped by a firewall?")

// lost notes that there is no connection and when the next dial is due.
func (a *address) lost(err error, wait time.Duration) {
	cfg := &a.client.cfg
	now := cfg.Clock.Now()
	a.mu.Lock()
	if a.up || a.err == nil {
		a.since = now
	}
	a.link, a.up, a.err, a.retryAt = nil, false, err, now.Add(wait)
	a.mu.Unlock()
	cfg.Log.Warn("not connected", "addr", a.addr, "retry_in", wait, "err", err)
	a.tell()
}

// unwanted ends the address if nobody has asked for it lately.
func (a *address) unwanted() bool {
	now := a.client.cfg.Clock.Now()
	a.mu.Lock()
	old := now.Sub(a.asked) >= a.client.cfg.WantedFor
	err := a.err
	a.mu.Unlock()
	if old {
		a.leave(err)
	}
	return old
}

// leave ends the address; whoever asks next finds a new one.
func (a *address) leave(err error) {
	now := a.client.cfg.Clock.Now()
	replaced := a.client.drop(a)
	a.mu.Lock()
	a.link, a.up, a.gone, a.err, a.since, a.retryAt = nil, false, true, err, now, time.Time{}
	a.mu.Unlock()
	a.client.cfg.Log.Info("connection given up", "addr", a.addr)
	if !replaced {
		a.tell()
	}
}

// discard ends an address that was never launched.
func (a *address) discard(p *posts) {
	a.mu.Lock()
	l := a.link
	a.link, a.gone = nil, true
	a.mu.Unlock()
	if l == nil {
		return
	}
	open, _ := l.finish(ErrClosed)
	for _, s := range open {
		p.add(s.done, Answer{Err: ErrClosed})
	}
}

func (a *address) tell() {
	if f := a.client.cfg.OnState; f != nil {
		f(a.snapshot())
	}
}

func (a *address) snapshot() AddrState {
	a.mu.Lock()
	s := AddrState{Addr: a.addr, Up: a.up, Err: a.err, RetryAt: a.retryAt, Since: a.since}
	l := a.link
	a.mu.Unlock()
	if l != nil {
		s.InFlight, s.OldestCall = l.inFlight()
	}
	return s
}

// backoff is how long to wait after so many tries that brought nothing: doubling from the
// base to the maximum, varied by up to a fifth so that clients do not come back in step.
func (c *Client) backoff(tries int) time.Duration {
	d := c.cfg.BackoffMax
	if tries < 20 {
		d = min(c.cfg.BackoffBase<<tries, d)
	}
	c.randMu.Lock()
	defer c.randMu.Unlock()
	return time.Duration(float64(d) * (0.8 + 0.4*c.cfg.Rand.Float64()))
}
