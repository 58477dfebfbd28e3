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

	"mqscope/engine/ledger"
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

func soak(t *testing.T, seed uint64) {
	books := ledger.New(ledger.Config{Group: "g", Topics: []string{"orders"}})
	var freed atomic.Int64
	rng := lockedRand{rng: rand.New(rand.NewPCG(seed, 7))}
	b, stop := start(t, Config{Threads: 6, Batch: 1 + rng.n(5), Timeout: 10 * time.Second}, nil)
	defer stop()
	queues := make([]*processqueue.Queue, soakQueues)
	owner := map[mq.Message]int32{}
	var owners sync.Mutex
	queueOf := func(m mq.Message) int32 {
		owners.Lock()
		defer owners.Unlock()
		return owner[m]
	}
	b.c.cfg.SendBack = sendBackFunc(func(ctx context.Context, m mq.Message) error {
		time.Sleep(time.Duration(rng.n(3)*rng.n(2000)) * time.Millisecond)
		if rng.n(3) == 0 {
			return errors.New("refused")
		}
		dead := mq.MessageQueue{Topic: mq.DeadLetterTopic("g"), BrokerName: "broker-a"} // it is the broker's from here on
		books.Record(ledger.Stored{Queue: dead, Hash: hashOf(queueOf(m), m.QueueOffset()), Attempt: 1, At: time.Now()})
		return nil
	})
	b.c.cfg.Listener = func(_ context.Context, msgs []mq.Message, c *Context) Status {
		call := ledger.Start{Member: "m", Queue: c.Queue, At: time.Now()}
		for _, m := range msgs {
			call.Messages = append(call.Messages, ledger.Handed{Offset: m.QueueOffset(), Hash: hashOf(c.Queue.QueueID, m.QueueOffset())})
		}
		books.Record(call)
		done := 0
		defer func() { books.Record(ledger.End{Start: call, Done: done, At: time.Now()}) }() // after a panic too
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
		done = c.AckIndex + 1
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
				owner[batch.At(j)] = int32(i)
				at := from + int64(j)
				books.Record(ledger.Stored{Queue: q.ID, Offset: at, Hash: hashOf(int32(i), at), At: time.Now()})
			}
			owners.Unlock()
			q.Put(batch, nil)
			b.c.Submit(q, batch, nil)
			batch.Release(1)
		}
		after(time.Duration(rng.n(1500)) * time.Millisecond)
		for _, q := range queues {
			books.Record(ledger.Commit{Queue: q.ID, Offset: q.Committable(), At: time.Now()})
		}
	}
	books.Record(ledger.Park{Queue: queues[4].ID})
	queues[4].Drop()
	queues[4].Clear()
	after(2 * time.Hour)
	for i, q := range queues {
		if !empty(q) {
			t.Errorf("seed %d queue %d: left %v", seed, i, q.Window(0).Runs)
		}
		if i < 4 && q.Committable() != soakMessages {
			t.Errorf("seed %d queue %d: committable %d", seed, i, q.Committable())
		}
		books.Record(ledger.Commit{Queue: q.ID, Offset: q.Committable(), At: time.Now()})
	}
	faults, report := books.Verdict(time.Now())
	for _, f := range faults {
		t.Errorf("seed %d: %v", seed, f)
	}
	t.Logf("seed %d: %v", seed, report)
	if got := freed.Load(); got != int64(batches) {
		t.Errorf("seed %d: %d of %d batches freed", seed, got, batches)
	}
	if s := b.c.Stats(); s.Threads.Busy != 0 || s.Panics == 0 || s.TimedOut == 0 || s.SendBackFailed == 0 {
		t.Errorf("seed %d: %+v: threads are busy, or a fault did not happen", seed, s)
	}
}

// hashOf tells messages apart whose bodies are the same.
func hashOf(queue int32, offset int64) uint64 { return uint64(queue)<<32 | uint64(offset) }

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
