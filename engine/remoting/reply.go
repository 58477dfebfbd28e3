package remoting

import (
	"errors"
	"log/slog"
	"time"

	"mqscope/engine/lifecycle"
)

// reply queues resp as the answer to req, in the encoding of resp. A one-way request gets
// none. What cannot be written as a frame is answered with code 1, so that the other side
// need not wait for its deadline.
func (l *link) reply(req, resp *Command) {
	if req.IsOneWay() {
		return
	}
	c := *resp
	c.Opaque = req.Opaque
	c.Flag = c.Flag&^flagOneWay | flagResponse
	c.Language, c.Version = l.language, l.version
	err := l.send(&c)
	if _, bad := errors.AsType[*ProtocolError](err); bad {
		c.Code, c.Remark, c.Fields, c.Body, c.Serialize = codeSystemError, err.Error(), nil, nil, JSON
		err = l.send(&c)
	}
	if errors.Is(err, ErrBusy) {
		// The other side does not read: an answer that is missing ends the connection rather
		// than leave it to guess.
		l.end(&LostError{l.addr, err})
		l.closeConn(0)
	}
}

// inFlight counts the calls without an answer, and says how old the oldest is.
func (l *link) inFlight() (n int, oldest time.Duration) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if started, ok := l.calls.oldest(); ok {
		oldest = now - started
	}
	return len(l.calls.heap), oldest
}

// logPanic tells of a handler that panicked, with its stack.
func logPanic(log *slog.Logger, err error, addr string, code int32) {
	var stack string
	if p, ok := errors.AsType[*lifecycle.PanicError](err); ok {
		stack = string(p.Stack)
	}
	log.Error("handler of a request failed", "addr", addr, "code", code, "err", err, "stack", stack)
}
