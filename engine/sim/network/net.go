package network

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/engine/remoting"
)

// net carries the requests of one client, as a *remoting.Client does: one connection for each
// address, dialled when it is first asked for and again when it was lost.
type net struct {
	cluster *Cluster
	cfg     remoting.ClientConfig
	tl      Timeline
	addrs   []*address // in the order of their making
	inbox   inbox
	stats   remoting.Stats
	group   *lifecycle.Group // nil until Run
	closed  bool
}

// defaultTimeout is that of calls without one.
const defaultTimeout = 3 * time.Second

func newNet(c *Cluster, cfg remoting.ClientConfig) *net {
	if cfg.Rand == nil {
		cfg.Rand = rand.New(rand.NewPCG(c.cfg.Rand.Uint64(), c.cfg.Rand.Uint64()))
	}
	return &net{cluster: c, cfg: cfg.WithDefaults(), tl: c.tl}
}

// Run ends all connections when ctx ends. Until it runs, requests of servers are answered at
// once, by functions that must not wait.
func (n *net) Run(ctx context.Context) error {
	if n.group != nil {
		return errors.New("simulated network: a client runs once")
	}
	g, _ := lifecycle.NewGroup(ctx)
	n.group = g
	g.Go("connections", func(ctx context.Context) error {
		clock.Wait(ctx, n.cfg.Clock, clock.Waits{})
		n.closed = true
		for _, a := range slices.Clone(n.addrs) {
			a.close()
		}
		return nil
	})
	return g.Wait()
}

// Go sends req to addr and has done called with the end of it, exactly once, by the timeline.
func (n *net) Go(addr string, req *remoting.Command, timeout time.Duration, done func(remoting.Answer)) {
	if _, _, err := n.call(addr, req, timeout, done); err != nil {
		n.tl.After(0, func() { done(remoting.Answer{Err: err}) })
	}
}

// Call sends req to addr and waits for the answer, until ctx ends or, if ctx has no deadline,
// for 3 s.
func (n *net) Call(ctx context.Context, addr string, req *remoting.Command) (*remoting.Command, error) {
	if err := ctx.Err(); err != nil {
		return nil, callError(addr, err)
	}
	timeout := defaultTimeout
	at, bounded := ctx.Deadline()
	if bounded {
		timeout = max(at.Sub(n.tl.Now()), 1)
	}
	var got *remoting.Answer
	done := make(chan struct{})
	l, c, err := n.call(addr, req, timeout, func(a remoting.Answer) {
		got = &a
		close(done)
	})
	if err != nil {
		return nil, err
	}
	clock.Wait(ctx, n.cfg.Clock, clock.Waits{First: done})
	if got != nil {
		return got.Cmd, got.Err
	}
	expired := bounded && !n.tl.Now().Before(at)
	l.cancel(c, expired)
	err = ctx.Err()
	if expired {
		err = context.DeadlineExceeded
	}
	return nil, callError(addr, err)
}

// callError is the end of a call by its context; a deadline is a timeout like any other.
func callError(addr string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w (%w)", addr, remoting.ErrTimeout, err)
	}
	return fmt.Errorf("call to %s: %w", addr, err)
}

// call queues req at addr.
func (n *net) call(addr string, req *remoting.Command, timeout time.Duration, done func(remoting.Answer)) (*link, *call, error) {
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	req, done, err := remoting.Hooked(n.cfg.Hooks, n.cfg.Log, addr, req, done)
	if err != nil {
		return nil, nil, err
	}
	l, err := n.link(addr)
	if err != nil {
		return nil, nil, err
	}
	c, err := l.call(req, timeout, done)
	return l, c, err
}

// OneWay sends req to addr, and no answer is expected.
func (n *net) OneWay(addr string, req *remoting.Command) error {
	req, _, err := remoting.Hooked(n.cfg.Hooks, n.cfg.Log, addr, req, nil)
	if err != nil {
		return err
	}
	l, err := n.link(addr)
	if err != nil {
		return err
	}
	return l.oneWay(req)
}

// link returns what takes requests for addr, dialling if it is new.
func (n *net) link(addr string) (*link, error) {
	if n.closed {
		return nil, remoting.ErrClosed
	}
	i := slices.IndexFunc(n.addrs, func(a *address) bool { return a.addr == addr })
	if i >= 0 {
		return n.addrs[i].ask()
	}
	a := newAddress(n, addr)
	n.addrs = append(n.addrs, a)
	return a.ask()
}

// Forget closes the connection to addr and stops dialling it. Calls in flight end with
// ErrClosed, a moment later.
func (n *net) Forget(addr string) {
	i := slices.IndexFunc(n.addrs, func(a *address) bool { return a.addr == addr })
	if i >= 0 {
		a := n.addrs[i]
		n.addrs = slices.Delete(n.addrs, i, i+1)
		n.tl.After(0, a.close)
	}
}

// drop takes a out, whose end it is; it reports whether another has taken its place.
func (n *net) drop(a *address) (replaced bool) {
	n.addrs = slices.DeleteFunc(n.addrs, func(o *address) bool { return o == a })
	return slices.ContainsFunc(n.addrs, func(o *address) bool { return o.addr == a.addr })
}

// States returns the state of each address, sorted.
func (n *net) States() []remoting.AddrState {
	states := make([]remoting.AddrState, 0, len(n.addrs))
	for _, a := range n.addrs {
		states = append(states, a.snapshot())
	}
	slices.SortFunc(states, func(a, b remoting.AddrState) int { return strings.Compare(a.Addr, b.Addr) })
	return states
}

// Stats returns the counts since the start.
func (n *net) Stats() remoting.Stats { return n.stats }
