// Package lifecycle runs goroutines that have a name, are waited for, and whose panic is an
// error instead of the end of the process.
//
// It owns the only go statements of the program. Whoever makes a Group waits for it; the
// first error ends the others. It has no Java counterpart.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"mqscope/engine/clock"
)

// Group is a set of named goroutines that end together.
type Group struct {
	eg    *errgroup.Group
	turns *turns          // in a simulation, instead of eg
	ctx   context.Context //nolint:containedctx // handed to each function that the group runs
}

// NewGroup returns a group whose functions get a context that ends with ctx or with the
// first error of any of them. Where ctx says so (clock.On) they take turns instead of running
// at once.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	if c := clock.Of(ctx); c != nil {
		t, ctx := newTurns(ctx, c)
		return &Group{turns: t, ctx: ctx}, ctx
	}
	eg, ctx := errgroup.WithContext(ctx)
	return &Group{eg: eg, ctx: ctx}, ctx
}

// Go runs fn. Its error ends the group; an error that only says that the context ended is
// success. A panic becomes a *PanicError.
func (g *Group) Go(name string, fn func(ctx context.Context) error) {
	run := func() error { return Guard(g.ctx, name, fn) }
	if g.turns != nil {
		g.turns.start(name, run)
		return
	}
	g.eg.Go(run)
}

// Wait returns when all functions have, with the first error.
func (g *Group) Wait() error {
	if g.turns != nil {
		return g.turns.wait(g.ctx)
	}
	return g.eg.Wait()
}

// Guard calls fn, turning a panic into an error and an end by context into success.
func Guard(ctx context.Context, name string, fn func(ctx context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Name: name, Value: v, Stack: debug.Stack()}
		}
	}()
	err = fn(ctx)
	if err != nil && ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// PanicError is a panic of a goroutine of a Group.
type PanicError struct {
	Name  string // of the goroutine
	Value any    // that was given to panic
	Stack []byte
}

// Error says who panicked and with what; the stack is left to the log.
func (e *PanicError) Error() string { return fmt.Sprintf("panic in %s: %v", e.Name, e.Value) }
