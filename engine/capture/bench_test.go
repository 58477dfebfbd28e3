package capture_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"mqscope/engine/capture"
)

// long repeats the packets of a capture: each time the clients connect from other ports.
func long(tb testing.TB, name string, times int) []byte {
	tb.Helper()
	data := file(tb, name)
	out := append(make([]byte, 0, times*len(data)), data[:24]...)
	for range times {
		out = append(out, data[24:]...)
	}
	return out
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"push-orderly", "push-broadcast", "pop"} {
		b.Run(name, func(b *testing.B) {
			data := long(b, name, 20)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var frames int64
			for b.Loop() {
				r, err := capture.Read(bytes.NewReader(data), capture.Options{})
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = r.Next()
				}
				frames = r.Stats().Frames
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(frames), "frames")
		})
	}
}
