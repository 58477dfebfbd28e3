package memnet

import (
	"net"
	"sync"
)

// listener is the accepting side of an address.
type listener struct {
	n      *Network
	addr   Addr
	accept chan *conn
	done   chan struct{}
	once   sync.Once
}

// Accept returns the next connection, or net.ErrClosed once the listener is closed.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case <-l.done:
		return nil, opError("accept", "mem", string(l.addr), net.ErrClosed)
	default:
	}
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.done:
		return nil, opError("accept", "mem", string(l.addr), net.ErrClosed)
	}
}

// Close frees the address and resets connections that nobody accepted; accepted ones stay.
func (l *listener) Close() error {
	l.once.Do(func() {
		l.n.mu.Lock()
		if e := l.n.endpoint(string(l.addr)); e.ln == l {
			e.ln = nil
		}
		l.n.mu.Unlock()
		close(l.done)
		// No dial can add to accept any more: it does so under the network's mutex.
		for {
			select {
			case c := <-l.accept:
				c.cut()
			default:
				return
			}
		}
	})
	return nil
}

// Addr is where the listener listens, with the port that was picked.
func (l *listener) Addr() net.Addr { return l.addr }
