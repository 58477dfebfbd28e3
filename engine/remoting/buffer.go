package remoting

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Buffer is a pooled read buffer of one frame.
type Buffer struct {
	b    []byte // its length is what was read
	pool *pool
	held atomic.Bool
}

// Release gives the bytes back for another frame; nothing may point into them any more.
// Releasing nil is fine, releasing twice is a bug in this program and panics.
func (b *Buffer) Release() {
	if b == nil {
		return
	}
	if !b.held.CompareAndSwap(true, false) {
		panic("remoting: a read buffer was released twice")
	}
	b.pool.put(b)
}

const (
	smallestClass = 9 // 512 bytes
	classes       = 32 - smallestClass
)

// pool hands out buffers whose sizes are powers of two.
type pool struct {
	free [classes]sync.Pool
}

// class is the number of the smallest class that holds n bytes.
func class(n int) int {
	return max(bits.Len(uint(max(n, 1)-1)), smallestClass) - smallestClass
}

// get returns a buffer of length n.
func (p *pool) get(n int) *Buffer {
	c := class(n)
	b, _ := p.free[c].Get().(*Buffer)
	if b == nil {
		b = &Buffer{b: make([]byte, 1<<(c+smallestClass)), pool: p}
	}
	b.b = b.b[:n]
	b.held.Store(true)
	return b
}

func (p *pool) put(b *Buffer) { p.free[class(cap(b.b))].Put(b) }

// grow returns a buffer of length n that starts with what b holds, and releases b.
func (p *pool) grow(b *Buffer, n int) *Buffer {
	if n <= cap(b.b) {
		b.b = b.b[:n]
		return b
	}
	g := p.get(n)
	copy(g.b, b.b)
	b.Release()
	return g
}
