// Package infertest has the captures of testdata and what package infer makes of them, for tests.
package infertest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
)

// Story is what was inferred from one capture.
type Story struct {
	Events  []infer.Event
	Start   time.Time      // of the first frame, as in the README beside the captures
	Inferer *infer.Inferer // behind the last event
}

// folder is where the captures are: below that of the module, whatever package the test is of.
func folder(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, "testdata", "captures")
		}
		up := filepath.Dir(at)
		if up == at {
			t.Fatal("there is no go.mod above the test")
		}
		at = up
	}
}

// Names are those of all captures.
func Names(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder(t), "*.pcap"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, f := range files {
		names = append(names, filepath.Base(f[:len(f)-len(".pcap")]))
	}
	return names
}

// Capture is the bytes of a capture.
func Capture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder(t), name+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Read is the story of a capture.
func Read(t testing.TB, name string) *Story {
	t.Helper()
	return Of(t, Capture(t, name))
}

// Of is the story of the bytes of a capture.
func Of(t testing.TB, data []byte) *Story {
	t.Helper()
	r, err := capture.Read(bytes.NewReader(data), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Story{Inferer: infer.New()}
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Start.IsZero() && (it.Kind == capture.Asked || it.Kind == capture.Done) {
			s.Start = it.At
		}
		s.Events = append(s.Events, s.Inferer.Step(it)...)
	}
}
