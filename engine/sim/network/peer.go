package network

import (
	"fmt"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/remoting"
)

// peer is a connection as a server sees it.
type peer struct {
	node   *node
	id     uint64
	addr   string // of the client
	down   pipe
	calls  calls
	closed bool
}

// ID and the methods below are embedded.Peer's.
func (p *peer) ID() uint64 { return p.id }

func (p *peer) Addr() string { return p.addr }

func (p *peer) Reply(req, resp *remoting.Command) {
	if p.closed || req.IsOneWay() {
		return
	}
	if frame, ok := answerTo(req, p.signed(*resp), remoting.Limits{}); ok {
		p.down.push(frame)
	}
}

func (p *peer) Send(req *remoting.Command) error {
	return p.write(asRequest(req, true))
}

// write sends a request as it is.
func (p *peer) write(c remoting.Command) error {
	if p.closed {
		return &remoting.UnreachableError{Addr: p.addr, Err: remoting.ErrClosed}
	}
	c = p.signed(c)
	frame, err := remoting.AppendFrame(nil, &c, remoting.Limits{})
	if err != nil {
		return fmt.Errorf("write to %s: %w", p.addr, err)
	}
	p.down.push(frame)
	return nil
}

func (p *peer) signed(c remoting.Command) remoting.Command {
	c.Language, c.Version, c.Serialize = remoting.Java, embedded.Version, remoting.JSON
	return c
}

// Close ends the connection from this side, after the step that is being made; the client sees
// it behind what was sent.
func (p *peer) Close() {
	p.node.cluster.step(func(time.Time) {
		if !p.closed {
			p.down.end()
			p.gone(remoting.ErrClosed)
		}
	})
}

// gone says that the connection has ended, to the state too.
func (p *peer) gone(why error) {
	p.closed = true
	n := p.node
	n.drop(p)
	err := &remoting.LostError{Addr: p.addr, Err: why}
	for _, c := range p.calls.takeAll() {
		n.cluster.step(func(time.Time) { p.calls.end(c, nil, err) })
	}
	n.cluster.step(func(now time.Time) { n.cluster.state.Closed(now, n.broker, p) })
}

// receive takes what comes from the client.
func (p *peer) receive(in parcel) {
	if p.closed {
		return
	}
	if in.frame == nil {
		p.gone(errEnd)
		return
	}
	cmd, err := remoting.DecodeFrame(in.frame[4:], remoting.Limits{})
	switch {
	case err != nil:
		p.Close()
	case cmd.IsResponse():
		if c := p.calls.take(cmd.Opaque); c != nil {
			p.node.cluster.step(func(time.Time) { p.calls.end(c, cmd, nil) })
		}
	default:
		n := p.node
		n.cluster.step(func(now time.Time) { n.cluster.state.Handle(now, n.broker, p, cmd) })
	}
}

// ask sends the client a request that wants an answer (embedded.AskFunc).
func (p *peer) ask(req *remoting.Command, timeout time.Duration, done func(*remoting.Command, error)) {
	steps := p.node.cluster
	if p.closed {
		steps.step(func(time.Time) { done(nil, remoting.ErrClosed) })
		return
	}
	c := asRequest(req, false)
	n := p.calls.add(timeout, func(a remoting.Answer) { done(a.Cmd, a.Err) }, func(n *call) {
		err := fmt.Errorf("%s did not answer within %v: %w", p.addr, timeout, remoting.ErrTimeout)
		steps.step(func(time.Time) { p.calls.end(n, nil, err) })
	})
	c.Opaque = n.opaque
	if err := p.write(c); err != nil {
		p.calls.take(n.opaque)
		steps.step(func(time.Time) { p.calls.end(n, nil, err) })
	}
}
