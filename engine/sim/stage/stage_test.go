package stage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newStage(seed uint64) *Stage { return New(start, rand.New(rand.NewPCG(seed, 0))) }

func TestTheClockJumpsToWhatIsDue(t *testing.T) {
	s := newStage(1)
	var log []string
	note := func(what string) { log = append(log, fmt.Sprint(what, " ", s.Now().Sub(start))) }
	s.Go("sleeper", func() {
		for range 2 {
			_ = clock.Sleep(s.Context(), s, time.Hour)
			note("slept")
		}
	})
	s.After(90*time.Minute, func() { note("called") })
	cancel := s.After(time.Minute, func() { note("never") })
	cancel()
	if why := s.Run(start.Add(24 * time.Hour)); why != Quiet {
		t.Errorf("ended as %v", why)
	}
	want := []string{"slept 1h0m0s", "called 1h30m0s", "slept 2h0m0s"}
	if !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
	if s.Live() != 1 { // the caller, which waits for more
		t.Errorf("%d turns are left", s.Live())
	}
}

func TestALimitEndsARun(t *testing.T) {
	s := newStage(1)
	calls := 0
	s.After(time.Second, func() { calls++ })
	s.After(2*time.Second, func() { calls++ })
	if why := s.Run(start.Add(time.Second)); why != Over || calls != 1 || !s.Now().Equal(start.Add(time.Second)) {
		t.Errorf("%v, %d calls, %v", why, calls, s.Now())
	}
	if why := s.Run(start.Add(time.Minute)); why != Quiet || calls != 2 {
		t.Errorf("%v, %d calls", why, calls)
	}
}

func TestAHaltStandsStillInTheMiddle(t *testing.T) {
	s := newStage(1)
	steps := 0
	s.Go("worker", func() {
		for range 3 {
			steps++
			s.Halt()
			_ = clock.Sleep(s.Context(), s, time.Second)
		}
	})
	for want := 1; want <= 3; want++ {
		if why := s.Run(start.Add(time.Hour)); why != Halted || steps != want {
			t.Fatalf("%v after %d steps, want %d", why, steps, want)
		}
		if got := s.Now().Sub(start); got != time.Duration(want-1)*time.Second {
			t.Errorf("time went to %v", got)
		}
	}
	if why := s.Run(start.Add(time.Hour)); why != Quiet {
		t.Errorf("ended as %v", why)
	}
}

func TestACallThatWaitsHoldsUpNoOther(t *testing.T) {
	s := newStage(1)
	var log []string
	gate := make(chan struct{})
	s.After(time.Second, func() {
		clock.Wait(s.Context(), s, clock.Waits{First: gate})
		log = append(log, "first")
	})
	s.After(time.Second, func() { log = append(log, "second") })
	s.After(2*time.Second, func() { close(gate) })
	s.After(3*time.Second, func() { log = append(log, "third") })
	s.Run(start.Add(time.Hour))
	if want := []string{"second", "first", "third"}; !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
}

func TestDeadlinesAreOnVirtualTime(t *testing.T) {
	s := newStage(1)
	var err error
	s.Go("waits", func() {
		ctx, cancel := clock.WithTimeout(s.Context(), s, 3*time.Second)
		defer cancel()
		ctx2, cancel2 := clock.WithTimeout(ctx, s, time.Hour)
		defer cancel2()
		clock.Wait(ctx2, s, clock.Waits{})
		err = ctx.Err()
	})
	s.Run(start.Add(time.Hour))
	if !errors.Is(err, context.DeadlineExceeded) || s.Now().Sub(start) != 3*time.Second {
		t.Errorf("%v at %v", err, s.Now().Sub(start))
	}
}

func TestGroupsTakeTurns(t *testing.T) {
	s := newStage(1)
	boom := errors.New("boom")
	var got error
	ended := false
	s.Go("main", func() {
		g, _ := lifecycle.NewGroup(s.Context())
		g.Go("fails", func(ctx context.Context) error { return errors.Join(clock.Sleep(ctx, s, time.Second), boom) })
		g.Go("waits", func(ctx context.Context) error {
			clock.Wait(ctx, s, clock.Waits{})
			ended = true
			return ctx.Err()
		})
		got = g.Wait()
	})
	s.Run(start.Add(time.Hour))
	if !errors.Is(got, boom) || !strings.HasPrefix(got.Error(), "fails") || !ended {
		t.Errorf("got %v, the other ended: %v", got, ended)
	}
}

// script runs some turns that talk to each other and returns what they did.
func script(seed uint64) string {
	s := newStage(seed)
	var log strings.Builder
	wake := make(chan struct{}, 1)
	for n := range 5 {
		s.Go(fmt.Sprint("worker ", n), func() {
			for range 20 {
				if n%2 == 0 {
					_ = clock.Sleep(s.Context(), s, time.Duration(n+1)*time.Millisecond)
					select {
					case wake <- struct{}{}:
					default:
					}
				} else {
					clock.Wait(s.Context(), s, clock.Waits{First: wake})
				}
				fmt.Fprintf(&log, "%d@%v ", n, s.Now().Sub(start))
			}
		})
	}
	s.Run(start.Add(time.Hour))
	s.Close()
	return log.String()
}

func TestASeedGivesOneRun(t *testing.T) {
	different := false
	for seed := range uint64(50) {
		if a, b := script(seed), script(seed); a != b {
			t.Fatalf("seed %d:\n%s\n%s", seed, a, b)
		} else if a != script(seed+1) {
			different = true
		}
	}
	if !different {
		t.Error("all seeds give the same run")
	}
}

func TestCloseUnwindsAllTurns(t *testing.T) {
	s := newStage(1)
	unwound := 0
	for _, what := range []string{"waits", "halts", "sleeps"} {
		s.Go(what, func() {
			defer func() { unwound++ }()
			switch what {
			case "waits":
				_ = lifecycle.Guard(s.Context(), what, func(ctx context.Context) error {
					clock.Wait(ctx, s, clock.Waits{})
					return nil
				})
				clock.Wait(s.Context(), s, clock.Waits{}) // again, after the panic was taken for an error
			case "halts":
				_ = clock.Sleep(s.Context(), s, time.Second)
				s.Halt()
			default:
				_ = clock.Sleep(s.Context(), s, time.Hour)
			}
		})
	}
	s.After(time.Minute, func() {})
	if why := s.Run(start.Add(time.Minute)); why != Halted {
		t.Fatalf("ended as %v", why)
	}
	s.Close()
	if unwound != 3 || s.Live() != 0 {
		t.Errorf("%d of 3 turns unwound, %d live", unwound, s.Live())
	}
}

func TestAPanicOfATurnReachesWhoRuns(t *testing.T) {
	s := newStage(1)
	s.Go("bad", func() { panic("nil map") })
	defer func() {
		if v := fmt.Sprint(recover()); !strings.Contains(v, "bad") || !strings.Contains(v, "nil map") {
			t.Errorf("got %q", v)
		}
	}()
	s.Run(start.Add(time.Hour))
}

// BenchmarkSleepingTurns is what one wait of one of 30 turns costs.
func BenchmarkSleepingTurns(b *testing.B) {
	s := newStage(1)
	for range 30 {
		s.Go("sleeper", func() {
			t := s.NewTimer(time.Hour)
			for {
				t.Reset(time.Duration(1+s.rng.IntN(1000)) * time.Microsecond)
				clock.Wait(s.Context(), s, clock.Waits{Timer: t})
				s.Halt()
			}
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Run(start.Add(10000 * time.Hour))
	}
	s.Close()
}
