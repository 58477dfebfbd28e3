package inferred

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"mqscope/engine/replay"
)

// repeated are the packets of a capture many times: each time the clients connect from other
// ports.
func repeated(t testing.TB, name string, bytes int) []byte {
	t.Helper()
	data := captured(t, name)
	out := append(make([]byte, 0, bytes+len(data)), data[:24]...)
	for len(out) < bytes {
		out = append(out, data[24:]...)
	}
	return out
}

// BenchmarkImport is from the bytes of a capture to the finished file.
func BenchmarkImport(b *testing.B) {
	for _, name := range []string{"push-orderly", "push-concurrent", "push-broadcast", "pop"} {
		b.Run(name, func(b *testing.B) {
			data := repeated(b, name, 64<<20)
			b.SetBytes(int64(len(data)))
			path := filepath.Join(b.TempDir(), "x.mqrec")
			var s *Summary
			for b.Loop() {
				var err error
				if s, err = Import(b.Context(), bytes.NewReader(data), path, ImportOptions{Replace: true}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Events), "events")
			b.ReportMetric(float64(s.Written)/float64(len(data)), "written/read")
		})
	}
}

// BenchmarkReplay is a headless replay, event by event.
func BenchmarkReplay(b *testing.B) {
	for _, name := range []string{"push-orderly", "pop"} {
		b.Run(name, func(b *testing.B) {
			path, _ := imported(b, repeated(b, name, 32<<20), ImportOptions{})
			tr := play(b, path, replay.Options{})
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
