package picture

import (
	"fmt"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
)

// TestAMemoryIsBounded folds more groups, queues, brokers, connections and events than fit.
func TestAMemoryIsBounded(t *testing.T) {
	s, m := infer.NewState(), NewMemory()
	at, seq := time.Unix(1_700_000_000, 0), uint64(0)
	step := func(conn int, f infer.Fact) {
		seq++
		at = at.Add(time.Millisecond)
		e := infer.Event{Seq: seq, At: at, Conn: conn, Fact: f}
		s.Step(e)
		m.Step(s, e)
	}
	for i := range 12_000 {
		group, client := fmt.Sprintf("g%d", i), fmt.Sprintf("[10.0.0.1:%d]", i)
		step(i, infer.Opened{Client: client, Server: fmt.Sprintf("10.0.0.2:%d", i)})
		for q := range int32(8) {
			id := mq.MessageQueue{Topic: "t", BrokerName: fmt.Sprintf("b%d", i%3_000), QueueID: q}
			step(i, infer.Assigned{Client: client, Group: group, Queue: id})
			step(i, infer.PullDone{Client: client, Group: group, Queue: id, Answered: true, Status: mq.Found, Next: 10, Max: 10})
		}
	}
	one := mq.MessageQueue{Topic: "t", BrokerName: "b0"}
	for i := range 40_000 { // one queue that always changes hands, between ever new clients
		client := fmt.Sprint("c", i)
		step(i, infer.Assigned{Client: client, Group: "g0", Queue: one})
		step(i, infer.PullSent{Client: client, Group: "g0", Queue: one, Exchange: uint64(i)})
		step(i, infer.Released{Client: client, Group: "g0", Queue: one})
		step(i, infer.Committed{Client: client, Group: "g0", Queue: one, Offset: int64(i)})
	}
	for i := range 3_000 {
		client := fmt.Sprint("c", i)
		step(i, infer.MemberSeen{Client: client, Group: "g0", New: true})
		step(i, infer.Beat{Client: client, Consumers: []string{"g0"}, Answered: true})
		step(i, infer.BrokerAssigned{Client: client, Group: "g0", Topic: fmt.Sprint("t", i)})
		step(i, infer.MemberLeft{Client: client, Group: "g0"})
	}
	queues, changes := 0, 0
	for name, g := range m.groups {
		queues += len(g.queues)
		if len(g.passes) > passesKept || len(g.entries.kept) > entriesKept || len(g.clients) > maxPerGroup {
			t.Errorf("%s: %d passes, %d events, %d clients", name, len(g.passes), len(g.entries.kept), len(g.clients))
		}
		if len(g.beats) > maxPerGroup || len(g.left) > maxPerGroup || len(g.topics) > maxPerGroup {
			t.Errorf("%s: %d heartbeats, %d left, %d topics", name, len(g.beats), len(g.left), len(g.topics))
		}
		for _, p := range g.passes {
			changes += len(p.changes)
		}
		for id, q := range g.queues {
			if len(q.open) > maxOpen {
				t.Errorf("%v: %d pulls at the broker", id, len(q.open))
			}
		}
	}
	for what, n := range map[string][2]int{
		"groups": {len(m.groups), 10_000}, "queues": {queues, 50_000}, "queues with histories": {m.detailed, maxDetailed},
		"brokers": {m.series, maxSeries}, "events": {m.entries, maxEntries + 10_000*leastKept}, "changes": {m.changes, maxChanges},
		"servers": {len(m.servers), maxServers}, "connections": {len(m.conns), maxConns}, "names": {len(m.unnamed), maxConns},
		"bytes": {m.Size(), 256 << 20},
	} {
		if n[0] > n[1] {
			t.Errorf("%d %s, want at most %d", n[0], what, n[1])
		}
	}
	if m.changes != changes {
		t.Errorf("%d changes counted, there are %d", m.changes, changes)
	}
	if m.detailed < maxDetailed || len(m.groups) < 6_000 {
		t.Errorf("%d queues with histories, %d groups: the test is too small", m.detailed, len(m.groups))
	}
}

// TestEventsAreKeptInOrder fills a ring, and lets it grow again when there is room.
func TestEventsAreKeptInOrder(t *testing.T) {
	var r ring
	all := maxEntries - 20 // of other rings
	check := func(n int, kept int, gone uint64) {
		t.Helper()
		list, dropped := r.list(), r.gone
		if len(list) != kept || dropped != gone {
			t.Fatalf("%d kept, %d gone, want %d and %d", len(list), dropped, kept, gone)
		}
		for i, e := range list {
			if want := uint64(n - kept + 1 + i); e.event.Seq != want {
				t.Fatalf("event %d at %d, want %d", e.event.Seq, i, want)
			}
		}
	}
	n := 0
	add := func(count int) {
		for range count {
			n++
			r.add(infer.Event{Seq: uint64(n), Fact: infer.NoCommit{}}, &all)
		}
	}
	add(15)
	check(15, 15, 0)
	add(50)
	check(65, 20, 45)
	all = 0
	add(30)
	check(95, 50, 45)
	add(2 * entriesKept)
	check(95+2*entriesKept, entriesKept, uint64(95+entriesKept))
}
