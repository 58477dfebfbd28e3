package memnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	loopback      = "127.0.0.1"
	firstPort     = 10000 // given to listeners on port 0
	firstDialPort = 40000 // given to dialling ends
	lastPort      = 65535
	backlog       = 128 // connections not yet accepted, per listener
)

// Network is a set of addresses. The zero value is not usable: see New.
type Network struct {
	mu       sync.Mutex
	ends     map[string]*endpoint
	nextPort int
	nextDial int
}

// endpoint is what is known of one address, with or without a listener.
type endpoint struct {
	ln      *listener
	refuse  error
	hole    bool
	delay   time.Duration
	conns   map[*conn]struct{} // the dialled ends of open connections to here
	changed chan struct{}      // closed and replaced when hole ends
}

// New returns an empty network. Made inside a synctest bubble it belongs to that bubble.
func New() *Network {
	return &Network{ends: map[string]*endpoint{}, nextPort: firstPort, nextDial: firstDialPort}
}

// Listen waits for connections at addr ("host:port"). A missing host is 127.0.0.1; port 0
// picks a free one. The listener is not bound to ctx: close it.
func (n *Network) Listen(_ context.Context, network, addr string) (net.Listener, error) {
	host, port, err := split(addr)
	if err != nil {
		return nil, opError("listen", network, addr, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if port == "0" {
		port = n.freePort(host)
	}
	at := net.JoinHostPort(host, port)
	e := n.endpoint(at)
	if e.ln != nil {
		return nil, opError("listen", network, at, syscall.EADDRINUSE)
	}
	e.ln = &listener{n: n, addr: Addr(at), accept: make(chan *conn, backlog), done: make(chan struct{})}
	return e.ln, nil
}

// Dial connects to a listener. It fails at once when nobody listens (ECONNREFUSED) or the
// address refuses; it waits, until ctx ends, while the address is a black hole.
func (n *Network) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := split(addr)
	if err != nil {
		return nil, opError("dial", network, addr, err)
	}
	at := net.JoinHostPort(host, port)
	for {
		if err := ctx.Err(); err != nil {
			return nil, opError("dial", network, at, err)
		}
		c, wait, err := n.connect(at)
		if err != nil {
			return nil, opError("dial", network, at, err)
		}
		if wait != nil {
			select {
			case <-wait:
				continue
			case <-ctx.Done():
				return nil, opError("dial", network, at, ctx.Err())
			}
		}
		if err := c.established(ctx); err != nil {
			c.cut()
			return nil, opError("dial", network, at, err)
		}
		return c, nil
	}
}

// connect makes a connection to at and hands its far end to the listener. wait is not nil
// when at is a black hole: it ends with a change of that.
func (n *Network) connect(at string) (c *conn, wait <-chan struct{}, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.endpoint(at)
	switch {
	case e.hole:
		return nil, e.changed, nil
	case e.refuse != nil:
		return nil, nil, e.refuse
	case e.ln == nil:
		return nil, nil, syscall.ECONNREFUSED
	}
	from := Addr(net.JoinHostPort(loopback, strconv.Itoa(n.nextDial)))
	if n.nextDial++; n.nextDial > lastPort {
		n.nextDial = firstDialPort
	}
	near, far := newPair(from, Addr(at), e.delay)
	near.forget = func() { n.forget(at, near) }
	select {
	case e.ln.accept <- far:
	default:
		return nil, nil, syscall.ECONNREFUSED
	}
	e.conns[near] = struct{}{}
	return near, nil, nil
}

// Refuse makes every dial to addr fail with err; nil allows them again. Connections that
// are open stay so.
func (n *Network) Refuse(addr string, err error) {
	n.change(addr, func(e *endpoint) { e.refuse = err })
}

// CutAll ends every connection to addr as a reset does: both ends fail at once with
// ECONNRESET, and bytes under way are lost. The listener goes on.
func (n *Network) CutAll(addr string) {
	for _, c := range n.change(addr, func(*endpoint) {}) {
		c.cut()
	}
}

// Blackhole makes addr silent: bytes both ways are taken but do not arrive, neither does a
// close, and dials wait. As with TCP nothing is lost inside a stream: when the hole ends,
// connections that are still open deliver what was held.
func (n *Network) Blackhole(addr string, on bool) {
	conns := n.change(addr, func(e *endpoint) {
		e.hole = on
		if !on {
			close(e.changed)
			e.changed = make(chan struct{})
		}
	})
	for _, c := range conns {
		c.hold(on)
	}
}

// Delay makes bytes take d to arrive, each way, on open and future connections to addr;
// what is under way keeps its time. A dial takes twice as long.
func (n *Network) Delay(addr string, d time.Duration) {
	for _, c := range n.change(addr, func(e *endpoint) { e.delay = d }) {
		c.slow(d)
	}
}

// change applies fn to addr's endpoint and returns its open connections. An address that
// can not be parsed is a mistake in the test.
func (n *Network) change(addr string, fn func(*endpoint)) []*conn {
	host, port, err := split(addr)
	if err != nil {
		panic(fmt.Sprintf("memnet: %v", err))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.endpoint(net.JoinHostPort(host, port))
	fn(e)
	conns := make([]*conn, 0, len(e.conns))
	for c := range e.conns {
		conns = append(conns, c)
	}
	return conns
}

func (n *Network) forget(at string, c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.endpoint(at).conns, c)
}

func (n *Network) endpoint(at string) *endpoint {
	e := n.ends[at]
	if e == nil {
		e = &endpoint{conns: map[*conn]struct{}{}, changed: make(chan struct{})}
		n.ends[at] = e
	}
	return e
}

func (n *Network) freePort(host string) string {
	for {
		port := strconv.Itoa(n.nextPort)
		n.nextPort++
		if e := n.ends[net.JoinHostPort(host, port)]; e == nil || e.ln == nil {
			return port
		}
	}
}

func split(addr string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		return "", "", err
	}
	if p, err := strconv.Atoi(port); err != nil || p < 0 || p > lastPort {
		return "", "", fmt.Errorf("address %s: port %q is no number from 0 to %d", addr, port, lastPort)
	}
	switch host {
	case "", "localhost", "0.0.0.0", "::":
		host = loopback
	}
	return host, port, nil
}

func opError(op, network, addr string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = timeoutError{err}
	}
	return &net.OpError{Op: op, Net: network, Addr: Addr(addr), Err: err}
}

// timeoutError makes a deadline a net.Error that says Timeout.
type timeoutError struct{ error }

func (e timeoutError) Timeout() bool { return true }
func (e timeoutError) Unwrap() error { return e.error }

// Addr is "host:port" inside a Network.
type Addr string

// Network returns "mem".
func (Addr) Network() string { return "mem" }

// String returns host:port.
func (a Addr) String() string { return string(a) }
