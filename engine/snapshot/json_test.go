package snapshot

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write golden files")

// TestTheSchemaIsStable compares a snapshot with every kind of value against the file that
// stands for schema 1. A difference is a change that users of --json feel: add fields, do not
// change or drop them without a new Schema.
func TestTheSchemaIsStable(t *testing.T) {
	line, err := Encode(exampleSnapshot())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(line, "\n\x1b") {
		t.Errorf("the line has a line break or an escape byte")
	}
	var got bytes.Buffer
	if err := json.Indent(&got, line, "", " "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", "schema1.json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the snapshot differs from %s:\n%s", path, got.Bytes())
	}
}

func exampleSnapshot() *Snapshot {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	a := MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: 0}
	b := MessageQueue{Topic: "or\x1b[2Jders\n", BrokerName: "broker-a", QueueID: 1}
	s := &Snapshot{
		Seq: 7, At: now, Wall: now,
		Source: Source{Kind: Live, Name: "prod", State: Running},
		Cluster: Cluster{
			NameServers: []Endpoint{{Addr: "ns:9876", Up: true, InUse: true}},
			Brokers:     []Broker{{Name: "broker-a", Addr: "10.0.0.1:10911", Master: true, Up: true, Version: Of[int32](479, now), RoundTrip: Latency{N: 30, HeldN: 2, P50: 1500 * time.Microsecond, P99: 12 * time.Millisecond, Max: 20 * time.Millisecond, Enough: true}}},
		},
		Group: Group{
			Name: "billing", ClientID: "10.0.0.9@1#a", Strategy: "AVG", Limits: Limits{CountPerQueue: 1000, MiBPerQueue: 100, Span: 2000, PullBatch: 32, ConsumeBatch: 1, MaxReconsume: 16, ConsumeTimeout: 15 * time.Minute},
			Threads: Threads{Busy: 1, Max: 20, Oldest: 2 * time.Second}, Subscriptions: []Subscription{{Topic: "orders", Expression: "*", Queues: Of(2, now)}},
			LastRebalance: Of(now.Add(-time.Second), now), RebalanceNote: "+1 -0",
		},
		MembersKnown: Of(1, now),
		Members: []Member{{ID: "10.0.0.9@1#a", Me: true, Queues: Of(1, now), Cached: Of(3, now), Lag: Of[int64](5, now), Told: Of(now, now),
			Differs: []Difference{{Topic: "orders", Ours: "*", Theirs: "PAID", TheirsIsNewer: true}, {Topic: "pays", Theirs: "*"}}}},
		Topics: []Topic{{Name: "orders", Queues: 1, All: Of(2, now), AllottedBy: "AVG", AllotNote: "the broker does not allot", Lag: Of[int64](5, now), LagMissing: 1, InRate: Of(1.5, now)}},
		Queues: []Queue{
			{
				ID: a, Owner: Of("10.0.0.9@1#a", now), Mine: true, State: Pulling,
				Min: Of[int64](0, now), Max: Of[int64](9_007_199_254_740_993, now), Committed: Of[int64](5, now.Add(-time.Minute)).Aged(now, time.Second),
				Next: Of[int64](8, now), CachedMin: Of[int64](5, now), CachedMax: Of[int64](7, now), Count: Of(3, now), Bytes: Of[int64](300, now), Span: Of[int64](2, now),
				Lock: Lock{
					Used: true, BrokerSays: LockMine, GrantedAt: now.Add(-11 * time.Second), ClientLease: 30 * time.Second, BrokerLease: time.Minute,
					RenewAt: now.Add(9 * time.Second), TryUnlock: 2, Believers: []string{"10.0.0.9@1#a"},
				},
				Flow: Flow{Cause: "flow:span", Since: now, PutBacks: 4}, Task: Task{State: TaskDelayed, Cause: "flow:span", Due: now},
				LastPull: Of(Pull{At: now, Status: "FOUND", Offset: 5, Next: 8, Count: 3, Took: 1500 * time.Microsecond}, now),
				Lag:      Of[int64](-3, now), Mark: MarkWarn, Note: "flow:span", Found: 3,
			},
			{ID: b, State: NotOwned, Mark: MarkUnknown, CachedMin: NA[int64](), CachedMax: NA[int64](), Lag: UnknownBecause[int64]("only its owner knows")},
		},
		Windows:  map[MessageQueue]Window{a: {Runs: []Run{{5, 5, Consuming}, {6, 7, Waiting}}}},
		Counters: Counters{Pulls: 1, Received: 3},
		Replay: Replay{
			Known: true, File: "orders.mqrec", From: now.Add(-time.Minute), To: now.Add(time.Minute), Event: 18_244, Total: 90_311, At: now, Speed: 4,
			Bookmarks: []Bookmark{{Number: 2, Event: 7, At: now, Note: "here \x1b"}}, Damage: "cut at byte 5", Departed: "event 9", Note: "the end",
		},
		Recorder: Recorder{On: true, File: "x.mqrec", Bytes: 12 << 20, Limit: 256 << 20},
	}
	return s
}
