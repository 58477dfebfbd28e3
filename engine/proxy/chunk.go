package proxy

import (
	"sync"
	"sync/atomic"
)

// chunk is a buffer that a connection reads into and the observer looks at; it is free again when
// neither needs it.
type chunk struct {
	b    []byte
	size int // its class
	refs atomic.Int32
	home *chunks
}

// classes are the sizes of chunks.
const classes = 3

func classBytes(class int) int { return 4 << 10 << (2 * class) } // 4, 16 and 64 KiB

// chunks hands them out.
type chunks struct{ free [classes]sync.Pool }

func (p *chunks) get(class int) *chunk {
	c, _ := p.free[class].Get().(*chunk)
	if c == nil {
		c = &chunk{b: make([]byte, classBytes(class)), size: class, home: p}
	}
	c.refs.Store(1)
	return c
}

// Hold implements observer.Lent.
func (c *chunk) Hold() { c.refs.Add(1) }

// Release implements observer.Lent: who has it does not need it any more.
func (c *chunk) Release() {
	if c.refs.Add(-1) == 0 {
		c.home.free[c.size].Put(c)
	}
}
