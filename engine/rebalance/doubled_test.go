package rebalance

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/event"
)

func TestP30DoubledClientIDsAreTold(t *testing.T) {
	const advice = "two processes use it and read the same queues, or an old connection of it has not expired yet. Give each process an id of its own"
	const mine = `err t: client id "10.0.0.1@1" is 2 times in the member list: ` + advice
	const other = `warn t: client id "10.0.0.2@1" is 3 times in the member list: ` + advice
	tests := []struct {
		name    string
		answers [][]string
		want    []string // entries of each pass, one per line
	}{
		{
			name:    "our own id is told at the first list that has it twice",
			answers: [][]string{{me, me}},
			want:    []string{mine},
		},
		{
			name:    "the id of others is a warning, and said with its number",
			answers: [][]string{{"10.0.0.2@1", me, "10.0.0.2@1", "10.0.0.2@1"}},
			want:    []string{other},
		},
		{
			name:    "an id is told once as long as it lasts, and again when it comes back",
			answers: [][]string{{me, me}, {me, me}, {me, me, "10.0.0.2@1", "10.0.0.2@1", "10.0.0.2@1"}, {me}, {me}, {me, me}},
			want:    []string{mine, "", other, "", "", mine},
		},
		{
			name:    "lists in which each id stands once are not told",
			answers: [][]string{{me}, us, othersIn},
			want:    []string{"", "", ""},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := owning(t, 1)
			for i, members := range tt.answers {
				now := epoch.Add(time.Duration(i+1) * time.Second)
				r.Step(now, wanted())
				var got []string
				for _, a := range r.Step(now, listed(members...)) {
					if e, ok := a.(event.Entry); ok && strings.Contains(e.What, "client id") {
						got = append(got, word(e))
					}
				}
				if text := strings.Join(got, "\n"); text != tt.want[i] {
					t.Errorf("pass %d said %q, want %q", i+1, text, tt.want[i])
				}
			}
		})
	}
}

func TestP30ThePassSaysThatAnIDIsDoubled(t *testing.T) {
	r := owning(t, 1)
	r.Step(epoch.Add(time.Second), wanted())
	r.Step(epoch.Add(time.Second), listed(me, me))
	if _, said := r.LastPass(); !strings.Contains(said, `client id "10.0.0.1@1" is 2 times`) {
		t.Errorf("the pass says %q", said)
	}
}

// A half-open connection stays in the list until its broker notices; what the id's share
// would be a second time must not be left unread meanwhile.
func TestP30QueuesAreAllottedAsIfEachIDStoodThereOnce(t *testing.T) {
	r := newOne()
	play(t, r, []step{
		{0, route(4), ""},
		{0, wanted(), "list t"},
		{0, listed("10.0.0.2@1", me, me), `err t: client id "10.0.0.1@1" is 2 times in the member list: two processes use it and read the same queues, or an old connection of it has not expired yet. Give each process an id of its own
			info t: +2 -0 queues, AVG over 2 members
			announce t
			read 0 #1 committed
			read 1 #2 committed`},
	})
	for id, want := range map[int32]string{0: me, 1: me, 2: "10.0.0.2@1", 3: "10.0.0.2@1"} {
		if owner, _ := r.Owner(q(id)); owner != want {
			t.Errorf("queue %d belongs to %q, want %q", id, owner, want)
		}
	}
}
