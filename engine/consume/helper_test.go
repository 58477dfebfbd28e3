package consume

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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

// bench has a running Concurrent and what its listener was given.
type bench struct {
	rig
	c *Concurrent

	calls   []call
	running int
	most    int // listeners at once
}

// start runs a Concurrent in the present bubble. on is the listener's work; nil succeeds.
// It ends with the test, or by stop.
func start(t *testing.T, cfg Config, on func(ctx context.Context, msgs []mq.Message, c *Context) Status) (b *bench, stop func()) {
	t.Helper()
	b = &bench{rig: rig{t: t}}
	cfg.Group, cfg.SendBack, cfg.Emit = "g", b, b.emit
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
	return b, b.run(b.c)
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
