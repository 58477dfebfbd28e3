package picture_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"mqscope/engine/capture/picture"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// queue is one queue of a picture.
func queue(t testing.TB, p *snapshot.Snapshot, id mq.MessageQueue) *snapshot.Queue {
	t.Helper()
	for i := range p.Queues {
		if p.Queues[i].ID == id {
			return &p.Queues[i]
		}
	}
	t.Fatalf("no %v among %d queues", id, len(p.Queues))
	return nil
}

func want[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// known wants a reading that is there.
func known[T comparable](t testing.TB, what string, got snapshot.Val[T], v T) {
	t.Helper()
	if !got.OK() || got.V != v {
		t.Errorf("%s: %+v, want %v", what, got, v)
	}
}

// unknown wants none, with a reason.
func unknown[T any](t testing.TB, what string, got snapshot.Val[T]) {
	t.Helper()
	if got.State != snapshot.Unknown || got.Reason == "" {
		t.Errorf("%s: %+v, want unknown, with the reason", what, got)
	}
}

// owners are who pulls the four queues of orders, by the last letters of their ids.
func owners(t testing.TB, p *snapshot.Snapshot) (out [4]string) {
	for id := range out {
		if o := queue(t, p, order(int32(id))).Owner; o.OK() {
			out[id] = o.V[max(len(o.V)-5, 0):]
		}
	}
	return out
}

// passes are the rebalances of orders: when, why, how many queues moved.
type pass struct {
	at    float64
	why   string
	moved int
}

func (s *story) passes(p *snapshot.Snapshot, want ...pass) {
	s.t.Helper()
	var got []pass
	for _, r := range p.Rebalances {
		if r.Topic != "orders" {
			continue
		}
		n := 0
		for i := range r.Queues {
			if r.Before[i] != r.After[i] {
				n++
			}
		}
		got = append(got, pass{r.At.Sub(s.start).Seconds(), r.Why[strings.Index(r.Why, "@")+1:], n})
	}
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && math.Abs(got[i].at-want[i].at) < 0.15 && got[i].why == want[i].why && got[i].moved == want[i].moved
	}
	if !ok {
		s.t.Errorf("rebalances %v, want %v", got, want)
	}
}

// committed wants the last commits of the four queues of a group that ended, and nothing left.
func committed(t testing.TB, p *snapshot.Snapshot, offsets ...int64) {
	t.Helper()
	for id, o := range offsets {
		q := queue(t, p, order(int32(id)))
		known(t, "committed", q.Committed, o)
		known(t, "delivered and not committed", q.Count, 0)
		if q.Max.OK() {
			known(t, "lag", q.Lag, q.Max.V-o)
		}
	}
}

func TestProduce(t *testing.T) {
	s := read(t, "produce")
	p := s.picture("g_none", end)
	unknown(t, "members", p.MembersKnown)
	want(t, "queues", len(p.Queues), 0)
	want(t, "kind", p.Group.Kind, snapshot.UnseenKind)
	if len(p.Events.Entries) == 0 {
		t.Error("nothing is told of connections")
	}
}

func TestPushConcurrent(t *testing.T) {
	s := read(t, "push-concurrent")
	for _, c := range []struct {
		at   float64
		want [4]string
	}{
		{0.5, [4]string{}}, {5, [4]string{"c4864", "c4864", "c4864", "c4864"}}, {12, [4]string{"c4864", "c4864", "c5012", "c5012"}},
		{23.2, [4]string{"c4864", "c4864", "", ""}}, {24, [4]string{"c4864", "c4864", "c4864", "c4864"}}, {end, [4]string{}},
	} {
		want(t, "owners", owners(t, s.picture("g_push", c.at)), c.want)
	}
	p := s.picture("g_push", end)
	s.passes(p, pass{1.2, "c4864 joined", 4}, pass{11.8, "c5012 joined", 2}, pass{22.9, "c5012 left", 2}, pass{28.3, "c4864 left", 4})
	committed(t, p, 195, 195, 195, 195)
	known(t, "committed in the retry queue", queue(t, p, retry("g_push")).Committed, 21)
	want(t, "a pull that is at the broker when all have left", queue(t, p, order(0)).Task.State, snapshot.TaskNone)
	want(t, "messages sent back", p.Counters.SentBack, 21)
	want(t, "pulls", p.Counters.Pulls, 84)
	want(t, "pulls that failed", p.Counters.PullsFailed, 0)
	want(t, "model", p.Group.Model, mq.Clustering)
	want(t, "kind, as no lock was seen", p.Group.Kind, snapshot.PassiveKind)

	p = s.picture("g_push", 12)
	known(t, "members", p.MembersKnown, 2)
	known(t, "queues of the first", p.Members[0].Queues, 3)
	known(t, "queues of the second", p.Members[1].Queues, 2)
	q := queue(t, p, order(2))
	want(t, "state", q.State, snapshot.Pulling)
	unknown(t, "when a listener returned", q.LastTaken)
	unknown(t, "bytes", q.Bytes)
	want(t, "last pull", q.LastPull.V.Status, "FOUND")
	want(t, "the next pull", q.Task.State, snapshot.TaskParked)
	want(t, "a schedule", p.Sched.Known, false)
	if !q.InRate.OK() || q.InRate.V <= 0 || !q.OutRate.OK() || q.OutRate.V <= 0 {
		t.Errorf("in %+v out %+v a second, want some: messages were produced and consumed", q.InRate, q.OutRate)
	}
	if b := p.Cluster.Brokers[0]; b.Name != "broker-a" || b.Addr != "127.0.0.1:20911" || !b.Up || !b.Master || !b.RoundTrip.Enough || !b.LastHeartbeat.OK() {
		t.Errorf("broker %+v", b)
	}
	if n := p.Cluster.NameServers; len(n) != 1 || n[0].Addr != "127.0.0.1:19876" || !n[0].Up {
		t.Errorf("name servers %+v", n)
	}

	p = s.picture("g_push", 1.5)
	for id := range int32(4) {
		q, sum := queue(t, p, order(id)), 0
		for _, r := range p.Windows[q.ID].Runs {
			if r.State != snapshot.Delivered {
				t.Errorf("a message counts as %v, which nobody can tell", r.State)
			}
			sum += int(r.To - r.From + 1)
		}
		known(t, "messages in the window", q.Count, sum)
	}
}

func TestOneClientOfAGroup(t *testing.T) {
	s := read(t, "push-concurrent")
	w, at := s.at(12)
	const client = "192.0.2.2@c5012"
	p := picture.Picture(w.s, w.m, picture.Options{Group: "g_push", Client: client, At: at})
	want(t, "client", p.Group.ClientID, client)
	for id := range int32(4) {
		q := queue(t, p, order(id))
		want(t, "mine", q.Mine, id >= 2)
		want(t, "counted", p.Counts(q), id >= 2)
		want(t, "state", q.State, []snapshot.QueueState{snapshot.NotOwned, snapshot.Pulling}[id/2])
		known(t, "committed, also of another client's queue", q.Committed, q.Committed.V)
	}
	for _, m := range p.Members {
		want(t, "me", m.Me, m.ID == client)
	}
	all := picture.Picture(w.s, w.m, picture.Options{Group: "g_push", At: at})
	if p.Counters.Pulls == 0 || p.Counters.Pulls >= all.Counters.Pulls {
		t.Errorf("%d pulls of the client, %d of all", p.Counters.Pulls, all.Counters.Pulls)
	}
}

func TestPushTags(t *testing.T) {
	s := read(t, "push-tags")
	p := s.picture("g_tags", end)
	committed(t, p, 195, 195, 194, 194)
	if p.Counters.Filtered == 0 || p.Counters.Received+p.Counters.Filtered != 4*195 {
		t.Errorf("%d delivered, %d passed over, want 780 together", p.Counters.Received, p.Counters.Filtered)
	}
	var filtered uint64
	for id := range int32(4) {
		filtered += queue(t, p, order(id)).Filtered
	}
	want(t, "passed over in all queues", filtered, p.Counters.Filtered)
	i := slices.IndexFunc(p.Group.Subscriptions, func(s snapshot.Subscription) bool { return s.Topic == "orders" })
	want(t, "expression", p.Group.Subscriptions[i].Expression, "TagA || TagB")
	s.passes(p, pass{2.6, "c5228 joined", 4}, pass{10.5, "c5228 left", 4})
}

func TestPushOrderly(t *testing.T) {
	s := read(t, "push-orderly")
	want(t, "send-backs of g_ord", s.picture("g_ord", end).Counters.SentBack, 21)
	for _, c := range []struct {
		at   float64
		want [4]string
	}{
		{19, [4]string{"c5402", "c5402", "c5402", "c5402"}}, {21, [4]string{}}, {30, [4]string{"c5507", "c5507", "c5507", "c5507"}},
		{45, [4]string{"c5507", "c5507", "c6001", "c6001"}}, {60, [4]string{"c6001", "c6001", "c6001", "c6001"}},
	} {
		p := s.picture("g_ord2", c.at)
		want(t, "orderly", p.Group.Mode(), "orderly CLUSTERING")
		want(t, "owners", owners(t, p), c.want)
		for id, holder := range c.want {
			l := queue(t, p, order(int32(id))).Lock
			want(t, "uses locks", l.Used, true)
			if holder == "" {
				want(t, "lock", l.BrokerSays, snapshot.LockFree)
				continue
			}
			want(t, "lock", l.BrokerSays, snapshot.LockHeld)
			if len(l.Believers) != 1 || !strings.HasSuffix(l.Believers[0], holder) || l.ClientLease != 0 {
				t.Errorf("at %v: lock %+v, want that of %s, with no lease known", c.at, l, holder)
			}
		}
	}
	l := queue(t, s.picture("g_ord2", 45), order(0)).Lock
	if l.Renewals == 0 || !l.GrantedAt.After(l.Since) {
		t.Errorf("lock %+v, want one that was granted again", l)
	}
	p := s.picture("g_ord2", end)
	s.passes(p, pass{13.5, "c5402 joined", 4}, pass{20.5, "c5402 left", 4}, pass{23.5, "c5507 joined", 4},
		pass{37.0, "c6001 joined", 2}, pass{52.5, "c5507 left", 2}, pass{63.0, "c6001 left", 4})
	committed(t, p, 205, 205, 205, 205)
	committed(t, s.picture("g_ord", end), 205, 205, 205, 205)
}

func TestPushBroadcast(t *testing.T) {
	p := read(t, "push-broadcast").picture("g_bc", 3)
	want(t, "model", p.Group.Mode(), "push BROADCASTING")
	for id := range int32(4) {
		q := queue(t, p, order(id))
		known(t, "the one that reads it", q.Owner, "192.0.2.2@c6686")
		want(t, "committed", q.Committed.State, snapshot.NotApplicable)
		want(t, "lag", q.Lag.State, snapshot.NotApplicable)
		want(t, "mark", q.Mark, snapshot.MarkOK)
	}
	want(t, "commits", p.Counters.Commits, 0)
	want(t, "who divides the queues", p.Topics[0].AllottedBy, "all")
	want(t, "rebalances", len(p.Rebalances), 0)
}

func TestPull(t *testing.T) {
	p := read(t, "pull").picture("g_pull", end)
	want(t, "kind", p.Group.Kind, snapshot.PullKind)
	want(t, "pulls", p.Counters.Pulls, 13)
	want(t, "commits", p.Counters.Commits, 0)
	var illegal uint64
	for id := range int32(4) {
		q := queue(t, p, order(id))
		illegal += q.Illegal
		known(t, "delivered and not committed", q.Count, 96)
	}
	want(t, "illegal offsets", illegal, 1)
}

func TestSchedule(t *testing.T) {
	p := read(t, "schedule").picture("g_sched", end)
	want(t, "pulls", p.Counters.Pulls, 28+48)
	want(t, "pulls that were held", p.Cluster.Brokers[0].RoundTrip.HeldN, 0)
	want(t, "round trips", p.Cluster.Brokers[0].RoundTrip.N, 28+48)
	committed(t, p, 205, 205, 205, 205)
}

func TestLite(t *testing.T) {
	p := read(t, "lite").picture("g_lite", end)
	want(t, "kind", p.Group.Kind, snapshot.LiteKind)
	want(t, "pulls", p.Counters.Pulls, 84)
	committed(t, p, 205, 205, 205, 205)
}

func TestAdmin(t *testing.T) {
	s := read(t, "admin")
	p := s.picture("g_adm2", end)
	var illegal uint64
	for id := range int32(4) {
		illegal += queue(t, p, order(id)).Illegal
	}
	want(t, "pulls that learn of the reset", illegal, 4)
	s.passes(p, pass{2.8, "c8941 joined", 4}, pass{47.3, "1796042724435@STREAM joined", 1}, pass{47.3, "1796042724435@STREAM left", 1})
	committed(t, p, 205, 205, 205, 205)
	known(t, "members", p.MembersKnown, 1)
	if !slices.ContainsFunc(p.Events.Entries, func(e snapshot.Entry) bool {
		return e.Level == snapshot.Warn && strings.Contains(e.What, "a tool orders a reset of 4 queues")
	}) {
		t.Error("no event tells of the reset")
	}
}

func TestConsumeDirectly(t *testing.T) {
	p := read(t, "consume-directly").picture("g_adm3", end)
	if !slices.ContainsFunc(p.Events.Entries, func(e snapshot.Entry) bool {
		return e.Source == "remote" && strings.Contains(e.What, "was asked CONSUME_MESSAGE_DIRECTLY: SUCCESS") && strings.Contains(e.What, "CR_SUCCESS")
	}) {
		t.Error("no event tells of the message that was consumed directly")
	}
}

func TestPop(t *testing.T) {
	s := read(t, "pop")
	p := s.picture("g_pop", 10)
	want(t, "kind", p.Group.Mode(), "pop CLUSTERING")
	for id := range int32(4) {
		q := queue(t, p, order(id))
		want(t, "state", q.State, snapshot.Popping)
		known(t, "owner", q.Owner, "192.0.2.2@p10013")
		unknown(t, "committed", q.Committed)
		unknown(t, "lag", q.Lag)
		if q.Acked == 0 {
			t.Errorf("%v: nothing acknowledged", q.ID)
		}
	}
	unknown(t, "queues of the member", p.Members[0].Queues)
	p = s.picture("g_pop", end)
	want(t, "acknowledged", p.Counters.Acked, 820)
	want(t, "deferred", p.Counters.Deferred, 21)
	want(t, "popped", p.Counters.Received, 841)
	want(t, "who divides the queues", p.Topics[len(p.Topics)-1].AllottedBy, "broker")
}
