package consume

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// TestSoak mixes everything: listeners that succeed, fail, panic, end their goroutine or
// take longer than the timeout, send-backs that are slow or refused, queues that are dropped.
// Whatever happens, each message is delivered, the offset never passes one that is
// neither acknowledged nor at the broker, and all bytes are freed.
func TestSoak(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) { soak(t, seed) })
	}
}

const (
	soakQueues   = 5
	soakMessages = 640
)

// ledger is what must be known of each message of a queue.
type ledger struct {
	mu       sync.Mutex
	seen     [soakMessages]bool
	resolved [soakMessages]bool // acknowledged, or taken by the broker
}

func soak(t *testing.T, seed uint64) {
	var ledgers [soakQueues]ledger
	var freed atomic.Int64
	rng := lockedRand{rng: rand.New(rand.NewPCG(seed, 7))}
	mark := func(queue int, m mq.Message, resolved bool) {
		l := &ledgers[queue]
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seen[m.QueueOffset()] = true
		l.resolved[m.QueueOffset()] = l.resolved[m.QueueOffset()] || resolved
	}
	b, stop := start(t, Config{Threads: 6, Batch: 1 + rng.n(5), Timeout: 10 * time.Second}, nil)
	defer stop()
	queues := make([]*processqueue.Queue, soakQueues)
	owner := map[mq.Message]int{}
	var owners sync.Mutex
	queueOf := func(m mq.Message) int {
		owners.Lock()
		defer owners.Unlock()
		return owner[m]
	}
	b.c.cfg.SendBack = sendBackFunc(func(ctx context.Context, m mq.Message) error {
		queue := queueOf(m)
		time.Sleep(time.Duration(rng.n(3)*rng.n(2000)) * time.Millisecond)
		if rng.n(3) == 0 {
			return errors.New("refused")
		}
		mark(queue, m, true)
		return nil
	})
	b.c.cfg.Listener = func(_ context.Context, msgs []mq.Message, c *Context) Status {
		queue := int(c.Queue.QueueID)
		for _, m := range msgs {
			mark(queue, m, false)
		}
		time.Sleep(time.Duration(rng.n(50)) * time.Millisecond)
		switch rng.n(12) {
		case 0:
			panic("boom")
		case 1:
			runtime.Goexit()
		case 2:
			return ReconsumeLater
		case 3:
			time.Sleep(time.Duration(rng.n(25)) * time.Second)
			return ReconsumeLater
		case 4:
			c.AckIndex = rng.n(len(msgs)) - 1
		}
		for i := range c.AckIndex + 1 {
			mark(queue, msgs[i], true)
		}
		return Success
	}
	batches := 0
	for i := range queues {
		queues[i] = queueNo(int32(i))
	}
	for from := int64(0); from < soakMessages; from += 32 {
		for i, q := range queues {
			batch := batchOf(releases{&freed}, from, from+32)
			batches++
			owners.Lock()
			for j := range batch.Len() {
				owner[batch.At(j)] = i
			}
			owners.Unlock()
			q.Put(batch, nil)
			b.c.Submit(q, batch, nil)
			batch.Release(1)
		}
		after(time.Duration(rng.n(1500)) * time.Millisecond)
		for i, q := range queues {
			ledgers[i].check(t, i, q.Committable())
		}
	}
	queues[4].Drop()
	queues[4].Clear()
	after(2 * time.Hour)
	for i, q := range queues {
		if !empty(q) {
			t.Errorf("seed %d queue %d: left %v", seed, i, q.Window(0).Runs)
		}
		if i < 4 {
			if q.Committable() != soakMessages {
				t.Errorf("seed %d queue %d: committable %d", seed, i, q.Committable())
			}
			ledgers[i].check(t, i, soakMessages)
		}
	}
	if got := freed.Load(); got != int64(batches) {
		t.Errorf("seed %d: %d of %d batches freed", seed, got, batches)
	}
	if s := b.c.Stats(); s.Threads.Busy != 0 || s.Panics == 0 || s.TimedOut == 0 || s.SendBackFailed == 0 {
		t.Errorf("seed %d: %+v: threads are busy, or a fault did not happen", seed, s)
	}
}

func (l *ledger) check(t *testing.T, queue int, committable int64) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for off := range committable {
		if !l.seen[off] || !l.resolved[off] {
			t.Errorf("queue %d: offset %d is lost: committable %d, delivered %t", queue, off, committable, l.seen[off])
			return
		}
	}
}

type sendBackFunc func(ctx context.Context, m mq.Message) error

func (f sendBackFunc) SendBack(ctx context.Context, m mq.Message, _, _ int32) error { return f(ctx, m) }

type lockedRand struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func (r *lockedRand) n(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rng.IntN(n)
}
