package schedule

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/snapshot"
)

// hand is a person who holds or lets go.
type hand struct{ holds bool }

func (h *hand) Holds() bool { return h.holds }

func heldSchedule() (*Schedule, *hand) {
	s, h := New(), &hand{holds: true}
	s.Holds = h.Holds
	return s, h
}

func released(id int32) event.Event { return event.PullReleased{Queue: q(id)} }

func TestARequestThatIsHeldWaitsForItsRelease(t *testing.T) {
	s, _ := heldSchedule()
	play(t, s, []step{
		{0, assigned(1, 1, 500*ms), ""},
		{0, assigned(2, 2, 600*ms), ""},
		{100 * ms, released(1), ""}, // its time has not come
		{500 * ms, event.Tick{}, ""},
		{time.Hour, event.Tick{}, ""},
	})
	want := snapshot.Task{ID: 1, State: snapshot.TaskReady, Since: start.Add(500 * ms), Due: start.Add(500 * ms), Cause: event.CauseByHand}
	if diff := cmp.Diff(want, s.Task(q(1))); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
	if at, ok := s.NextDue(); ok && at.Before(start.Add(2*time.Hour)) {
		t.Errorf("something is due at %v while all is held", at)
	}
	play(t, s, []step{
		{time.Hour, released(2), "2@100"},
		{time.Hour, sent(2, 2), ""},
		{time.Hour, event.Tick{}, ""}, // the other is still held
		{time.Hour, back(2, 2, 132, 0, event.CauseNone), ""},
		{time.Hour, event.Tick{}, ""}, // back, due at once, and held again
		{time.Hour, released(3), ""},  // nobody's
		{time.Hour, released(1), "1@100"},
		{time.Hour, released(2), "2@132"},
		{time.Hour, released(2), ""}, // it has its turn
	})
}

func TestTheRequestWhoseTimeCameFirstIsReleased(t *testing.T) {
	s, h := heldSchedule()
	first := event.PullReleased{}
	play(t, s, []step{
		{0, assigned(1, 1, 30*ms), ""},
		{0, assigned(2, 2, 10*ms), ""},
		{0, assigned(3, 3, 20*ms), ""},
		{time.Second, event.Tick{}, ""},
		{time.Second, first, "2@100"},
		{time.Second, first, "3@100"},
		{time.Second, sent(2, 2), ""},
		{time.Second, sent(3, 3), ""},
		{time.Second, first, "1@100"},
		{time.Second, sent(1, 1), ""},
		// None is held: the next whose time comes is let through, once.
		{2 * time.Second, first, ""},
		{3 * time.Second, back(3, 3, 101, 50*ms, event.CauseFlowCount), ""},
		{3 * time.Second, back(2, 2, 101, 20*ms, event.CauseFlowCount), ""},
		{3*time.Second + 20*ms, event.Tick{}, "2@101"},
		{3*time.Second + 50*ms, event.Tick{}, ""},
	})
	if !s.Held(q(3)) {
		t.Error("a second one was let through")
	}
	h.holds = false
	play(t, s, []step{
		{4 * time.Second, first, "3@101"}, // nobody holds: nothing is let through beyond that
	})
	h.holds = true
	play(t, s, []step{
		{4 * time.Second, back(3, 3, 102, 0, event.CauseNone), ""},
		{4 * time.Second, event.Tick{}, ""},
	})
	if !s.Held(q(3)) {
		t.Error("it was let through for a release of before")
	}
}

func TestWhatIsHeldGoesOnInTheOrderOfItsTimeWhenNobodyHoldsIt(t *testing.T) {
	s, h := heldSchedule()
	k := watch(s)
	play(t, s, []step{
		{0, assigned(1, 1, 30*ms), ""},
		{0, assigned(2, 2, 10*ms), ""},
		{0, assigned(3, 3, 20*ms), ""},
		{15 * ms, event.Tick{}, ""},
		{40 * ms, event.Tick{}, ""},
		{time.Minute, event.PutBack{Queue: q(9)}, ""},
	})
	h.holds = false
	got := ""
	for range 5 { // one at a time
		for _, a := range s.Step(start.Add(time.Minute), event.Tick{}) {
			got += words([]Action{a}) + " "
			s.Taken(a.(Turn).Request)
		}
	}
	if got != "2@100 3@100 1@100 " {
		t.Errorf("turns %s", got)
	}
	late := map[string]time.Duration{}
	for _, d := range *k {
		if d.Line == decision.PullTaken {
			late[d.Queue.String()] = time.Duration(d.N[1])
		}
		if d.Line == decision.PullWoken && d.N[0] != 0 {
			t.Errorf("%v came %v early", d.Queue, time.Duration(d.N[0]))
		}
	}
	want := map[string]time.Duration{q(1).String(): time.Minute - 30*ms, q(2).String(): time.Minute - 10*ms, q(3).String(): time.Minute - 20*ms}
	if diff := cmp.Diff(want, late); diff != "" {
		t.Errorf("behind their time (-want +got):\n%s", diff)
	}
}

// A person who holds again in the midst of that holds the rest, and nothing twice.
func TestWhoHoldsAgainHoldsTheRest(t *testing.T) {
	s, h := heldSchedule()
	play(t, s, []step{
		{0, assigned(1, 1, 0), ""},
		{0, assigned(2, 2, 0), ""},
		{0, assigned(3, 3, 0), ""},
		{time.Second, event.Tick{}, ""},
	})
	h.holds = false
	play(t, s, []step{{time.Minute, event.Tick{}, "1@100"}})
	h.holds = true
	play(t, s, []step{
		{time.Minute, event.Tick{}, ""},
		{time.Minute, event.Tick{}, ""},
	})
	if s.Held(q(1)) || !s.Held(q(2)) || !s.Held(q(3)) {
		t.Error("the rest is not held")
	}
	s.Holds = nil // nobody drives any more: all at once
	play(t, s, []step{{time.Minute, event.Tick{}, "2@100, 3@100"}})
}

func TestAHeldRequestEndsWithItsQueue(t *testing.T) {
	s, h := heldSchedule()
	play(t, s, []step{
		{0, assigned(1, 1, 0), ""},
		{0, assigned(2, 2, 0), ""},
		{0, assigned(3, 3, 0), ""},
		{0, event.QueueRevoked{Queue: q(1), Epoch: 1, Why: event.RevokedByRebalance}, ""},
		{0, event.RequestDied{Queue: q(2), Epoch: 2}, ""},
		{0, released(1), ""},
		{0, assigned(3, 4, 0), ""}, // assigned again: the old one is gone, the new one is held
		{0, event.Tick{}, ""},
	})
	if len(s.Tasks()) != 1 || !s.Held(q(3)) || s.Held(q(1)) {
		t.Errorf("tasks %v", s.Tasks())
	}
	h.holds = false
	play(t, s, []step{{0, event.Tick{}, "3@100"}, {0, event.Tick{}, ""}})
}

func TestAHeldRequestIsNeitherPostponedNorWokenNorPutBackTwice(t *testing.T) {
	s, h := heldSchedule()
	play(t, s, []step{
		{0, assigned(1, 1, 0), ""},
		{0, event.Postponed{Queue: q(1), By: time.Minute}, ""},
		{0, event.Woken{Queue: q(1)}, ""},
		{0, back(1, 1, 555, 0, event.CauseNone), ""},
		{0, sent(1, 1), ""},
	})
	if !s.Held(q(1)) {
		t.Fatal("not held any more")
	}
	h.holds = false
	play(t, s, []step{{0, event.Tick{}, "1@100"}})
}

func TestAnOpenTurnIsNotTakenForLost(t *testing.T) {
	s, _ := heldSchedule()
	play(t, s, []step{
		{0, assigned(1, 1, 0), ""},
		{0, released(1), "1@100"},
	})
	s.Open(q(1), 1)
	play(t, s, []step{{time.Hour, event.Tick{}, ""}})
	if got := s.Task(q(1)).State; got != snapshot.TaskRunning {
		t.Errorf("it is %v", got)
	}
	s.GoesOn(start.Add(time.Hour), q(1), 1)
	play(t, s, []step{
		{time.Hour + 34*time.Second, event.Tick{}, ""},
		{time.Hour + 35*time.Second, event.Tick{}, "warn 1: no answer to the pull at offset 100 for 1h0m35s: taken for lost, pulled again"},
		{time.Hour + 36*time.Second, event.Tick{}, ""}, // it is held like any other
		{time.Hour + 37*time.Second, released(1), "1@100"},
	})
}

// TestALostPullIsToldOnce: of a request that is held after its pull was lost.
func TestALostPullIsToldOnce(t *testing.T) {
	s, _ := heldSchedule()
	k := watch(s)
	take := func(at time.Duration, e event.Event) {
		for _, a := range s.Step(start.Add(at), e) {
			if a, ok := a.(Turn); ok {
				s.Taken(a.Request)
			}
		}
	}
	take(0, assigned(1, 1, 0))
	take(0, released(1))
	take(0, sent(1, 1))
	take(time.Hour, event.Tick{})
	take(time.Hour, event.Tick{})
	take(time.Hour+time.Second, released(1))
	var got []string
	for _, d := range *k {
		got = append(got, d.Line.ID)
	}
	want := []string{"pull.enqueued", "pull.taken", "pull.lost", "pull.taken"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestTasksThatAreHeldStandWhereTheirTimeCame(t *testing.T) {
	s, _ := heldSchedule()
	play(t, s, []step{
		{0, assigned(1, 1, 300*ms), ""},
		{0, assigned(2, 2, 100*ms), ""},
		{0, assigned(3, 3, 200*ms), ""},
		{200 * ms, event.Tick{}, ""},
	})
	var got []int32
	for _, h := range s.Tasks() {
		got = append(got, h.Request.Queue.QueueID)
	}
	if diff := cmp.Diff([]int32{2, 3, 1}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestNothingGetsItsTurnByWhatIsNoTick: else a turn could begin in the midst of another one.
func TestNothingGetsItsTurnByWhatIsNoTick(t *testing.T) {
	s, h := heldSchedule()
	h.holds = false
	play(t, s, []step{
		{0, assigned(1, 1, 0), ""},
		{0, assigned(2, 2, 0), ""},
		{0, event.Woken{}, ""},
		{0, event.Tick{}, "1@100"},
		{0, sent(1, 1), ""},
		{0, event.Tick{}, "2@100"},
	})
}

// decided is a sink that keeps everything.
type decided []decision.Decision

func (k *decided) Decided(d *decision.Decision) { *k = append(*k, *d) }

func watch(s *Schedule) *decided {
	k := &decided{}
	s.Decisions = decision.NewRecorder("m", func() time.Time { return s.now })
	s.Decisions.Watch(k)
	return k
}
