package step_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/steptest"
)

func open(t testing.TB, o steptest.Options) *step.Stepper {
	t.Helper()
	opened := 0
	if o.Opened == nil {
		o.Opened = &opened
	}
	s, err := step.New(steptest.Maker(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if *o.Opened != 0 {
			t.Errorf("%d worlds were not closed", *o.Opened)
		}
	})
	return s
}

func must(t testing.TB) func(step.Stop, error) step.Stop {
	return func(stop step.Stop, err error) step.Stop {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
}

func place(t testing.TB, text string) *step.Place {
	t.Helper()
	p, err := step.ParsePlace(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// straight are the hashes of a run that only goes forward, by step.
func straight(t testing.TB, o steptest.Options, steps int) []uint64 {
	t.Helper()
	w, err := steptest.Maker(o)()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	list := []uint64{w.Hash()}
	_, err = w.Run(func(*decision.Decision) bool {
		list = append(list, w.Hash())
		return len(list) > steps
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAWalkBackAndForthMeetsTheTraceOfAStraightRun(t *testing.T) {
	for seed := range uint64(8) {
		want := straight(t, steptest.Options{Seed: seed}, 6_000)
		s := open(t, steptest.Options{Seed: seed})
		dice := rand.New(rand.NewPCG(seed, 2))
		for range 150 {
			var err error
			switch dice.IntN(6) {
			case 0:
				_, err = s.One()
			case 1:
				_, err = s.Task()
			case 2:
				err = s.Back(dice.Uint64N(700))
			case 3:
				err = s.Goto(dice.Uint64N(5_000))
			case 4:
				err = s.Goto(dice.Uint64N(s.Newest() + 1))
			case 5:
				for range dice.IntN(8) {
					if _, err = s.Tend(dice.Uint64N(3000)); err != nil {
						break
					}
				}
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if s.Hash() != want[s.Steps()] {
				t.Fatalf("seed %d: another trace at step %d", seed, s.Steps())
			}
			checkHistory(t, s)
		}
	}
}

// checkHistory checks that the history ends with the current step and has no gap.
func checkHistory(t *testing.T, s *step.Stepper) {
	t.Helper()
	list := s.History(512)
	if want := min(512, s.Steps()); uint64(len(list)) != want {
		t.Fatalf("history of %d decisions at step %d, want %d", len(list), s.Steps(), want)
	}
	for i := range list {
		if want := s.Steps() - uint64(len(list)-1-i); list[i].Step != want {
			t.Fatalf("decision %d of the history is of step %d, want %d", i, list[i].Step, want)
		}
	}
}

func TestWorldsThatAreNotTheSameAreReported(t *testing.T) {
	s := open(t, steptest.Options{Seed: 1, Stray: 130})
	if err := s.Goto(1000); err != nil {
		t.Fatal(err)
	}
	if err := s.Goto(100); err != nil {
		t.Fatalf("before it differs: %v", err)
	}
	err := s.Goto(500)
	var diverged *step.DivergedError
	if !errors.As(err, &diverged) || diverged.Step != 192 || !strings.Contains(err.Error(), "NOT DETERMINISTIC") {
		t.Fatalf("error is %v, want one that says that step 192 came out differently", err)
	}
	// Within fewer steps than lie between hashes only a place where a person stood tells.
	s = open(t, steptest.Options{Seed: 1, Stray: 30})
	for range 40 {
		must(t)(s.One())
	}
	if err := s.Back(5); !errors.As(err, &diverged) || diverged.Step != 35 {
		t.Fatalf("error is %v, want one about step 35", err)
	}
}

func TestTaskGoesOnToTheNextTurn(t *testing.T) {
	s := open(t, steptest.Options{Seed: 3})
	for range 50 {
		must(t)(s.Task())
		last, _ := s.Last(nil)
		if last.Decision.Line != decision.PullTaken {
			t.Fatalf("step %d is %s, want the beginning of a turn", last.Step, last.Decision.Line.ID)
		}
		trace := s.Trace()
		if trace.Task != last.Decision.Task || trace.Queue != last.Decision.Queue || len(trace.Lines) != 1 || trace.Done {
			t.Fatalf("trace %+v at the beginning of a turn", trace)
		}
	}
	must(t)(s.Until(place(t, "pull.send"), 0))
	trace := s.Trace()
	if !trace.Done || trace.Lines[0].Decision.Line != decision.PullTaken {
		t.Fatalf("trace %+v at the end of a turn", trace)
	}
	var ids []string
	for _, l := range trace.Lines {
		ids = append(ids, l.Decision.Line.ID)
	}
	if got := strings.Join(ids, " "); got != "pull.taken pull.dropped flow.count flow.span pull.send" {
		t.Fatalf("the turn is %s: the commit of an offset is no part of it", got)
	}
}

func TestUntilStopsThereOrSaysThatItDidNot(t *testing.T) {
	s := open(t, steptest.Options{Seed: 3})
	stop := must(t)(s.Until(place(t, "flow.span if span > 2000 && queue == 3 && task == 4"), 10_000))
	last, _ := s.Last(nil)
	if !stop.Met || last.Decision.Line != decision.FlowSpan || last.Decision.N[0] <= 2000 || last.Decision.Queue.QueueID != 3 {
		t.Fatalf("stopped at %+v: %+v", last, stop)
	}
	at := s.Steps()
	stop = must(t)(s.Until(place(t, "any if span > 5000"), 500))
	if stop.Met || s.Steps() != at+500 || !strings.Contains(stop.Why, "was not reached") {
		t.Fatalf("stopped with %+v at step %d", stop, s.Steps())
	}
	stop = must(t)(s.UntilTask(2))
	if trace := s.Trace(); !stop.Met || trace.Task != 2 || len(trace.Lines) != 1 {
		t.Fatalf("stopped with %+v in %+v", stop, trace)
	}
	end := s.Now().Add(3 * time.Second)
	stop = must(t)(s.RunFor(3 * time.Second))
	if late := s.Now().Sub(end); !stop.Met || late < 0 || late > 20*time.Millisecond {
		t.Fatalf("stopped %v late with %+v", late, stop)
	}
}

func TestTheEndOfAWorldStopsEachMove(t *testing.T) {
	for _, o := range []steptest.Options{{Turns: 5}, {Until: 50 * time.Millisecond}} {
		s := open(t, o)
		stop := must(t)(s.Run())
		if stop.Met || stop.Reason == step.Stopped || stop.Why != stop.Reason.String() {
			t.Fatalf("stopped with %+v", stop)
		}
		at := s.Steps()
		if stop := must(t)(s.One()); stop.Met || s.Steps() != at {
			t.Fatalf("one more decision: %+v", stop)
		}
		if err := s.Goto(at + 100); err == nil || !strings.Contains(err.Error(), "ended at step") {
			t.Fatalf("error is %v", err)
		}
		if err := s.Back(1); err != nil || s.Steps() != at-1 {
			t.Fatalf("back to %d: %v", s.Steps(), err)
		}
		if err := s.Back(1000); err != nil || s.Steps() != 0 {
			t.Fatalf("back to %d: %v", s.Steps(), err)
		}
	}
}

func TestABrokenInvariantStopsTheRunOnceAndSaysWhich(t *testing.T) {
	s := open(t, steptest.Options{Breach: 100})
	stop := must(t)(s.Run())
	if !stop.Bad || stop.Why != "I13 is broken: two requests of one queue" || stop.Step != 100 {
		t.Fatalf("stopped with %+v", stop)
	}
	if sched := s.Snapshot().Sched; !sched.Hit.Bad || len(sched.Broken) != 1 {
		t.Fatalf("shown are %+v and %+v", sched.Hit, sched.Broken)
	}
	if stop := must(t)(s.Until(place(t, "pull.send"), 1000)); !stop.Met {
		t.Fatalf("what was broken before stops again: %+v", stop)
	}
	if err := s.Goto(50); err != nil || len(s.Snapshot().Sched.Broken) != 0 {
		t.Fatalf("still broken before it was, or %v", err)
	}
	if stop := must(t)(s.Run()); !stop.Bad || stop.Step != 100 {
		t.Fatalf("stopped with %+v after a step back", stop)
	}
}

func TestWatchTellsOfEachDecisionOnTheWayForwardOnce(t *testing.T) {
	s := open(t, steptest.Options{})
	var got []uint64
	s.Watch(func(l snapshot.TraceLine) { got = append(got, l.Step) })
	must(t)(s.One())
	must(t)(s.One())
	if err := s.Back(1); err != nil {
		t.Fatal(err)
	}
	must(t)(s.One())
	if err := s.Goto(4); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []uint64{1, 2, 2, 3, 4}) {
		t.Fatalf("told of %v", got)
	}
}
