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

// BenchmarkConsume is one message's way from a decoded batch of 32 to its acknowledgement,
// with a listener that does next to nothing. Flow control as in a consumer: at most 1000
// cached a queue.
func BenchmarkConsume(b *testing.B) {
	for _, queues := range []int{1, 4} {
		for _, chunk := range []int{1, 32} {
			b.Run(fmt.Sprintf("queues=%d/batch=%d", queues, chunk), func(b *testing.B) { benchmarkConsume(b, queues, chunk) })
		}
	}
}

func benchmarkConsume(b *testing.B, queues, chunk int) {
	const pulled, limit = 32, 1000
	var got atomic.Int64
	c := NewConcurrent(Config{Batch: chunk, Listener: func(_ context.Context, m []mq.Message, _ *Context) Status {
		got.Add(int64(len(m)))
		return Success
	}})
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()

	model := batchOf(nil, 0, pulled)
	free := make(chan *mq.Batch, queues*(limit/pulled+2))
	room := make(chan struct{}, 1)
	pqs := make([]*processqueue.Queue, queues)
	for i := range pqs {
		pqs[i] = queueNo(int32(i))
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
			q.Watch(
				func(count int, _, _ int64) bool { return count <= limit/2 },
				func() { room <- struct{}{} },
			)
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
	b.StopTimer()
	drained := func() bool {
		for _, q := range pqs {
			if count, _, _ := q.Load(); count > 0 {
				return false
			}
		}
		return true
	}
	for !drained() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	if want := int64((b.N + pulled - 1) / pulled * pulled); got.Load() != want {
		b.Errorf("consumed %d, want %d", got.Load(), want)
	}
}
