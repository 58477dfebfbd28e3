package consume

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
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
	const pulled, limit = 32, 1000
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
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()

	model := batchOf(nil, 0, pulled)
	free := make(chan *mq.Batch, queues*(limit/pulled+2))
	room := make(chan struct{}, 1)
	pqs := make([]*processqueue.Queue, queues)
	for i := range pqs {
		pqs[i] = lockedQueue(int32(i))
		pqs[i].Recycle = func(batch *mq.Batch) { free <- batch }
	}
	for range cap(free) {
		free <- &mq.Batch{}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += pulled {
		turn := n / pulled
		q, from := pqs[turn%queues], int64(turn/queues*pulled)
		if count, _, _ := q.Load(); count > limit {
			q.Lock(time.Now())
			q.Watch(func(count int, _, _ int64) bool { return count <= limit/2 }, func() { room <- struct{}{} })
			<-room
		}
		batch := <-free
		batch.Reset(model.Data, nil)
		batch.Records = append(batch.Records, model.Records...)
		for i := range batch.Records {
			batch.Records[i].QueueOffset = from + int64(i)
		}
		q.Put(batch, nil)
		c.Submit(q, batch, nil)
		if batch.Release(1) {
			free <- batch
		}
	}
	for _, q := range pqs {
		if count, _, _ := q.Load(); count > 0 {
			q.Watch(func(count int, _, _ int64) bool { return count == 0 }, func() { room <- struct{}{} })
			<-room
		}
	}
	b.StopTimer()
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	if want := int64((b.N + pulled - 1) / pulled * pulled); got.Load() != want || wrong.Load() != 0 {
		b.Errorf("consumed %d, want %d; %d out of order", got.Load(), want, wrong.Load())
	}
}
