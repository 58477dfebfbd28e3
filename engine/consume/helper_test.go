package consume

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// batchOf lays out messages with the offsets from, to not included, as a broker stores them.
// The body is one byte, the low byte of the offset.
func batchOf(owner mq.Releaser, from, to int64) *mq.Batch {
	const topic = "orders"
	const size uint32 = 88 + 1 + 1 + uint32(len(topic)) + 2
	data := make([]byte, 0, int(size)*int(to-from))
	b := &mq.Batch{}
	records := make([]mq.Record, 0, to-from)
	for off := from; off < to; off++ {
		rec := make([]byte, size)
		binary.BigEndian.PutUint32(rec, size)
		binary.BigEndian.PutUint64(rec[20:], uint64(off))
		binary.BigEndian.PutUint32(rec[84:], 1)
		rec[88] = byte(off)
		rec[89] = byte(len(topic))
		copy(rec[90:], topic)
		records = append(records, mq.Record{
			Pos: uint32(len(data)), Size: size, BodyLen: 1, TopicLen: uint16(len(topic)),
			PropsPos: uint32(len(data)) + size, QueueOffset: off,
		})
		data = append(data, rec...)
	}
	b.Reset(data, owner)
	b.Records = records
	return b
}

func queueNo(id int32) *processqueue.Queue {
	return processqueue.New(mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: id}, 1)
}

// call is one call of the listener.
type call struct {
	Queue   int32
	Offsets []int64
}

// sending is one send-back.
type sending struct {
	Offset       int64
	Level        int32
	MaxReconsume int32
}

// bench has a running Concurrent, what its listener was given, and what was sent back.
type bench struct {
	t *testing.T
	c *Concurrent

	mu      sync.Mutex
	calls   []call
	sent    []sending
	entries []event.Entry
	running int
	most    int // listeners at once

	refuse func(s sending, attempt int) error // of send-backs, nil accepts all
}

// start runs a Concurrent in the present bubble. on is the listener's work; nil succeeds.
// It ends with the test, or by stop.
func start(t *testing.T, cfg Config, on func(ctx context.Context, msgs []mq.Message, c *Context) Status) (b *bench, stop func()) {
	t.Helper()
	b = &bench{t: t}
	cfg.Group = "g"
	cfg.SendBack = b
	cfg.Emit = func(e event.Entry) { b.mu.Lock(); b.entries = append(b.entries, e); b.mu.Unlock() }
	cfg.Listener = func(ctx context.Context, msgs []mq.Message, c *Context) Status {
		b.mu.Lock()
		b.running++
		b.most = max(b.most, b.running)
		b.calls = append(b.calls, call{c.Queue.QueueID, offsetsOf(msgs)})
		b.mu.Unlock()
		defer func() { b.mu.Lock(); b.running--; b.mu.Unlock() }()
		if on == nil {
			return Success
		}
		return on(ctx, msgs, c)
	}
	b.c = NewConcurrent(cfg)
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

func (b *bench) SendBack(_ context.Context, m mq.Message, level, maxReconsume int32) error {
	s := sending{m.QueueOffset(), level, maxReconsume}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(m.StoredBody()) != 1 || m.StoredBody()[0] != byte(s.Offset) {
		b.t.Errorf("body of %d is %v", s.Offset, m.StoredBody())
	}
	attempt := 0
	for _, e := range b.sent {
		if e.Offset == s.Offset {
			attempt++
		}
	}
	b.sent = append(b.sent, s)
	if b.refuse != nil {
		return b.refuse(s, attempt)
	}
	return nil
}

// put caches and submits messages with the offsets from, to not included.
func (b *bench) put(q *processqueue.Queue, from, to int64) {
	batch := batchOf(nil, from, to)
	q.Put(batch, nil)
	b.c.Submit(q, batch, nil)
	batch.Release(1)
}

// offsets returns all offsets that the listener got, sorted, with repetitions.
func (b *bench) offsets() []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := []int64{}
	for _, c := range b.calls {
		list = append(list, c.Offsets...)
	}
	slices.Sort(list)
	return list
}

func (b *bench) sendings() []sending {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.sent)
}

// told returns how many entries have text in them.
func (b *bench) told(text string) int {
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

func offsetsOf(msgs []mq.Message) []int64 {
	list := []int64{}
	for _, m := range msgs {
		list = append(list, m.QueueOffset())
	}
	return list
}

func seq(from, to int64) []int64 {
	list := []int64{}
	for off := from; off < to; off++ {
		list = append(list, off)
	}
	return list
}

// after waits for d of the bubble's time and for everything that follows at that moment.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// empty tells whether nothing is left in q.
func empty(q *processqueue.Queue) bool {
	count, bytes, span := q.Load()
	return count == 0 && bytes == 0 && span == 0 && q.Running() == 0
}
