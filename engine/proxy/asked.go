package proxy

import (
	"sync"
	"sync/atomic"
)

// maxAsked is how many requests of one connection are remembered; Java has as many numbers for
// one-way requests and calls of a whole process.
const maxAsked = 1 << 16

// asked has the requests of a client whose answers have addresses.
type asked struct {
	n  atomic.Int32
	mu sync.Mutex
	by map[int32]shape // by opaque
}

func (a *asked) add(opaque int32, s shape) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = make(map[int32]shape)
	}
	if len(a.by) >= maxAsked {
		clear(a.by) // nobody waits for so many
	}
	a.by[opaque] = s
	a.n.Store(int32(len(a.by)))
}

// some tells whether any is waiting for its answer. What is asked is added before it is sent, so
// that no answer comes earlier.
func (a *asked) some() bool { return a.n.Load() > 0 }

// take returns what the answer of that number looks like, and forgets it.
func (a *asked) take(opaque int32) shape {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.by[opaque]
	delete(a.by, opaque)
	a.n.Store(int32(len(a.by)))
	return s
}
