package remoting

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// flushWithin is how long a connection that this side closes may take to write what waits.
const flushWithin = 500 * time.Millisecond

// never is a deadline that does not come.
const never = time.Duration(1<<63 - 1)

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
		missed, l.givenUp = missed || l.givenUp, false
		done, started, ok := l.calls.expired(now)
		if !ok {
			wait, err = l.next(now)
			if missed && l.dead > 0 && l.unanswered > 0 && now-l.unanswered >= l.dead {
				err = errDead
			}
			l.mu.Unlock()
			return wait, err
		}
		l.miss(started)
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
