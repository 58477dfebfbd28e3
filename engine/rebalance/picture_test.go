package rebalance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func TestOwnerIsWhoTheStrategyGivesTheQueue(t *testing.T) {
	r := newOne()
	if owner, ok := r.Owner(q(0)); ok {
		t.Errorf("owner %q is known before any list", owner)
	}
	r.Step(epoch, route(5))
	r.Step(epoch, wanted())
	r.Step(epoch, listed("10.0.0.3@1", me, "10.0.0.2@1"))
	var owners []string
	for id := range int32(5) {
		owner, _ := r.Owner(q(id))
		owners = append(owners, owner)
	}
	want := []string{me, me, "10.0.0.2@1", "10.0.0.2@1", "10.0.0.3@1"}
	if diff := cmp.Diff(want, owners); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	if _, ok := r.Owner(q(9)); ok {
		t.Error("a queue that does not exist has an owner")
	}
	r.Step(epoch.Add(time.Second), route(6))
	r.Step(epoch.Add(time.Second), listed(me))
	if owner, _ := r.Owner(q(5)); owner != me {
		t.Errorf("owner of an added queue is %q, want %q", owner, me)
	}
}

func TestOwnerInBroadcastingIsThisMember(t *testing.T) {
	r := newOne(func(c *Config) { c.Model = mq.Broadcasting })
	r.Step(epoch, route(2))
	if owner, ok := r.Owner(q(1)); !ok || owner != me {
		t.Errorf("owner %q, %v, want %q", owner, ok, me)
	}
	if _, ok := r.Owner(q(2)); ok {
		t.Error("a queue that does not exist has an owner")
	}
}

func TestMembersAndQueuesAreSortedAndDated(t *testing.T) {
	r := newOne(func(c *Config) { c.Topics = []string{"u", "t"} })
	r.Step(epoch, event.RouteChanged{Topic: "u", Known: true, Queues: []mq.MessageQueue{{Topic: "u", BrokerName: "b"}}})
	r.Step(epoch, event.RouteChanged{Topic: "t", Known: true, Queues: []mq.MessageQueue{q(1), q(0)}})
	want := []mq.MessageQueue{q(0), q(1), {Topic: "u", BrokerName: "b"}}
	if diff := cmp.Diff(want, r.Queues()); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
	r.Step(epoch, wanted())
	r.Step(epoch.Add(time.Second), listed("b", "a", me))
	members, at := r.Members()
	if diff := cmp.Diff([]string{me, "a", "b"}, members); diff != "" || !at.Equal(epoch.Add(time.Second)) {
		t.Errorf("members at %v (-want +got):\n%s", at.Sub(epoch), diff)
	}
	members[0] = "changed by the caller"
	if again, _ := r.Members(); again[0] != me {
		t.Error("a caller can change the list")
	}
}

func TestResolvingAreTheQueuesWithoutAStartOffset(t *testing.T) {
	r := newOne()
	r.Step(epoch, route(3))
	r.Step(epoch, wanted())
	r.Step(epoch, listed(ours...))
	r.Step(epoch, found(1, 2, 5))
	r.Step(epoch, event.OffsetRead{Queue: q(2), Epoch: 3, Err: errBoom})
	if diff := cmp.Diff([]mq.MessageQueue{q(0), q(2)}, r.Resolving()); diff != "" {
		t.Errorf("resolving (-want +got):\n%s", diff)
	}
}
