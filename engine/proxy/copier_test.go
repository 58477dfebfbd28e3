package proxy

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
)

// copier is what a proxy is measured beside: it stands between a client and one broker too, but
// copies bytes from one socket to the other and looks at none of them.
type copier struct {
	broker string       // where it leads
	bytes  atomic.Int64 // from the broker
}

// listenFor is a Config.ListenFunc of a proxy that then rewrites routes and carries what goes to
// name servers. Listeners after the first one are those for brokers: the copier serves them.
func (c *copier) listenFor(b *testing.B) func(ctx context.Context, network, addr string) (net.Listener, error) {
	var made atomic.Int32
	return func(ctx context.Context, network, addr string) (net.Listener, error) {
		ln, err := new(net.ListenConfig).Listen(ctx, network, addr)
		if err != nil || made.Add(1) == 1 {
			return ln, err
		}
		run(b, func(ctx context.Context) error { return c.serve(ctx, ln) })
		ended, end := context.WithCancel(context.Background())
		return &taken{ln, ended, end}, nil
	}
}

// serve takes connections until ctx or the listener ends.
func (c *copier) serve(ctx context.Context, ln net.Listener) error {
	defer context.AfterFunc(ctx, func() { _ = ln.Close() })()
	for {
		client, err := ln.Accept()
		if err != nil {
			return nil
		}
		server, err := new(net.Dialer).DialContext(ctx, "tcp", c.broker)
		if err != nil {
			client.Close()
			return err
		}
		for _, way := range []struct {
			from, to net.Conn
			count    *atomic.Int64
		}{{client, server, new(atomic.Int64)}, {server, client, &c.bytes}} {
			go func() {
				defer way.to.Close()
				b := make([]byte, 64<<10)
				for {
					n, err := way.from.Read(b)
					if _, werr := way.to.Write(b[:n]); err != nil || werr != nil {
						return
					}
					way.count.Add(int64(n))
				}
			}()
		}
	}
}

// taken is a listener whose connections somebody else takes.
type taken struct {
	net.Listener
	ended context.Context
	end   context.CancelFunc
}

func (t *taken) Accept() (net.Conn, error) {
	<-t.ended.Done()
	return nil, net.ErrClosed
}

func (t *taken) Close() error {
	t.end()
	return t.Listener.Close()
}
