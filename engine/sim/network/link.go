package network

import (
	"errors"
	"fmt"
	"time"

	"mqscope/engine/remoting"
)

// link is one connection as the client sees it, from before it is dialled until all its calls
// have ended.
type link struct {
	address *address
	net     *net
	up      pipe // to the server, once it is open
	open    bool
	waiting [][]byte // frames that wait for the connection
	bytes   int      // in them
	calls   calls
	useful  bool // a frame came
	over    bool
	why     error // what calls are told after the end

	active     time.Time // when something was last sent or came
	heardAt    time.Time // when the last frame came
	unanswered time.Time // since when an expired call shows that nothing comes; zero: none
	watching   bool      // for idleness
}

func newLink(a *address) *link {
	return &link{address: a, net: a.net, calls: calls{tl: a.net.tl}}
}

// accepted makes p the other end.
func (l *link) accepted(p *peer) {
	now := l.net.tl.Now()
	l.up = pipe{cfg: &l.net.cluster.cfg, from: p.addr, to: l.address.addr, deliver: p.receive}
	l.active, l.heardAt = now, now
}

// flush opens the link: what waited goes out.
func (l *link) flush() {
	if l.over {
		l.up.end()
		return
	}
	l.open = true
	for _, frame := range l.waiting {
		l.push(frame)
	}
	l.waiting, l.bytes = nil, 0
	l.watch()
}

func (l *link) push(frame []byte) {
	l.active = l.net.tl.Now()
	l.net.stats.FramesOut++
	l.net.stats.BytesOut += int64(len(frame))
	l.up.push(frame)
}

// call sends req and remembers done, which is called once unless an error is returned.
func (l *link) call(req *remoting.Command, timeout time.Duration, done func(remoting.Answer)) (*call, error) {
	if l.over {
		return nil, l.refusal()
	}
	if limit := l.net.cfg.Limits.Calls; len(l.calls.list) >= limit {
		return nil, fmt.Errorf("%d calls to %s are in flight (Limits.Calls): %w", limit, l.address.addr, remoting.ErrBusy)
	}
	c := asRequest(req, false)
	n := l.calls.add(timeout, done, l.expire)
	c.Opaque = n.opaque
	if err := l.request(c); err != nil {
		l.calls.take(n.opaque)
		return nil, err
	}
	return n, nil
}

func (l *link) oneWay(req *remoting.Command) error {
	if l.over {
		return l.refusal()
	}
	return l.request(asRequest(req, true))
}

func (l *link) request(c remoting.Command) error {
	c.Language, c.Version = l.net.cfg.Language, l.net.cfg.Version
	frame, err := remoting.AppendFrame(nil, &c, l.net.cfg.Limits)
	if err != nil {
		return fmt.Errorf("write to %s: %w", l.address.addr, err)
	}
	if l.open {
		l.push(frame)
		return nil
	}
	if l.bytes > 0 && l.bytes+len(frame) > l.net.cfg.Limits.PendingBytes {
		return fmt.Errorf("%d bytes wait to be written to %s (Limits.PendingBytes): %w", l.bytes, l.address.addr, remoting.ErrBusy)
	}
	l.waiting = append(l.waiting, frame)
	l.bytes += len(frame)
	return nil
}

// reply answers a request of the server.
func (l *link) reply(req, resp *remoting.Command) {
	if l.over || req.IsOneWay() {
		return
	}
	c := *resp
	c.Language, c.Version = l.net.cfg.Language, l.net.cfg.Version
	if frame, ok := answerTo(req, c, l.net.cfg.Limits); ok {
		l.push(frame)
	}
}

// receive takes what comes from the server.
func (l *link) receive(in parcel) {
	if l.over {
		return
	}
	if in.frame == nil {
		l.open = false // nothing to tell the other side
		l.lost(errEnd)
		return
	}
	cmd, err := remoting.DecodeFrame(in.frame[4:], l.net.cfg.Limits)
	if err != nil {
		l.net.stats.BadFrames++
		l.lost(err)
		return
	}
	now := l.net.tl.Now()
	l.net.stats.FramesIn++
	l.net.stats.BytesIn += int64(len(in.frame))
	l.active, l.heardAt, l.unanswered, l.useful = now, now, time.Time{}, true
	if !cmd.IsResponse() {
		l.net.stats.Requests++
		l.net.incoming(l, cmd)
		return
	}
	switch n := l.calls.take(cmd.Opaque); {
	case n != nil:
		l.calls.end(n, cmd, nil)
		l.watch()
	case l.calls.known(cmd.Opaque):
		l.net.stats.LateAnswers++
	default:
		l.net.stats.UnknownAnswers++
	}
}

// lost ends the link because its connection ended or must.
func (l *link) lost(err error) {
	_, bad := errors.AsType[*remoting.ProtocolError](err)
	if !bad && !l.useful {
		err = fmt.Errorf("closed by the other side before it sent anything (is TLS missing or wrong, or nothing behind a proxy?): %w", err)
	}
	l.address.ended(l, &remoting.LostError{Addr: l.address.addr, Err: err})
}

// end closes the connection and fails all calls, now and later, with err.
func (l *link) end(err error) {
	if l.over {
		return
	}
	l.over, l.why, l.waiting = true, err, nil
	if l.open {
		l.open = false
		l.up.end()
	}
	for _, n := range l.calls.takeAll() {
		l.calls.end(n, nil, err)
	}
}

// refusal is why a link that is over takes nothing more: nothing was sent, whatever its own
// calls were told.
func (l *link) refusal() error {
	if e, ok := errors.AsType[*remoting.LostError](l.why); ok {
		return &remoting.UnreachableError{Addr: l.address.addr, Err: e.Err}
	}
	return l.why
}
