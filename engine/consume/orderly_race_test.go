package consume

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/mq"
)

// TestNoWakeUpIsLost runs on real threads: each message is put in when the one before it was
// committed, and the lock is granted just afterwards. A wake-up that is lost makes it hang.
func TestNoWakeUpIsLost(t *testing.T) {
	const queues, messages = 4, 3000
	var most [queues]atomic.Int32
	c := NewOrderly(OrderlyConfig{Threads: 3, Continuous: time.Microsecond, Listener: func(_ context.Context, _ []mq.Message, c *OrderlyContext) OrderlyStatus {
		n := &most[c.Queue.QueueID]
		if n.Add(1) != 1 {
			t.Error("two calls of one queue at once")
		}
		n.Add(-1)
		return OrderlySuccess
	}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	var work sync.WaitGroup
	for id := range int32(queues) {
		q := lockedQueue(id)
		work.Go(func() {
			done := make(chan struct{}, 1)
			for off := range int64(messages) {
				batch := batchOf(nil, off, off+1)
				q.Unlock()
				q.Put(batch, nil)
				c.Submit(q, batch, nil)
				batch.Release(1)
				q.Lock(time.Now())
				c.Wake(q)
				q.Watch(func(count int, _, _ int64) bool { return count == 0 }, func() { done <- struct{}{} })
				<-done
			}
			if q.Committable() != messages {
				t.Errorf("committable %d", q.Committable())
			}
		})
	}
	work.Wait()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
