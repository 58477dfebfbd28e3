package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"mqscope/engine/capture/observer"
	"mqscope/engine/lifecycle"
)

// link is one connection of a client, and the one to its server that belongs to it.
type link struct {
	proxy    *Proxy
	client   net.Conn
	server   net.Conn
	asked    asked
	view     *observer.View
	rename   func(addr string) (string, bool) // the address that the client is to use for a broker's
	halfOpen atomic.Bool                      // one direction has ended
	told     atomic.Bool                      // that it is passed on blindly
	why      atomic.Pointer[string]
}

// run carries the bytes of both directions and returns when the connection has ended.
func (l *link) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, l.reset)
	defer stop()
	g, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	for _, p := range []*pipe{{link: l, src: l.client, dst: l.server, up: true}, {link: l, src: l.server, dst: l.client}} {
		g.Go(direction(p.up), func(context.Context) error { return l.carry(p) })
	}
	err := g.Wait()
	_ = l.client.Close() // both are over, whatever this says
	_ = l.server.Close()
	if ctx.Err() == nil {
		l.view.Close(*l.why.Load())
	}
	return err
}

func direction(up bool) string {
	if up {
		return "from client to server"
	}
	return "from server to client"
}

// carry runs one direction and has the other side feel how it ends.
func (l *link) carry(p *pipe) error {
	defer func() {
		if v := recover(); v != nil {
			l.reset() // for the other direction to end too
			panic(v)
		}
	}()
	err, failed := p.run(), p.dst
	if !failedWrite(err) {
		failed = p.src
	}
	side := "the server"
	if failed == l.client {
		side = "the client"
	}
	switch {
	case errors.Is(err, io.EOF):
		l.because(side + " closed the connection")
		l.finish(p)
	case failed == p.dst: // what it sent before may be on its way yet, and its end behind that
		l.because(side + " reset the connection")
		l.expectEnd(p.dst)
	default:
		l.because(side + " reset the connection")
		l.reset()
	}
	return nil
}

// because keeps why the connection ended; the first reason counts.
func (l *link) because(why string) { l.why.CompareAndSwap(nil, &why) }

// finish passes the end of p's source on: nothing more comes this way.
func (l *link) finish(p *pipe) {
	half, ok := p.dst.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		_ = p.dst.Close() // it can not be half closed, or is closed
		return
	}
	l.expectEnd(p.dst)
}

// expectEnd has what is read from c end before long.
func (l *link) expectEnd(c net.Conn) {
	l.halfOpen.Store(true)
	(&pipe{link: l, src: c}).extend()
}

// reset ends the connection at once at both sides.
func (l *link) reset() {
	l.because("the proxy ended")
	resetConn(l.client)
	resetConn(l.server)
}

// resetConn has the peer see a reset where the network knows it.
func resetConn(c net.Conn) {
	if t, ok := c.(interface{ SetLinger(sec int) error }); ok {
		_ = t.SetLinger(0) // else the peer sees an end
	}
	_ = c.Close() // it is over, whatever this says
}

// passBlindly says that a direction is none of frames.
func (l *link) passBlindly(head []byte, up bool) {
	if l.told.Swap(true) {
		return
	}
	name := l.client.RemoteAddr().String()
	if len(head) > 1 && head[0] >= 20 && head[0] <= 23 && head[1] == 3 || len(head) == 1 && head[0] == 0x16 {
		l.proxy.notice(PassedBlindly, name+" speaks TLS: it is passed on unread, and goes to its brokers past the proxy; switch TLS off in the client to see it")
		return
	}
	l.proxy.notice(PassedBlindly, name+": what came "+direction(up)+" is no RocketMQ frame: the connection is passed on unread from there")
}
