package inferred

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"runtime/debug"
	"testing"

	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/replay"
)

// repeated is a capture whose packets come again until there are so many bytes: each time the
// clients connect anew.
func repeated(data []byte, bytes int) io.Reader {
	parts := []io.Reader{reader(data[:24])}
	for n := 24; n < bytes; n += len(data) - 24 {
		parts = append(parts, reader(data[24:]))
	}
	return io.MultiReader(parts...)
}

func reader(data []byte) io.Reader { return bytes.NewReader(data) }

// BenchmarkImport is from the bytes of a capture to the finished file.
func BenchmarkImport(b *testing.B) {
	for _, name := range []string{"push-orderly", "push-concurrent", "push-broadcast", "pop"} {
		b.Run(name, func(b *testing.B) {
			const size = 64 << 20
			data := infertest.Capture(b, name)
			b.SetBytes(size)
			path := filepath.Join(b.TempDir(), "x.mqrec")
			defer debug.SetGCPercent(debug.SetGCPercent(400)) // as mqscope import does
			peak := watchHeap(b)
			var s *Summary
			for b.Loop() {
				var err error
				if s, err = Import(b.Context(), repeated(data, size), path, ImportOptions{Replace: true}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Events), "events")
			b.ReportMetric(float64(peak()>>20), "MiB-heap")
		})
	}
}

// BenchmarkReplay plays all events without pictures, and compares what came of them; and event by event,
// with what each one was. It has one processor for it.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"push-orderly", "pop"} {
		path := filepath.Join(b.TempDir(), name+".mqrec")
		if _, err := Import(b.Context(), repeated(infertest.Capture(b, name), 32<<20), path, ImportOptions{}); err != nil {
			b.Fatal(err)
		}
		tr := play(b, path, replay.Options{})
		first, err := tr.r.SeekCheckpoint(1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/headless", func(b *testing.B) {
			events := uint64(0)
			for b.Loop() {
				s, err := tr.Span(first, tr.Info().Total)
				if err != nil || s.Departed != "" {
					b.Fatalf("%+v: %v", s, err)
				}
				events += s.Events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
		b.Run(name+"/events", func(b *testing.B) {
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tr.Next(); errors.Is(err, io.EOF) {
					if err := tr.Seek(0); err != nil {
						b.Fatal(err)
					}
				} else if err != nil {
					b.Fatal(err)
				}
				events++
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
