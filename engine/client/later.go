package client

import (
	"context"
	"sync"

	"mqscope/engine/clock"
)

// later runs callbacks of calls that failed before anything was sent, so that a caller's
// own goroutine never runs its callback.
type later struct {
	clock clock.Clock
	wake  chan struct{}

	mu     sync.Mutex
	fns    []func()
	closed bool
}

func newLater(c clock.Clock) *later { return &later{clock: c, wake: make(chan struct{}, 1)} }

// do runs fn soon; on the caller's goroutine when nobody is left to run it.
func (l *later) do(fn func()) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		fn()
		return
	}
	l.fns = append(l.fns, fn)
	l.mu.Unlock()
	signal(l.wake)
}

func (l *later) run(ctx context.Context) error {
	for {
		l.flush()
		if clock.Wait(ctx, l.clock, clock.Waits{First: l.wake}) == clock.Ended {
			return nil
		}
	}
}

func (l *later) flush() {
	for {
		l.mu.Lock()
		fns := l.fns
		l.fns = nil
		l.mu.Unlock()
		if len(fns) == 0 {
			return
		}
		for _, fn := range fns {
			fn()
		}
	}
}

// close runs what is left.
func (l *later) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.flush()
}

// signal wakes whoever waits on c, a channel of size one; many signals are one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
