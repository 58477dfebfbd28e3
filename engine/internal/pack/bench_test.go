package pack

import (
	"fmt"
	"testing"
	"time"
)

// pullDone is like event.PullDone.
type pullDone struct {
	Queue    queue
	Epoch    uint64
	Status   level
	Offset   int64
	Next     int64
	Min, Max int64
	Suggest  int64
	Slave    bool
	Commit   int64
	Count    int
	First    int64
	Filtered int
	Bytes    int
	Stored   time.Time
	Took     time.Duration
	Code     int32
	Err      error
}

func aPull() pullDone {
	return pullDone{
		Queue: queue{"TopicOrders", "broker-a", 3}, Epoch: 4, Offset: 1234567, Next: 1234599, Min: 0, Max: 1240000,
		Count: 32, First: 1234567, Bytes: 32768, Stored: time.Unix(1700000000, 5e6).UTC(), Took: 13 * time.Millisecond,
	}
}

type tables struct {
	offsets map[queue]int64
	names   map[string]string
}

func someMaps() tables {
	m := tables{map[queue]int64{}, map[string]string{}}
	for n := range 16 {
		m.offsets[queue{"TopicOrders", "broker-a", int32(n)}] = int64(n) * 1000
		m.names[fmt.Sprint("KEY", n)] = fmt.Sprint("value ", n)
	}
	return m
}

func benchmark[T any](b *testing.B, v T) {
	c := New(v)
	var event any = v
	for name, from := range map[string]any{"plain": &v, "any": &event} {
		dst := c.Append(nil, from)
		b.Run("append "+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				dst = c.Append(dst[:0], from)
			}
		})
	}
	var got T
	src := c.Append(nil, &v)
	b.Run("decode plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Decode(src, &got); err != nil {
				b.Fatal(err)
			}
		}
	})
	a, err := c.Adapt(c.Describe(v))
	if err != nil {
		b.Fatal(err)
	}
	src = c.Append(nil, &event)
	b.Run("decode any adapted", func(b *testing.B) {
		b.ReportAllocs()
		var into any
		for b.Loop() {
			if _, err := a.Decode(src, &into); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPullDone(b *testing.B) { benchmark(b, aPull()) }
func BenchmarkMaps(b *testing.B)     { benchmark(b, someMaps()) }
