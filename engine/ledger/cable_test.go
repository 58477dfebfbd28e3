package ledger_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"mqscope/engine/memnet"
)

// cable is the network of one member. It can be cut, and it can freeze: nothing passes then,
// neither way, and neither side is told; what was sent arrives when it thaws.
type cable struct {
	dialer *memnet.Network

	mu     sync.Mutex
	cut    bool
	lines  []*line
	thawed chan struct{} // not nil while frozen; closed by thaw
}

// line is one connection.
type line struct {
	net.Conn
	cable  *cable
	once   sync.Once
	closed chan struct{}
	late   []byte // written while frozen; guarded by the cable's mutex, as is gone
	gone   bool   // closed while frozen
}

func (c *cable) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if wait := c.ice(); wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	conn, err := c.dialer.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		_ = conn.Close()
		return nil, errors.New("cable cut")
	}
	n := &line{Conn: conn, cable: c, closed: make(chan struct{})}
	c.lines = append(c.lines, n)
	return n, nil
}

// tear ends all connections: servers see them end. With true no others are made.
func (c *cable) tear(forGood bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = forGood
	for _, n := range c.lines {
		n.late = nil
		_ = n.Conn.Close()
	}
	c.lines = nil
}

func (c *cable) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.thawed == nil {
		c.thawed = make(chan struct{})
	}
}

func (c *cable) thaw() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.thawed == nil {
		return
	}
	for _, n := range c.lines {
		if len(n.late) > 0 {
			_, _ = n.Conn.Write(n.late)
			n.late = nil
		}
		if n.gone {
			_ = n.Conn.Close()
		}
	}
	close(c.thawed)
	c.thawed = nil
}

// ice is what to wait for, nil when the cable is not frozen.
func (c *cable) ice() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.thawed
}

// Read waits until the cable is not frozen, whatever came.
func (n *line) Read(p []byte) (int, error) {
	k, err := n.Conn.Read(p)
	for wait := n.cable.ice(); wait != nil; wait = n.cable.ice() {
		select {
		case <-wait:
		case <-n.closed:
			return 0, net.ErrClosed
		}
	}
	return k, err
}

func (n *line) Write(p []byte) (int, error) {
	n.cable.mu.Lock()
	if n.cable.thawed != nil {
		n.late = append(n.late, p...)
		n.cable.mu.Unlock()
		return len(p), nil
	}
	n.cable.mu.Unlock()
	return n.Conn.Write(p)
}

// Close of a frozen line is not seen by the server before it thaws.
func (n *line) Close() error {
	n.once.Do(func() { close(n.closed) })
	n.cable.mu.Lock()
	defer n.cable.mu.Unlock()
	if n.cable.thawed != nil {
		n.gone = true
		return n.Conn.SetReadDeadline(time.Unix(1, 0)) // ends a Read, and nothing else
	}
	return n.Conn.Close()
}
