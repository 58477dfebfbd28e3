package processqueue

import (
	"encoding/binary"
	"testing"

	"mqscope/engine/mq"
)

var testQueue = mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: 1}

type stored struct {
	offset int64
	body   int
}

// counter counts how often the bytes of a batch were released.
type counter struct{ released int }

func (c *counter) Release() { c.released++ }

// batchOf lays messages out as a broker stores them (IPv4 hosts, version 1).
func batchOf(tb testing.TB, owner mq.Releaser, msgs ...stored) *mq.Batch {
	tb.Helper()
	const topic, props = "orders", "TAGS\x01red\x02KEYS\x01k\x02UNIQ_KEY\x01ID\x02"
	var data []byte
	records := make([]mq.Record, 0, len(msgs))
	for _, m := range msgs {
		size := 88 + m.body + 1 + len(topic) + 2 + len(props)
		rec := make([]byte, size)
		binary.BigEndian.PutUint32(rec, uint32(size))
		binary.BigEndian.PutUint64(rec[20:], uint64(m.offset))
		binary.BigEndian.PutUint64(rec[56:], 1_700_000_000_000)
		binary.BigEndian.PutUint32(rec[72:], 2)
		binary.BigEndian.PutUint32(rec[84:], uint32(m.body))
		at := 88 + m.body
		rec[at] = byte(len(topic))
		at += 1 + copy(rec[at+1:], topic)
		binary.BigEndian.PutUint16(rec[at:], uint16(len(props)))
		copy(rec[at+2:], props)
		records = append(records, mq.Record{
			Pos: uint32(len(data)), Size: uint32(size), BodyLen: uint32(m.body),
			TopicLen: uint16(len(topic)), PropsPos: uint32(len(data) + at + 2), PropsLen: uint16(len(props)),
			QueueOffset: m.offset,
		})
		data = append(data, rec...)
	}
	b := &mq.Batch{}
	b.Reset(data, owner)
	b.Records = append(b.Records, records...)
	return b
}

// span returns messages with the offsets from, to not included, and bodies of size bytes.
func span(from, to int64, size int) []stored {
	var msgs []stored
	for off := from; off < to; off++ {
		msgs = append(msgs, stored{off, size})
	}
	return msgs
}

// put caches msgs in q, handing over the batch.
func put(tb testing.TB, q *Queue, msgs ...stored) Added {
	tb.Helper()
	b := batchOf(tb, nil, msgs...)
	a := q.Put(b, nil)
	b.Release(1)
	return a
}

// cached lists the offsets that are not done.
func cached(q *Queue) []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := []int64{}
	for i := range q.slots.n {
		if s := q.slots.at(i); s.state != done {
			list = append(list, s.offset)
		}
	}
	return list
}

func offsetsOf(msgs []mq.Message) []int64 {
	list := []int64{}
	for _, m := range msgs {
		list = append(list, m.QueueOffset())
	}
	return list
}
