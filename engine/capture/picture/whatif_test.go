package picture_test

import (
	"slices"
	"strings"
	"testing"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// shares are how many queues each member has, in the order of ids, before and after a plan.
func shares(p *snapshot.Plan) (before, after []int) {
	for _, m := range p.Members {
		before, after = append(before, len(m.Before)), append(after, len(m.After))
	}
	return before, after
}

func TestWhatIfGoesOnFromWhatWasSeen(t *testing.T) {
	s := read(t, "push-concurrent").picture("g_push", 15) // both members are there
	var members []string
	for _, m := range s.Members {
		members = append(members, m.ID)
	}
	if len(members) != 2 {
		t.Fatalf("members %v", members)
	}
	p := s.WhatIf(snapshot.PlanRequest{Topic: "orders", Members: append(slices.Clone(members), "zz")})
	before, after := shares(&p)
	if p.Err != "" || p.Strategy != "AVG" || !slices.Equal(before, []int{2, 2, 0}) || !slices.Equal(after, []int{2, 1, 1}) {
		t.Errorf("one more: %q, by %q, %v then %v", p.Err, p.Strategy, before, after)
	}
	for _, m := range p.Members[:2] {
		for _, q := range m.Before {
			if i := slices.IndexFunc(s.Queues, func(o snapshot.Queue) bool { return o.ID == q }); s.Queues[i].Owner.V != m.ID {
				t.Errorf("%s has %v, which was seen at %s", m.ID, q, s.Queues[i].Owner.V)
			}
		}
	}
	p = s.WhatIf(snapshot.PlanRequest{Topic: "orders", Strategy: "AVG_BY_CIRCLE", Members: members})
	if before, after = shares(&p); p.Err != "" || p.Moves != 2 || !slices.Equal(after, []int{2, 2}) {
		t.Errorf("by circle: %q, %d moves, %v then %v", p.Err, p.Moves, before, after)
	}
	p = s.WhatIf(snapshot.PlanRequest{Topic: "orders", Strategy: "AVG", Members: members[:1]})
	if _, after = shares(&p); p.Err != "" || p.Moves != 2 || !slices.Equal(after, []int{4, 0}) {
		t.Errorf("one fewer: %q, %d moves, %v", p.Err, p.Moves, after)
	}
}

func TestWhatIfIsNotAskedWhereNothingIsSharedOut(t *testing.T) {
	for name, s := range map[string]*snapshot.Snapshot{
		"broadcasting": read(t, "push-broadcast").picture("g_bc", 3), "popping": read(t, "pop").picture("g_pop", 8),
	} {
		if len(s.Queues) == 0 || s.WhatIf != nil {
			t.Errorf("%s: %d queues, can be asked %v", name, len(s.Queues), s.WhatIf != nil)
		}
	}
}

func TestWhatIfSaysWhatIsNotKnown(t *testing.T) {
	two := func() *snapshot.Snapshot { return read(t, "push-concurrent").picture("g_push", 15) }
	for name, tt := range map[string]struct {
		snap     *snapshot.Snapshot
		topic    string
		strategy string
		change   func(*snapshot.Snapshot)
		want     string
	}{
		"no members": {two(), "orders", "", func(s *snapshot.Snapshot) {
			s.MembersKnown = snapshot.UnknownBecause[int]("no heartbeat was seen")
		}, "unknown who the members are: no heartbeat was seen"},
		"no route": {two(), "orders", "", func(s *snapshot.Snapshot) {
			for i := range s.Group.Subscriptions {
				s.Group.Subscriptions[i].Queues = snapshot.UnknownBecause[int]("its route was not seen")
			}
		}, "unknown how many queues there are: its route was not seen"},
		"another topic": {two(), "pay", "", nil, "unknown whether the members subscribe"},
		"a queue without an owner": {two(), "orders", "", func(s *snapshot.Snapshot) {
			for i := range s.Queues {
				if s.Queues[i].ID == (mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: 2}) {
					s.Queues[i].Owner = snapshot.UnknownBecause[string]("nobody was seen to pull it")
				}
			}
		}, "not each queue has one owner, pick one"},
		"a strategy of nobody": {two(), "orders", "", func(s *snapshot.Snapshot) {
			for i := range s.Queues {
				s.Queues[i].Owner.V = s.Members[0].ID
			}
		}, "none of those known here leads to what was seen, pick one"},
		"no such strategy":   {two(), "orders", "COIN", nil, "COIN"},
		"one with a setting": {two(), "orders", "MACHINE_ROOM", nil, "room"},
	} {
		if tt.change != nil {
			tt.change(tt.snap)
		}
		var members []string
		for _, m := range tt.snap.Members {
			members = append(members, m.ID)
		}
		p := tt.snap.WhatIf(snapshot.PlanRequest{Topic: tt.topic, Strategy: tt.strategy, Members: members})
		if !strings.Contains(p.Err, tt.want) {
			t.Errorf("%s: %q, want %q", name, p.Err, tt.want)
		}
	}
}
