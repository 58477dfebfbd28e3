package consume

import (
	"context"
	"slices"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// orderlyCall is one call of the listener, and when.
type orderlyCall struct {
	Queue   int32
	Offsets []int64
	At      time.Duration // since the start of the test
}

// orderlyBench has a running Orderly and what its listener was given; what is sent back goes to
// the dead letters. It fails the test when two calls of one queue overlap.
type orderlyBench struct {
	rig
	c     *Orderly
	began time.Time

	calls   []orderlyCall
	running map[int32]int
	most    int // listeners at once
	now     int
}

// startOrderly runs an Orderly in the present bubble. on is the listener's work; nil succeeds.
// It ends with the test, or by stop.
func startOrderly(t *testing.T, cfg OrderlyConfig, on func(ctx context.Context, msgs []mq.Message, c *OrderlyContext) OrderlyStatus) (b *orderlyBench, stop func()) {
	t.Helper()
	b = &orderlyBench{rig: rig{t: t}, began: time.Now(), running: map[int32]int{}}
	cfg.Group, cfg.SendBack, cfg.Emit = "g", b, b.emit
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
	return b, b.run(b.c)
}

// lockedQueue has its lock since now.
func lockedQueue(id int32) *processqueue.Queue {
	q := queueNo(id)
	q.Lock(time.Now())
	return q
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

// lanes is how many queues the Orderly remembers.
func (b *orderlyBench) lanes() int {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	return len(b.c.lanes)
}
