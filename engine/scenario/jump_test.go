package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mqscope/engine/decision"
	"mqscope/engine/scenario"
	"mqscope/engine/step"
)

// forward runs a world to its end and returns the hash after each step.
func forward(tb testing.TB, s *scenario.Scenario, seed uint64) []uint64 {
	tb.Helper()
	w, err := scenario.New(s, seed)
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Close()
	hashes := []uint64{w.Hash()}
	if _, err := w.Run(func(*decision.Decision) bool {
		hashes = append(hashes, w.Hash())
		return false
	}); err != nil {
		tb.Fatal(err)
	}
	return hashes
}

// A world is the same wherever one comes from: run forward, or reached by jumping back and forth.
func TestJumpingBackAndForthChangesNothing(t *testing.T) {
	seeds := jumpSeeds
	if testing.Short() {
		seeds = 20
	}
	const lanes = 4
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			for seed := lane; seed < seeds; seed += lanes {
				jumpAbout(t, uint64(seed))
			}
		})
	}
}

func jumpAbout(t *testing.T, seed uint64) {
	t.Helper()
	s := scenario.Lessons()[seed%10]
	hashes := forward(t, s, seed)
	end := uint64(len(hashes) - 1)
	st, err := step.New(scenario.Maker(s, seed))
	if err != nil {
		t.Fatal(err)
	}
	chance := rand.New(rand.NewPCG(seed, 5))
	check := func(what string) {
		t.Helper()
		if st.Hash() != hashes[st.Steps()] {
			t.Fatalf("%s, seed %d: %s to step %d: hash %x, run forward it was %x", s.Name, seed, what, st.Steps(), st.Hash(), hashes[st.Steps()])
		}
	}
	for range 8 {
		what := "back"
		switch chance.IntN(4) {
		case 0:
			err = st.Back(1 + chance.Uint64N(20))
		case 1:
			what = "one"
			_, err = st.One()
		default:
			what = "goto"
			err = st.Goto(chance.Uint64N(end + 1))
		}
		if err != nil {
			t.Fatalf("%s, seed %d: %s: %v", s.Name, seed, what, err)
		}
		check(what)
		if chance.IntN(3) == 0 {
			st.Snapshot() // as a screen does
		}
		for range chance.IntN(4) {
			if _, err := st.Tend(200); err != nil {
				t.Fatal(err)
			}
		}
	}
	for {
		stop, err := st.Run()
		if err != nil || stop.Bad {
			t.Fatalf("%s, seed %d: to the end: %+v, %v", s.Name, seed, stop, err)
		}
		check("to the end")
		if stop.Reason != step.Stopped {
			break
		}
	}
	if st.Steps() != end {
		t.Fatalf("%s, seed %d: %d steps, run forward %d", s.Name, seed, st.Steps(), end)
	}
	st.Close()
}
