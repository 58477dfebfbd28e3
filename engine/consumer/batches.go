package consumer

import (
	"sync"

	"mqscope/engine/mq"
)

// batchPool keeps batches whose messages are all resolved, with the capacity of their index.
type batchPool struct{ pool sync.Pool }

func (p *batchPool) get() *mq.Batch {
	if b, ok := p.pool.Get().(*mq.Batch); ok {
		return b
	}
	return new(mq.Batch)
}

// release gives up the puller's own reference.
func (p *batchPool) release(b *mq.Batch, n int) {
	if b.Release(n) {
		p.put(b)
	}
}

// put takes back a batch that nobody refers to any more.
func (p *batchPool) put(b *mq.Batch) { p.pool.Put(b) }

func (m *membership) inflate(b *mq.Batch) { m.inflater.InflateBatch(b) }
