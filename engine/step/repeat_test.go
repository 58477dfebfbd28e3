package step_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/steptest"
)

func someChange(dice *rand.Rand, n int) step.Change {
	q := steptest.Queue(dice.IntN(4))
	switch dice.IntN(5) {
	case 0:
		return step.DelayTask{Queue: q, By: time.Second}
	case 1:
		return step.AnswerPull{Queue: q, Status: "OFFSET_ILLEGAL"}
	case 2:
		return step.AdvanceClock{By: time.Duration(n) * time.Millisecond}
	case 3:
		return step.SendMessages{Topic: q.Topic, Queue: q, N: n + 1}
	}
	return step.FailPull{Queue: q}
}

func TestChangesAreRepeatedAndWhatCameAfterThemIsCut(t *testing.T) {
	for seed := range uint64(30) {
		o := steptest.Options{Seed: seed, Turns: 60} // short: many changes are made where nothing is left to do
		s := open(t, o)
		dice := rand.New(rand.NewPCG(seed, 3))
		seen := map[uint64]uint64{}
		for n := range 80 {
			switch dice.IntN(5) {
			case 0:
				if dice.IntN(3) > 0 {
					break
				}
				if err := s.Change(someChange(dice, n)); err != nil {
					t.Fatal(err)
				}
				if s.Newest() != s.Steps() {
					t.Fatalf("newest is %d after a change at %d", s.Newest(), s.Steps())
				}
				for at := range seen {
					if at > s.Steps() {
						delete(seen, at)
					}
				}
			case 1:
				if err := s.Goto(dice.Uint64N(s.Newest() + 1)); err != nil {
					t.Fatal(err)
				}
			case 2:
				must(t)(s.Task())
			case 3:
				if dice.IntN(4) == 0 {
					must(t)(s.Run())
				}
			case 4:
				if _, err := s.Tend(dice.Uint64N(200)); err != nil {
					t.Fatal(err)
				}
			}
			if hash, known := seen[s.Steps()]; known && hash != s.Hash() {
				t.Fatalf("seed %d: another trace at step %d than before", seed, s.Steps())
			}
			seen[s.Steps()] = s.Hash()
		}
		again(t, s, o)
	}
}

// again walks to each known step anew, from the beginning and with all that was changed.
func again(t *testing.T, s *step.Stepper, o steptest.Options) {
	t.Helper()
	if err := s.Goto(s.Newest()); err != nil {
		t.Fatal(err)
	}
	end := s.Hash()
	for at := s.Newest(); at > 0; at -= min(at, 37) {
		if err := s.Goto(at); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Goto(s.Newest()); err != nil {
		t.Fatal(err)
	}
	if s.Hash() != end {
		t.Fatalf("seed %d: another end", o.Seed)
	}
}

// TestChangesWhereNothingIsLeftToDo has changes that come after what a world does behind its
// last decision, one of them after it did something again: each is repeated there.
func TestChangesWhereNothingIsLeftToDo(t *testing.T) {
	s := open(t, steptest.Options{Seed: 4, Turns: 3})
	for range 3 {
		must(t)(s.Run())
		for _, c := range []step.Change{step.FailPull{Queue: steptest.Queue(1)}, step.MemberJoins{Name: "m2"}} {
			if err := s.Change(c); err != nil {
				t.Fatal(err)
			}
		}
		must(t)(s.One())
		if err := s.Change(step.AdvanceClock{By: time.Second}); err != nil {
			t.Fatal(err)
		}
	}
	must(t)(s.Run())
	end, newest, now := s.Hash(), s.Newest(), s.Now()
	for at := range newest {
		if err := s.Goto(at); err != nil {
			t.Fatal(err)
		}
		must(t)(s.Run())
		if s.Hash() != end || s.Steps() != newest || !s.Now().Equal(now) {
			t.Fatalf("from step %d it ends at %d and %v, the first time at %d and %v", at, s.Steps(), s.Now(), newest, now)
		}
	}
}

func members(s *step.Stepper) (names []string) {
	for _, m := range s.Snapshot().Members {
		names = append(names, m.ID)
	}
	return names
}

func TestWhatWasChangedAtAStepIsThereWhenOneGoesThere(t *testing.T) {
	s := open(t, steptest.Options{Seed: 4})
	if err := s.Goto(40); err != nil {
		t.Fatal(err)
	}
	if err := s.Change(step.MemberJoins{Name: "m2"}); err != nil {
		t.Fatal(err)
	}
	for _, from := range []uint64{60, 10} {
		if err := errors.Join(s.Goto(from), s.Goto(40)); err != nil {
			t.Fatal(err)
		}
		if got := members(s); !slices.Equal(got, []string{"me", "m2"}) {
			t.Fatalf("members from step %d on are %v", from, got)
		}
	}
	if err := s.Change(step.MemberJoins{Name: "m3"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Goto(10), s.Goto(40)); err != nil || !slices.Equal(members(s), []string{"me", "m2", "m3"}) || len(s.Changes()) != 2 {
		t.Fatalf("members %v, changes %v, %v", members(s), s.Changes(), err)
	}
}

func TestGotoStandsRightAfterADecision(t *testing.T) {
	s := open(t, steptest.Options{Seed: 4, Turns: 3})
	must(t)(s.Run())
	end := s.Steps()
	last, _ := s.Last(nil)
	if err := errors.Join(s.Back(1), s.Goto(end)); err != nil || !s.Now().Equal(last.Decision.At) {
		t.Fatalf("at %v, the last decision was at %v: %v", s.Now(), last.Decision.At, err)
	}
}

func TestAChangeBeforeTheRestCutsThoseAfterIt(t *testing.T) {
	s := open(t, steptest.Options{Seed: 4, Turns: 3})
	must(t)(s.Run())
	end := s.Steps()
	if err := s.Change(step.MemberJoins{Name: "late"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Back(1); err != nil {
		t.Fatal(err)
	}
	must(t)(s.One())
	if err := s.Change(step.MemberJoins{Name: "soon"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Back(1), s.Goto(end)); err != nil || !slices.Equal(members(s), []string{"me", "soon"}) {
		t.Fatalf("members %v, changes %v, %v", members(s), s.Changes(), err)
	}
}

func TestAChangeChangesWhatComes(t *testing.T) {
	s := open(t, steptest.Options{Seed: 1})
	if err := s.Goto(100); err != nil {
		t.Fatal(err)
	}
	want := s.Hash()
	if err := s.Goto(40); err != nil {
		t.Fatal(err)
	}
	change, err := step.ParseChange("answer 2 OFFSET_ILLEGAL")
	if err == nil {
		err = s.Change(change)
	}
	if err != nil {
		t.Fatal(err)
	}
	must(t)(s.Until(place(t, "status OFFSET_ILLEGAL"), 1000))
	if last, _ := s.Last(nil); last.Decision.Queue != steptest.Queue(2) || last.Decision.Text != "OFFSET_ILLEGAL" {
		t.Fatalf("stopped at %v", last)
	}
	if s.Newest() != s.Steps() {
		t.Fatalf("newest %d at %d", s.Newest(), s.Steps())
	}
	if got := s.Changes(); !slices.Equal(got, []snapshot.StepMark{{Step: 40, What: "answer orders/a/2 OFFSET_ILLEGAL", Change: true}}) {
		t.Fatalf("changes %v", got)
	}
	if err := s.Goto(100); err != nil {
		t.Fatal(err)
	}
	if s.Hash() == want {
		t.Fatal("the change changed nothing")
	}
}

func TestChangesThatCanNotBeMadeChangeNothing(t *testing.T) {
	s := open(t, steptest.Options{Refuse: true})
	if err := s.Goto(100); err != nil {
		t.Fatal(err)
	}
	if err := s.Goto(50); err != nil {
		t.Fatal(err)
	}
	for _, c := range []step.Change{step.PausePulls{}, step.FailPull{Queue: steptest.Queue(9)}, step.FailHandler{}} {
		if err := s.Change(c); err == nil {
			t.Errorf("%s was made", c)
		}
	}
	if s.Newest() != 100 || len(s.Changes()) != 0 {
		t.Fatalf("newest is %d, changes are %v", s.Newest(), s.Changes())
	}
}
