package rebalance

import (
	"testing"
	"time"

	"mqscope/engine/event"
)

func TestAQueueThatIsNotPulledForTwoMinutesIsTakenAnew(t *testing.T) {
	r := owning(t, 2)
	for s := 10; s <= 120; s += 10 { // queue 0 goes on pulling
		now := epoch.Add(time.Duration(s) * time.Second)
		if got := r.Step(now, PullAttempted{Queue: q(0)}); got != nil {
			t.Fatalf("actions follow from a pull attempt: %v", words(got))
		}
	}
	play(t, r, []step{
		{120 * time.Second, wanted(), "list t"},
		{120 * time.Second, listed(ours...), ""}, // exactly 120 s is not over it
		{121 * time.Second, wanted(), "list t"},
		{121 * time.Second, listed(ours...), `
			warn 1: not pulled for 2m0s: given up and taken again
			revoke 1 #2 pull expired
			read 1 #3 committed`},
		{121 * time.Second, found(1, 3, 100), "assign 1 #3 at 100 after 500ms"},
	})
}

func TestAnOffsetQuestionWithoutAnswerIsAskedAgain(t *testing.T) {
	r := newOne()
	play(t, r, []step{
		{0, route(1), ""},
		{0, wanted(), "list t"},
		{0, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed"},
	})
	for s := 20; s <= 120; s += 20 {
		at := time.Duration(s) * time.Second
		play(t, r, []step{{at, event.Tick{}, "list t"}, {at, listed(ours...), ""}})
	}
	play(t, r, []step{
		{140 * time.Second, event.Tick{}, "list t"},
		{140 * time.Second, listed(ours...), "warn 0: start offset not answered for 2m0s: asked again\n read 0 #2 committed"},
		{140 * time.Second, found(0, 1, 5), ""},
		{140 * time.Second, found(0, 2, 5), "assign 0 #2 at 5 after 500ms"},
	})
}

func TestFC1NoQueueExpiresBecauseTheComputerSlept(t *testing.T) {
	r := owning(t, 2)
	play(t, r, []step{
		{2 * time.Hour, event.Tick{}, "list t"},
		{2 * time.Hour, listed(ours...), ""},
		{2*time.Hour + time.Minute, event.Tick{}, "list t"},
		{2*time.Hour + time.Minute, listed(ours...), ""},
	})
}

func TestP10RepairedQueueIsTakenAgainAtOnce(t *testing.T) {
	r := owning(t, 2)
	play(t, r, []step{
		{100 * time.Millisecond, Dropped{Queue: q(0)}, "read 0 #3 committed"},
		{110 * time.Millisecond, found(0, 1, 5), ""}, // of the assignment before the repair
		{110 * time.Millisecond, found(0, 3, 200), "assign 0 #3 at 200 after 0s"},
	})
}

func TestARepairThatRepeatsWaitsForThePass(t *testing.T) {
	r := owning(t, 1)
	play(t, r, []step{
		{2 * time.Second, Dropped{Queue: q(0)}, "read 0 #2 committed"},
		{2 * time.Second, found(0, 2, 5), "assign 0 #2 at 5 after 0s"},
		{2100 * time.Millisecond, Dropped{Queue: q(0)}, "list t"},
		{2100 * time.Millisecond, listed(ours...), "read 0 #3 committed"},
		{2100 * time.Millisecond, found(0, 3, 5), "assign 0 #3 at 5 after 500ms"},
		{2700 * time.Millisecond, Dropped{Queue: q(0)}, ""},
		{3100 * time.Millisecond, event.Tick{}, "list t"},
		{3100 * time.Millisecond, listed(ours...), "read 0 #4 committed"},
	})
	if got := r.Resolving(); len(got) != 1 || got[0] != q(0) {
		t.Errorf("resolving %v, want the repaired queue", got)
	}
}

func TestADroppedQueueThatIsNotOursIsIgnored(t *testing.T) {
	r := owning(t, 1)
	play(t, r, []step{{time.Second, Dropped{Queue: q(7)}, ""}})
}
