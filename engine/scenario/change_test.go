package scenario_test

import (
	"testing"

	"mqscope/engine/decision"
	"mqscope/engine/scenario"
	"mqscope/engine/step"
)

// A lock that a person has released in the midst of a lesson is given back and asked for again;
// with one that consumes without order there is none.
func TestALockIsReleasedByHand(t *testing.T) {
	open := func(name string) *step.Stepper {
		s, err := scenario.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		st, err := step.New(scenario.Maker(s, 1))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(st.Close)
		return st
	}
	until := func(st *step.Stepper, place string) {
		p, err := step.ParsePlace(place)
		if err != nil {
			t.Fatal(err)
		}
		if stop, err := st.Until(p, 2000); err != nil || !stop.Met {
			t.Fatalf("%s: %+v, %v", place, stop, err)
		}
	}
	st := open("orderly-lock")
	until(st, "pull.parked if topic == 'orders'")
	change, err := step.ParseChange("release-lock orders/broker-a/0")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Change(change); err != nil {
		t.Fatal(err)
	}
	until(st, "lock.by-hand")
	until(st, "lock.freed")
	until(st, "lock.granted if yes && topic == 'orders'")
	if last, _ := st.Last(nil); last.Decision.Line != decision.LockGranted {
		t.Errorf("it stands at %s", last.Decision.Line.ID)
	}
	if err := open("long-poll").Change(change); err == nil {
		t.Error("a lock was released where there is none")
	}
}
