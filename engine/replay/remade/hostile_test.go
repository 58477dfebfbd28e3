package remade_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
)

// play opens what is in a file and plays it to its end, or to where it is damaged.
func play(t *testing.T, data []byte) (moments []snapshot.Moment, departed string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mqrec")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	track, err := tracks.Open(path, replay.Options{})
	if err != nil {
		return nil, "", err
	}
	defer track.Close() //nolint:errcheck // it was only read
	for {
		m, err := track.Next()
		if err != nil {
			p := track.Picture()
			if errors.Is(err, io.EOF) {
				if err = nil; track.Info().Damage != "" {
					err = errors.New(track.Info().Damage)
				}
			}
			return moments, p.Replay.Departed, err
		}
		moments = append(moments, m)
	}
}

func content(t *testing.T, r *run) []byte {
	t.Helper()
	data, err := os.ReadFile(r.file(t))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What a killed process leaves is played up to there, the same as the whole is.
func TestCutAnywhereItIsPlayedUpToThere(t *testing.T) {
	data := content(t, recorded(t, 20*time.Second))
	all, _, err := play(t, data)
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for n := 0; n < len(data); n += 1 + len(data)/150 {
		moments, departed, err := play(t, data[:n])
		if departed != "" {
			t.Fatalf("cut at %d: %s", n, departed)
		}
		if err != nil && len(moments) == 0 {
			if strings.Contains(err.Error(), "panic") {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		played++
		for i := range moments {
			if moments[i].Event != all[i].Event || moments[i].Words != all[i].Words {
				t.Fatalf("cut at %d: event %d is %q, was %q", n, moments[i].Event, moments[i].Words, all[i].Words)
			}
		}
	}
	if played < 50 {
		t.Errorf("only %d of the cut files were played", played)
	}
}

// A bit that is wrong is told of as damage, or does not matter.
func TestAFlippedBitIsSeen(t *testing.T) {
	data := content(t, recorded(t, 5*time.Second))
	all, _, err := play(t, data)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		bad := bytes.Clone(data)
		at := rng.IntN(len(bad))
		bad[at] ^= 1 << rng.IntN(8)
		moments, departed, err := play(t, bad)
		if departed != "" {
			t.Fatalf("byte %d: %s", at, departed)
		}
		if err == nil && len(moments) != len(all) {
			t.Fatalf("byte %d: %d of %d moments, and no word of damage", at, len(moments), len(all))
		}
	}
}

// Well-formed records with nonsense in them: they are refused, or seen to be no run of ours.
func TestNonsenseInWholeRecordsIsRefused(t *testing.T) {
	r := recorded(t, 2*time.Second)
	list := r.reel.List
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		r.reel.List = nil
		for _, rec := range list {
			rec.Payload = bytes.Clone(rec.Payload)
			r.reel.List = append(r.reel.List, rec)
		}
		for range 1 + rng.IntN(3) {
			rec := &r.reel.List[rng.IntN(len(list))]
			switch n := len(rec.Payload); {
			case n > 0 && rng.IntN(4) > 0:
				rec.Payload[rng.IntN(n)] ^= byte(1 + rng.IntN(255))
			case n > 0:
				rec.Payload = rec.Payload[:rng.IntN(n)]
			default:
				rec.Kind = uint16(rng.IntN(9))
			}
		}
		_, _, err := play(t, content(t, r))
		if err != nil && strings.Contains(err.Error(), "goroutine") {
			t.Fatal(err)
		}
	}
}

func TestWhatIsNoRecordingOfOursIsSaidToBeNone(t *testing.T) {
	r := recorded(t, time.Second)
	for name, change := range map[string]func(h *recording.Header){
		"source":      func(h *recording.Header) { h.Source = "mars" },
		"no source":   func(h *recording.Header) { h.Source = "" },
		"setup":       func(h *recording.Header) { h.Meta = map[string]string{"types": h.Meta["types"], "setup": "nonsense"} },
		"no types":    func(h *recording.Header) { h.Meta = map[string]string{"setup": h.Meta["setup"]} },
		"wrong types": func(h *recording.Header) { h.Meta = map[string]string{"setup": h.Meta["setup"], "types": "1 2 3"} },
	} {
		was := r.header
		change(&r.header)
		if _, _, err := play(t, content(t, r)); err == nil || !strings.Contains(err.Error(), "x.mqrec") {
			t.Errorf("%s: %v", name, err)
		}
		r.header = was
	}
	r.reel.List = r.reel.List[:1] // what the records are like, and none
	if _, _, err := play(t, content(t, r)); err == nil || !strings.Contains(err.Error(), "checkpoint") {
		t.Errorf("without a checkpoint: %v", err)
	}
}

// Time that runs back while it is recorded does so when it is played.
func TestTimeMayRunBack(t *testing.T) {
	r := recorded(t, 2*time.Second)
	for i := range r.reel.List {
		if i > len(r.reel.List)/2 {
			r.reel.List[i].At = r.reel.List[i].At.Add(-time.Hour)
		}
	}
	if _, _, err := play(t, content(t, r)); err != nil {
		t.Error(err)
	}
}

var update = flag.Bool("update", false, "record testdata/latest.mqrec anew")

// Recordings of earlier days are played as they were: seed.mqrec has all that was read whole, steps.mqrec
// has differences, latest.mqrec is recorded as it is done now.
func TestRecordingsOfEarlierDays(t *testing.T) {
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", "latest.mqrec"), content(t, recorded(t, 2*time.Second)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"seed", "steps", "latest"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".mqrec"))
		if err != nil {
			t.Fatal(err)
		}
		moments, departed, err := play(t, data)
		if err != nil || departed != "" || len(moments) < 50 {
			t.Errorf("%s: %d moments, %s, %v", name, len(moments), departed, err)
		}
	}
}

func FuzzRemade(f *testing.F) {
	seed, err := os.ReadFile(filepath.Join("testdata", "seed.mqrec"))
	if err != nil {
		f.Fatal(err)
	}
	latest, err := os.ReadFile(filepath.Join("testdata", "latest.mqrec"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, uint16(3), []byte{1, 2, 3}, 5)
	f.Add(latest, uint16(7), []byte{1, 0, 2, 7, 7, 1, 2}, 90)
	f.Add(seed, uint16(2), []byte{}, 1)
	f.Add(seed, uint16(5), seed[:100], 0)
	f.Fuzz(func(t *testing.T, file []byte, kind uint16, payload []byte, at int) {
		// A record of one's own among those of a real recording.
		r, err := recording.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		out := run{header: r.Header()}
		for i := 0; i < 2000; i++ {
			if i == at {
				out.reel.Append(recording.Record{Kind: kind, At: time.Unix(1, 0), Payload: payload, Checkpoint: kind == 5})
			}
			e, err := r.Next()
			if err != nil {
				break
			}
			out.reel.Append(e.Record)
		}
		path := filepath.Join(t.TempDir(), "x.mqrec")
		w, err := recording.Create(path, out.header, recording.Options{QueueBytes: 64 << 20})
		if err != nil {
			return
		}
		done := make(chan error, 1)
		go func() { done <- w.Run(context.Background()) }()
		for _, rec := range out.reel.List {
			w.Append(rec)
		}
		if errors.Join(w.Close(context.Background()), <-done) != nil {
			return
		}
		track, err := tracks.Open(path, replay.Options{})
		if err != nil {
			return
		}
		defer track.Close() //nolint:errcheck // it was only read
		for range 3000 {
			if _, err := track.Next(); err != nil {
				break
			}
		}
		track.Picture()
		_ = track.Seek(uint64(max(at, 0)))
		track.Picture()
	})
}
