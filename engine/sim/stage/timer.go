package stage

import (
	"context"
	"time"

	"mqscope/engine/clock"
)

type timer struct {
	stage *Stage
	c     chan time.Time
	event *event
}

// NewTimer returns a timer on virtual time.
func (s *Stage) NewTimer(d time.Duration) clock.Timer {
	t := &timer{stage: s, c: make(chan time.Time, 1)}
	t.Reset(d)
	return t
}

func (t *timer) C() <-chan time.Time { return t.c }

func (t *timer) Reset(d time.Duration) bool {
	active := t.Stop()
	t.event = t.stage.schedule(d)
	t.event.timer = t.c
	return active
}

func (t *timer) Stop() bool {
	active := t.stage.due.remove(t.event)
	t.event = nil
	if len(t.c) > 0 { // as since Go 1.23: nothing comes of an earlier time
		<-t.c
	}
	return active
}

// deadline is a context that ends at a virtual time. Contexts made of it say Canceled then, not
// DeadlineExceeded.
type deadline struct {
	context.Context
	at      time.Time
	expired bool
}

func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

func (d *deadline) Err() error {
	if d.expired {
		return context.DeadlineExceeded
	}
	return d.Context.Err()
}

// WithDeadline is context.WithDeadline on virtual time.
func (s *Stage) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	if earlier, ok := ctx.Deadline(); ok && !earlier.After(at) {
		return context.WithCancel(ctx)
	}
	inner, cancel := context.WithCancel(ctx)
	d := &deadline{Context: inner, at: at}
	e := s.schedule(at.Sub(s.now))
	e.call = func() {
		if inner.Err() == nil {
			d.expired = true
			cancel()
		}
	}
	return d, func() {
		s.due.remove(e)
		cancel()
	}
}

var _ clock.Cooperative = (*Stage)(nil)
