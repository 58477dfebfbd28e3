package remade_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
	"mqscope/engine/replay"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/replay/tracks"
)

// gigabyte is a recording of 1 GiB of a busy consumer, most of it the messages that it was given,
// each of them ten times over.
func gigabyte(b *testing.B) string {
	r := busy(b, 200_000, 500, &policy.Policy{Bodies: policy.Full})
	path := filepath.Join(b.TempDir(), "large.mqrec")
	replaytest.Write(b, path, r.header, recording.Options{Uncompressed: true}, func(yield func(recording.Record) bool) {
		for _, rec := range r.reel.List {
			for range copies(rec) {
				if !yield(rec) {
					return
				}
			}
		}
	})
	return path
}

// BenchmarkGigabyte is what a person waits for in a large file, and the memory that it takes.
func BenchmarkGigabyte(b *testing.B) {
	if testing.Short() {
		b.Skip("writes a file of 1 GiB")
	}
	path := gigabyte(b)
	if i, err := os.Stat(path); err == nil {
		b.Logf("%d MiB", i.Size()>>20)
	}
	runtime.GC()
	first := func(b *testing.B) replay.Track {
		track, err := tracks.Open(path, replay.Options{})
		if err != nil || track.Picture() == nil {
			b.Fatal("no picture", err)
		}
		return track
	}
	b.Run("open and first picture", func(b *testing.B) {
		for b.Loop() {
			if err := first(b).Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("jump", func(b *testing.B) {
		track := first(b)
		defer track.Close() //nolint:errcheck // it was only read
		rnd := rand.New(rand.NewPCG(3, 4))
		var most time.Duration
		var heap runtime.MemStats
		peak := uint64(0)
		for b.Loop() {
			begun := time.Now()
			if err := track.Seek(rnd.Uint64N(track.Info().Total)); err != nil {
				b.Fatal(err)
			}
			track.Picture()
			most = max(most, time.Since(begun))
			if b.N%16 == 0 {
				runtime.ReadMemStats(&heap)
				peak = max(peak, heap.HeapInuse)
			}
		}
		b.ReportMetric(float64(most.Microseconds())/1000, "ms-worst")
		runtime.ReadMemStats(&heap)
		b.ReportMetric(float64(max(peak, heap.HeapInuse)>>20), "MiB-heap")
		if d := track.Picture().Replay.Departed; d != "" {
			b.Fatal(d)
		}
	})
}

// copies is how often a record is written: messages are no part of the run.
func copies(rec recording.Record) int {
	if rec.Kind == 6 {
		return 10
	}
	return 1
}
