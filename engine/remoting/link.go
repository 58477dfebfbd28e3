package remoting

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"mqscope/engine/clock"
)

// link is one connection from before it is dialled until all its calls have ended: what
// waits to be written, the calls in flight and their deadlines. Client and Server share it.
type link struct {
	addr   string
	clock  clock.Clock
	limits *Limits
	pool   *pool
	count  *counters
	// idle closes a connection with no calls that was silent for so long; 0 never.
	idle time.Duration
	// dead closes a connection when calls expire and nothing came for so long since they
	// were made; 0 never.
	dead time.Duration
	// language and version go on outgoing requests.
	language Language
	version  int32
	// onRequest gets each request with its buffer on the reader goroutine.
	onRequest func(ctx context.Context, cmd *Command, buf *Buffer)

	epoch    time.Time
	wakeOut  chan struct{} // something waits to be written
	wakeTime chan struct{} // a deadline came before all others

	mu         sync.Mutex
	calls      calls
	out        []byte
	frames     int64 // in out
	conn       net.Conn
	useful     bool // a frame has been read
	ended      bool
	endErr     error         // what calls are told after the end
	armed      time.Duration // when the timekeeper looks next
	active     time.Duration // when something was last read or written
	heardAt    time.Duration // when the last frame was read
	unanswered time.Duration // since when an expired call shows that nothing comes; 0: none
	givenUp    bool          // a caller saw its deadline first: the timekeeper counts it too
}

// start makes the fields that have no zero value.
func (l *link) start() *link {
	l.epoch = l.clock.Now().Add(-1) // so that no time since is 0
	l.wakeOut = make(chan struct{}, 1)
	l.wakeTime = make(chan struct{}, 1)
	l.calls.limit = l.limits.Calls
	l.armed = never
	return l
}

func (l *link) now() time.Duration { return l.clock.Now().Sub(l.epoch) }

// call queues req and remembers done, which is called once unless an error is returned.
func (l *link) call(req *Command, timeout time.Duration, done func(Answer)) (opaque int32, err error) {
	now := l.now()
	deadline := now + timeout
	c := *req
	c.Flag &^= flagResponse | flagOneWay
	c.Language, c.Version = l.language, l.version
	l.mu.Lock()
	if l.ended {
		err = l.refusal()
		l.mu.Unlock()
		return 0, err
	}
	opaque, ok := l.calls.add(now, deadline, done)
	if !ok {
		l.mu.Unlock()
		return 0, fmt.Errorf("%d calls to %s are in flight (Limits.Calls): %w", l.limits.Calls, l.addr, ErrBusy)
	}
	c.Opaque = opaque
	if err = l.queue(&c); err != nil {
		l.calls.remove(opaque & slotMask)
		l.mu.Unlock()
		return 0, err
	}
	early := deadline < l.armed
	if early {
		l.armed = deadline
	}
	l.mu.Unlock()
	wake(l.wakeOut)
	if early {
		wake(l.wakeTime)
	}
	return opaque, nil
}

// send queues a command as it is.
func (l *link) send(c *Command) error {
	l.mu.Lock()
	if l.ended {
		err := l.refusal()
		l.mu.Unlock()
		return err
	}
	err := l.queue(c)
	l.mu.Unlock()
	if err == nil {
		wake(l.wakeOut)
	}
	return err
}

// oneWay queues req as a request that wants no answer.
func (l *link) oneWay(req *Command) error {
	c := *req
	c.Flag = c.Flag&^flagResponse | flagOneWay
	c.Language, c.Version, c.Opaque = l.language, l.version, oneWayOpaque
	return l.send(&c)
}

// queue appends c's frame to what waits; mu is held.
func (l *link) queue(c *Command) error {
	out, err := appendFrame(l.out, c, l.limits)
	if err != nil {
		return fmt.Errorf("write to %s: %w", l.addr, err)
	}
	if len(l.out) > 0 && len(out) > l.limits.PendingBytes {
		return fmt.Errorf("%d bytes wait to be written to %s (Limits.PendingBytes): %w", len(l.out), l.addr, ErrBusy)
	}
	l.out = out
	l.frames++
	return nil
}

// cancel ends a call without telling it; false: it has ended already. expired says that its
// caller had no more time, which shows, as an expired call does, that nothing comes.
func (l *link) cancel(opaque int32, expired bool) bool {
	l.mu.Lock()
	_, started, v := l.calls.take(opaque)
	if expired = expired && v == matched; expired {
		l.miss(started)
		l.givenUp = true
	}
	l.mu.Unlock()
	if expired {
		wake(l.wakeTime)
	}
	return v == matched
}

// miss notes that the call made at started got no answer in its time; mu is held.
func (l *link) miss(started time.Duration) {
	if l.conn != nil && l.unanswered == 0 {
		l.unanswered = max(started, l.heardAt)
	}
}

// wake signals a channel of size one.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// end fails all calls, now and later, with err. Only the first end counts.
func (l *link) end(err error) {
	open, now := l.finish(err)
	for _, s := range open {
		s.done(Answer{Err: err, Took: now - s.started})
	}
}

// finish is end without telling the calls, which it returns.
func (l *link) finish(err error) (open []slot, now time.Duration) {
	now = l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return nil, now
	}
	l.ended, l.endErr = true, err
	for _, i := range l.calls.heap {
		open = append(open, l.calls.slots[i])
	}
	l.calls = calls{}
	if !errors.Is(err, ErrClosed) {
		l.out = nil // else the writer still writes it
	}
	return open, now
}

// refusal is why an ended link takes nothing more: nothing was sent, whatever its own calls
// were told; mu is held.
func (l *link) refusal() error {
	if e, ok := errors.AsType[*LostError](l.endErr); ok {
		return &UnreachableError{Addr: l.addr, Err: e.Err}
	}
	if errors.Is(l.endErr, errIdle) {
		return &UnreachableError{Addr: l.addr, Err: errIdle}
	}
	return l.endErr
}
