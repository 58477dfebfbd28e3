// Package recordertest looks at recordings of consumers in tests of what was recorded.
package recordertest

import (
	"errors"
	"io"
	"testing"

	"mqscope/engine/consumer"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// EndOf is what a recording shows at its end, made again.
func EndOf(t *testing.T, path string) *snapshot.Snapshot {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // it was only read
	meta := r.Header().Meta
	again, err := consumer.NewRemake([]byte(meta["setup"]), meta["types"], false)
	if err != nil {
		t.Fatal(err)
	}
	for begun := false; ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return again.Picture()
		}
		switch {
		case err != nil:
		case begun:
			_, err = again.Take(e.Record, e.Number)
		case e.Checkpoint:
			begun, err = true, again.Restore(e.Record)
		}
		if err != nil || again.Departed() != "" {
			t.Fatalf("record %d: %v, %s", e.Number, err, again.Departed())
		}
	}
}
