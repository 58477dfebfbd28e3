package remoting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// flushWithin is how long a connection that this side closes may take to write what waits.
const flushWithin = 500 * time.Millisecond

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
}

// never is a deadline that does not come.
const never = time.Duration(1<<63 - 1)

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

// cancel ends a call without telling it; false: it has ended already.
func (l *link) cancel(opaque int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _, v := l.calls.take(opaque)
	return v == matched
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

// run connects and serves the link until its connection or ctx ends, and returns why. By
// then all calls have ended and all goroutines too.
func (l *link) run(ctx context.Context, connect func(ctx context.Context) (net.Conn, error)) error {
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("timekeeper of "+l.addr, l.keepTime)
	g.Go("reader of "+l.addr, func(ctx context.Context) error {
		conn, err := connect(ctx)
		if err != nil {
			l.end(err)
			return err
		}
		if !l.connected(conn) {
			return errors.Join(ErrClosed, conn.Close())
		}
		g.Go("writer to "+l.addr, func(ctx context.Context) error {
			err := l.write(ctx, conn)
			if err != nil {
				l.end(&LostError{l.addr, err})
			}
			return err
		})
		err = l.read(ctx, conn)
		if bad := (*ProtocolError)(nil); errors.As(err, &bad) {
			l.count.bad.Add(1)
		}
		l.end(&LostError{l.addr, err})
		return err
	})
	err := g.Wait()
	if p := (*lifecycle.PanicError)(nil); errors.As(err, &p) {
		l.end(&LostError{l.addr, err})
		return err
	}
	l.end(ErrClosed)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endErr
}

// connected makes conn the link's; false: the link has ended meanwhile.
func (l *link) connected(conn net.Conn) bool {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.active, l.heardAt = conn, now, now
	return !l.ended
}

// read hands frames over until the stream ends, which is an error always.
func (l *link) read(ctx context.Context, conn io.Reader) error {
	in := newFrameReader(conn, l.pool, l.limits)
	var held lease
	for {
		buf, err := in.next()
		if err != nil {
			if errors.Is(err, io.EOF) && in.frames == 0 {
				err = fmt.Errorf("closed by the other side before it sent anything (is TLS missing or wrong, or the address a proxy's?): %w", err)
			}
			return err
		}
		cmd, err := decodeFrame(buf.b, l.limits)
		if err != nil {
			buf.Release()
			return err
		}
		l.count.framesIn.Add(1)
		l.count.bytesIn.Add(int64(4 + len(buf.b)))
		now := l.now()
		if !cmd.IsResponse() {
			l.note(now)
			l.count.requests.Add(1)
			l.onRequest(ctx, cmd, buf)
			continue
		}
		l.mu.Lock()
		if l.ended {
			l.mu.Unlock()
			buf.Release()
			return net.ErrClosed
		}
		l.active, l.heardAt, l.unanswered, l.useful = now, now, 0, true
		done, started, v := l.calls.take(cmd.Opaque)
		l.mu.Unlock()
		switch v {
		case matched:
			held.hand(done, cmd, buf, now-started)
		case late:
			l.count.late.Add(1)
			buf.Release()
		default:
			l.count.unknown.Add(1)
			buf.Release()
		}
	}
}

// note notes that something came.
func (l *link) note(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active, l.heardAt, l.unanswered, l.useful = now, now, 0, true
}

// heard reports whether the other side ever sent a whole frame.
func (l *link) heard() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.useful
}

// keepBytes is the largest write buffer that is kept for the next writes.
const keepBytes = 4 << 20

// write writes what waits, all of it at once, until ctx ends; then what is left, and closes.
func (l *link) write(ctx context.Context, conn net.Conn) (err error) {
	defer func() { err = errors.Join(err, closed(conn.Close())) }()
	var buf []byte
	for last := false; ; {
		var frames int64
		l.mu.Lock()
		if cap(buf) > keepBytes {
			buf = nil
		}
		buf, l.out = l.out, buf[:0]
		frames, l.frames = l.frames, 0
		l.mu.Unlock()
		if len(buf) > 0 {
			n, err := conn.Write(buf)
			l.count.bytesOut.Add(int64(n))
			if err != nil {
				return err
			}
			l.count.framesOut.Add(frames)
			l.mu.Lock()
			l.active = l.now()
			l.mu.Unlock()
			continue
		}
		if last {
			return nil
		}
		select {
		case <-l.wakeOut:
		case <-ctx.Done():
			l.end(ErrClosed)
			last = true
		}
	}
}

// closed takes the error of a second close away.
func closed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Why this side gave a connection up.
var (
	errIdle = errors.New("silent for too long, nothing in flight")
	errDead = errors.New("no answer to anything for too long: half open?")
)

// keepTime expires calls and watches for silence. At its end it closes the connection, or
// gives the writer a moment to write what waits when this side wants the end.
func (l *link) keepTime(ctx context.Context) error {
	timer := l.clock.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait, err := l.expire()
		if err != nil {
			l.end(&LostError{l.addr, err})
			l.closeConn(0)
			return err
		}
		timer.Reset(wait)
		select {
		case <-timer.C():
		case <-l.wakeTime:
		case <-ctx.Done():
			l.end(ErrClosed)
			l.mu.Lock()
			wanted := errors.Is(l.endErr, ErrClosed)
			l.mu.Unlock()
			if wanted {
				l.closeConn(flushWithin)
			} else {
				l.closeConn(0)
			}
			return nil
		}
	}
}

// closeConn ends the connection now, or its writing within some time.
func (l *link) closeConn(within time.Duration) {
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	switch {
	case conn == nil:
	case within > 0 && conn.SetWriteDeadline(l.clock.Now().Add(within)) == nil:
	default:
		_ = conn.Close() // the reader tells why the connection ended
	}
}

// expire ends the calls that are due, and says when to look again or why the connection
// must go.
func (l *link) expire() (wait time.Duration, err error) {
	for missed := false; ; missed = true {
		now := l.now()
		l.mu.Lock()
		done, started, ok := l.calls.expired(now)
		if !ok {
			wait, err = l.next(now)
			if missed && l.dead > 0 && l.unanswered > 0 && now-l.unanswered >= l.dead {
				err = errDead
			}
			l.mu.Unlock()
			return wait, err
		}
		if l.conn != nil && l.unanswered == 0 {
			l.unanswered = max(started, l.heardAt)
		}
		l.mu.Unlock()
		took := now - started
		done(Answer{Err: fmt.Errorf("%s did not answer within %v: %w", l.addr, took, ErrTimeout), Took: took})
	}
}

// next says how long nothing can be due; mu is held.
func (l *link) next(now time.Duration) (time.Duration, error) {
	at := never
	if len(l.calls.heap) > 0 {
		at = l.calls.slots[l.calls.heap[0]].deadline
	} else if l.idle > 0 && l.conn != nil && len(l.out) == 0 {
		if at = l.active + l.idle; at <= now {
			// Here, so that no call slips in between: whoever comes now finds another link.
			l.ended, l.endErr = true, errIdle
			return 0, errIdle
		}
	}
	if l.idle > 0 {
		at = min(at, now+l.idle)
	}
	l.armed = at
	return min(at-now, time.Hour), nil
}
