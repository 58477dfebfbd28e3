package recorder

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

var (
	wrongAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	wrongQ  = mq.MessageQueue{Topic: "orders", BrokerName: "a", QueueID: 1}
)

// well is a snapshot of a member in order, so many seconds after the beginning.
func well(s int) *snapshot.Snapshot {
	at := wrongAt.Add(time.Duration(s) * time.Second)
	return &snapshot.Snapshot{
		Seq: uint64(s + 1), At: at, Source: snapshot.Source{State: snapshot.Running},
		Group: snapshot.Group{Limits: snapshot.Limits{ConsumeTimeout: 15 * time.Minute}},
		Queues: []snapshot.Queue{{
			ID: wrongQ, Mine: true, State: snapshot.Pulling, Epoch: 1,
			Committed: snapshot.Of(int64(100+s), at), Next: snapshot.Of(int64(200+s), at), LastFound: snapshot.Of(at, at),
			Count: snapshot.Of(100, at), CachedMin: snapshot.Of(int64(100+s), at),
			Lock: snapshot.Lock{Used: true, BrokerSays: snapshot.LockMine, GrantedAt: at.Add(-20 * time.Second), ClientLease: 30 * time.Second},
			Flow: snapshot.Flow{Cause: "flow:count", Since: wrongAt},
		}},
		Cluster: snapshot.Cluster{
			NameServers: []snapshot.Endpoint{{Addr: "x:1", Err: "refused"}, {Addr: "y:1", Up: true}},
			Brokers:     []snapshot.Broker{{Name: "a", Addr: "a:1", Err: "refused"}, {Name: "a", Addr: "a:2", Up: true}, {Name: "a", Addr: "a:3"}, {Name: "b", Addr: "b:1"}},
		},
	}
}

// TestWhatGoesWrongIsFound: each change, from the tenth second on, is found at the second that
// stands there and at no earlier one; where that is -1 it is none.
func TestWhatGoesWrongIsFound(t *testing.T) {
	at := func(v int64) snapshot.Val[int64] { return snapshot.Of(v, wrongAt) }
	hangs := func(oldest int) func(int, *snapshot.Snapshot, *snapshot.Queue) {
		return func(s int, now *snapshot.Snapshot, q *snapshot.Queue) {
			now.Group.Threads = snapshot.Threads{Oldest: time.Duration(s-oldest) * time.Second, OldestAt: 7, OldestOn: wrongQ}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(s int, now *snapshot.Snapshot, q *snapshot.Queue)
		at     int
		cause  string
		says   string
	}{
		{"nothing", func(int, *snapshot.Snapshot, *snapshot.Queue) {}, -1, "", ""},
		{"a listener hangs", hangs(10), 70, causeStuck, "orders/a/1: a listener has offset 7 for 1m0s"},
		{"a listener is over a shorter consumeTimeout", func(s int, now *snapshot.Snapshot, q *snapshot.Queue) {
			hangs(10)(s, now, q)
			now.Group.Limits.ConsumeTimeout = 20 * time.Second
		}, 30, causeStuck, "for 20s"},
		{"the first message does not move", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) { q.CachedMin = at(110) }, 70, causeStuck, "offset 110 is the first that it holds for 1m0s, 100 messages wait with it"},
		{"it does not, and the queue is another one", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.CachedMin, q.Epoch = at(110), uint64(s/50)
		}, -1, "", ""},
		{"it does not, and nothing is cached", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.CachedMin, q.Count = at(110), snapshot.Of(0, wrongAt)
		}, -1, "", ""},
		{"it does not, by hand", func(s int, now *snapshot.Snapshot, q *snapshot.Queue) {
			q.CachedMin, now.Sched.Stepping = at(110), true
		}, -1, "", ""},
		{"flow control lets nothing pass", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.LastFound = snapshot.Of(wrongAt.Add(10*time.Second), wrongAt)
		}, 70, causeFlow, "flow control (count) has let no pull pass for 1m0s, 100 messages are cached"},
		{"flow control sets in late", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.LastFound, q.Flow.Since = snapshot.Of(wrongAt, wrongAt), wrongAt.Add(40*time.Second)
		}, 100, causeFlow, "for 1m0s"},
		{"nothing is found, without flow control", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.LastFound, q.Flow = snapshot.Of(wrongAt, wrongAt), snapshot.Flow{}
		}, -1, "", ""},
		{"a lock is refused", func(_ int, _ *snapshot.Snapshot, q *snapshot.Queue) { q.Lock.BrokerSays = snapshot.LockRefused }, 10, causeLock, "its lock is lost, the broker refuses it"},
		{"a lock is not renewed", func(_ int, _ *snapshot.Snapshot, q *snapshot.Queue) { q.Lock.GrantedAt = wrongAt }, 31, causeLock, "not renewed for 31s"},
		{"a lock that was never seen to be held is late", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.Mine, q.Lock.GrantedAt = s > 15, wrongAt.Add(-time.Hour)
		}, -1, "", ""},
		{"the queue is given up, and its lock", func(_ int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			q.Mine, q.Lock.BrokerSays = false, snapshot.LockRefused
		}, -1, "", ""},
		{"the committed offset goes back", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			if s >= 20 {
				q.Committed = at(50)
			}
		}, 20, causeOffset, "committed offset went back from 119 to 50"},
		{"the next offset goes back", func(_ int, _ *snapshot.Snapshot, q *snapshot.Queue) { q.Next = at(5) }, 10, causeOffset, "next offset to pull went back from 209 to 5"},
		{"it begins again from what is committed", func(_ int, _ *snapshot.Snapshot, q *snapshot.Queue) { q.Next, q.Epoch = at(110), 2 }, -1, "", ""},
		{"offsets go back while another member has it", func(s int, _ *snapshot.Snapshot, q *snapshot.Queue) {
			if q.Mine = s > 15; q.Mine {
				q.Next, q.Committed = at(5), at(5)
			}
		}, -1, "", ""},
		{"an illegal offset", func(_ int, _ *snapshot.Snapshot, q *snapshot.Queue) { q.Illegal = 1 }, 10, causeOffset, "refused its offset as illegal"},
		{"a broker is lost", func(_ int, now *snapshot.Snapshot, _ *snapshot.Queue) { now.Cluster.Brokers[1].Up = false }, 40, causeBroker, "no connection to broker a for 30s: refused"},
		{"a broker comes and goes", func(s int, now *snapshot.Snapshot, _ *snapshot.Queue) { now.Cluster.Brokers[1].Up = s%25 == 0 }, -1, "", ""},
		{"name servers are lost", func(_ int, now *snapshot.Snapshot, _ *snapshot.Queue) { now.Cluster.NameServers[1].Up = false }, 40, causeBroker, "no connection to any name server for 30s: refused"},
		{"the consumer leaves", func(_ int, now *snapshot.Snapshot, q *snapshot.Queue) {
			q.Lock.BrokerSays, now.Source.State = snapshot.LockRefused, snapshot.Stopping
		}, -1, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoctor(time.Minute)
			for s := range 150 {
				now := well(s)
				if s >= 10 {
					tt.change(s, now, &now.Queues[0])
				}
				found := d.look(now)
				if len(found) == 0 {
					if tt.at == s {
						t.Errorf("nothing is found at %d s", s)
					}
					continue
				}
				one := found[0]
				if s != tt.at || len(found) != 1 || one.cause != tt.cause || !strings.Contains(one.what, tt.says) {
					t.Errorf("found at %d s: %+v, want %s %q at %d s", s, found, tt.cause, tt.says, tt.at)
				}
				if again := d.look(now); len(again) > 0 {
					t.Error("one snapshot is looked at twice")
				}
				return
			}
		})
	}
}

func TestADoctorForgetsWhatIsGone(t *testing.T) {
	d := newDoctor(time.Minute)
	d.look(well(0))
	gone := well(1)
	gone.Cluster.Brokers[1].Up = false
	d.look(gone)
	gone = well(2)
	gone.Queues, gone.Cluster.Brokers = nil, nil
	d.look(gone)
	if len(d.queues) != 0 || len(d.lost) != 0 {
		t.Errorf("left: %v, %v", d.queues, d.lost)
	}
}
