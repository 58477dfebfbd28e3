package verify

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/inferred"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/replay/tracks"
)

// own are recordings of our own consumer, of each form that was ever written.
func own() []string {
	var paths []string
	for _, name := range []string{"latest", "seed", "steps"} {
		paths = append(paths, filepath.Join("..", "remade", "testdata", name+".mqrec"))
	}
	return paths
}

// seen is a recording of what was seen on the wire, with many checkpoints.
func seen(t *testing.T) string {
	t.Helper()
	reel, at := &replaytest.Reel{}, replaytest.Start()
	r := inferred.NewRecorder(reel, inferred.RecorderOptions{Apart: 1})
	for n := range int64(6000) {
		q := mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: int32(n % 20)}
		at = at.Add(time.Millisecond)
		r.Add(infer.Event{At: at, Fact: infer.PullSent{Client: "me", Group: "billing", Queue: q, Offset: n}})
		r.Add(infer.Event{At: at, Fact: infer.PullDone{
			Client: "me", Group: "billing", Queue: q, Offset: n, Answered: true, Status: mq.Found, Offsets: []int64{n}, Next: n + 1, Max: n + 2,
		}})
	}
	path := filepath.Join(t.TempDir(), "seen.mqrec")
	replaytest.Write(t, path, inferred.Header(recording.Header{Source: replay.SourceCapture}), recording.Options{}, slices.Values(reel.List))
	return path
}

// without writes the recording again, all but the record at index gone.
func without(t *testing.T, path string, gone int) string {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h := r.Header()
	out := filepath.Join(t.TempDir(), "changed.mqrec")
	replaytest.Write(t, out, recording.Header{Source: h.Source, Cluster: h.Cluster, Group: h.Group, First: h.First, Meta: h.Meta}, recording.Options{}, func(yield func(recording.Record) bool) {
		for n := 0; ; n++ {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			e.Payload = slices.Clone(e.Payload)
			if n != gone && !yield(e.Record) {
				return
			}
		}
	})
	return out
}

// TestARecordingDoesAgainWhatWasRecorded: as many events as there are, whoever plays them.
func TestARecordingDoesAgainWhatWasRecorded(t *testing.T) {
	for _, path := range append(own(), seen(t)) {
		track, err := tracks.Open(path, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := track.(replay.Spanner).Span(first(t, path), track.Info().Total)
		compared := !strings.Contains(path, "seed") && !strings.Contains(path, "steps") // which other versions wrote
		if err != nil || all.Events < 100 || (all.Checkpoints >= 3) != compared || !compared && all.Checkpoints > 0 {
			t.Fatalf("%s: %+v, %v", path, all, err)
		}
		if err := track.Close(); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 7} {
			got, err := File(t.Context(), path, workers)
			if err != nil || !got.Whole() {
				t.Fatalf("%s: %+v, %v", path, got, err)
			}
			// Checkpoints at which a worker begins are compared by who comes to them.
			if got.Events != all.Events || got.Checkpoints != all.Checkpoints {
				t.Errorf("%s, %d workers: %d events, %d checkpoints, want %d and %d", path, workers, got.Events, got.Checkpoints, all.Events, all.Checkpoints)
			}
		}
	}
}

func first(t *testing.T, path string) uint64 {
	t.Helper()
	at, _, err := checkpoints(path, 1<<40)
	if err != nil || !slices.IsSorted(at) || len(at) < 3 {
		t.Fatalf("%v, %v", at, err)
	}
	return at[0]
}

func TestTheFirstEventThatDepartsIsNamed(t *testing.T) {
	for _, path := range append(own(), seen(t)) {
		at, _, err := checkpoints(path, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		gone := int(at[1] + (at[2]-at[1])/2) // between two checkpoints
		changed := without(t, path, gone)
		for _, workers := range []int{1, 3} {
			r, err := File(t.Context(), changed, workers)
			if err != nil {
				t.Fatal(err)
			}
			if r.Departed == "" || r.At < at[1] || r.At > at[2]+1 || r.Whole() || !strings.HasPrefix(r.Departed, "event ") {
				t.Errorf("%s without record %d, %d workers: %q at %d, want it between %d and %d", path, gone, workers, r.Departed, r.At, at[1], at[2]+1)
			}
		}
	}
}

func TestDamageIsToldAndTheRestIsPlayed(t *testing.T) {
	for _, path := range []string{own()[0], seen(t)} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		damaged := filepath.Join(t.TempDir(), "damaged.mqrec")
		if err := os.WriteFile(damaged, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := File(t.Context(), damaged, 2)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := File(t.Context(), path, 2)
		if err != nil {
			t.Fatal(err)
		}
		if r.Whole() || r.Departed != "" || len(r.File.Damages) == 0 || r.Stopped == nil || r.Events == 0 || r.Events >= whole.Events {
			t.Errorf("%s: %+v", path, r)
		}
	}
}

func TestVerifyingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := File(ctx, seen(t), 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := File(t.Context(), filepath.Join(t.TempDir(), "none.mqrec"), 2); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
