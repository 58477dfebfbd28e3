package consumer

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// few are numbers of which most are zero, of all lengths.
func few(rnd *rand.Rand) int64 {
	if rnd.IntN(3) > 0 {
		return 0
	}
	return rnd.Int64N(1<<rnd.IntN(63)+1) * int64(1-2*rnd.IntN(2))
}

func TestABriefRecordSaysAll(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var s steps
		read := make([]int64, rnd.IntN(20))
		for i := range read {
			read[i] = few(rnd)
			s.note(read[i])
		}
		want := taken{Did: rnd.Uint64N(1 << 16), Pass: rnd.IntN(2) == 0, Seen: append([]byte{}, s.b...)}
		var a *pulledAgain
		if rnd.IntN(4) > 0 {
			a = &pulledAgain{
				Queue: rnd.IntN(10_000), Took: time.Duration(few(rnd)), Commit: few(rnd), Beyond: few(rnd), Skipped: few(rnd), Count: int(few(rnd)),
				Filtered: int(few(rnd)), Bytes: int(few(rnd)), Min: few(rnd), Max: few(rnd), Stored: time.Duration(few(rnd)),
			}
			want.Event = *a
		}
		packed := appendBrief(nil, a, &want)
		got, err := briefly(packed)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%x: %+v, %v, want %+v", packed, got, err, want)
		}
		var back steps
		back.play(&got)
		for i, v := range read {
			if again, ok := back.take(); !ok || again != v {
				t.Fatalf("%x: the %d-th is %d, %v, want %d", got.Seen, i, again, ok, v)
			}
		}
		if back.left() {
			t.Fatalf("%x: there are more than %d", got.Seen, len(read))
		}
		if len(want.Seen) > 0 {
			continue // a cut there is one of what was read
		}
		for n := range packed {
			if _, err := briefly(packed[:n]); err == nil {
				t.Fatalf("%x cut to %d is read", packed, n)
			}
		}
	}
}

// Steps of recordings of before are varints, one after the other.
func TestStepsOfBefore(t *testing.T) {
	for _, c := range []taken{{Steps: []byte{2, 0, 3}}, {Reads: []byte{2, 0, 3}}} {
		var s steps
		s.play(&c)
		for _, want := range []int64{1, 0, -2} {
			if v, ok := s.take(); !ok || v != want {
				t.Errorf("%+v: %d, %v, want %d", c, v, ok, want)
			}
		}
		if v, ok := s.take(); ok || s.left() {
			t.Errorf("%+v: one more, %d", c, v)
		}
	}
}

func TestMoreStepsThanThereAreAreRefused(t *testing.T) {
	for _, seen := range [][]byte{nil, {1}, {1, 0x80}} {
		var s steps
		s.play(&taken{Seen: seen})
		if v, ok := s.take(); ok {
			t.Errorf("%x: %d", seen, v)
		}
	}
}

func FuzzBrief(f *testing.F) {
	f.Add([]byte{briefPass, 1, 2})
	f.Add([]byte{briefPulled | briefCommit, 3, 0x80, 1, 64, 1, 2, 1, 64})
	f.Add([]byte{0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		read, err := briefly(payload)
		if err != nil {
			return
		}
		var a *pulledAgain
		if e, ok := read.Event.(pulledAgain); ok {
			if a = &e; e.Queue < 0 {
				return // refused where it is looked up
			}
		}
		again, err := briefly(appendBrief(nil, a, &read))
		if err != nil || !reflect.DeepEqual(again, read) && !bytes.Equal(again.Seen, read.Seen) {
			t.Fatalf("%x: %+v, then %+v, %v", payload, read, again, err)
		}
		var s steps
		s.play(&read)
		for range len(read.Seen)*8 + 1 {
			if _, ok := s.take(); !ok {
				return
			}
		}
		t.Fatalf("%x: more steps than there can be", read.Seen)
	})
}

// briefly reads a brief record, the pull with the rest.
func briefly(payload []byte) (taken, error) {
	t, a, pulled, err := readBrief(payload)
	if pulled && err == nil {
		t.Event = a
	}
	return t, err
}
