package consumer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
)

// StuckError says that code of the application did not return although its context had
// ended: its goroutine is left behind.
type StuckError struct {
	What  string        // it was called for, the one that runs longest
	Age   time.Duration // of that call
	Calls int           // that did not return
}

// Error names the longest call.
func (e *StuckError) Error() string {
	return fmt.Sprintf("%d calls did not return: %s runs for %v and ignores the end of its context", e.Calls, e.What, e.Age.Round(time.Millisecond))
}

// crew runs code of the application beside the loop: callbacks and listeners. What it does
// wrong harms nobody else: a panic is told as an event, a call that never returns holds the end
// of the consumer up only for a while.
type crew struct {
	clock  clock.Clock
	tell   func(event.Entry)
	group  *lifecycle.Group
	ctx    context.Context //nolint:containedctx // of every call, ended by end
	cancel context.CancelFunc

	mu      sync.Mutex
	running map[uint64]crewCall
	calls   uint64
	waiting []crewCall // of inOrder
	turning bool       // one goroutine takes them
}

type crewCall struct {
	what  string
	since time.Time
	fn    func(ctx context.Context)
}

func newCrew(ctx context.Context, c clock.Clock, tell func(event.Entry)) *crew {
	ctx, cancel := context.WithCancel(ctx)
	g, _ := lifecycle.NewGroup(ctx)
	return &crew{clock: c, tell: tell, group: g, ctx: ctx, cancel: cancel, running: map[uint64]crewCall{}}
}

// do calls fn on a goroutine of its own; false after end.
func (c *crew) do(what string, fn func(ctx context.Context)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return false
	}
	c.group.Go(what, func(context.Context) error {
		c.call(crewCall{what: what, fn: fn})
		return nil
	})
	return true
}

// inOrder calls fn after all that it was given before have returned.
func (c *crew) inOrder(what string, fn func(ctx context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, crewCall{what: what, fn: fn})
	if c.turning || c.ctx.Err() != nil {
		return
	}
	c.turning = true
	c.group.Go(what, func(context.Context) error {
		for next, more := c.next(); more; next, more = c.next() {
			c.call(next)
		}
		return nil
	})
}

func (c *crew) next() (crewCall, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 || c.ctx.Err() != nil {
		c.turning = false
		return crewCall{}, false
	}
	next := c.waiting[0]
	c.waiting = c.waiting[1:]
	return next, true
}

func (c *crew) call(one crewCall) {
	one.since = c.clock.Now()
	c.mu.Lock()
	c.calls++
	id := c.calls
	c.running[id] = one
	c.mu.Unlock()
	err := lifecycle.Guard(c.ctx, one.what, func(ctx context.Context) error {
		one.fn(ctx)
		return nil
	})
	c.mu.Lock()
	delete(c.running, id)
	c.mu.Unlock()
	if err != nil {
		c.failed(err)
	}
}

func (c *crew) failed(err error) {
	c.tell(event.Entry{Level: event.Error, Source: "engine", What: err.Error()})
}

// end ends the context of all calls and waits for them, at most for abandonAfter; a *StuckError
// names the longest of those that go on.
func (c *crew) end(ctx context.Context) error {
	c.mu.Lock()
	c.cancel() // nothing begins from here on
	c.mu.Unlock()
	gone := make(chan struct{})
	watch, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	watch.Go("end of callbacks", func(context.Context) error {
		defer close(gone)
		return c.group.Wait()
	})
	ctx, cancel := clock.WithTimeout(ctx, c.clock, abandonAfter)
	defer cancel()
	if clock.Wait(ctx, c.clock, clock.Waits{First: gone}) == clock.First {
		return nil
	}
	return c.stuck()
}

func (c *crew) stuck() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &StuckError{Calls: len(c.running)}
	for _, id := range slices.Sorted(maps.Keys(c.running)) {
		one := c.running[id]
		if age := c.clock.Now().Sub(one.since); e.What == "" || age > e.Age {
			e.What, e.Age = one.what, age
		}
	}
	if e.Calls == 0 { // they returned this very moment
		return nil
	}
	return e
}
