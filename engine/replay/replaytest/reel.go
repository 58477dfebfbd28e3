package replaytest

import (
	"bytes"
	"context"
	"iter"
	"sync"
	"testing"

	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
)

// Reel is a recording in memory: what a consumer records to.
type Reel struct {
	mu   sync.Mutex
	List []recording.Record // to be read when nothing is recorded any more
}

// Append takes a record.
func (r *Reel) Append(rec recording.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.Payload = bytes.Clone(rec.Payload)
	r.List = append(r.List, rec)
}

// Err is nil: there is always room.
func (r *Reel) Err() error { return nil }

// Fail is not called by who records without a fault.
func (r *Reel) Fail(err error) { panic(err) }

// Write makes a recording of records, however many.
func Write(t testing.TB, path string, h recording.Header, o recording.Options, records iter.Seq[recording.Record]) {
	t.Helper()
	o.QueueBytes = max(o.QueueBytes, 64<<20)
	w, err := recording.Create(path, h, o)
	if err != nil {
		t.Fatal(err)
	}
	group, ctx := lifecycle.NewGroup(context.Background())
	group.Go("recording", w.Run)
	waiting := 0
	for rec := range records {
		w.Append(rec)
		if waiting += len(rec.Payload); waiting > o.QueueBytes/4 {
			waiting = 0
			if err := w.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}
