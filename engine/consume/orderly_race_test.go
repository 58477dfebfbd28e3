package consume

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/mq"
)

// TestS2NoWakeUpIsLost runs on real threads: each message is put in when the one before it was
// committed, every second one before its lock is granted. A wake-up that is lost makes it hang.
func TestS2NoWakeUpIsLost(t *testing.T) {
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
				if off%2 == 1 {
					q.Unlock()
				}
				q.Put(batch, nil)
				c.Submit(q, batch, nil)
				batch.Release(1)
				if off%2 == 1 {
					q.Lock(time.Now())
					c.Wake(q)
				}
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

// TestALockThatComesWhileATurnEndsForWantOfItIsSeen grants the lock after the worker's look
// and before the queue waits for it; Wake has nothing to wake then.
func TestALockThatComesWhileATurnEndsForWantOfItIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueNo(0)
		hook := &hookClock{}
		b, stop := startOrderly(t, OrderlyConfig{Threads: 1, Clock: hook}, nil)
		defer stop()
		synctest.Wait()
		looks := 0
		hook.set(func() {
			if looks++; looks == 2 { // the first is the begin of the turn
				q.Lock(time.Now())
			}
		})
		b.put(q, 0, 1)
		synctest.Wait()
		if q.Committable() != 1 {
			t.Errorf("not consumed, after %d looks at the clock", looks)
		}
	})
}

// hookClock calls a function each time that someone asks for the time.
type hookClock struct {
	clock.System
	mu sync.Mutex
	fn func()
}

func (c *hookClock) set(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fn = fn
}

func (c *hookClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fn != nil {
		c.fn()
	}
	return c.System.Now()
}
