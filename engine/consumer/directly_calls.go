package consumer

import (
	"context"
	"sync"
)

// directlyAtOnce is how many messages may be with the listener on request: one that hangs
// takes up a goroutine until it returns.
const directlyAtOnce = 4

// directCalls are the calls of the listener for messages that tools want consumed, beside the
// consume threads.
type directCalls struct {
	crew *crew

	mu      sync.Mutex
	over    bool
	running int
}

// do runs fn on a goroutine of its own, with a context that ends with the consumer; false when
// there are too many calls, or the consumer ends.
func (d *directCalls) do(what string, fn func(ctx context.Context)) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over || d.running >= directlyAtOnce {
		return false
	}
	d.running++
	d.crew.do(what, func(ctx context.Context) {
		defer func() { // a listener may end the goroutine
			d.mu.Lock()
			defer d.mu.Unlock()
			d.running--
		}()
		fn(ctx)
	})
	return true
}

// end is crew.end, after which no call begins.
func (d *directCalls) end(ctx context.Context) error {
	d.mu.Lock()
	d.over = true
	d.mu.Unlock()
	return d.crew.end(ctx)
}
