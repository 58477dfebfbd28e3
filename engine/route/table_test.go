package route

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/protocol"
)

func apply(t *testing.T, table *Table, topic string, seq uint64, d *protocol.TopicRouteData) Change {
	t.Helper()
	c, err := table.Apply(topic, seq, d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestS2FindBrokerAddressInSubscribe(t *testing.T) {
	table := NewTable(Limits{})
	apply(t, table, "T", 1, data([]protocol.BrokerData{
		{BrokerName: "a", Addrs: map[int64]string{0: "a0:1", 2: "a2:1", 3: "a3:1"}},
		{BrokerName: "slaves", Addrs: map[int64]string{7: "s7:1", 4: "s4:1"}},
		{BrokerName: "bad", Addrs: map[int64]string{0: "169.254.0.1:1"}},
		{BrokerName: "last", Addrs: map[int64]string{0: "l0:1"}},
	}))
	tests := []struct {
		name     string
		broker   string
		id       int64
		onlyThis bool
		want     string // empty: not found
	}{
		{"the master by its id", "a", 0, true, "a0:1"},
		{"a slave by its id", "a", 2, true, "a2:1"},
		{"a missing slave is replaced by the next id", "a", 1, true, "a2:1"},
		{"but not by one further up", "a", 4, true, ""},
		{"nor is a missing master replaced by the next id", "slaves", 0, true, ""},
		{"any other address stands in when allowed, the lowest id first", "slaves", 0, false, "s4:1"},
		{"also for a slave", "a", 9, false, "a0:1"},
		{"an unknown name", "x", 0, false, ""},
		{"a broker whose addresses were all refused", "bad", 0, false, ""},
		{"the largest id does not wrap to others", "last", math.MaxInt64, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := table.Find(tt.broker, tt.id, tt.onlyThis)
			if ok != (tt.want != "") || got.Addr != tt.want {
				t.Errorf("found %+v, %v, want %q", got, ok, tt.want)
			}
			if ok && got.Slave() != (got.ID != 0) {
				t.Errorf("%+v: slave is %v", got, got.Slave())
			}
		})
	}
}

func TestApplySaysWhatChanged(t *testing.T) {
	base := data([]protocol.BrokerData{broker("a", "a0:1"), broker("b", "b0:1")}, queues("a", 4, 4, 6), queues("b", 4, 4, 6))
	tests := []struct {
		name    string
		next    *protocol.TopicRouteData
		changed bool
		queues  bool
		moved   []string
		gone    []Found
	}{
		{"the same in another order changes nothing",
			data([]protocol.BrokerData{broker("b", "b0:1"), broker("a", "a0:1")}, queues("b", 4, 4, 6), queues("a", 4, 4, 6)),
			false, false, nil, nil},
		{"more queues", data(base.BrokerDatas, queues("a", 8, 8, 6), queues("b", 4, 4, 6)), true, true, nil, nil},
		{"lost read permission", data(base.BrokerDatas, queues("a", 4, 4, 2), queues("b", 4, 4, 6)), true, true, nil, nil},
		{"lost write permission leaves the readable queues", data(base.BrokerDatas, queues("a", 4, 4, 4), queues("b", 4, 4, 6)), true, false, nil, nil},
		{"a new address of a broker",
			data([]protocol.BrokerData{broker("a", "a9:1"), broker("b", "b0:1")}, base.QueueDatas...),
			true, false, []string{"a"}, []Found{{"a", 0, "a0:1"}}},
		{"a new slave",
			data([]protocol.BrokerData{broker("a", "a0:1", "a1:1"), broker("b", "b0:1")}, base.QueueDatas...),
			true, false, []string{"a"}, nil},
		{"two brokers swap addresses: both are in use still",
			data([]protocol.BrokerData{broker("a", "b0:1"), broker("b", "a0:1")}, base.QueueDatas...),
			true, false, []string{"a", "b"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table := NewTable(Limits{})
			if c := apply(t, table, "T", 1, base); !c.First || !c.Changed || !c.QueuesChanged {
				t.Errorf("the first route is no news: %+v", c)
			}
			c := apply(t, table, "T", 2, tt.next)
			if c.First || c.Changed != tt.changed || c.QueuesChanged != tt.queues {
				t.Errorf("changed %v, queues %v, want %v, %v", c.Changed, c.QueuesChanged, tt.changed, tt.queues)
			}
			if d := cmp.Diff(tt.moved, c.Moved); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.gone, c.Gone, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestStaleAnswersAreNotUsed(t *testing.T) {
	table := NewTable(Limits{})
	old := data([]protocol.BrokerData{broker("a", "old:1")}, queues("a", 1, 1, 6))
	now := data([]protocol.BrokerData{broker("a", "new:1")}, queues("a", 2, 2, 6))
	apply(t, table, "T", 5, now)
	if c := apply(t, table, "T", 4, old); !c.Stale || c.Changed || len(c.Topic.Readable()) != 2 {
		t.Errorf("an older answer about the topic was used: %+v", c)
	}
	apply(t, table, "U", 3, old)
	if got, _ := table.Find("a", 0, true); got.Addr != "new:1" {
		t.Errorf("an older answer about another topic moved the broker to %s", got.Addr)
	}
	apply(t, table, "U", 6, old)
	if got, _ := table.Find("a", 0, true); got.Addr != "old:1" {
		t.Errorf("the newest answer did not move the broker: %s", got.Addr)
	}
}

func TestRejectedRouteKeepsTheOldOne(t *testing.T) {
	table := NewTable(Limits{})
	apply(t, table, "T", 1, data([]protocol.BrokerData{broker("a", "a0:1")}, queues("a", 4, 4, 6)))
	if _, err := table.Apply("T", 2, data(nil)); err == nil {
		t.Fatal("an empty route was taken")
	}
	if topic, ok := table.Topic("T"); !ok || len(topic.Readable()) != 4 {
		t.Error("the old route is gone")
	}
}

func TestDropOffline(t *testing.T) {
	table := NewTable(Limits{})
	apply(t, table, "T", 1, data([]protocol.BrokerData{broker("a", "a0:1", "a1:1"), broker("b", "b0:1")}))
	apply(t, table, "U", 2, data([]protocol.BrokerData{broker("b", "b0:1"), broker("c", "c0:1")}))
	if gone := table.DropOffline(); gone != nil {
		t.Errorf("dropped %v while all are in a route", gone)
	}
	table.Forget("U")
	if d := cmp.Diff([]Found{{"c", 0, "c0:1"}}, table.DropOffline()); d != "" {
		t.Error(d)
	}
	// A route that lists a broker no more leaves its old addresses until they are dropped.
	apply(t, table, "T", 3, data([]protocol.BrokerData{broker("b", "b0:1")}))
	if d := cmp.Diff([]Found{{"a", 0, "a0:1"}, {"a", 1, "a1:1"}}, table.DropOffline()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Found{{"b", 0, "b0:1"}}, table.Addrs()); d != "" {
		t.Error(d)
	}
	if f, ok := table.NameOf("b0:1"); !ok || f.BrokerName != "b" {
		t.Errorf("b0:1 belongs to %+v, %v", f, ok)
	}
}

func TestDropOfflineKeepsTheReasonForRefusedAddresses(t *testing.T) {
	table := NewTable(Limits{})
	apply(t, table, "T", 1, data([]protocol.BrokerData{broker("a", "169.254.0.1:1")}))
	table.DropOffline()
	if len(table.Refused("a")) != 1 {
		t.Error("nobody can say any more why broker a has no address")
	}
}

func TestBrokersOfTopic(t *testing.T) {
	table := NewTable(Limits{})
	apply(t, table, "T", 1, data([]protocol.BrokerData{
		{BrokerName: "m", Addrs: map[int64]string{0: "m0:1", 1: "m1:1"}},
		{BrokerName: "s", Addrs: map[int64]string{1: "s1:1", 2: "s2:1", 5: "s5:1"}},
		{BrokerName: "none", Addrs: map[int64]string{}},
	}))
	got := table.BrokersOf("T", func(n int) int { return n - 1 })
	if d := cmp.Diff([]Found{{"m", 0, "m0:1"}, {"s", 5, "s5:1"}}, got); d != "" {
		t.Error(d)
	}
	if got := table.BrokersOf("U", func(int) int { return 0 }); got != nil {
		t.Errorf("brokers of an unknown topic: %v", got)
	}
}
