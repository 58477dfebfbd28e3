package processqueue

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/mq"
)

// atomicOwner counts releases from many goroutines.
type atomicOwner struct{ n *atomic.Int64 }

func (o atomicOwner) Release() { o.n.Add(1) }

// pull puts messages in by the batch, and waits for room: until there are no more than limit.
func pull(t *testing.T, q *Queue, released *atomic.Int64, messages, batch int64, limit int) {
	room := make(chan struct{}, 1)
	for from := int64(0); from < messages; from += batch {
		b := batchOf(t, atomicOwner{released}, span(from, from+batch, 20)...)
		q.Put(b, nil)
		b.Release(1)
		q.Watch(
			func(count int, _, _ int64) bool { return count <= limit },
			func() { room <- struct{}{} },
		)
		<-room
		if count, _, _ := q.Load(); count > limit+int(batch) {
			t.Errorf("%d cached after the watch fired", count)
		}
	}
}

// TestManyTakers runs a puller with flow control, workers that succeed, fail and retry, a
// sweep and readers at once. Every message must be resolved and every batch freed.
func TestManyTakers(t *testing.T) {
	const messages, batch, workers, limit = 6400, 32, 8, 500
	q := New(testQueue, 1)
	var released atomic.Int64
	var wg sync.WaitGroup
	stop := make(chan struct{})

	wg.Go(func() { pull(t, q, &released, messages, batch, limit) })
	for n := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 1))
			work(q, rng, messages)
		})
	}
	var helpers sync.WaitGroup
	helpers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, m := range q.Expire(time.Now(), 0, nil) {
				if len(m.Body()) != 20 {
					t.Error("the body is gone")
				}
				if q.Expired(time.Now(), m, true) {
					t.Error("a message that was sent wants a retry")
				}
			}
			for _, m := range q.Window(64).Meta {
				if m.Tag != "red" {
					t.Errorf("tag %q", m.Tag)
				}
			}
			q.Bounds()
			q.Running()
			q.LastConsumed()
		}
	})
	wg.Wait()
	close(stop)
	helpers.Wait()

	if count, bytes, span := q.Load(); count != 0 || bytes != 0 || span != 0 || q.Running() != 0 {
		t.Errorf("left: count %d, bytes %d, span %d, held %d", count, bytes, span, q.Running())
	}
	if got := q.Committable(); got != messages {
		t.Errorf("committable %d, want %d", got, messages)
	}
	if got := released.Load(); got != messages/batch {
		t.Errorf("%d batches freed, want %d", got, messages/batch)
	}
}

// work takes and settles messages until all of them are resolved.
func work(q *Queue, rng *rand.Rand, messages int64) {
	var buf []mq.Message
	for q.Committable() != messages {
		buf, _ = q.Take(time.Now(), buf[:0], 1+rng.IntN(8))
		if len(buf) == 0 {
			runtime.Gosched()
			continue
		}
		if rng.IntN(4) > 0 {
			q.Finish(time.Now(), buf)
			continue
		}
		for _, m := range buf {
			off := m.QueueOffset()
			if !q.Failed(m) {
				continue
			}
			if rng.IntN(2) == 0 {
				q.Finish(time.Now(), []mq.Message{m})
			} else if q.Retry(m) {
				q.Again(off)
			}
		}
	}
}
