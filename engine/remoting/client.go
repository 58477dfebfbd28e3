package remoting

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"mqscope/engine/lifecycle"
)

// Client calls servers by address, over one connection each. Its methods never wait, but
// for Run and Call. Java: NettyRemotingClient.
type Client struct {
	cfg   ClientConfig
	pool  pool
	count counters
	posts posts
	inbox inbox

	waiters sync.Pool // of *waiter

	mu     sync.Mutex
	group  *lifecycle.Group
	ctx    context.Context //nolint:containedctx // of the group; ends all addresses
	closed bool
	addrs  map[string]*address

	randMu sync.Mutex
}

// NewClient makes a client that connects once Run runs; calls made before wait for that.
func NewClient(cfg ClientConfig) *Client {
	c := &Client{cfg: cfg.withDefaults(), addrs: map[string]*address{}}
	c.posts.wake = make(chan struct{}, 1)
	return c
}

// Run owns all goroutines of the client. It returns when ctx has ended, all calls have been
// told so and all goroutines have ended; an error is a bug in this program. It may be called
// once.
func (c *Client) Run(ctx context.Context) error {
	g, gctx := lifecycle.NewGroup(ctx)
	c.mu.Lock()
	if c.group != nil {
		c.mu.Unlock()
		return errors.New("remoting: a client runs once")
	}
	c.group, c.ctx = g, gctx
	g.Go("remoting client", func(ctx context.Context) error {
		defer c.close() // while this goroutine counts, others may be added to the group
		return c.posts.run(ctx)
	})
	for _, a := range c.addrs {
		c.launch(a)
	}
	c.mu.Unlock()
	err := g.Wait()
	c.posts.finish()
	return err
}

// close makes the end known; what is queued from then on fails at once.
func (c *Client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// launch starts an address's goroutine; mu is held.
func (c *Client) launch(a *address) {
	ctx, cancel := context.WithCancel(c.ctx)
	a.cancel = cancel
	c.group.Go("connection to "+a.addr, func(context.Context) error {
		defer cancel()
		return a.run(ctx)
	})
}

// address returns the one for addr, made if need be.
func (c *Client) address(addr string) (*address, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	a := c.addrs[addr]
	if a == nil {
		a = newAddress(c, addr)
		c.addrs[addr] = a
		if c.group != nil {
			c.launch(a)
		}
	}
	return a, nil
}

// with hands f the link of addr. One that has just ended for idleness, or because nobody
// wanted the address, is replaced: the request is what makes it wanted again.
func (c *Client) with(addr string, f func(*link) error) error {
	for {
		a, err := c.address(addr)
		if err != nil {
			return err
		}
		l, err := a.ask()
		if err == nil {
			err = f(l)
		}
		if !errors.Is(err, errGone) && !errors.Is(err, errIdle) {
			return err
		}
		c.drop(a)
	}
}

// call queues req at addr.
func (c *Client) call(addr string, req *Command, timeout time.Duration, done func(Answer)) (on *link, opaque int32, err error) {
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	if req, done, err = Hooked(c.cfg.Hooks, c.cfg.Log, addr, req, done); err != nil {
		return nil, 0, err
	}
	err = c.with(addr, func(l *link) (err error) {
		on = l
		opaque, err = l.call(req, timeout, done)
		return err
	})
	return on, opaque, err
}

// Go sends req to addr and calls done with the end of it, exactly once, on a goroutine of
// the client; done must not block. Without a connection the request waits for the first dial
// within its time, and fails at once with ErrUnreachable after a failed one. req may be used
// again when Go returns. A timeout that is not above zero means 3 s.
func (c *Client) Go(addr string, req *Command, timeout time.Duration, done func(Answer)) {
	if _, _, err := c.call(addr, req, timeout, done); err != nil {
		c.posts.add(done, Answer{Err: err})
	}
}

// OneWay sends req to addr, and no answer is expected. Nil means that it is queued: it is
// lost without a word if the connection is.
func (c *Client) OneWay(addr string, req *Command) error {
	req, _, err := Hooked(c.cfg.Hooks, c.cfg.Log, addr, req, nil)
	if err != nil {
		return err
	}
	return c.with(addr, func(l *link) error { return l.oneWay(req) })
}

// Call sends req to addr and waits for the answer, until ctx ends or, if ctx has no
// deadline, for 3 s. The Body of the answer is the caller's. A response with any code is an
// answer, not an error.
func (c *Client) Call(ctx context.Context, addr string, req *Command) (*Command, error) {
	return wait(ctx, c.cfg.Clock, &c.waiters, addr, func(timeout time.Duration, done func(Answer)) (*link, int32, error) {
		return c.call(addr, req, timeout, done)
	})
}

// Forget closes the connection to addr and stops dialling it. Calls in flight end with
// ErrClosed; a later request starts afresh.
func (c *Client) Forget(addr string) {
	c.mu.Lock()
	a := c.addrs[addr]
	delete(c.addrs, addr)
	var cancel context.CancelFunc
	if a != nil {
		cancel = a.cancel
	}
	c.mu.Unlock()
	if a == nil {
		return
	}
	if cancel != nil {
		cancel()
		return
	}
	a.discard(&c.posts)
}

// drop takes a out of the map if it is still there, its goroutine being about to end; it
// reports whether another has taken a's place.
func (c *Client) drop(a *address) (replaced bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.addrs[a.addr] == a {
		delete(c.addrs, a.addr)
	}
	return c.addrs[a.addr] != nil
}

// States returns the state of each address that is connected, being dialled or waiting to
// be, sorted.
func (c *Client) States() []AddrState {
	c.mu.Lock()
	all := make([]*address, 0, len(c.addrs))
	for _, a := range c.addrs {
		all = append(all, a)
	}
	c.mu.Unlock()
	states := make([]AddrState, len(all))
	for i, a := range all {
		states[i] = a.snapshot()
	}
	slices.SortFunc(states, func(x, y AddrState) int { return strings.Compare(x.Addr, y.Addr) })
	return states
}

// Stats returns the counts since the start.
func (c *Client) Stats() Stats { return c.count.read() }
