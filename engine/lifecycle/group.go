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
)

// Group is a set of named goroutines that end together.
type Group struct {
	eg  *errgroup.Group
	ctx context.Context //nolint:containedctx // handed to each function that the group runs
}

// NewGroup returns a group whose functions get a context that ends with ctx or with the
// first error of any of them.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	eg, ctx := errgroup.WithContext(ctx)
	return &Group{eg: eg, ctx: ctx}, ctx
}

// Go runs fn. Its error ends the group; an error that only says that the context ended is
// success. A panic becomes a *PanicError.
func (g *Group) Go(name string, fn func(ctx context.Context) error) {
	g.eg.Go(func() error { return Guard(g.ctx, name, fn) })
}

// Wait returns when all functions have, with the first error.
func (g *Group) Wait() error { return g.eg.Wait() }

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
