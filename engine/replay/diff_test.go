package replay_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/snapshot"
)

// run is a Track of twelve pulls, commits and more of two queues and two members.
func run(change func(all []snapshot.Moment) []snapshot.Moment) *replaytest.Track {
	t := replaytest.Every(24, time.Second)
	for i := range t.All {
		m := &t.All[i]
		m.Client = []string{"one@1", "two@2"}[i%2]
		switch i % 6 {
		case 0:
			m.Kind, m.Words = "pull-done", "FOUND to the pull from 3 after 12ms: 1 messages"
		case 1, 2:
			m.Kind, m.Words = "committed", "committed 3"
		case 3:
			m.Kind, m.Words = "assigned", "begins to pull"
		case 4:
			m.Kind, m.Words, m.Interest = "flow.count", "queue holds too much for 3s", snapshot.InterestFlow
		case 5:
			m.Kind, m.Words, m.Queue, m.Level = "failed", "refused", snapshot.MessageQueue{}, snapshot.Error
		}
	}
	if change != nil {
		t.All = change(t.All)
	}
	return t
}

func compared(t *testing.T, a, b replay.Track) *replay.Comparison {
	t.Helper()
	c, err := replay.Diff(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRunsThatAreTheSame(t *testing.T) {
	for name, change := range map[string]func([]snapshot.Moment) []snapshot.Moment{
		"itself": nil,
		"slower": func(all []snapshot.Moment) []snapshot.Moment {
			for i := range all {
				all[i].At = replaytest.Start().Add(3 * all[i].At.Sub(replaytest.Start()))
			}
			return all
		},
		"with other clients and round trips": func(all []snapshot.Moment) []snapshot.Moment {
			for i := range all {
				all[i].Client += "#other"
				if all[i].Kind == "pull-done" {
					all[i].Words = "FOUND to the pull from 3, held for 1.5s: 7 messages"
				}
				if all[i].Kind == "flow.count" {
					all[i].Words = "queue holds too much for 2m3s"
				}
			}
			return all
		},
		"with queues in another order": func(all []snapshot.Moment) []snapshot.Moment {
			slices.SortStableFunc(all[6:], func(a, b snapshot.Moment) int { return a.Queue.Compare(b.Queue) })
			return all
		},
		"with more of what is not compared": func(all []snapshot.Moment) []snapshot.Moment {
			return append(all, snapshot.Moment{Event: 99, At: all[23].At, Kind: "beat"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c := compared(t, run(nil), run(change)); !c.Same() || c.Unread != "" {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestRunsThatPart(t *testing.T) {
	for name, test := range map[string]struct {
		aspect string
		event  uint64 // of the second one, 0: it has none
		nth    int
		change func([]snapshot.Moment) []snapshot.Moment
	}{
		"another status": {replay.AspectPulls, 7, 1, func(all []snapshot.Moment) []snapshot.Moment {
			all[6].Words, all[18].Words = "NO_NEW_MSG to the pull from 3 after 12ms", "NO_MATCHED_MSG"
			return all
		}},
		"another offset": {replay.AspectCommits, 8, 1, func(all []snapshot.Moment) []snapshot.Moment {
			all[7].Words = "committed 4"
			return all
		}},
		"another member": {replay.AspectAssignments, 10, 1, func(all []snapshot.Moment) []snapshot.Moment {
			all[9].Client = "one@1"
			return all
		}},
		"one is missing": {replay.AspectFlow, 0, 2, func(all []snapshot.Moment) []snapshot.Moment {
			return slices.Delete(all, 22, 23)
		}},
		"one is more": {replay.AspectErrors, 25, 5, func(all []snapshot.Moment) []snapshot.Moment {
			more := all[23]
			more.Event = 25
			return append(all, more)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, run(nil), run(test.change))
			if len(c.Parts) != 1 || c.Parts[0].Aspect != test.aspect || c.Parts[0].Nth != test.nth {
				t.Fatalf("%+v", c.Parts)
			}
			p := c.Parts[0]
			if (p.B == nil) != (test.event == 0) || p.B != nil && p.B.Event != test.event {
				t.Errorf("parts at %+v", p.B)
			}
			back := compared(t, run(test.change), run(nil))
			if len(back.Parts) != 1 || (back.Parts[0].A == nil) != (p.B == nil) || (back.Parts[0].B == nil) != (p.A == nil) {
				t.Errorf("the other way round: %+v", back.Parts)
			}
		})
	}
}

// TestOrderOfTopicsGroupsAndAddressesAreNoDifference: a consumer asks for the members of each topic
// when it comes to it, and a scenario is often run once more with another group.
func TestOrderOfTopicsGroupsAndAddressesAreNoDifference(t *testing.T) {
	one := func(group, addr string, order ...int) *replaytest.Track {
		t := replaytest.Every(4, time.Second)
		all := []snapshot.Moment{
			{Kind: "members", Where: "orders", Words: "1 members listed; +4 -0 queues", Interest: snapshot.InterestRebalance},
			{Kind: "members", Where: "%RETRY%" + group, Words: "1 members listed; +1 -0 queues", Interest: snapshot.InterestRebalance},
			{Kind: "offset.read", Queue: snapshot.MessageQueue{Topic: "%RETRY%" + group, BrokerName: "b"}, Words: "max offset is 0"},
			{Kind: "route", Where: "%RETRY%" + group, Words: "no route of %RETRY%" + group + " from " + addr + ": none", Level: snapshot.Error},
		}
		for i, n := range order {
			at, event := t.All[i].At, t.All[i].Event
			t.All[i] = all[n]
			t.All[i].At, t.All[i].Event, t.All[i].Group, t.All[i].Client = at, event, group, group+"@1"
		}
		t.Base = &snapshot.Snapshot{}
		t.Header.Group = group
		t.Base.Group.Subscriptions = []snapshot.Subscription{{Topic: "%RETRY%" + group, Expression: "*"}, {Topic: "orders", Expression: "*"}}
		return t
	}
	c := compared(t, one("g", "10.0.0.1:9876", 0, 1, 2, 3), one("h", "10.0.0.2:9876", 3, 1, 0, 2))
	if len(c.Parts) != 0 || !slices.Equal(c.Settings, []replay.Setting{{Name: "group", A: "g", B: "h"}}) {
		t.Errorf("%+v", c)
	}
	other := one("h", "10.0.0.2:9876", 0, 1, 2, 3)
	other.All[1].Words = "1 members listed; +0 -1 queues"
	if c := compared(t, one("g", "10.0.0.1:9876", 0, 1, 2, 3), other); len(c.Parts) != 1 || c.Parts[0].Aspect != replay.AspectAssignments {
		t.Errorf("%+v", c.Parts)
	}
}

// TestOneEventMayBelongToSeveralAspects has what an engine's loop told at a pull.
func TestOneEventMayBelongToSeveralAspects(t *testing.T) {
	one := func(words string, interest snapshot.InterestKind) *replaytest.Track {
		t := replaytest.Every(1, time.Second)
		t.All[0].Words, t.All[0].Interest = words, interest
		return t
	}
	full := "32 messages from 1, 230 bytes, next 33, took 1ms; count 33 > 20, put back 50ms"
	c := compared(t, one(full, snapshot.InterestFlow), one("7 messages from 1, 9 bytes, next 8, took 0s", snapshot.NoInterest))
	if len(c.Parts) != 1 || c.Parts[0].Aspect != replay.AspectFlow || c.Parts[0].B != nil {
		t.Errorf("%+v", c.Parts)
	}
	c = compared(t, one(full, snapshot.InterestFlow), one("32 messages from 2, took 1ms; count 33 > 20, put back 70ms", snapshot.InterestFlow))
	if len(c.Parts) != 2 || c.Parts[0].Aspect != replay.AspectPulls {
		t.Errorf("%+v", c.Parts)
	}
}

func TestDiffTellsSettingsAndCounts(t *testing.T) {
	a, b := run(nil), run(func(all []snapshot.Moment) []snapshot.Moment { return all[:12] })
	a.Base, b.Base = &snapshot.Snapshot{}, &snapshot.Snapshot{}
	a.Base.Group.Limits.PullBatch, b.Base.Group.Limits.PullBatch = 32, 16
	b.Header.Program = "mqscope other"
	c := compared(t, a, b)
	want := []replay.Setting{{Name: "program", A: "mqscope test", B: "mqscope other"}, {Name: "pull batch", A: "32", B: "16"}}
	if !slices.Equal(c.Settings, want) {
		t.Errorf("settings %+v", c.Settings)
	}
	for _, n := range c.Counts {
		if n.A != 2*n.B {
			t.Errorf("%+v, want twice as many", n)
		}
	}
	if c.A.Events != 24 || c.B.Events != 12 || c.B.Span != 11*time.Second {
		t.Errorf("%+v, %+v", c.A, c.B)
	}
}

func TestDiffOfADamagedRecordingSaysSo(t *testing.T) {
	a := run(nil)
	a.Damage = &recording.Damage{Offset: 4711, Reason: "checksum"}
	if c := compared(t, a, run(nil)); c.Unread == "" || !c.Same() {
		t.Errorf("%+v", c)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.Diff(ctx, run(nil), run(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("broken off: %v", err)
	}
}
