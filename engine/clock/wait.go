package clock

import (
	"context"
	"time"
)

// Waits is what Wait waits for. What is nil never comes. A channel that has room is sent to and
// never closed, one without is closed and never sent to.
type Waits struct {
	First, Second, Third <-chan struct{}
	Timer                Timer
}

// Which says what Wait saw first.
type Which uint8

const (
	Ended Which = iota // the context
	First
	Second
	Third
	Fired // the timer
)

// Cooperative is a clock that also says whose turn it is: in a simulation all that runs at once
// elsewhere takes turns on one thread, and a turn ends where code waits. So code of the engine
// waits in Wait and nowhere else, and starts what runs beside it with a lifecycle.Group.
type Cooperative interface {
	Clock
	// Wait lets others have their turn until there is something.
	Wait(ctx context.Context, w Waits) Which
	// Go has fn take turns from now on.
	Go(name string, fn func())
	// WithDeadline is context.WithDeadline on this clock.
	WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc)
}

// Wait waits until one of w comes or ctx ends. When several are there it returns any of them.
func Wait(ctx context.Context, c Clock, w Waits) Which {
	if c, ok := c.(Cooperative); ok {
		return c.Wait(ctx, w)
	}
	var fired <-chan time.Time
	if w.Timer != nil {
		fired = w.Timer.C()
	}
	select {
	case <-w.First:
		return First
	case <-w.Second:
		return Second
	case <-w.Third:
		return Third
	case <-fired:
		return Fired
	case <-ctx.Done():
		return Ended
	}
}

// WithTimeout is context.WithTimeout on a clock, if that is Cooperative; else on the system's.
func WithTimeout(ctx context.Context, c Clock, d time.Duration) (context.Context, context.CancelFunc) {
	if c, ok := c.(Cooperative); ok {
		return c.WithDeadline(ctx, c.Now().Add(d))
	}
	return context.WithTimeout(ctx, d)
}

// WithDeadline is context.WithDeadline, see WithTimeout.
func WithDeadline(ctx context.Context, c Clock, at time.Time) (context.Context, context.CancelFunc) {
	if c, ok := c.(Cooperative); ok {
		return c.WithDeadline(ctx, at)
	}
	return context.WithDeadline(ctx, at)
}

type cooperativeKey struct{}

// On returns a context whose work takes turns on c: lifecycle.NewGroup looks for it.
func On(ctx context.Context, c Cooperative) context.Context {
	return context.WithValue(ctx, cooperativeKey{}, c)
}

// Of returns what On put into ctx, nil when there is nothing.
func Of(ctx context.Context) Cooperative {
	c, _ := ctx.Value(cooperativeKey{}).(Cooperative)
	return c
}
