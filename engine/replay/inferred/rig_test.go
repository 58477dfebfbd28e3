package inferred

import (
	"bytes"
	"path/filepath"
	"testing"

	"mqscope/engine/capture/infer"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

// record writes events to a recording; o is that of the Recorder.
func record(t testing.TB, events []infer.Event, o RecorderOptions) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mqrec")
	w, err := recording.Create(path, Header(recording.Header{Source: replay.SourceCapture}), recording.Options{QueueBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecorder(w, o)
	for i, e := range events {
		r.Add(e)
		if i%10_000 == 9_999 {
			go w.Run(t.Context())
			if err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordLarge writes a recording of so many bytes, stored as they are, as packing them would make it
// small; feed has events for add until that returns false.
func recordLarge(t testing.TB, bytes int64, feed func(add func(infer.Event) bool)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.mqrec")
	w, err := recording.Create(path, Header(recording.Header{Source: replay.SourceCapture}), recording.Options{QueueBytes: 64 << 20, Uncompressed: true})
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan error)
	go func() { ran <- w.Run(t.Context()) }()
	rec, next := NewRecorder(w, RecorderOptions{}), int64(8<<20)
	feed(func(e infer.Event) bool {
		rec.Add(e)
		if rec.Bytes() > next {
			next = rec.Bytes() + 8<<20
			if err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return rec.Bytes() < bytes
	})
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-ran
	return path
}

// play opens the recording at path.
func play(t testing.TB, path string, o replay.Options) *Track {
	t.Helper()
	got, err := replay.Open(path, o, map[string]replay.Opener{replay.SourceCapture: Open})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	})
	return got.(*Track)
}

// imported is the recording of a capture, by Import.
func imported(t testing.TB, data []byte, o ImportOptions) (string, *Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mqrec")
	s, err := Import(t.Context(), bytes.NewReader(data), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return path, s
}
