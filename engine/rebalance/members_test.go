package rebalance

import (
	"testing"
	"time"

	"mqscope/engine/event"
)

// at returns a script in which each following second has one pass with the given answer.
func passes(answers []event.Event, want []string) []step {
	var script []step
	for i, answer := range answers {
		at := time.Duration(i+1) * time.Second
		script = append(script,
			step{at, event.RebalanceWanted{Why: "test"}, "list t"},
			step{at, answer, want[i]})
	}
	return script
}

func TestFR1MemberListsThatDoNotTakeQueuesAway(t *testing.T) {
	empty, failed := listed(), event.MembersListed{Topic: "t", Err: errBoom}
	const omitted = "warn t: member list of 2 omits this client: keeps 2 queues\n announce t"
	tests := []struct {
		name    string
		change  func(*Config)
		answers []event.Event
		want    []string
		held    int
	}{
		{
			name:    "an empty list keeps the queues, however often it comes",
			answers: []event.Event{empty, empty, empty},
			want:    []string{"warn t: member list is empty: keeps 2 queues\n announce t", "announce t", "announce t"},
			held:    2,
		},
		{
			name:    "a list that could not be read keeps the queues and is told once",
			answers: []event.Event{failed, failed, failed},
			want:    []string{"warn t: member list unknown: connection refused: keeps 2 queues", "", ""},
			held:    2,
		},
		{
			name:    "one list without us keeps the queues and announces us again",
			answers: []event.Event{listed(othersIn...), listed(ours...), listed(othersIn...), listed(ours...)},
			want:    []string{omitted, "", omitted, ""},
			held:    2,
		},
		{
			name:    "an error between two lists without us does not confirm them, nor undo the first",
			answers: []event.Event{listed(othersIn...), failed, listed(othersIn...)},
			want: []string{
				omitted,
				"warn t: member list unknown: connection refused: keeps 2 queues",
				`err t: member lists go on omitting this client: queues given up, joins again
				announce t
				revoke 0 #1 rebalance
				revoke 1 #2 rebalance
				info t: +0 -2 queues, AVG over 2 members
				announce t`,
			},
		},
		{
			name:    "more confirmations can be asked for",
			change:  func(c *Config) { c.MissingConfirmations = 4 },
			answers: []event.Event{listed(othersIn...), listed(othersIn...), listed(othersIn...)},
			want:    []string{omitted, "announce t", "announce t"},
			held:    2,
		},
		{
			name: "after it gave up it takes its queues again as soon as a list has it",
			answers: []event.Event{
				listed(othersIn...), listed(othersIn...), listed(othersIn...), listed(ours...),
			},
			want: []string{
				omitted,
				`err t: member lists go on omitting this client: queues given up, joins again
				announce t
				revoke 0 #1 rebalance
				revoke 1 #2 rebalance
				info t: +0 -2 queues, AVG over 2 members
				announce t`,
				"announce t",
				`info t: +2 -0 queues, AVG over 1 member
				announce t
				read 0 #3 committed
				read 1 #4 committed`,
			},
			held: 2,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			change := tt.change
			if change == nil {
				change = func(*Config) {}
			}
			r := owning(t, 2, change)
			play(t, r, passes(tt.answers, tt.want))
			if held := len(r.slots); held != tt.held {
				t.Errorf("%d queues held, want %d", held, tt.held)
			}
		})
	}
}

func TestTroubleIsTriedAgainAfterASecond(t *testing.T) {
	r := owning(t, 2)
	play(t, r, []step{
		{5 * time.Second, wanted(), "list t"},
		{6 * time.Second, event.MembersListed{Topic: "t", Err: errBoom}, "warn t: member list unknown: connection refused: keeps 2 queues"},
		{7*time.Second - 1, event.Tick{}, ""},
		{7 * time.Second, event.Tick{}, "list t"},
	})
}

func TestAStrategyThatFailsKeepsTheQueues(t *testing.T) {
	// An empty client id is what Averagely can not work with.
	r := newOne(func(c *Config) { c.ClientID = "" })
	play(t, r, []step{
		{0, route(2), ""},
		{0, wanted(), "list t"},
		{0, listed("", "a"), "err t: AVG can not allot queues: currentCID is empty: keeps 0 queues"},
		{time.Second, event.Tick{}, "list t"},
	})
}

func TestFR5JoiningAndLeavingLeavesNothingBehind(t *testing.T) {
	r := owning(t, 8)
	for i := range 300 { // a member comes or goes every 200 ms for a minute
		now := epoch.Add(time.Duration(i+1) * 200 * time.Millisecond)
		members := ours
		if i%2 == 0 {
			members = us
		}
		for _, a := range r.Step(now, wanted()) {
			if _, ok := a.(ListMembers); !ok {
				continue
			}
			for _, a := range r.Step(now, listed(members...)) {
				if a, ok := a.(ReadOffset); ok {
					r.Step(now, found(a.Queue.QueueID, a.Epoch, 1))
				}
			}
		}
	}
	now := epoch.Add(2 * time.Minute)
	r.Step(now, wanted())
	r.Step(now, listed(us...))
	if len(r.slots) != 4 || len(r.topics["t"].held) != 4 || len(r.Resolving()) != 0 {
		t.Errorf("%d slots, %d held, %d resolving, want 4, 4, 0", len(r.slots), len(r.topics["t"].held), len(r.Resolving()))
	}
}
