package consume

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// orderlyCall is one call of the listener, and when.
type orderlyCall struct {
	Queue   int32
	Offsets []int64
	At      time.Duration // since the start of the test
}

// orderlyBench has a running Orderly, what its listener was given, and what went to the dead
// letters. It fails the test when two calls of one queue overlap.
type orderlyBench struct {
	t     *testing.T
	c     *Orderly
	began time.Time

	mu      sync.Mutex
	calls   []orderlyCall
	sent    []sending
	entries []event.Entry
	running map[int32]int
	most    int // listeners at once
	now     int

	refuse func(s sending) error // of dead letters, nil accepts all
}

// startOrderly runs an Orderly in the present bubble. on is the listener's work; nil succeeds.
// It ends with the test, or by stop.
func startOrderly(t *testing.T, cfg OrderlyConfig, on func(ctx context.Context, msgs []mq.Message, c *OrderlyContext) OrderlyStatus) (b *orderlyBench, stop func()) {
	t.Helper()
	b = &orderlyBench{t: t, began: time.Now(), running: map[int32]int{}}
	cfg.Group = "g"
	cfg.SendBack = b
	cfg.Emit = func(e event.Entry) { b.mu.Lock(); b.entries = append(b.entries, e); b.mu.Unlock() }
	cfg.Listener = func(ctx context.Context, msgs []mq.Message, c *OrderlyContext) OrderlyStatus {
		id := c.Queue.QueueID
		b.mu.Lock()
		b.calls = append(b.calls, orderlyCall{id, offsetsOf(msgs), time.Since(b.began)})
		if b.running[id]++; b.running[id] > 1 {
			t.Errorf("two calls of queue %d at once, the second at %v", id, offsetsOf(msgs))
		}
		b.now++
		b.most = max(b.most, b.now)
		b.mu.Unlock()
		defer func() { b.mu.Lock(); b.running[id]--; b.now--; b.mu.Unlock() }()
		if on == nil {
			return OrderlySuccess
		}
		return on(ctx, msgs, c)
	}
	b.c = NewOrderly(cfg)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.c.Run(ctx) }()
	var once sync.Once
	return b, func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
}

func (b *orderlyBench) SendBack(_ context.Context, m mq.Message, level, maxReconsume int32) error {
	s := sending{m.QueueOffset(), level, maxReconsume}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = append(b.sent, s)
	if b.refuse != nil {
		return b.refuse(s)
	}
	return nil
}

// lockedQueue has its lock since now.
func lockedQueue(id int32) *processqueue.Queue {
	q := queueNo(id)
	q.Lock(time.Now())
	return q
}

// put caches and submits messages with the offsets from, to not included.
func (b *orderlyBench) put(q *processqueue.Queue, from, to int64) {
	batch := batchOf(nil, from, to)
	q.Put(batch, nil)
	b.c.Submit(q, batch, nil)
	batch.Release(1)
}

// grant renews the lock of q, as the loop does.
func (b *orderlyBench) grant(q *processqueue.Queue) {
	q.Lock(time.Now())
	b.c.Wake(q)
}

// got returns the calls so far.
func (b *orderlyBench) got() []orderlyCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// offsets returns what the listener got of queue id, one call after the other.
func (b *orderlyBench) offsets(id int32) []int64 {
	list := []int64{}
	for _, c := range b.got() {
		if c.Queue == id {
			list = append(list, c.Offsets...)
		}
	}
	return list
}

func (b *orderlyBench) told(text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, e := range b.entries {
		if strings.Contains(e.What, text) {
			n++
		}
	}
	return n
}

// lanes is how many queues the Orderly remembers.
func (b *orderlyBench) lanes() int {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	return len(b.c.lanes)
}
