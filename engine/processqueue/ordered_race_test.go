package processqueue

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestOneTakerInOrder runs a puller with flow control, the one taker of an orderly queue that
// fails, keeps and rolls back, a lock that comes and goes, readers, and at the end a
// retirement. Offsets must be committed in order, and every batch freed.
func TestOneTakerInOrder(t *testing.T) {
	const messages, batch, limit = 6400, 32, 500
	q := New(testQueue, 1)
	var released atomic.Int64
	var wg sync.WaitGroup
	stop, idle := make(chan struct{}), make(chan struct{})

	wg.Go(func() { pull(t, q, &released, messages, batch, limit) })
	wg.Go(func() {
		rng := rand.New(rand.NewPCG(3, 1))
		var h Hand
		last := None
		for last < messages {
			now := time.Now()
			if !q.HoldsLock(now, LockExpiry) {
				q.Lock(now)
			}
			switch rng.IntN(6) {
			case 0:
				q.ConsumeAgain(now, &h)
			case 1:
				q.Rollback(now, &h)
			case 2:
				q.Keep(now, &h, 1+rng.IntN(9))
			default:
				if at := q.Commit(now, &h, 1+rng.IntN(9)); at != None {
					if at < last {
						t.Errorf("commits %d after %d", at, last)
					}
					last = at
				}
			}
			for _, m := range h.Messages {
				if len(m.Body()) != 20 {
					t.Error("the body is gone")
				}
			}
			if h.Empty() {
				q.TakeOrdered(now, &h, 1+rng.IntN(9))
			}
		}
		q.Retire(func() { close(idle) })
		q.Untake(time.Now(), &h)
		<-idle
	})
	var helpers sync.WaitGroup
	helpers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			q.Unlock()
			q.Window(8)
			q.Load()
			q.Committable()
		}
	})
	wg.Wait()
	close(stop)
	helpers.Wait()
	q.Drop()
	q.Clear()
	if got := released.Load(); got != messages/batch || q.Committable() != messages {
		t.Errorf("%d of %d batches released, committable %d", got, messages/batch, q.Committable())
	}
}
