package rebalance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// texts says queues of topic t and broker b by their ids, others with their broker and topic.
func texts(queues []mq.MessageQueue) string {
	var words []string
	for _, q := range queues {
		word := fmt.Sprint(q.QueueID)
		if q.BrokerName != "b" {
			word = q.BrokerName + word
		}
		if q.Topic != "t" {
			word = q.Topic + ":" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// report says a plan in lines: a member each, then the figures that are not empty.
func report(w WhatIf) string {
	var lines []string
	say := func(what string, text string) {
		if text != "" {
			lines = append(lines, what+": "+text)
		}
	}
	for _, m := range w.Members {
		mark := map[[2]bool]string{{true, false}: "+", {false, true}: "-"}[[2]bool{m.Joins, m.Leaves}]
		lines = append(lines, fmt.Sprintf("%s%s: %s > %s (%+d) lost %s gained %s",
			mark, m.ClientID, texts(m.Before), texts(m.After), m.Delta(), texts(m.Lost), texts(m.Gained)))
	}
	var moves []string
	for _, m := range w.Moves {
		moves = append(moves, fmt.Sprintf("%s %s>%s", texts([]mq.MessageQueue{m.Queue}), m.From, m.To))
	}
	lines = append(lines, fmt.Sprintf("%d/%d %.0f%% gains %d spread %d..%d > %d..%d", len(w.Moves), w.Common, w.Percent, w.Gains,
		w.Before.Min, w.Before.Max, w.After.Min, w.After.Max))
	say("moves", strings.Join(moves, ", "))
	for _, p := range []struct {
		when string
		Picture
	}{{"before", w.Before}, {"after", w.After}} {
		say(p.when+" orphans", texts(p.Orphans))
		say(p.when+" doubles", texts(p.Doubles))
		say(p.when+" strays", texts(p.Strays))
		say(p.when+" idle", strings.Join(p.Idle, " "))
		say(p.when+" twins", strings.Join(p.Twins, " "))
	}
	return strings.Join(lines, "\n")
}

func held(member string, queues ...mq.MessageQueue) Deviation {
	return Deviation{Strategy: ByConfig{Queues: queues}, Members: []string{member}}
}

func TestPlan(t *testing.T) {
	circle := Strategy(AveragelyByCircle{})
	tests := []struct {
		name          string
		before, after Situation
		want          string
	}{
		{
			name:   "a situation that stays moves nothing",
			before: Situation{Members: []string{"b", "a"}, Queues: qs(4)},
			after:  Situation{Strategy: Averagely{}, Members: []string{"a", "b"}, Queues: qs(4)},
			want: `a: 0 1 > 0 1 (+0) lost  gained
				b: 2 3 > 2 3 (+0) lost  gained
				0/4 0% gains 0 spread 2..2 > 2..2`,
		},
		{
			name:   "a member that joins shifts the runs of all",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(6)},
			after:  Situation{Members: []string{"a", "b", "c"}, Queues: qs(6)},
			want: `a: 0 1 2 > 0 1 (-1) lost 2 gained
				b: 3 4 5 > 2 3 (-1) lost 4 5 gained 2
				+c:  > 4 5 (+2) lost  gained 4 5
				3/6 50% gains 3 spread 3..3 > 2..2
				moves: 2 a>b, 4 b>c, 5 b>c`,
		},
		{
			name:   "a member that leaves gives its queues to others",
			before: Situation{Strategy: circle, Members: []string{"a", "b"}, Queues: qs(3)},
			after:  Situation{Strategy: circle, Members: []string{"b"}, Queues: qs(3)},
			want: `-a: 0 2 >  (-2) lost 0 2 gained
				b: 1 > 0 1 2 (+2) lost  gained 0 2
				2/3 67% gains 2 spread 1..2 > 3..3
				moves: 0 a>b, 2 a>b`,
		},
		{
			name:   "another strategy is compared with the same members",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(4)},
			after:  Situation{Strategy: circle, Members: []string{"a", "b"}, Queues: qs(4)},
			want: `a: 0 1 > 0 2 (+0) lost 1 gained 2
				b: 2 3 > 1 3 (+0) lost 2 gained 1
				2/4 50% gains 2 spread 2..2 > 2..2
				moves: 1 a>b, 2 b>a`,
		},
		{
			name:   "queues that come or go are no moves",
			before: Situation{Members: []string{"a"}, Queues: qs(2)},
			after:  Situation{Members: []string{"a"}, Queues: qs(4)[1:]},
			want: `a: 0 1 > 1 2 3 (+1) lost 0 gained 2 3
				0/1 0% gains 2 spread 2..2 > 3..3`,
		},
		{
			name:   "members without queues are idle",
			before: Situation{Members: []string{"a"}, Queues: qs(1)},
			after:  Situation{Members: []string{"a", "b", "c"}, Queues: qs(1)},
			want: `a: 0 > 0 (+0) lost  gained
				+b:  >  (+0) lost  gained
				+c:  >  (+0) lost  gained
				0/1 0% gains 0 spread 1..1 > 0..1
				after idle: b c`,
		},
		{
			name:   "without members all queues are orphans",
			before: Situation{Members: []string{"a"}, Queues: qs(2)},
			after:  Situation{Queues: qs(2)},
			want: `-a: 0 1 >  (-2) lost 0 1 gained
				0/2 0% gains 0 spread 2..2 > 0..0
				after orphans: 0 1`,
		},
		{
			name: "without queues there is nothing to plan",
			want: `0/0 0% gains 0 spread 0..0 > 0..0`,
		},
		{
			name:   "a strategy that is half rolled out leaves gaps and doubles",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(4)},
			after: Situation{Members: []string{"a", "b"}, Queues: qs(4),
				Deviations: []Deviation{{Strategy: circle, Members: []string{"b", "unknown"}}}},
			want: `a: 0 1 > 0 1 (+0) lost  gained
				b: 2 3 > 1 3 (+0) lost 2 gained 1
				0/4 0% gains 1 spread 2..2 > 2..2
				after orphans: 2
				after doubles: 1`,
		},
		{
			name: "what a member was seen to hold is a deviation by config",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(4),
				Deviations: []Deviation{held("a", q(9), q(1)), held("b")}},
			after: Situation{Members: []string{"a", "b"}, Queues: qs(4)},
			want: `a: 1 9 > 0 1 (+0) lost 9 gained 0
				b:  > 2 3 (+2) lost  gained 2 3
				0/4 0% gains 3 spread 0..2 > 2..2
				before orphans: 0 2 3
				before strays: 9
				before idle: b`,
		},
		{
			name:   "one list for all doubles its queues",
			before: Situation{Strategy: ByConfig{Queues: qs(1)}, Members: []string{"a", "b"}, Queues: qs(2)},
			after:  Situation{Members: []string{"a", "b"}, Queues: qs(2)},
			want: `a: 0 > 0 (+0) lost  gained
				b: 0 > 1 (+0) lost 0 gained 1
				0/2 0% gains 1 spread 1..1 > 1..1
				before orphans: 1
				before doubles: 0`,
		},
		{
			name: "a queue that two lose and two gain is one move, of the first of each; strays are none",
			before: Situation{Members: []string{"a", "b", "c", "d"}, Queues: qs(1), Deviations: []Deviation{
				held("a", q(0), q(9)), held("b", q(0), q(8), q(9)), held("c", q(8)), held("d"),
			}},
			after: Situation{Members: []string{"a", "b", "c", "d"}, Queues: qs(1), Deviations: []Deviation{
				held("a"), held("b", q(8)), held("c", q(0), q(8)), held("d", q(0), q(9)),
			}},
			want: `a: 0 9 >  (-2) lost 0 9 gained
				b: 0 8 9 > 8 (-2) lost 0 9 gained
				c: 8 > 0 8 (+1) lost  gained 0
				d:  > 0 9 (+2) lost  gained 0 9
				1/1 100% gains 3 spread 0..3 > 0..2
				moves: 0 a>c
				before doubles: 0 8 9
				before strays: 8 9
				before idle: d
				after doubles: 0 8
				after strays: 8 9
				after idle: a`,
		},
		{
			name:   "a queue that the topic loses is no move, even when somebody is told to take it",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(1)},
			after:  Situation{Members: []string{"a", "b"}, Deviations: []Deviation{held("b", q(0))}, Queues: []mq.MessageQueue{q(1)}},
			want: `a: 0 > 1 (+0) lost 0 gained 1
				b:  > 0 (+1) lost  gained 0
				0/0 0% gains 2 spread 0..1 > 1..1
				before idle: b
				after strays: 0`,
		},
		{
			name: "a list by config counts once, however many topics there are",
			before: Situation{Members: []string{"a"}, Queues: []mq.MessageQueue{q(0), {Topic: "u", BrokerName: "b"}},
				Deviations: []Deviation{held("a", q(0), q(1))}},
			want: `-a: 0 1 >  (-2) lost 0 1 gained
				0/0 0% gains 0 spread 2..2 > 0..0
				before orphans: u:0
				before strays: 1`,
		},
		{
			name:   "two clients with one id double some queues and leave others",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(3)},
			after:  Situation{Members: []string{"a", "b", "a"}, Queues: qs(3)},
			want: `a: 0 1 > 0 (-1) lost 1 gained
				b: 2 > 2 (+0) lost  gained
				0/3 0% gains 0 spread 1..2 > 1..1
				after orphans: 1
				after doubles: 0
				after twins: a`,
		},
		{
			name:   "two clients with one id only double where each id counts once",
			before: Situation{Members: []string{"a", "b"}, Queues: qs(3)},
			after:  Situation{Members: []string{"a", "b", "a"}, Queues: qs(3), EachOnce: true},
			want: `a: 0 1 > 0 1 (+0) lost  gained
				b: 2 > 2 (+0) lost  gained
				0/3 0% gains 0 spread 1..2 > 1..2
				after doubles: 0 1
				after twins: a`,
		},
		{
			name:   "each topic is allotted on its own, its queues in order and each once",
			before: Situation{Members: []string{"a", "b"}},
			after: Situation{Members: []string{"a", "b"},
				Queues: append([]mq.MessageQueue{{Topic: "u", BrokerName: "b"}, q(2), q(1), q(2)}, q(0))},
			want: `a:  > 0 1 u:0 (+3) lost  gained 0 1 u:0
				b:  > 2 (+1) lost  gained 2
				0/0 0% gains 4 spread 0..0 > 1..3
				before idle: a b`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := Plan(tt.before, tt.after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(dedent(tt.want), dedent(report(w))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanSaysWhichSideCanNotBeAllotted(t *testing.T) {
	good := Situation{Members: []string{"a"}, Queues: qs(1)}
	bad := good
	bad.Strategy = mustByName(t, "nearby")
	deviating := good
	deviating.Deviations = []Deviation{{Strategy: MachineRoom{}, Members: []string{"a"}}}
	deviating.Queues = []mq.MessageQueue{{Topic: "t", BrokerName: "hz@b"}}
	nameless := good
	nameless.Members = []string{""}
	tests := []struct {
		name          string
		before, after Situation
		want          string
	}{
		{"the first side", bad, good, "before the change: allot queues of t: MACHINE_ROOM_NEARBY-AVG: Machine room is null for mq MessageQueue [topic=t, brokerName=b, queueId=0]"},
		{"the second side", good, bad, "after the change: allot queues of t: MACHINE_ROOM_NEARBY-AVG: Machine room is null for mq MessageQueue [topic=t, brokerName=b, queueId=0]"},
		{"a deviation", good, deviating, "after the change: allot queues of t: MACHINE_ROOM: the machine rooms to consume from are not set"},
		{"a member without an id", nameless, good, "before the change: allot queues of t: AVG: currentCID is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Plan(tt.before, tt.after); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func mustByName(t testing.TB, name string) Strategy {
	t.Helper()
	s, err := StrategyByName(name, StrategyOptions{Rooms: []string{"hz", "sh", "bj", "sz"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlanOfRandomChanges checks what must hold whatever the change: the parts add up, and
// the same situations lead to the same plan.
func TestPlanOfRandomChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	names := []string{"avg", "circle", "hash", "room", "nearby", "nearby-hash"}
	for range 300 {
		situation := func() Situation {
			queues, members := randomGroup(r)
			return Situation{Strategy: mustByName(t, names[r.IntN(len(names))]), Queues: queues, Members: members}
		}
		before, after := situation(), situation()
		if r.IntN(2) == 0 {
			after.Queues = before.Queues
		}
		w, err := Plan(before, after)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, w, before, after)
		r.Shuffle(len(before.Queues), func(i, j int) {
			before.Queues[i], before.Queues[j] = before.Queues[j], before.Queues[i]
		})
		r.Shuffle(len(after.Members), func(i, j int) {
			after.Members[i], after.Members[j] = after.Members[j], after.Members[i]
		})
		again, err := Plan(before, after)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(w, again); diff != "" {
			t.Fatalf("in another order the plan is another:\n%s", diff)
		}
	}
}

func checkPlan(t *testing.T, w WhatIf, before, after Situation) {
	t.Helper()
	was, is, gained := 0, 0, 0
	for _, m := range w.Members {
		was, is, gained = was+len(m.Before), is+len(m.After), gained+len(m.Gained)
		if len(m.Before)-len(m.Lost)+len(m.Gained) != len(m.After) {
			t.Errorf("%s: %d - %d + %d is not %d", m.ClientID, len(m.Before), len(m.Lost), len(m.Gained), len(m.After))
		}
		for _, q := range m.Lost {
			if slices.Contains(m.After, q) {
				t.Errorf("%s loses %v and has it", m.ClientID, q)
			}
		}
	}
	if was != len(before.Queues) || is != len(after.Queues) || w.Gains != gained {
		t.Errorf("%d queues before, %d after, %d gained; want %d, %d, %d",
			was, is, gained, len(before.Queues), len(after.Queues), w.Gains)
	}
	sound := func(p Picture) bool {
		return len(p.Orphans)+len(p.Doubles)+len(p.Strays)+len(p.Twins) == 0
	}
	if !sound(w.Before) || !sound(w.After) {
		t.Errorf("unsound: %+v, %+v", w.Before, w.After)
	}
	if len(w.Moves) > w.Common || w.Common > min(len(before.Queues), len(after.Queues)) {
		t.Errorf("%d moves of %d common queues", len(w.Moves), w.Common)
	}
}

func TestPlanDoesNotChangeOrKeepItsArguments(t *testing.T) {
	s := Situation{Members: []string{"b", "a"}, Queues: []mq.MessageQueue{q(1), q(0)}}
	w, err := Plan(s, s)
	if err != nil {
		t.Fatal(err)
	}
	if s.Members[0] != "b" || s.Queues[0] != q(1) {
		t.Errorf("Plan sorted its arguments: %v", s)
	}
	s.Queues[0], s.Queues[1] = q(7), q(8)
	if got := texts(w.Members[0].After); got != "0" {
		t.Errorf("the plan changed with its arguments: %s", got)
	}
}
