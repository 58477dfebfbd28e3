package memnet

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"
)

// conn is one end of a connection: it reads one stream and writes the other.
type conn struct {
	in, out       *stream
	local, remote Addr
	other         *conn
	forget        func() // set on the dialled end
	once          sync.Once
}

// newPair returns the dialled end and the accepted end.
func newPair(from, to Addr, delay time.Duration) (near, far *conn) {
	up, down := newStream(delay), newStream(delay)
	near = &conn{in: down, out: up, local: from, remote: to}
	far = &conn{in: up, out: down, local: to, remote: from}
	near.other, far.other = far, near
	return near, far
}

// established waits for the round trip that opening a connection takes.
func (c *conn) established(ctx context.Context) error {
	d := 2 * c.out.currentDelay()
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Read returns at least one byte, io.EOF after the peer's close, or an error.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write returns when p is buffered.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// Close lets the peer read what was written and then io.EOF; the peer's writes fail.
func (c *conn) Close() error {
	c.once.Do(func() {
		c.out.closeWrite()
		c.in.closeRead()
		c.left()
	})
	return nil
}

// cut resets the connection at both ends.
func (c *conn) cut() {
	c.in.reset()
	c.out.reset()
	c.left()
}

// left takes the connection off the network's books once nothing flows either way.
func (c *conn) left() {
	if !c.in.over() || !c.out.over() {
		return
	}
	for _, e := range []*conn{c, c.other} {
		if e.forget != nil {
			e.forget()
		}
	}
}

func (c *conn) hold(on bool) {
	c.in.hold(on)
	c.out.hold(on)
}

func (c *conn) slow(d time.Duration) {
	c.in.slow(d)
	c.out.slow(d)
}

// LocalAddr is this end's address.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the peer's address.
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines; the zero time means none.
func (c *conn) SetDeadline(t time.Time) error {
	c.in.setReadDeadline(t)
	c.out.setWriteDeadline(t)
	return nil
}

// SetReadDeadline ends waiting reads at t with os.ErrDeadlineExceeded.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.setReadDeadline(t)
	return nil
}

// SetWriteDeadline ends waiting writes at t with os.ErrDeadlineExceeded.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.setWriteDeadline(t)
	return nil
}

func (c *conn) wrap(op string, err error) error {
	switch err {
	case nil, errEOF:
		return err
	case errReset:
		err = syscall.ECONNRESET
	case errPipe:
		err = syscall.EPIPE
	}
	return &net.OpError{Op: op, Net: "mem", Source: c.local, Addr: c.remote, Err: err}
}
