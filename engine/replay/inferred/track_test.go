package inferred

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/capture/picture"
	"mqscope/engine/replay"
)

// folds are States and Memories behind so many events.
type folds struct {
	events []infer.Event
	at     []int
	state  []*infer.State
	memory []*picture.Memory
}

func foldAll(events []infer.Event, every int) *folds {
	f, s, m := &folds{events: events}, infer.NewState(), picture.NewMemory()
	for i := 0; ; i++ {
		if i%every == 0 || i == len(events) {
			f.at, f.state, f.memory = append(f.at, i), append(f.state, s.Clone()), append(f.memory, m.Clone())
		}
		if i == len(events) {
			return f
		}
		s.Step(events[i])
		m.Step(s, events[i])
	}
}

// check compares where the track stands with what the events come to.
func (f *folds) check(t *testing.T, tr *Track, i int) {
	t.Helper()
	all := cmp.Options{cmp.Exporter(func(reflect.Type) bool { return true }), cmpopts.EquateNaNs()}
	if d := cmp.Diff(f.state[i], tr.State(), all); d != "" {
		t.Fatalf("the state behind event %d of the capture, %d of the recording, differs (-want +got):\n%.3000s", f.at[i], tr.Event(), d)
	}
	if d := cmp.Diff(f.memory[i], tr.memory, all); d != "" {
		t.Fatalf("the memory behind event %d of the capture differs (-want +got):\n%.3000s", f.at[i], d)
	}
}

// numbers are those of the events of a recording.
func numbers(t *testing.T, tr *Track) []uint64 {
	t.Helper()
	all := []uint64{tr.before}
	for m, err := range tr.Moments(0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m.Event)
	}
	return all
}

// TestEveryCaptureIsRecordedAndPlayed: the state anywhere, however one gets there, is what the
// events of the capture come to.
func TestEveryCaptureIsRecordedAndPlayed(t *testing.T) {
	for _, name := range infertest.Names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events := infertest.Read(t, name).Events
			const every = 61
			want := foldAll(events, every)
			path := record(t, events, RecorderOptions{Apart: 64 << 10})
			tr := play(t, path, replay.Options{})
			at := numbers(t, tr)
			if len(at) != len(events)+1 {
				t.Fatalf("%d events in the recording, %d in the capture", len(at)-1, len(events))
			}
			for i, n := range want.at { // forward
				for tr.Event() < at[n] {
					if _, err := tr.Next(); err != nil {
						t.Fatal(err)
					}
				}
				want.check(t, tr, i)
			}
			if _, err := tr.Next(); !errors.Is(err, io.EOF) {
				t.Fatalf("behind the last event: %v", err)
			}
			seek := func(tr *Track, i int) {
				t.Helper()
				if err := tr.Seek(at[want.at[i]]); err != nil {
					t.Fatal(err)
				}
				if tr.Event() != at[want.at[i]] {
					t.Fatalf("sought %d, stands at %d", at[want.at[i]], tr.Event())
				}
				want.check(t, tr, i)
			}
			for i := len(want.at) - 1; i >= 0; i-- { // backward
				seek(tr, i)
			}
			rnd := rand.New(rand.NewPCG(1, uint64(len(events))))
			for range 25 {
				seek(tr, rnd.IntN(len(want.at)))
				if rnd.IntN(4) == 0 { // from where nothing is kept
					tr.kept = kept{}
				}
			}
		})
	}
}

func TestSeekByTimeStandsBehindTheLastEventUpToIt(t *testing.T) {
	events := infertest.Read(t, "push-orderly").Events
	tr := play(t, record(t, events, RecorderOptions{Apart: 64 << 10}), replay.Options{})
	rnd := rand.New(rand.NewPCG(5, 6))
	first, span := events[0].At, events[len(events)-1].At.Sub(events[0].At)
	for range 200 {
		to := first.Add(time.Duration(rnd.Int64N(int64(span*12/10)) - int64(span/10)))
		if rnd.IntN(3) == 0 {
			to = events[rnd.IntN(len(events))].At
		}
		if err := tr.SeekTime(to); err != nil {
			t.Fatal(err)
		}
		want := infer.At(events, to)
		if tr.State().Seq != want.Seq || !tr.State().At.Equal(want.At) {
			t.Fatalf("sought %v: behind event %d at %v, want %d at %v", to, tr.State().Seq, tr.State().At, want.Seq, want.At)
		}
		if want.Seq > 0 && !tr.At().Equal(want.At) {
			t.Fatalf("stands at %v, want %v", tr.At(), want.At)
		}
	}
}

func TestGoingBackEventByEvent(t *testing.T) {
	events := infertest.Read(t, "push-concurrent").Events
	tr := play(t, record(t, events, RecorderOptions{Apart: 64 << 10}), replay.Options{})
	if err := tr.Seek(tr.Info().Total); err != nil {
		t.Fatal(err)
	}
	for n := uint64(len(events)); n > 0; n-- {
		if tr.State().Seq != n {
			t.Fatalf("behind event %d, want %d", tr.State().Seq, n)
		}
		if err := tr.Seek(tr.Event() - 1); err != nil {
			t.Fatal(err)
		}
	}
	if tr.State().Seq != 0 || len(tr.State().Groups) != 0 {
		t.Errorf("before the first event: %+v", tr.State())
	}
}

// TestMomentsAreThoseOfNext, and listing them does not move.
func TestMomentsAreThoseOfNext(t *testing.T) {
	events := infertest.Read(t, "admin").Events
	tr := play(t, record(t, events, RecorderOptions{Apart: 64 << 10}), replay.Options{})
	for i := 0; ; i++ {
		m, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%50 != 0 {
			continue
		}
		here := tr.Event()
		for listed, err := range tr.Moments(m.Event) {
			if d := cmp.Diff(m, listed); err != nil || d != "" {
				t.Fatalf("%v, or differs:\n%s", err, d)
			}
			break
		}
		if tr.Event() != here {
			t.Fatal("listing moved the track")
		}
	}
	next := uint64(0) // broken off and gone on with
	for range 5 {
		for m, err := range tr.Moments(next) {
			if err != nil || m.Event < next {
				t.Fatal(m, err)
			}
			if next = m.Event + 1; m.Event%97 == 0 {
				break
			}
		}
	}
}
