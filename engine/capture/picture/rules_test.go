package picture_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

func TestTwoMembersReadAllQueues(t *testing.T) {
	w := newWorld()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, f := range []infer.Fact{
		infer.MemberSeen{Client: "c1", Group: "g", Model: mq.Broadcasting, New: true}, infer.Assigned{Client: "c1", Group: "g", Queue: order(0)},
		infer.MemberSeen{Client: "c2", Group: "g", Model: mq.Broadcasting, New: true}, infer.Assigned{Client: "c2", Group: "g", Queue: order(0)},
	} {
		w.step(infer.Event{Seq: uint64(i + 1), At: at, Fact: f})
	}
	p := picture.Picture(w.s, w.m, picture.Options{Group: "g", At: at})
	q := queue(t, p, order(0))
	unknown(t, "the one owner", q.Owner)
	want(t, "state", q.State, snapshot.Pulling)
	known(t, "queues of a member", p.Members[0].Queues, 1)
	want(t, "rebalances", len(p.Rebalances), 0)
	q = queue(t, picture.Picture(w.s, w.m, picture.Options{Group: "g", Client: "c1", At: at}), order(0))
	known(t, "owner in the eyes of one of them", q.Owner, "c1")
}

func TestALockThatWasRefusedIsSomebodyElses(t *testing.T) {
	w := newWorld()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ids := []mq.MessageQueue{order(0)}
	for i, c := range []struct {
		fact infer.Fact
		want snapshot.LockWord
	}{
		{infer.Locked{Client: "c1", Group: "g", Held: ids, New: ids}, snapshot.LockHeld},
		{infer.Locked{Client: "c2", Group: "g", Refuse: ids}, snapshot.LockHeld},
		{infer.Locked{Client: "c1", Group: "g", Refuse: ids}, snapshot.LockRefused},
		{infer.Locked{Client: "c2", Group: "g", Held: ids, New: ids}, snapshot.LockHeld},
		{infer.Unlocked{Client: "c2", Group: "g", Queues: ids}, snapshot.LockFree},
	} {
		at = at.Add(time.Second)
		w.step(infer.Event{Seq: uint64(i + 1), At: at, Fact: infer.PullSent{Client: "c1", Group: "g", Queue: order(0), Exchange: uint64(i)}})
		w.step(infer.Event{Seq: uint64(i + 2), At: at, Fact: c.fact})
		p := picture.Picture(w.s, w.m, picture.Options{Group: "g", At: at})
		want(t, "lock after "+infer.Words(c.fact), queue(t, p, order(0)).Lock.BrokerSays, c.want)
	}
}

func TestMembersThatSubscribeOtherwise(t *testing.T) {
	w := newWorld()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, tags := range []string{"A", "B", "A"} {
		w.step(infer.Event{Seq: uint64(i + 1), At: at, Fact: infer.MemberSeen{
			Client: fmt.Sprint("c", i), Group: "g", New: true,
			Subscriptions: []protocol.SubscriptionData{{Topic: "orders", SubString: tags, SubVersion: int64(i)}},
		}})
	}
	p := picture.Picture(w.s, w.m, picture.Options{Group: "g", Client: "c0", At: at})
	want(t, "members", len(p.Members), 3)
	want(t, "differences of itself", len(p.Members[0].Differs), 0)
	want(t, "differences of one with the same tags", len(p.Members[2].Differs), 0)
	if d := p.Members[1].Differs; len(d) != 1 || d[0] != (snapshot.Difference{Topic: "orders", Ours: "A", Theirs: "B", TheirsIsNewer: true}) {
		t.Errorf("differences %+v", d)
	}
}

func TestHistoriesHaveAPointEachFiveSeconds(t *testing.T) {
	s := read(t, "push-orderly")
	w, at := s.at(60)
	p := picture.Picture(w.s, w.m, picture.Options{Group: "g_ord2", At: at, Watched: []mq.MessageQueue{order(0)}})
	h := p.Histories[order(0)]
	// Pulled from 13.5 s on.
	if n := len(h.Lag); n < 8 || n > 10 || len(h.Count) != n || len(h.Commit) != n || len(h.Latency) != n || h.Step != 5*time.Second {
		t.Fatalf("%+v, want a point each 5 s", h)
	}
	if h.Lag[0] <= h.Lag[len(h.Lag)-1] || slices.Max(h.Count) == 0 {
		t.Errorf("%+v, want a lag that falls and messages that were delivered", h)
	}
	if _, ok := p.Histories[order(1)]; ok {
		t.Error("a queue that is not watched has a history")
	}
	if pulls := p.QueuePulls[order(0)]; pulls.Total.HeldN == 0 || len(pulls.Slots) == 0 || !pulls.Until.After(at) {
		t.Errorf("pulls of the queue %+v, want some that were held", pulls)
	}
	picture.Picture(w.s, w.m, picture.Options{Group: "g_ord2", At: at.Add(1 << 62), Watched: []mq.MessageQueue{order(0)}}) // soon done
	later := picture.Picture(w.s, w.m, picture.Options{Group: "g_ord2", At: at.Add(time.Hour), Watched: []mq.MessageQueue{order(0)}})
	if n := len(later.Histories[order(0)].Lag); n != 120 {
		t.Errorf("%d points an hour later, want ten minutes", n)
	}
	if q := queue(t, later, order(0)); q.Lag.State != snapshot.Stale || q.Mark != snapshot.MarkStale {
		t.Errorf("lag %+v an hour later, want an old reading", q.Lag)
	}
}
