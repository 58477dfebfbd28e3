package consume

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"mqscope/engine/mq"
)

// BenchmarkConsumeOrderly is one message's way from a decoded batch of 32 to its commit, in
// order, with a listener that does next to nothing. Flow control as in a consumer.
func BenchmarkConsumeOrderly(b *testing.B) {
	for _, queues := range []int{1, 16} {
		for _, chunk := range []int{1, 32} {
			b.Run(fmt.Sprintf("queues=%d/batch=%d", queues, chunk), func(b *testing.B) { benchmarkOrderly(b, queues, chunk) })
		}
	}
}

func benchmarkOrderly(b *testing.B, queues, chunk int) {
	var got, wrong atomic.Int64
	last := make([]int64, queues) // each is used by one call at a time
	c := NewOrderly(OrderlyConfig{Batch: chunk, Listener: func(_ context.Context, m []mq.Message, c *OrderlyContext) OrderlyStatus {
		for i := range m {
			if m[i].QueueOffset() != last[c.Queue.QueueID] {
				wrong.Add(1)
			}
			last[c.Queue.QueueID]++
		}
		got.Add(int64(len(m)))
		return OrderlySuccess
	}})
	if want := pump(b, c, queues); got.Load() != want || wrong.Load() != 0 {
		b.Errorf("consumed %d, want %d; %d out of order", got.Load(), want, wrong.Load())
	}
}
