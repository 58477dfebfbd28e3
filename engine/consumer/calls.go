package consumer

import (
	"context"
	"sync"

	"mqscope/engine/lifecycle"
)

// callsAtOnce bounds how many blocking calls (offset queries, member lists) run at a time:
// a member that is given thousands of queues asks for their offsets in turns.
const callsAtOnce = 32

// calls runs blocking calls off the loop. What they find out comes back as events.
type calls struct {
	group *lifecycle.Group

	mu      sync.Mutex
	waiting []func(context.Context)
	running int
}

// do runs fn soon, in the order of the calls to do.
func (c *calls) do(fn func(ctx context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, fn)
	if c.running == callsAtOnce {
		return
	}
	c.running++
	c.group.Go("call", c.work)
}

func (c *calls) work(ctx context.Context) error {
	for {
		fn := c.next()
		if fn == nil {
			return nil
		}
		fn(ctx)
	}
}

func (c *calls) next() func(context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.running--
		return nil
	}
	fn := c.waiting[0]
	c.waiting[0] = nil
	c.waiting = c.waiting[1:]
	return fn
}
