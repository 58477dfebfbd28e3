package remade_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/recording/policy"
	"mqscope/engine/replay/verify"
)

// busy records a consumer that takes n messages as fast as it can.
func busy(b *testing.B, n, size int, keep *policy.Policy) *run {
	b.Helper()
	r, w := &run{}, newWorld(b, 8)
	defer w.end()
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(rand.Uint32())
	}
	w.cluster.Inspect(func(s *embedded.State) {
		for i := range n {
			if _, err := s.Broker("broker-a").Put(topic, int32(i%8), body); err != nil {
				b.Fatal(err)
			}
		}
	})
	var got atomic.Int64
	done := make(chan struct{})
	p := w.consumer("192.0.2.10@me", consumer.Config{
		Batch: 32,
		Listener: func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
			if got.Add(int64(len(msgs))) == int64(n) {
				close(done)
			}
			return consume.Success
		},
	})
	r.record(p)
	if keep != nil {
		p.RecordMessages(&r.reel, consumer.Messages{Keep: *keep, Rate: consumer.EveryMessage})
	}
	ctx, leave := context.WithCancel(w.ctx)
	w.running.Go(func() { _ = p.Run(ctx) })
	<-done
	leave()
	return r
}

// BenchmarkReplay plays all events of a recording of a busy consumer, without pictures, and compares
// what came of them: one part after the other, and on all processors.
func BenchmarkReplay(b *testing.B) {
	path := busy(b, 1_600_000, 16, nil).file(b)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as mqscope replay --verify does
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			events := uint64(0)
			for b.Loop() {
				r, err := verify.File(b.Context(), path, workers)
				if err != nil || !r.Whole() {
					b.Fatalf("%+v: %v", r, err)
				}
				events += r.Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkReplayEvents is the same event by event, with what each one was.
func BenchmarkReplayEvents(b *testing.B) {
	path := busy(b, 400_000, 16, nil).file(b)
	track := open(b, path)
	n := 0
	for b.Loop() {
		if err := track.Seek(0); err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := track.Next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
