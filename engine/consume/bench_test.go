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
	var got atomic.Int64
	c := NewConcurrent(Config{Batch: chunk, Listener: func(_ context.Context, m []mq.Message, _ *Context) Status {
		got.Add(int64(len(m)))
		return Success
	}})
	if want := pump(b, c, queues); got.Load() != want {
		b.Errorf("consumed %d, want %d", got.Load(), want)
	}
}

// pump runs a service and has it consume b.N messages or a few more, pulled as a consumer would,
// and says how many that are.
func pump(b *testing.B, s service, queues int) int64 {
	b.Helper()
	const pulled, limit = 32, 1000
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()

	model := batchOf(nil, 0, pulled)
	free := make(chan *mq.Batch, queues*(limit/pulled+2))
	pqs := make([]*processqueue.Queue, queues)
	for i := range pqs {
		pqs[i] = lockedQueue(int32(i))
		pqs[i].Recycle = func(batch *mq.Batch) { free <- batch }
	}
	for range cap(free) {
		free <- &mq.Batch{}
	}
	room := make(chan struct{}, 1)
	wait := func(q *processqueue.Queue, above int) {
		if count, _, _ := q.Load(); count > above {
			q.Lock(time.Now()) // as the loop renews it; nothing without order asks for it
			q.Watch(func(count int, _, _ int64) bool { return count <= above/2 }, func() { room <- struct{}{} })
			<-room
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += pulled {
		turn := n / pulled
		q, from := pqs[turn%queues], int64(turn/queues*pulled)
		wait(q, limit)
		batch := <-free
		batch.Reset(model.Data, nil)
		batch.Records = append(batch.Records, model.Records...)
		for i := range batch.Records {
			batch.Records[i].QueueOffset = from + int64(i)
		}
		q.Put(batch, nil)
		s.Submit(q, batch, nil)
		if batch.Release(1) {
			free <- batch
		}
	}
	for _, q := range pqs {
		wait(q, 0)
	}
	b.StopTimer()
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	return int64((b.N + pulled - 1) / pulled * pulled)
}
