package remoting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"mqscope/engine/lifecycle"
)

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
				l.end(&LostError{l.addr, l.explain(err)})
			}
			return err
		})
		err = l.read(ctx, conn)
		if bad := (*ProtocolError)(nil); errors.As(err, &bad) {
			l.count.bad.Add(1)
		}
		l.end(&LostError{l.addr, l.explain(err)})
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

// explain adds the likely cause to the end of a connection that brought nothing.
func (l *link) explain(err error) error {
	if _, bad := errors.AsType[*ProtocolError](err); bad || l.heard() {
		return err
	}
	return fmt.Errorf("closed by the other side before it sent anything (is TLS missing or wrong, or nothing behind a proxy?): %w", err)
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
