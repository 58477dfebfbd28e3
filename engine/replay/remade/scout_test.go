package remade_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
)

// reached is where playing meets breakpoints.
func reached(t *testing.T, track replay.Decider) (all []uint64) {
	t.Helper()
	for {
		m, err := track.Next()
		if err != nil {
			return all
		}
		if track.Hit() != "" {
			all = append(all, m.Event)
			if m.Interest != snapshot.InterestBreakpoint || m.Kind == "" {
				t.Fatalf("event %d is %q, of interest for %v", m.Event, m.Kind, m.Interest)
			}
		}
	}
}

func look(t *testing.T, track replay.Decider, from, to uint64, back bool) uint64 {
	t.Helper()
	s, err := track.Scout(from, to, back)
	if err != nil {
		t.Fatal(err)
	}
	for {
		before := s.Reached()
		hit, over := s.Look()
		if back && s.Reached() > before || !back && s.Reached() < before {
			t.Fatalf("it was at %d, and is at %d", before, s.Reached())
		}
		if over {
			return hit.Event
		}
	}
}

// A scout finds breakpoints where playing stops, on both sides of anywhere, and leaves the track.
func TestScoutsFindWhatPlayingStopsAt(t *testing.T) {
	long, looks := 60*time.Second, 25
	if raceEnabled { // nothing of it is concurrent
		long, looks = 15*time.Second, 5
	}
	path := recorded(t, long).file(t)
	for _, place := range []string{"flow.count", "pull.send", "pull.taken if queue == 2"} {
		track := open(t, path).(replay.Decider)
		if s, err := track.Scout(0, 1<<40, false); s != nil || err != nil {
			t.Fatalf("without breakpoints: %v, %v", s, err)
		}
		if err := track.Break(command.SetBreakpoint{Text: place}); err != nil {
			t.Fatal(err)
		}
		all := reached(t, track)
		if len(all) < 3 {
			t.Fatalf("%s is reached at %v", place, all)
		}
		total := track.Info().Total
		rng := rand.New(rand.NewPCG(3, 4))
		for range looks {
			from := 1 + rng.Uint64N(total)
			if err := track.Seek(from); err != nil {
				t.Fatal(err)
			}
			from = track.Event()
			after, found := slices.BinarySearch(all, from)
			want := uint64(0)
			if after > 0 {
				want = all[after-1]
			}
			if got := look(t, track, from, 0, true); got != want {
				t.Fatalf("%s: back from %d is %d, want %d", place, from, got, want)
			}
			if want > 0 {
				if got := look(t, track, from, want, true); got != 0 {
					t.Errorf("%s: back from %d to %d is %d", place, from, want, got)
				}
			}
			if found {
				after++
			}
			want = 0
			if after < len(all) {
				want = all[after]
			}
			if got := look(t, track, from, 1<<40, false); got != want {
				t.Fatalf("%s: on from %d is %d, want %d", place, from, got, want)
			}
			if want > 0 {
				if got := look(t, track, from, want, false); got != 0 {
					t.Errorf("%s: on from %d to %d is %d", place, from, want, got)
				}
			}
			if track.Event() != from {
				t.Fatalf("the track went from %d to %d", from, track.Event())
			}
		}
	}
}

// Hits that are let pass are counted from where the track stands.
func TestScoutsLetHitsPass(t *testing.T) {
	path := recorded(t, 10*time.Second).file(t)
	track := open(t, path).(replay.Decider)
	if err := track.Break(command.SetBreakpoint{Text: "pull.send"}); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for track.Hit() == "" {
		if _, err := track.Next(); err != nil {
			t.Fatal(err)
		}
	}
	first := track.Event()
	if err := track.Break(command.SetBreakpoint{Text: "pull.send after 9"}); err != nil {
		t.Fatal(err)
	}
	got := look(t, track, first, 1<<40, false)
	for track.Hit() == "" || track.Event() == first {
		if steps == 10 {
			if again := look(t, track, track.Event(), 1<<40, false); again != got {
				t.Errorf("from %d it is %d, from %d %d", first, got, track.Event(), again)
			}
		}
		if steps == 2 {
			if before := look(t, track, track.Event(), 0, true); before < first {
				t.Errorf("back from %d, hits that are let pass too, it is %d", track.Event(), before)
			}
		}
		if _, err := track.Next(); err != nil {
			t.Fatal(err)
		}
		steps++
	}
	if got != track.Event() || steps < 12 {
		t.Errorf("it looks for event %d, playing stops at %d, %d behind", got, track.Event(), steps)
	}
}
