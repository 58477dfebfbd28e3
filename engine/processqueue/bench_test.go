package processqueue

import (
	"testing"

	"mqscope/engine/mq"
)

// putting is a queue, and what puts the next 32 messages in when n is a multiple of that. Offsets
// are step apart.
func putting(b *testing.B, step int64) (q *Queue, put func(n int)) {
	const size = 32
	q = New(testQueue, 1)
	model := batchOf(b, nil, span(0, size, 128)...)
	var free []*mq.Batch
	q.Recycle = func(b *mq.Batch) { free = append(free, b) }
	next := int64(0)
	return q, func(n int) {
		if n%size != 0 {
			return
		}
		if len(free) == 0 {
			free = append(free, &mq.Batch{})
		}
		fresh := free[len(free)-1]
		free = free[:len(free)-1]
		fresh.Reset(model.Data, nil)
		fresh.Records = append(fresh.Records, model.Records...)
		for i := range fresh.Records {
			fresh.Records[i].QueueOffset = next + int64(i)*step
		}
		next += size * step
		q.Put(fresh, nil)
		fresh.Release(1)
	}
}

// benchmarkPutResolve keeps about depth messages cached, put in by 32 and taken and finished
// by chunk. Offsets are step apart.
func benchmarkPutResolve(b *testing.B, step int64, depth, chunk int) {
	q, put := putting(b, step)
	var msgs, spare []mq.Message
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		put(n)
		if n%chunk == 0 && n >= depth {
			msgs, spare = spare, msgs
			msgs, _ = q.Next(q.born, spare, msgs[:0], chunk)
		}
	}
}

func BenchmarkPutResolve(b *testing.B) {
	for _, c := range []struct {
		name         string
		step         int64
		depth, chunk int
	}{
		{"dense/1000 cached/one by one", 1, 1000, 1},
		{"dense/1000 cached/by 32", 1, 1000, 32},
		{"dense/empty/one by one", 1, 0, 1},
		{"sparse/1000 cached/one by one", 50, 1000, 1},
		{"far apart/1000 cached/one by one", 100_000, 1000, 1},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkPutResolve(b, c.step, c.depth, c.chunk) })
	}
}

func BenchmarkWindow(b *testing.B) {
	q := New(testQueue, 1)
	put(b, q, span(0, 1000, 128)...)
	msgs, _ := q.Take(q.born, nil, 500)
	for i := 1; i < 500; i += 3 {
		q.Finish(q.born, msgs[i:i+1])
	}
	b.ReportAllocs()
	for b.Loop() {
		q.Window(64)
	}
}

// BenchmarkPutCommit is what an orderly consumer does: put in by 32, taken and committed by
// chunk, with depth messages cached.
func BenchmarkPutCommit(b *testing.B) {
	for _, c := range []struct {
		name         string
		depth, chunk int
	}{{"1000 cached/one by one", 1000, 1}, {"1000 cached/by 32", 1000, 32}} {
		b.Run(c.name, func(b *testing.B) { benchmarkPutCommit(b, c.depth, c.chunk) })
	}
}

func benchmarkPutCommit(b *testing.B, depth, chunk int) {
	q, put := putting(b, 1)
	var h Hand
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		put(n)
		if n%chunk == 0 && n >= depth {
			q.Commit(q.born, &h, chunk)
		}
	}
}
