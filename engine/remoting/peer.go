package remoting

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"mqscope/engine/lifecycle"
)

// Peer is one connection of a client, as the server sees it. Its methods may be called from
// any goroutine, also after the connection has ended, and do not wait, but for Call.
type Peer struct {
	server  *Server
	id      uint64
	link    *link
	cancel  context.CancelFunc
	waiters sync.Pool
}

// ID is a number that no other connection of this server has had.
func (p *Peer) ID() uint64 { return p.id }

// Addr is the client's address.
func (p *Peer) Addr() string { return p.link.addr }

// Reply answers req, now or later; a one-way request is not answered. It sets what makes
// resp the answer on a copy, and leaves resp alone. Of a client that does not read its
// answers the connection is closed when Limits.PendingBytes wait for it.
func (p *Peer) Reply(req, resp *Command) {
	c := *resp
	c.Serialize = p.server.encoding(&c)
	p.link.reply(req, &c)
}

// Send sends the client a one-way request. Nil means that it is queued.
func (p *Peer) Send(req *Command) error {
	c := *req
	c.Serialize = p.server.encoding(&c)
	return p.link.oneWay(&c)
}

// Call sends the client a request and waits for the answer, as Client.Call does.
func (p *Peer) Call(ctx context.Context, req *Command) (*Command, error) {
	c := *req
	c.Serialize = p.server.encoding(&c)
	return wait(ctx, p.server.cfg.Clock, &p.waiters, p.Addr(), func(timeout time.Duration, done func(Answer)) (*link, int32, error) {
		opaque, err := p.link.call(&c, timeout, done)
		return p.link, opaque, err
	})
}

// Close ends the connection, once what waits has been written.
func (p *Peer) Close() { p.cancel() }

// encoding is the server's own, but JSON for codes that a binary header would cut.
func (s *Server) encoding(c *Command) SerializeType {
	if c.Code != int32(int16(c.Code)) {
		return JSON
	}
	return s.cfg.Serialize
}

// incoming gives a request to the server's handler, on the connection's reader.
func (p *Peer) incoming(ctx context.Context, req *Command, buf *Buffer) {
	if req.Body == nil {
		buf.Release()
	} // else the bytes go with the request
	if p.server.cfg.Handler == nil {
		p.server.count.refusedIn.Add(1)
		p.Reply(req, &Command{Code: codeNotSupported, Remark: fmt.Sprintf(" request type %d not supported", req.Code)})
		return
	}
	defer func() {
		if v := recover(); v != nil {
			err := &lifecycle.PanicError{Name: "handler of a request", Value: v, Stack: debug.Stack()}
			logPanic(p.server.cfg.Log, err, p.Addr(), req.Code)
			p.Reply(req, &Command{Code: codeSystemError, Remark: "the handler failed, see the server's log"})
		}
	}()
	p.server.cfg.Handler(ctx, p, req)
}
