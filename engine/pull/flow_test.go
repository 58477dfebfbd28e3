package pull

import (
	"testing"

	"mqscope/engine/event"
)

func TestLimitsForAllQueuesAreSharedOut(t *testing.T) {
	own := Limits{CountPerQueue: 700, MiBPerQueue: 70, Span: 7}
	for _, c := range []struct {
		name   string
		limits Limits
		queues int
		count  int
		mib    int
	}{
		{"none set", own, 4, 700, 70},
		{"evenly, rounded down", Limits{CountPerQueue: 700, CountPerTopic: 1000}, 3, 333, 0},
		{"one at least", Limits{CountPerTopic: 10, MiBPerTopic: 3}, 100, 1, 1},
		{"sizes too", Limits{CountPerQueue: 5, MiBPerTopic: 1000}, 8, 5, 125},
		{"no queue yet", Limits{CountPerQueue: 700, MiBPerQueue: 70, CountPerTopic: 10, MiBPerTopic: 10}, 0, 700, 70},
	} {
		if got := c.limits.Shared(c.queues); got.CountPerQueue != c.count || got.MiBPerQueue != c.mib {
			t.Errorf("%s: %+v, want %d messages and %d MiB", c.name, got, c.count, c.mib)
		}
	}
}

func TestNewLimitsCountFromTheNextTurn(t *testing.T) {
	p := New(Config{Limits: Limits{CountPerQueue: 10}})
	turn := turnAt(0, func(t *Turn) { t.Load.Count = 15 })
	flow := func() event.Cause {
		for _, a := range p.Step(start, turn) {
			if b, ok := a.(Back); ok {
				return b.Cause
			}
		}
		return event.CauseNone
	}
	if got := flow(); got != event.CauseFlowCount {
		t.Errorf("15 messages above 10: %q", got)
	}
	p.SetLimits(Limits{CountPerQueue: 20})
	if got := flow(); got != event.CauseNone {
		t.Errorf("15 messages below 20: %q", got)
	}
	p.SetLimits(Limits{})
	turn.Load.Count = 1001
	if got := flow(); got != event.CauseFlowCount {
		t.Errorf("1001 messages above the default: %q", got)
	}
}
