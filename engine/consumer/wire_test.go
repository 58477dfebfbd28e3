package consumer_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// wire dials connections whose frames from the server pass a hook, and which can go half
// open: nothing passes any more, and neither side is told.
type wire struct {
	dial dialFunc

	mu    sync.Mutex
	hook  func(addr string, frame []byte) (out []byte, err error)
	chunk int // bytes that one Read brings at most, 0 for all
	conns []*wireConn
}

// through sets the hook, nil for none. It gets each frame with its length and returns what
// the client reads instead; after that the connection ends with err if there is one.
func (w *wire) through(hook func(addr string, frame []byte) ([]byte, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hook = hook
}

// inPieces makes each Read bring at most n bytes.
func (w *wire) inPieces(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chunk = n
}

func (w *wire) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := w.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &wireConn{Conn: conn, wire: w, addr: addr, closed: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, c)
	return c, nil
}

// halfOpen makes the present connections to addr silent for ever; new ones are not touched.
// repair closes them towards the server, which learns of their end only then.
func (w *wire) halfOpen(addr string) (repair func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var dead []*wireConn
	for _, c := range w.conns {
		if c.addr == addr {
			c.dead = true
			dead = append(dead, c)
		}
	}
	return func() {
		for _, c := range dead {
			c.Conn.Close()
		}
	}
}

type wireConn struct {
	net.Conn
	wire   *wire
	addr   string
	dead   bool // guarded by the wire's mutex
	once   sync.Once
	closed chan struct{}

	in  []byte // not read yet
	err error  // after it
}

func (c *wireConn) Read(p []byte) (int, error) {
	for len(c.in) == 0 {
		if c.err != nil {
			c.Conn.Close()
			return 0, c.err
		}
		frame, err := readFrame(c.Conn)
		dead, hook, _ := c.state()
		if dead {
			<-c.closed
			return 0, net.ErrClosed
		}
		if err != nil {
			return 0, err
		}
		c.in = frame
		if hook != nil {
			c.in, c.err = hook(c.addr, frame)
		}
	}
	if _, _, chunk := c.state(); chunk > 0 {
		p = p[:min(len(p), chunk)]
	}
	n := copy(p, c.in)
	c.in = c.in[n:]
	return n, nil
}

func (c *wireConn) Write(p []byte) (int, error) {
	if dead, _, _ := c.state(); dead {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close of a dead connection is not seen by the server.
func (c *wireConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	if dead, _, _ := c.state(); dead {
		return c.SetReadDeadline(time.Unix(1, 0)) // ends a Read, and nothing else
	}
	return c.Conn.Close()
}

func (c *wireConn) state() (dead bool, hook func(string, []byte) ([]byte, error), chunk int) {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	return c.dead, c.wire.hook, c.wire.chunk
}

// readFrame reads one frame with its length.
func readFrame(r io.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

// errReset is how a connection ends that was cut.
var errReset error = syscall.ECONNRESET
