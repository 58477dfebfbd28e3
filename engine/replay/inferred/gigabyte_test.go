package inferred

import (
	"math/rand/v2"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/replay"
)

// gigabyte is a recording of 1 GiB: the events of captures over and over, an hour later each time.
func gigabyte(b *testing.B) string {
	var all []infer.Event
	for _, name := range []string{"push-orderly", "push-concurrent", "schedule", "lite"} {
		all = append(all, infertest.Read(b, name).Events...)
	}
	return recordLarge(b, 1<<30, func(add func(infer.Event) bool) {
		for round := 0; ; round++ {
			for _, e := range all {
				e.At = e.At.Add(time.Duration(round) * time.Hour)
				if !add(e) {
					return
				}
			}
		}
	})
}

// BenchmarkGigabyte: what a person waits for in a large file, and the memory that it takes.
func BenchmarkGigabyte(b *testing.B) {
	if testing.Short() {
		b.Skip("writes a file of 1 GiB")
	}
	path := gigabyte(b)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d MiB", info.Size()>>20)
	runtime.GC()
	peak := watchHeap(b)
	b.Run("open and first picture", func(b *testing.B) {
		for b.Loop() {
			tr, err := replay.Open(path, replay.Options{}, map[string]replay.Opener{replay.SourceCapture: Open})
			if err != nil || tr.Picture() == nil {
				b.Fatal("no picture", err)
			}
			if err := tr.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	tr := play(b, path, replay.Options{})
	rnd := rand.New(rand.NewPCG(1, 2))
	worst := func(b *testing.B, what func() error) {
		var most time.Duration
		for b.Loop() {
			begun := time.Now()
			if err := what(); err != nil {
				b.Fatal(err)
			}
			most = max(most, time.Since(begun))
		}
		b.ReportMetric(float64(most.Microseconds())/1000, "ms-at-most")
	}
	total := tr.Info().Total
	b.Run("jump", func(b *testing.B) {
		worst(b, func() error { return tr.Seek(rnd.Uint64N(total)) })
	})
	b.Run("jump by time", func(b *testing.B) {
		span := tr.Info().To.Sub(tr.Info().From)
		worst(b, func() error { return tr.SeekTime(tr.Info().From.Add(time.Duration(rnd.Int64N(int64(span))))) })
	})
	b.Run("jump and picture", func(b *testing.B) {
		worst(b, func() error { err := tr.Seek(rnd.Uint64N(total)); tr.Picture(); return err })
	})
	b.Run("step back", func(b *testing.B) {
		worst(b, func() error {
			if tr.Event() < 2 {
				return tr.Seek(total)
			}
			return tr.Seek(tr.Event() - 1)
		})
	})
	b.Run("on", func(b *testing.B) {
		if err := tr.Seek(0); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := tr.Next(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Logf("heap at most %d MiB", peak()>>20)
}

// watchHeap looks at the heap now and then, and returns the most it saw.
func watchHeap(b *testing.B) func() uint64 {
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most.Store(max(most.Load(), m.HeapInuse))
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); <-stopped; return most.Load() }
}
