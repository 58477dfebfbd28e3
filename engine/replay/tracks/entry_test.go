package tracks_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/inferred"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
)

// recordings are one of each kind.
func recordings(t *testing.T) map[string]string {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "captures", "push-orderly.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	imported := filepath.Join(t.TempDir(), "seen.mqrec")
	if _, err := inferred.Import(t.Context(), bytes.NewReader(data), imported, inferred.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"of our own": filepath.Join("..", "remade", "testdata", "seed.mqrec"), "imported": imported}
}

// tellers plays a recording and returns at which event each entry of its event stream was told first.
func tellers(t *testing.T, path string) (at map[uint64]uint64, entries []snapshot.Entry) {
	track, err := tracks.Open(path, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer track.Close()
	at = map[uint64]uint64{}
	before := uint64(0)
	if list := track.Picture().Events.Entries; len(list) > 0 {
		before = list[len(list)-1].Seq
	}
	for {
		if _, err := track.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		entries = track.Picture().Events.Entries
		for i := len(entries) - 1; i >= 0 && entries[i].Seq > before; i-- {
			at[entries[i].Seq] = track.Event()
		}
		if len(entries) > 0 {
			before = entries[len(entries)-1].Seq
		}
	}
	return at, entries
}

func TestAnEntryLeadsToTheEventThatToldIt(t *testing.T) {
	for name, path := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			at, entries := tellers(t, path)
			several := 0 // events of one time with the one before
			for i := range entries {
				if i > 0 && entries[i].At.Equal(entries[i-1].At) {
					several++
				}
			}
			if several == 0 {
				t.Fatalf("no two of %d entries have one time: this shows nothing", len(entries))
			}
			track, err := tracks.Open(path, replay.Options{})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { leads(t, track, at, entries) })
		})
	}
}

func leads(t *testing.T, track replay.Track, at map[uint64]uint64, entries []snapshot.Entry) {
	p := replay.NewPlayer(replay.PlayerConfig{Track: track, Speed: math.Inf(1)})
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- p.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		e := entries[rng.IntN(len(entries))]
		event, ok := at[e.Seq]
		p.Do(command.SeekEntry{Seq: e.Seq, At: e.At})
		synctest.Wait()
		r := p.Snapshot().Replay
		switch {
		case !ok && r.Note != "this was before the recording begins":
			t.Fatalf("entry %d, told before: event %d, %q", e.Seq, r.Event, r.Note)
		case ok && (r.Event != event || r.Told == 0 || e.Seq < r.Told):
			t.Fatalf("entry %d of %v: at event %d, which told %d and on; want event %d", e.Seq, e.At, r.Event, r.Told, event)
		}
	}
}
