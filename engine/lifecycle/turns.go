package lifecycle

import (
	"context"

	"mqscope/engine/clock"
)

// turns is a group whose functions take turns on one thread, so nothing in it is guarded.
type turns struct {
	clock  clock.Cooperative
	cancel context.CancelCauseFunc
	left   int
	err    error
	over   chan struct{} // of size one: left went to 0
}

func newTurns(ctx context.Context, c clock.Cooperative) (*turns, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &turns{clock: c, cancel: cancel, over: make(chan struct{}, 1)}, ctx
}

func (t *turns) start(name string, run func() error) {
	t.left++
	t.clock.Go(name, func() {
		if err := run(); err != nil && t.err == nil {
			t.err = err
			t.cancel(err)
		}
		t.left--
		if t.left > 0 {
			return
		}
		select {
		case t.over <- struct{}{}:
		default:
		}
	})
}

func (t *turns) wait(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for t.left > 0 {
		t.clock.Wait(ctx, clock.Waits{First: t.over})
	}
	t.cancel(t.err)
	return t.err
}
