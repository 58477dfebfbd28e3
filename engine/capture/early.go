package capture

import (
	"cmp"
	"slices"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// earlyAnswer is an answer of which the request has not been read: the packet with the request comes late
// in the capture, or waits behind one that does.
type earlyAnswer struct {
	cmd  *remoting.Command
	f    frame
	size int
}

// behind tells whether the other end had bytes of the stream that have not been read here.
func (s *stream) behind() bool {
	return len(s.held) > 0 || s.started && s.ackSeen && int32(s.acked-s.next) > 0
}

// keepEarly keeps an answer to a request of e until that is read.
func (e *end) keepEarly(cmd *remoting.Command, f frame) {
	r := e.c.r
	if old, ok := e.earlies[cmd.Opaque]; ok {
		e.unasked(old)
	}
	if e.earlies == nil {
		e.earlies = make(map[int32]earlyAnswer)
	}
	a := earlyAnswer{cmd, frame{at: f.at, cut: f.cut}, len(f.data) + requestCost}
	e.earlies[cmd.Opaque] = a
	e.earlyBytes += a.size
	e.hold(a.size)
	for (e.earlyBytes > r.opts.StreamBytes || r.held > r.opts.HeldBytes) && len(e.held) > 0 {
		e.giveUp(e)
	}
	if e.earlyBytes > r.opts.StreamBytes || r.held > r.opts.HeldBytes {
		e.unaskedAll()
	}
}

// caughtUp tells of the answers whose requests did not come, once nothing is missing before them.
func (e *end) caughtUp() {
	if len(e.earlies) > 0 && !e.behind() {
		e.unaskedAll()
	}
}

// took returns the answer that came before request cmd did, if one did.
func (e *end) took(cmd *remoting.Command) (earlyAnswer, bool) {
	a, ok := e.earlies[cmd.Opaque]
	if ok {
		e.forget(a)
	}
	return a, ok
}

func (e *end) forget(a earlyAnswer) {
	delete(e.earlies, a.cmd.Opaque)
	e.earlyBytes -= a.size
	e.hold(-a.size)
}

// unasked tells of an answer whose request the capture does not have.
func (e *end) unasked(a earlyAnswer) {
	e.forget(a)
	e.orphan(a.cmd, a.f)
}

// unaskedAll does so with all that wait, in the order in which they came.
func (e *end) unaskedAll() {
	all := make([]earlyAnswer, 0, len(e.earlies))
	for _, a := range e.earlies {
		all = append(all, a)
	}
	slices.SortFunc(all, func(x, y earlyAnswer) int {
		return cmp.Or(x.f.at.Compare(y.f.at), cmp.Compare(x.cmd.Opaque, y.cmd.Opaque))
	})
	for _, a := range all {
		e.unasked(a)
	}
}

// orphan tells of an answer to a request of e that the capture does not have.
func (e *end) orphan(cmd *remoting.Command, f frame) {
	r := e.c.r
	r.exchanges++
	if protocol.ResponseCode(cmd.Code) == protocol.NoPermission {
		cmd.Remark = "" // it could name the access key of that request
	}
	r.emit(Item{Kind: Done, Conn: e.c.info, Exchange: &Exchange{
		Seq: r.exchanges, Conn: e.c.info, FromServer: e.fromServer(), Why: "the capture has no request of this number",
		Response: cmd, AnsweredAt: f.at, ResponseCut: f.cut,
	}})
}
