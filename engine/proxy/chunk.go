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
}

// classes are the sizes of chunks.
const classes = 3

func classBytes(class int) int { return 4 << 10 << (2 * class) } // 4, 16 and 64 KiB

// chunks hands them out.
type chunks struct{ free [classes]sync.Pool }

func (p *chunks) get(class int) *chunk {
	c, _ := p.free[class].Get().(*chunk)
	if c == nil {
		c = &chunk{b: make([]byte, classBytes(class)), size: class}
	}
	c.refs.Store(1)
	return c
}

func (p *chunks) release(c *chunk) {
	if c.refs.Add(-1) == 0 {
		p.free[c.size].Put(c)
	}
}
