package rebalance

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func TestS3Pass(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		script []step
		due    time.Duration // next, 0 for never
	}{
		{
			name: "the first wanted pass starts at once and a balanced one comes again after 20 s",
			script: []step{
				{0, route(4), ""},
				{0, wanted(), "list t"},
				{0, listed(us...), `
					info t: +2 -0 queues, AVG over 2 members
					announce t
					read 0 #1 committed
					read 1 #2 committed`},
				{0, found(0, 1, 7), "assign 0 #1 at 7 after 500ms"},
				{0, found(1, 2, 9), "assign 1 #2 at 9 after 500ms"},
				{19 * time.Second, event.Tick{}, ""},
				{20 * time.Second, event.Tick{}, "list t"},
				{20 * time.Second, listed(us...), ""},
			},
			due: 40 * time.Second,
		},
		{
			name:   "nothing is due before a pass was wanted",
			script: []step{{0, route(4), ""}, {time.Hour, event.Tick{}, ""}},
		},
		{
			name: "a pass that is wanted while no route is known starts with the first route",
			script: []step{
				{0, wanted(), ""},
				{0, event.RouteChanged{Topic: "t", Err: errBoom}, ""},
				{10 * time.Millisecond, route(1), "list t"},
			},
			due: 10*time.Millisecond + listPatience,
		},
		{
			name: "passes start at least one second apart",
			script: []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{0, listed("0", me), ""},
				{300 * time.Millisecond, wanted(), ""},
				{999 * time.Millisecond, event.Tick{}, ""},
				{time.Second, event.Tick{}, "list t"},
			},
			due: time.Second + listPatience,
		},
		{
			name: "a wish during a pass leads to one more pass",
			script: []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{2 * time.Second, wanted(), ""},
				{2 * time.Second, wanted(), ""},
				{3 * time.Second, listed("0", me), "list t"},
				{3 * time.Second, listed("0", me), ""},
			},
			due: 23 * time.Second,
		},
		{
			name: "P16: added queues are seen at once, removed ones are given up",
			script: []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{0, listed(ours...), `
					info t: +1 -0 queues, AVG over 1 member
					announce t
					read 0 #1 committed`},
				{0, found(0, 1, 5), "assign 0 #1 at 5 after 500ms"},
				{2 * time.Second, route(2), "list t"},
				{2 * time.Second, listed(ours...), `
					info t: +1 -0 queues, AVG over 1 member
					announce t
					read 1 #2 committed`},
				{3 * time.Second, found(1, 2, 5), "assign 1 #2 at 5 after 500ms"},
				{4 * time.Second, event.RouteChanged{Topic: "t", Queues: []mq.MessageQueue{q(1)}, Known: true}, "list t"},
				{4 * time.Second, listed(ours...), `
					revoke 0 #1 rebalance
					info t: +0 -1 queues, AVG over 1 member
					announce t`},
			},
			due: 24 * time.Second,
		},
		{
			name: "a topic that may not be read any more loses its queues without a member list",
			script: []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{0, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed"},
				{0, found(0, 1, 5), "assign 0 #1 at 5 after 500ms"},
				{2 * time.Second, event.RouteChanged{Topic: "t", Known: true}, `
					revoke 0 #1 rebalance
					info t: +0 -1 queues, AVG over 1 member
					announce t`},
			},
			due: 22 * time.Second,
		},
		{
			name: "an unchanged route and a route that could not be read change nothing",
			script: []step{
				{0, route(2), ""},
				{0, wanted(), "list t"},
				{0, listed(ours...), "info t: +2 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed\n read 1 #2 committed"},
				{5 * time.Second, event.RouteChanged{Topic: "t", Known: true, Queues: []mq.MessageQueue{q(1), q(0)}}, ""},
				{6 * time.Second, event.RouteChanged{Topic: "t", Known: true, Err: errBoom}, ""},
			},
			due: 20 * time.Second,
		},
		{
			name:   "BROADCASTING gives all queues without asking for members",
			change: func(c *Config) { c.Model = mq.Broadcasting },
			script: []step{
				{0, route(2), ""},
				{0, wanted(), `
					info t: +2 -0 queues, all queues, BROADCASTING
					announce t
					read 0 #1 committed
					read 1 #2 committed`},
			},
			due: 20 * time.Second,
		},
		{
			name:   "each topic has its own list, and a route that comes during a pass joins it",
			change: func(c *Config) { c.Topics = []string{"t", "%RETRY%g", "never"} },
			script: []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{0, event.RouteChanged{
					Topic: "%RETRY%g", Known: true,
					Queues: []mq.MessageQueue{{Topic: "%RETRY%g", BrokerName: "b"}},
				}, "list %RETRY%g"},
				{0, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed"},
				{0, event.MembersListed{Topic: "%RETRY%g", Members: ours}, `
					info %RETRY%g: +1 -0 queues, AVG over 1 member
					announce %RETRY%g
					read %RETRY%g/b/0 #2 committed`},
			},
			due: 20 * time.Second,
		},
		{
			name: "a member list that never comes ends the pass after 30 s, and it is tried again",
			script: []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{30 * time.Second, event.Tick{}, "warn t: no member list for 30s: keeps 0 queues"},
				{30 * time.Second, listed(ours...), ""},
				{31 * time.Second, event.Tick{}, "list t"},
				{31 * time.Second, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed"},
			},
			due: 51 * time.Second,
		},
		{
			name: "events of topics that are not subscribed are ignored",
			script: []step{
				{0, event.RouteChanged{Topic: "other", Known: true, Queues: qs(1)}, ""},
				{0, wanted(), ""},
				{0, event.MembersListed{Topic: "other", Members: ours}, ""},
			},
		},
		{
			name: "queues of a foreign topic in a route are left out",
			script: []step{
				{0, event.RouteChanged{Topic: "t", Known: true, Queues: []mq.MessageQueue{{Topic: "u"}, q(1), q(0), q(0)}}, ""},
				{0, wanted(), "list t"},
				{0, listed(ours...), "info t: +2 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed\n read 1 #2 committed"},
			},
			due: 20 * time.Second,
		},
		{
			name: "shutdown gives every queue up and no pass follows",
			script: []step{
				{0, route(2), ""},
				{0, wanted(), "list t"},
				{0, listed(ours...), "info t: +2 -0 queues, AVG over 1 member\n announce t\n read 0 #1 committed\n read 1 #2 committed"},
				{0, found(1, 2, 5), "assign 1 #2 at 5 after 500ms"},
				{time.Second, Stopped{}, "revoke 1 #2 shutdown"},
				{2 * time.Second, wanted(), ""},
				{3 * time.Second, found(0, 1, 5), ""},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			change := tt.change
			if change == nil {
				change = func(*Config) {}
			}
			r := newOne(change)
			play(t, r, tt.script)
			if tt.due == 0 {
				if at, ok := r.NextDue(); ok {
					t.Errorf("due at %v, want never", at.Sub(epoch))
				}
				return
			}
			checkDue(t, r, tt.due)
		})
	}
}

func TestP14ParallelTriggersLeadToOnePassAtATime(t *testing.T) {
	r := newOne()
	r.Step(epoch, route(8))
	lists := 0
	for range 100 {
		lists += len(r.Step(epoch, wanted()))
	}
	if lists != 1 {
		t.Fatalf("100 triggers asked for %d member lists, want 1", lists)
	}
	assigned := map[mq.MessageQueue]int{}
	for _, a := range r.Step(epoch, listed(ours...)) {
		if a, ok := a.(ReadOffset); ok {
			for range 2 { // an answer that comes twice
				for _, a := range r.Step(epoch, found(a.Queue.QueueID, a.Epoch, 1)) {
					assigned[a.(Assign).Queue]++
				}
			}
		}
	}
	for id := range int32(8) {
		if assigned[q(id)] != 1 {
			t.Errorf("queue %d was assigned %d times", id, assigned[q(id)])
		}
	}
	checkDue(t, r, time.Second)
	play(t, r, []step{
		{time.Second, event.Tick{}, "list t"},
		{time.Second, listed(ours...), ""},
	})
	checkDue(t, r, 21*time.Second)
}

func TestFR4NotificationStormIsOnePassASecond(t *testing.T) {
	r := owning(t, 4)
	passes := 0
	for ms := range 10_000 {
		now := epoch.Add(time.Duration(ms) * time.Millisecond)
		for _, a := range r.Step(now, wanted()) {
			if _, ok := a.(ListMembers); ok {
				passes++
				r.Step(now, listed(ours...))
			}
		}
	}
	if passes != 9 { // the first was made by owning
		t.Errorf("%d passes in 10 s of 1,000 notifications a second, want 9 more", passes)
	}
}

func TestLastPassSaysWhatItDid(t *testing.T) {
	r := owning(t, 4)
	r.Step(epoch.Add(2*time.Second), event.RebalanceWanted{Why: "a member joined"})
	r.Step(epoch.Add(3*time.Second), listed(us...))
	at, said := r.LastPass()
	if want := "+0 -2 queues, AVG over 2 members (a member joined)"; said != want || !at.Equal(epoch.Add(3*time.Second)) {
		t.Errorf("last pass %v: %q, want 3s: %q", at.Sub(epoch), said, want)
	}
	r.Step(epoch.Add(23*time.Second), event.Tick{})
	r.Step(epoch.Add(23*time.Second), event.MembersListed{Topic: "t", Err: errBoom})
	_, said = r.LastPass()
	if want := "+0 -0 queues, AVG over 2 members (interval); member list unknown: connection refused: keeps 2 queues"; said != want {
		t.Errorf("last pass said %q, want %q", said, want)
	}
}
