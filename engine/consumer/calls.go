package consumer

import (
	"context"
	"sync"

	"mqscope/engine/lifecycle"
)

// callsAtOnce bounds how many blocking calls of one lane run at a time: a member that is
// given thousands of queues asks for their offsets in turns.
const callsAtOnce = 16

// The lane of calls that concern no broker in particular. Those about the queues of one
// broker have a lane named after it, so that a broker which is silent holds up no other.
const groupLane = ""

// calls runs blocking calls off the loop. What they find out comes back as events.
type calls struct {
	group *lifecycle.Group

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane is the calls that wait for each other.
type lane struct {
	waiting []func(context.Context)
	running int
}

func newCalls(group *lifecycle.Group) *calls {
	return &calls{group: group, lanes: map[string]*lane{}}
}

// do runs fn soon, in the order of the calls to do with the same lane.
func (c *calls) do(name string, fn func(ctx context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lanes[name]
	if l == nil {
		l = &lane{}
		c.lanes[name] = l
	}
	l.waiting = append(l.waiting, fn)
	if l.running == callsAtOnce {
		return
	}
	l.running++
	c.group.Go("call", func(ctx context.Context) error {
		for fn := c.next(name); fn != nil; fn = c.next(name) {
			fn(ctx)
		}
		return nil
	})
}

// call has fn run off the loop, see calls.do; in a remake it is not: what it found out then is
// recorded.
func (m *membership) call(lane string, fn func(ctx context.Context)) {
	m.in.actText(actCall, lane)
	if !m.in.remakes() {
		m.calls.do(lane, fn)
	}
}

// next takes the first call that waits in a lane; nil ends one that ran calls there.
func (c *calls) next(name string) func(context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lanes[name]
	if len(l.waiting) == 0 {
		if l.running--; l.running == 0 {
			delete(c.lanes, name)
		}
		return nil
	}
	fn := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	return fn
}
