package inferred

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

const captures = "../../../testdata/captures"

func captureNames(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(captures, "*.pcap"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, f := range files {
		names = append(names, filepath.Base(f[:len(f)-len(".pcap")]))
	}
	return names
}

func captured(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(captures, name+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inferFrom is what package infer makes of a capture.
func inferFrom(t testing.TB, data []byte) (events []infer.Event) {
	t.Helper()
	r, err := capture.Read(bytes.NewReader(data), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := infer.New()
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, n.Step(it)...)
	}
}

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
