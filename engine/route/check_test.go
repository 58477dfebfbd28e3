package route

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func broker(name string, addrs ...string) protocol.BrokerData {
	b := protocol.BrokerData{BrokerName: name, Cluster: "cl", Addrs: map[int64]string{}}
	for id, a := range addrs {
		b.Addrs[int64(id)] = a
	}
	return b
}

func queues(name string, read, write, perm int32) protocol.QueueData {
	return protocol.QueueData{BrokerName: name, ReadQueueNums: read, WriteQueueNums: write, Perm: perm}
}

func data(brokers []protocol.BrokerData, queues ...protocol.QueueData) *protocol.TopicRouteData {
	return &protocol.TopicRouteData{BrokerDatas: brokers, QueueDatas: queues}
}

func TestS1QueueSets(t *testing.T) {
	one := []protocol.BrokerData{broker("a", "h:1")}
	tests := []struct {
		name            string
		data            *protocol.TopicRouteData
		readable, write int
	}{
		{"a topic with read and write permission has both sets", data(one, queues("a", 4, 3, 6)), 4, 3},
		{"without read permission nothing is shared", data(one, queues("a", 4, 3, 2)), 0, 3},
		{"without write permission nothing can be sent", data(one, queues("a", 4, 3, 4)), 4, 0},
		{"the inherit bit gives nothing", data(one, queues("a", 4, 3, 1)), 0, 0},
		{"a broker without a master is read but not written", data([]protocol.BrokerData{{BrokerName: "a", Addrs: map[int64]string{1: "h:2"}}}, queues("a", 4, 3, 6)), 4, 0},
		{"queues of a broker that has no address at all are still shared", data(one, queues("b", 4, 3, 6)), 4, 0},
		{"no queue data is a topic without queues", data(one), 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New("T", tt.data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Readable()) != tt.readable || len(got.Writable()) != tt.write {
				t.Errorf("%d readable and %d writable queues, want %d and %d", len(got.Readable()), len(got.Writable()), tt.readable, tt.write)
			}
		})
	}
}

func TestQueuesAreSortedWhateverTheOrderOfTheAnswer(t *testing.T) {
	brokers := []protocol.BrokerData{broker("b", "h:2"), broker("a", "h:1"), broker("B", "h:3")}
	got, err := New("T", data(brokers, queues("b", 1, 1, 6), queues("B", 1, 1, 6), queues("a", 2, 2, 6)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []mq.MessageQueue{{Topic: "T", BrokerName: "B"}, {Topic: "T", BrokerName: "a"}, {Topic: "T", BrokerName: "a", QueueID: 1}, {Topic: "T", BrokerName: "b"}}
	if d := cmp.Diff(want, got.Readable()); d != "" {
		t.Error(d)
	}
}

func TestHostileRoutesAreRejectedWithAReason(t *testing.T) {
	many := func(n int) (b []protocol.BrokerData) {
		for i := range n {
			b = append(b, broker(fmt.Sprint("b", i), "h:1"))
		}
		return b
	}
	addrs := func(n int) protocol.BrokerData {
		b := broker("a")
		for i := range n {
			b.Addrs[int64(i)] = "h:1"
		}
		return b
	}
	one := many(1)
	tests := []struct {
		name string
		data *protocol.TopicRouteData
		why  string
	}{
		{"a route without brokers", data(nil), "names no broker"},
		{"too many brokers", data(many(1025)), "1025 brokers"},
		{"too many addresses of one broker", data([]protocol.BrokerData{addrs(65)}), "65 addresses"},
		{"too many queues on one broker", data(one, queues("b0", 4097, 1, 6)), "4097 queues"},
		{"too many queues in all", data(many(3), queues("b0", 2000, 1, 6), queues("b1", 2000, 1, 6), queues("b2", 2000, 1, 6)), "6000 queues"},
		{"too many writable queues", data(one, queues("b0", 1, 5000, 6)), "5000 queues"},
		{"sums beyond 32 bits", data(many(2), queues("b0", 1<<31-1, 1, 6), queues("b1", 1<<31-1, 1, 6)), "4294967294 queues"},
		{"a million queues", data(one, queues("b0", 1e6, 1e6, 6)), "1000000 queues"},
		{"a negative number of queues", data(one, queues("b0", -1, 1, 6)), "-1 read"},
		{"queues on more brokers than allowed", data(one, make([]protocol.QueueData, 1025)...), "1025 brokers"},
		{"a blank broker name", data([]protocol.BrokerData{broker(" ", "h:1")}), "blank"},
		{"a terminal escape in a broker name", data([]protocol.BrokerData{broker("a\x1b[2J", "h:1")}), "U+001B"},
		{"a bidi override in a broker name", data([]protocol.BrokerData{broker("a\u202eb", "h:1")}), "U+202E"},
		{"a broker name that is no UTF-8", data([]protocol.BrokerData{broker("a\xff", "h:1")}), "UTF-8"},
		{"an endless broker name", data([]protocol.BrokerData{broker(strings.Repeat("a", 256), "h:1")}), "256 bytes"},
		{"an escape in the broker name of queues", data(one, queues("a\n", 1, 1, 6)), "U+000A"},
		{"a broker that is named twice", data([]protocol.BrokerData{broker("a", "h:1"), broker("a", "h:2")}), "named twice"},
		{"queues that are given twice", data(one, queues("b0", 1, 1, 6), queues("b0", 2, 1, 6)), "given twice"},
		{"a static topic", &protocol.TopicRouteData{BrokerDatas: one, TopicQueueMappingByBroker: map[string]protocol.TopicQueueMappingInfo{"b0": {}}}, "static topic"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New("T", tt.data, Limits{})
			rejected, ok := errors.AsType[*RejectedError](err)
			if !ok {
				t.Fatalf("error is %v, want a *RejectedError", err)
			}
			if rejected.Topic != "T" || !strings.Contains(rejected.Why, tt.why) {
				t.Errorf("rejected %s because %q, want the reason to say %q", rejected.Topic, rejected.Why, tt.why)
			}
		})
	}
}

func TestAddressesAreRefusedOneByOne(t *testing.T) {
	tests := []struct {
		name, addr, want, why string
	}{
		{"an IPv4 address is taken", "10.1.2.3:10911", "10.1.2.3:10911", ""},
		{"loopback is taken, as single-host clusters have it", "127.0.0.1:10911", "127.0.0.1:10911", ""},
		{"a name is taken", "broker-a.mq_1.svc:10911", "broker-a.mq_1.svc:10911", ""},
		{"IPv6 in brackets is taken", "[2001:db8::3]:10911", "[2001:db8::3]:10911", ""},
		{"bare IPv6 is put in brackets", "2001:db8::3:10911", "[2001:db8::3]:10911", ""},
		{"leading zeros of a port go", "h:010911", "h:10911", ""},
		{"no port", "10.1.2.3", "", "no port"},
		{"an empty address", "", "", "no port"},
		{"no host", ":10911", "", "no host"},
		{"port zero", "h:0", "", "1 to 65535"},
		{"a port too large", "h:65536", "", "1 to 65535"},
		{"a signed port", "h:+80", "", "1 to 65535"},
		{"no port after the colon", "h:", "", "1 to 65535"},
		{"a path", "h/x:80", "", `'/'`},
		{"an escape", "h\x1b[2J:80", "", `'\x1b'`},
		{"the metadata service", "169.254.169.254:80", "", "link-local"},
		{"the metadata service as IPv6", "[fe80::a9fe:a9fe]:80", "", "link-local"},
		{"the metadata service as IPv4 in IPv6", "[::ffff:169.254.169.254]:80", "", "link-local"},
		{"the metadata service as one number", "2852039166:80", "", "ends in a number"},
		{"the metadata service in hex", "0xa9fea9fe:80", "", "ends in a number"},
		{"the metadata service in octal", "0251.0376.0251.0376:80", "", "ends in a number"},
		{"the metadata service with a trailing dot", "169.254.169.254.:80", "", "ends in a number"},
		{"multicast", "224.0.0.1:80", "", "multicast"},
		{"unspecified", "0.0.0.0:80", "", "unspecified"},
		{"an endless host", strings.Repeat("a", 256) + ":80", "", "256 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := New("T", data([]protocol.BrokerData{broker("a", tt.addr)}, queues("a", 2, 2, 6)), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			b := got.Brokers[0]
			if b.Addrs[0] != tt.want {
				t.Errorf("address is %q, want %q", b.Addrs[0], tt.want)
			}
			if len(got.Readable()) != 2 {
				t.Error("a refused address must not take queues away: members would disagree")
			}
			if tt.why == "" {
				if len(b.Refused) != 0 {
					t.Errorf("refused: %+v", b.Refused)
				}
				return
			}
			if len(b.Refused) != 1 || !strings.Contains(b.Refused[0].Why, tt.why) {
				t.Errorf("refused %+v, want the reason to say %q", b.Refused, tt.why)
			}
		})
	}
}

func TestPolicyAndBrokerIDs(t *testing.T) {
	only := Limits{Policy: func(host string) error {
		if host != "good" {
			return errors.New("not on the list")
		}
		return nil
	}}
	got, err := New("T", data([]protocol.BrokerData{{BrokerName: "a", Addrs: map[int64]string{0: "good:1", 1: "bad:1", -3: "good:2"}}}), only)
	if err != nil {
		t.Fatal(err)
	}
	want := Broker{Name: "a", Addrs: map[int64]string{0: "good:1"}, Refused: []Refusal{
		{"a", -3, "good:2", "the broker id -3 is negative"}, {"a", 1, "bad:1", "not on the list"},
	}}
	if d := cmp.Diff(want, got.Brokers[0]); d != "" {
		t.Error(d)
	}
}

func TestP35BrokerIDsInEitherJSONForm(t *testing.T) {
	tests := []struct{ name, body string }{
		{"unquoted keys out of order", `{"brokerDatas":[{"brokerAddrs":{1:"10.1.2.4:10911",0:"10.1.2.3:10911"},"brokerName":"brk-a","cluster":"cl-1","enableActingMaster":false}],"filterServerTable":{},"queueDatas":[{"brokerName":"brk-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}`},
		{"quoted keys", `{"brokerDatas":[{"brokerAddrs":{"0":"10.1.2.3:10911","1":"10.1.2.4:10911"},"brokerName":"brk-a","cluster":"cl-1"}],"queueDatas":[{"brokerName":"brk-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}`},
		{"fields that are not known", `{"new":[{}],"brokerDatas":[{"zone":{"x":1},"brokerAddrs":{"0":"10.1.2.3:10911","1":"10.1.2.4:10911"},"brokerName":"brk-a","cluster":"cl-1"}],"queueDatas":[{"brokerName":"brk-a","perm":6,"readQueueNums":4,"extra":null,"writeQueueNums":4}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := protocol.DecodeTopicRouteData([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			got, err := New("T", &body, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[int64]string{0: "10.1.2.3:10911", 1: "10.1.2.4:10911"}
			if d := cmp.Diff(want, got.Brokers[0].Addrs); d != "" {
				t.Error(d)
			}
			if len(got.Readable()) != 4 {
				t.Errorf("%d queues, want 4", len(got.Readable()))
			}
		})
	}
}

// FuzzRoute feeds what a name server may say into a table: nothing panics, nothing grows
// beyond the limits, and what is taken in can be looked up.
func FuzzRoute(f *testing.F) {
	f.Add([]byte(`{"brokerDatas":[{"brokerAddrs":{0:"10.1.2.3:10911",1:"10.1.2.4:10911"},"brokerName":"brk-a","cluster":"cl-1"}],"queueDatas":[{"brokerName":"brk-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}`))
	f.Add([]byte(`{"brokerDatas":[{"brokerAddrs":{"-1":"[::1]:1","9":"169.254.169.254:80"},"brokerName":"a"}],"queueDatas":[{"brokerName":"b","perm":255,"readQueueNums":2147483647}]}`))
	f.Add([]byte(`{"brokerDatas":[{"brokerName":"\u001b[2J"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		route, err := protocol.DecodeTopicRouteData(body)
		if err != nil {
			return
		}
		table := NewTable(Limits{QueuesPerTopic: 64, Brokers: 8, AddrsPerBroker: 4})
		c, err := table.Apply("T", 1, &route)
		if err != nil {
			if len(table.Topics()) != 0 || len(table.Addrs()) != 0 {
				t.Fatal("a rejected route left something behind")
			}
			return
		}
		if len(c.Topic.Readable()) > 64 || len(c.Topic.Writable()) > 64 || len(table.Addrs()) > 8*4 {
			t.Fatal("a route went over the limits")
		}
		for _, a := range table.Addrs() {
			if got, ok := table.Find(a.BrokerName, a.ID, true); !ok || got != a {
				t.Fatalf("%+v is not found: %+v", a, got)
			}
			if again, err := NormalAddr(a.Addr); err != nil || again != a.Addr {
				t.Fatalf("%q becomes %q, %v", a.Addr, again, err)
			}
		}
		if again, err := table.Apply("T", 2, &route); err != nil || again.Changed || len(again.Moved) != 0 {
			t.Fatalf("the same route changed something: %+v, %v", again, err)
		}
		if gone := table.DropOffline(); len(gone) != 0 {
			t.Fatalf("addresses in use were dropped: %v", gone)
		}
	})
}
