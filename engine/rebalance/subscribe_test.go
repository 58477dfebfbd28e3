package rebalance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func later(name string) mq.MessageQueue { return mq.MessageQueue{Topic: name, BrokerName: "b"} }

func TestATopicSubscribedLaterGetsItsQueues(t *testing.T) {
	r := New(Config{Group: "g", ClientID: me, Topics: []string{"t"}})
	play(t, r, []step{{0, route(1), ""}, {0, wanted(), "list t"}, {0, listed(me), `
		info t: +1 -0 queues, AVG over 1 member
		announce t
		read 0 #1 committed`}, {0, found(0, 1, 7), "assign 0 #1 at 7 after 500ms"}})
	r.Subscribe("later")
	r.Subscribe("later")
	play(t, r, []step{
		{2 * time.Second, event.RouteChanged{Topic: "later", Queues: []mq.MessageQueue{later("later")}, Known: true}, "list later\nlist t"},
		{2 * time.Second, event.MembersListed{Topic: "later", Members: ours}, `
			info later: +1 -0 queues, AVG over 1 member
			announce later
			read later/b/0 #2 committed`},
	})
	if diff := cmp.Diff([]mq.MessageQueue{later("later"), q(0)}, r.Queues()); diff != "" {
		t.Errorf("known queues (-want +got):\n%s", diff)
	}
}

func TestATopicUnsubscribedLosesItsQueuesAndIsAskedForNoMore(t *testing.T) {
	r := New(Config{Group: "g", ClientID: me, Topics: []string{"other", "t"}})
	play(t, r, []step{
		{0, route(2), ""},
		{0, event.RouteChanged{Topic: "other", Queues: []mq.MessageQueue{later("other")}, Known: true}, ""},
		{0, wanted(), "list other\nlist t"},
		{0, event.MembersListed{Topic: "other", Members: ours}, `
			info other: +1 -0 queues, AVG over 1 member
			announce other
			read other/b/0 #1 committed`},
		{0, listed(me), `
			info t: +2 -0 queues, AVG over 1 member
			announce t
			read 0 #2 committed
			read 1 #3 committed`},
		{0, found(0, 2, 7), "assign 0 #2 at 7 after 500ms"},
		{20 * time.Second, event.Tick{}, "list other\nlist t"},
		{20 * time.Second, event.MembersListed{Topic: "other", Members: ours}, ""},
	})
	got := words(r.Unsubscribe(epoch.Add(21*time.Second), "t"))
	if want := "revoke 0 #2 unsubscribed"; got != want {
		t.Errorf("unsubscribing does %q, want %q: only an assigned queue was ever given", got, want)
	}
	if got := r.Unsubscribe(epoch.Add(21*time.Second), "t"); got != nil {
		t.Errorf("unsubscribing again does %v", got)
	}
	play(t, r, []step{
		{21 * time.Second, listed(me), ""},
		{21 * time.Second, found(1, 3, 7), ""},
		{21 * time.Second, route(4), ""},
		{41 * time.Second, event.Tick{}, "list other"},
	})
}
