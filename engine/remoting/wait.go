package remoting

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mqscope/engine/clock"
)

// waiter is a Call that waits for its answer.
type waiter struct {
	ch   chan Answer
	done func(Answer)
}

// wait makes a call and waits for its end.
func wait(ctx context.Context, clk clock.Clock, waiters *sync.Pool, addr string, call func(time.Duration, func(Answer)) (*link, int32, error)) (*Command, error) {
	if err := ctx.Err(); err != nil {
		return nil, callError(addr, err)
	}
	timeout := defaultTimeout
	if at, ok := ctx.Deadline(); ok {
		timeout = max(at.Sub(clk.Now()), 1)
	}
	w, _ := waiters.Get().(*waiter)
	if w == nil {
		w = &waiter{ch: make(chan Answer, 1)}
		w.done = func(a Answer) {
			if a.Cmd != nil && a.Cmd.Body != nil {
				a.Keep() // and never release: the bytes go with the body
			}
			w.ch <- a
		}
	}
	l, opaque, err := call(timeout, w.done)
	if err != nil {
		waiters.Put(w)
		return nil, err
	}
	select {
	case a := <-w.ch:
		waiters.Put(w)
		return a.Cmd, a.Err
	case <-ctx.Done():
	}
	if l.cancel(opaque, errors.Is(ctx.Err(), context.DeadlineExceeded)) {
		waiters.Put(w)
		return nil, callError(addr, ctx.Err())
	}
	select {
	case a := <-w.ch: // it ended in this very moment
		waiters.Put(w)
		return a.Cmd, a.Err
	default: // its end is on its way to w, which is given up
		return nil, callError(addr, ctx.Err())
	}
}

// callError is the end of a call by its context; a deadline is a timeout like any other.
func callError(addr string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w (%w)", addr, ErrTimeout, err)
	}
	return fmt.Errorf("call to %s: %w", addr, err)
}
