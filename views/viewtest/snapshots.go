package viewtest

import (
	"fmt"
	"math"
	"time"

	"mqscope/engine/snapshot"
)

// Now is the engine clock of all fixed snapshots.
func Now() time.Time { return time.Date(2026, 3, 9, 12, 3, 41, 620_000_000, time.UTC) }

// Case is one situation that every screen has a golden frame for.
type Case struct {
	Name   string
	Snap   *snapshot.Snapshot
	Waited time.Duration
}

// Cases are the situations of tui.md section 10.
func Cases() []Case {
	return []Case{
		{Name: "normal", Snap: Normal()},
		{Name: "empty", Snap: Empty()},
		{Name: "loading", Waited: time.Second},
		{Name: "partial", Snap: Partial()},
		{Name: "stale", Snap: Stale()},
		{Name: "error", Snap: Failing()},
		{Name: "huge", Snap: Huge()},
		{Name: "cjk", Snap: CJK()},
		{Name: "hostile", Snap: Hostile()},
	}
}

// builder fills snapshots with few words.
type builder struct {
	at  time.Time
	seq uint64
}

func of[T any](b *builder, v T) snapshot.Val[T] { return snapshot.Of(v, b.at) }

// queue is a healthy queue of ours that waits for messages.
func (b *builder) queue(topic, broker string, id int32, commit int64) snapshot.Queue {
	q := snapshot.Queue{
		ID:    snapshot.MessageQueue{Topic: topic, BrokerName: broker, QueueID: id},
		Owner: of(b, "10.1.0.7@3312"), Mine: true, State: snapshot.Pulling, Epoch: 3,
		Min: of(b, max(commit-25_000, 0)), Max: of(b, commit), Committed: of(b, commit), Next: of(b, commit),
		CachedMin: snapshot.NA[int64](), CachedMax: snapshot.NA[int64](),
		Count: of(b, 0), Bytes: of(b, int64(0)), Span: of(b, int64(0)),
		Lag: of(b, int64(0)), InRate: of(b, 0.0), OutRate: of(b, 0.0), LagSlope: of(b, 0.0),
		Task:      snapshot.Task{ID: uint64(id) + 1, State: snapshot.TaskParked, Since: b.at.Add(-4200 * time.Millisecond)},
		LastPull:  of(b, snapshot.Pull{At: b.at.Add(-4200 * time.Millisecond), Status: "NO_NEW_MSG", Offset: commit, Next: commit, Took: 15 * time.Second, Held: true}),
		LastTaken: of(b, b.at.Add(-8*time.Second)), LastFound: of(b, b.at.Add(-9*time.Second)),
		RoundTrip: snapshot.Latency{N: 412, HeldN: 90, P50: 2 * time.Millisecond, P99: 3200 * time.Microsecond, Max: 9 * time.Millisecond, Enough: true},
		Found:     uint64(commit / 100), Mark: snapshot.MarkOK,
	}
	return q
}

// stuck is the queue of the wireframes: 20 messages in listeners, the span limit tripped.
func (b *builder) stuck(topic string) (snapshot.Queue, snapshot.Window, snapshot.History) {
	q := b.queue(topic, "broker-a", 3, 1_229_411)
	q.Min, q.Max, q.Next = of(b, int64(1_204_880)), of(b, int64(1_236_900)), of(b, int64(1_231_416))
	q.CachedMin, q.CachedMax = of(b, int64(1_229_411)), of(b, int64(1_231_415))
	q.Count, q.Bytes, q.Span, q.InListener = of(b, 37), of(b, int64(412_000)), of(b, int64(2004)), 20
	q.Lag, q.InRate, q.OutRate, q.LagSlope = of(b, int64(7489)), of(b, 29.0), of(b, 0.0), of(b, 29.0)
	q.Flow = snapshot.Flow{Cause: "flow:span", Since: b.at.Add(-3*time.Minute - 9*time.Second), PutBacks: 3780}
	q.Task = snapshot.Task{ID: 3, State: snapshot.TaskDelayed, Due: Now().Add(31 * time.Millisecond), Cause: "flow:span", Since: b.at.Add(-19 * time.Millisecond)}
	q.LastPull = of(b, snapshot.Pull{At: b.at.Add(-189 * time.Second), Status: "FOUND", Offset: 1_231_384, Next: 1_231_416, Count: 32, Took: 12 * time.Millisecond})
	q.LastTaken = of(b, b.at.Add(-258*time.Second))
	q.LastFound = of(b, b.at.Add(-189*time.Second))
	q.RoundTrip = snapshot.Latency{N: 640, P50: 4 * time.Millisecond, P99: 12 * time.Millisecond, Max: 44 * time.Millisecond, Enough: true}
	q.Found, q.Filtered = 1980, 25
	q.Mark, q.Note = snapshot.MarkBad, "no listener returned for 4m18s"
	w := snapshot.Window{Runs: []snapshot.Run{
		{From: 1_229_411, To: 1_229_411, State: snapshot.Consuming},
		{From: 1_229_412, To: 1_229_650, State: snapshot.Done},
		{From: 1_229_651, To: 1_229_651, State: snapshot.Consuming},
		{From: 1_229_652, To: 1_229_999, State: snapshot.Done},
		{From: 1_230_000, To: 1_230_012, State: snapshot.Gap},
		{From: 1_230_013, To: 1_230_730, State: snapshot.Done},
		{From: 1_230_731, To: 1_230_731, State: snapshot.Consuming},
		{From: 1_230_732, To: 1_231_096, State: snapshot.Done},
		{From: 1_231_097, To: 1_231_097, State: snapshot.Retry},
		{From: 1_231_098, To: 1_231_369, State: snapshot.Done},
		{From: 1_231_370, To: 1_231_381, State: snapshot.Gap},
		{From: 1_231_382, To: 1_231_398, State: snapshot.Consuming},
		{From: 1_231_399, To: 1_231_415, State: snapshot.Waiting},
	}}
	started := b.at.Add(-258 * time.Second)
	w.Meta = []snapshot.Message{
		{Offset: 1_229_411, State: snapshot.Consuming, Tag: "PAID", Keys: "ord-88123", ID: "7F0000011A2B18B4AAC27D0A1B2C0001", Topic: topic, BodySize: 1229, Stored: b.at.Add(-300 * time.Second), Started: started},
		{Offset: 1_229_651, State: snapshot.Consuming, Tag: "PAID", Keys: "ord-88140", Topic: topic, BodySize: 1188, Stored: b.at.Add(-299 * time.Second), Started: started.Add(time.Second)},
		{Offset: 1_231_097, State: snapshot.Retry, Tag: "PAID", Keys: "ord-88170", Topic: topic, BodySize: 3_250_585, Reconsume: 2, Stored: b.at.Add(-190 * time.Second)},
		{Offset: 1_231_399, State: snapshot.Waiting, Tag: "REFUND", Keys: "ord-88201", Topic: topic, BodySize: 910, Stored: b.at.Add(-189 * time.Second)},
	}
	h := snapshot.History{Step: 5 * time.Second}
	for i := range 120 {
		stuck := i >= 68
		h.Count = append(h.Count, float64(20+i%7*3+boolTo(stuck, 12)))
		h.Lag = append(h.Lag, float64(40+i%5)+math.Max(float64(i-68), 0)*145)
		commit, lat := 28+float64(i%6), 6+float64(i%4)
		if stuck {
			commit = 0
		}
		if i > 88 {
			lat = math.NaN()
		}
		h.Commit, h.Latency = append(h.Commit, commit), append(h.Latency, lat)
	}
	return q, w, h
}

func boolTo(b bool, n int) int {
	if b {
		return n
	}
	return 0
}

// base is a consumer of two brokers, without queues.
func (b *builder) base() *snapshot.Snapshot {
	up := func(name string, in, out float64, p99 time.Duration) snapshot.Broker {
		return snapshot.Broker{
			Name: name, Addr: "10.0.0.21:10911", Master: true, Version: of(b, int32(475)), Up: true,
			InRate: of(b, in), OutRate: of(b, out), LastHeartbeat: of(b, b.at.Add(-11*time.Second)),
			RoundTrip: snapshot.Latency{N: 1800, HeldN: 200, P50: 4 * time.Millisecond, P99: p99, Max: 2 * p99, Enough: true},
		}
	}
	return &snapshot.Snapshot{
		Seq: b.seq, At: b.at, Wall: b.at,
		Source: snapshot.Source{Kind: snapshot.Live, Name: "prod-sh", State: snapshot.Running},
		Mode:   snapshot.Mode{Driving: true},
		Cluster: snapshot.Cluster{
			NameServers: []snapshot.Endpoint{{Addr: "10.0.0.12:9876", Up: true, InUse: true}, {Addr: "10.0.0.13:9876", Up: true}},
			Brokers:     []snapshot.Broker{up("broker-a", 4100, 4200, 12*time.Millisecond), up("broker-b", 3800, 4000, 1900*time.Millisecond)},
		},
		Group: snapshot.Group{
			Name: "order-svc", ClientID: "10.1.0.7@3312", Strategy: "AVG", Version: "V5_3_2",
			Limits: snapshot.Limits{
				CountPerQueue: 1000, MiBPerQueue: 100, Span: 2000, PullBatch: 32, ConsumeBatch: 1, MaxReconsume: 16,
				ConsumeTimeout: 15 * time.Minute, PersistInterval: 5 * time.Second,
			},
			Threads: snapshot.Threads{
				Busy: 20, Max: 20, Oldest: 258 * time.Second, OldestAt: 1_229_411, TasksQueue: 17,
			},
			Subscriptions: []snapshot.Subscription{{Topic: "order-created", Expression: "PAID || REFUND", Queues: of(b, 8)}, {Topic: "%RETRY%order-svc", Expression: "*", Queues: of(b, 1)}},
			LastRebalance: of(b, b.at.Add(-138*time.Second)), RebalanceNote: "kept 13 queues, 4 members",
		},
		MembersKnown: of(b, 4),
		Members: []snapshot.Member{
			{ID: "10.1.0.10@55", Queues: of(b, 4), Cached: snapshot.UnknownBecause[int]("known of ourselves only"), Lag: snapshot.UnknownBecause[int64]("known of ourselves only")},
			{ID: "10.1.0.11@9", Queues: of(b, 4), Cached: snapshot.UnknownBecause[int]("known of ourselves only"), Lag: snapshot.UnknownBecause[int64]("known of ourselves only")},
			{ID: "10.1.0.7@3312", Me: true, Queues: of(b, 13), Cached: of(b, 1075), Lag: of(b, int64(1_208_790))},
			{ID: "10.1.0.9@871", Queues: of(b, 4), Cached: snapshot.UnknownBecause[int]("known of ourselves only"), Lag: snapshot.UnknownBecause[int64]("known of ourselves only")},
		},
		Windows: map[snapshot.MessageQueue]snapshot.Window{}, Histories: map[snapshot.MessageQueue]snapshot.History{},
		Counters: snapshot.Counters{Pulls: 184_211, PullsFailed: 12, Received: 1_980_442, Consumed: 1_979_367, SentBack: 318, Filtered: 2210, Commits: 4012, Duplicates: 3},
	}
}

// Focus is the queue that detail screens show of a fixed snapshot: its most interesting one.
func Focus(s *snapshot.Snapshot) snapshot.MessageQueue {
	if s == nil || len(s.Queues) == 0 {
		return snapshot.MessageQueue{Topic: "order-created", BrokerName: "broker-a", QueueID: 3}
	}
	for _, q := range s.Queues {
		if _, ok := s.Windows[q.ID]; ok {
			return q.ID
		}
	}
	return s.Queues[0].ID
}

// Normal is a consumer at work with one queue stuck and one behind.
func Normal() *snapshot.Snapshot {
	b := &builder{at: Now().Add(-400 * time.Millisecond), seq: 18244}
	return b.normal("order-created", "pay")
}

func (b *builder) normal(topic, second string) *snapshot.Snapshot {
	s := b.base()
	stuck, w, h := b.stuck(topic)
	s.Group.Threads.OldestOn = stuck.ID
	for id := range int32(8) {
		broker := "broker-a"
		if id >= 6 {
			broker = "broker-b"
		}
		q := b.queue(topic, broker, id, 8_000_004+int64(id)*310_117)
		switch id {
		case 3:
			q = stuck
		case 4:
			q.Max, q.Next = of(b, q.Committed.V+1_201_301), of(b, q.Committed.V+1001)
			q.Lag, q.Count, q.Bytes, q.Span = of(b, int64(1_201_301)), of(b, 1001), of(b, int64(44_040_192)), of(b, int64(1000))
			q.InRate, q.OutRate, q.LagSlope = of(b, 812.0), of(b, 892.0), of(b, -80.0)
			q.Flow = snapshot.Flow{Cause: "flow:count", Since: b.at.Add(-12 * time.Second), PutBacks: 211}
			q.Task = snapshot.Task{ID: 4, State: snapshot.TaskDelayed, Due: Now().Add(20 * time.Millisecond), Cause: "flow:count"}
			q.Mark, q.Note = snapshot.MarkWarn, "more than 1,000 messages cached"
		case 5:
			q.Max = of(b, q.Committed.V+120)
			q.Lag, q.Count, q.Bytes, q.Span = of(b, int64(120)), of(b, 32), of(b, int64(38_912)), of(b, int64(31))
			q.Next = of(b, q.Committed.V+32)
			q.InRate, q.OutRate, q.LagSlope = of(b, 210.0), of(b, 204.0), of(b, 6.0)
			q.Task = snapshot.Task{ID: 5, State: snapshot.TaskRunning, Since: b.at.Add(-3 * time.Millisecond)}
			q.Mark, q.Note = snapshot.MarkWatch, "lag grows"
		}
		s.Queues = append(s.Queues, q)
	}
	for id := range int32(4) {
		s.Queues = append(s.Queues, b.queue(second, "broker-b", id, 77_120_993+int64(id)))
	}
	retry := b.queue("%RETRY%order-svc", "broker-b", 0, 4012)
	s.Queues = append([]snapshot.Queue{retry}, s.Queues...)
	s.Topics = []snapshot.Topic{
		{Name: "%RETRY%order-svc", Queues: 1, All: of(b, 1), Lag: of(b, int64(0)), InRate: of(b, 0.0), OutRate: of(b, 0.0), LagTrend: make([]float64, 12), Worst: snapshot.MarkOK},
		{Name: topic, Queues: 8, All: of(b, 20), Lag: of(b, int64(1_208_910)), InRate: of(b, 1051.0), OutRate: of(b, 1096.0), LagTrend: ramp(12, 1.1e6, 1.2e6), Worst: snapshot.MarkBad},
		{Name: second, Queues: 4, All: of(b, 8), Lag: of(b, int64(0)), InRate: of(b, 0.0), OutRate: of(b, 0.0), LagTrend: make([]float64, 12), Worst: snapshot.MarkOK},
	}
	s.Windows[stuck.ID], s.Histories[stuck.ID] = w, h
	s.Events = b.events(stuck.ID, s.Queues[len(s.Queues)-1].ID)
	return s
}

func ramp(n int, from, to float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = from + (to-from)*float64(i)/float64(n-1)
	}
	return out
}

func (b *builder) events(stuck, other snapshot.MessageQueue) snapshot.Events {
	type e = snapshot.Entry
	at := func(d time.Duration) time.Time { return b.at.Add(-d) }
	list := []e{
		{At: at(280 * time.Second), Level: snapshot.Info, Source: "engine", What: "consumer started, client id 10.1.0.7@3312", Count: 1},
		{At: at(279 * time.Second), Level: snapshot.Info, Source: "remote", Where: "broker-a", What: "connected to 10.0.0.21:10911", Count: 1},
		{At: at(261 * time.Second), Level: snapshot.Info, Source: "rebalance", What: "kept 13 queues (AVG, 4 members)", Count: 1},
		{At: at(259 * time.Second), Level: snapshot.Debug, Source: "offset", Queue: stuck, What: "commit 1229411", Count: 1},
		{At: at(258 * time.Second), Level: snapshot.Debug, Source: "consume", Queue: stuck, What: "1229411 given to listener thread 7", Count: 1},
		{At: at(200 * time.Second), Level: snapshot.Debug, Source: "pull", Queue: other, What: "NO_NEW_MSG held 15s", Count: 12},
		{At: at(189 * time.Second), Level: snapshot.Debug, Source: "pull", Queue: stuck, What: "FOUND 32 msgs next 1231416 rt 12ms", Count: 1},
		{At: at(188 * time.Second), Level: snapshot.Warn, Source: "consume", Queue: stuck, What: "all 20 threads are in the listener", Count: 1},
		{At: at(120 * time.Second), Level: snapshot.Error, Source: "remote", Where: "broker-b", What: "timeout after 30s, opaque 8812, retry in 3s", Count: 1},
		{At: at(117 * time.Second), Level: snapshot.Info, Source: "remote", Where: "broker-b", What: "connected to 10.0.0.22:10911", Count: 1},
		{At: at(12 * time.Second), Level: snapshot.Info, Source: "engine", What: "theme set to deuteranopia", Count: 1},
		{At: at(0), Level: snapshot.Warn, Source: "flow", Queue: stuck, What: "span 2004 > 2000, put back 50ms", Count: 3780},
	}
	for i := range list {
		list[i].Seq = uint64(9000 + i)
	}
	return snapshot.Events{Entries: list}
}

// Empty is a consumer that runs and has nothing yet.
func Empty() *snapshot.Snapshot {
	b := &builder{at: Now().Add(-100 * time.Millisecond), seq: 3}
	s := b.base()
	s.Members, s.Topics, s.Queues = nil, nil, nil
	s.MembersKnown = of(b, 0)
	s.Cluster.Brokers = nil
	s.Counters = snapshot.Counters{}
	s.Group.Threads = snapshot.Threads{Max: 20}
	s.Group.LastRebalance = snapshot.UnknownBecause[time.Time]("no pass yet")
	s.Group.RebalanceNote = ""
	return s
}

// Partial misses what could not be read.
func Partial() *snapshot.Snapshot {
	s := Normal()
	s.MembersKnown = snapshot.UnknownBecause[int]("broker-b does not answer")
	s.Members = s.Members[:1]
	s.Cluster.Brokers[1].Up, s.Cluster.Brokers[1].Err = false, "dial 10.0.0.22:10911: connection refused"
	s.Cluster.Brokers[1].RetryAt = Now().Add(2300 * time.Millisecond)
	s.Cluster.Brokers[1].InRate = snapshot.UnknownBecause[float64]("broker-b does not answer")
	s.Cluster.Brokers[1].OutRate = snapshot.UnknownBecause[float64]("broker-b does not answer")
	s.Cluster.Brokers[1].RoundTrip = snapshot.Latency{N: 3}
	for i := range s.Queues {
		if q := &s.Queues[i]; q.ID.BrokerName == "broker-b" {
			why := "broker-b does not answer"
			q.Min, q.Max = snapshot.UnknownBecause[int64](why), snapshot.UnknownBecause[int64](why)
			q.Lag, q.InRate = snapshot.UnknownBecause[int64](why), snapshot.UnknownBecause[float64](why)
			q.LagSlope = snapshot.UnknownBecause[float64](why)
			q.RoundTrip = snapshot.Latency{N: 4}
			q.Mark, q.Note, q.LastError = snapshot.MarkUnknown, why, "dial 10.0.0.22:10911: connection refused"
		}
		if q := &s.Queues[i]; q.ID == Focus(s) {
			q.Max = snapshot.UnknownBecause[int64]("no answer in 3s")
			q.Lag = snapshot.UnknownBecause[int64]("no answer in 3s")
		}
	}
	for i := range s.Topics {
		s.Topics[i].LagMissing = 1 + i
	}
	s.Topics[2].Lag = snapshot.UnknownBecause[int64]("broker-b does not answer")
	s.Topics[2].Worst = snapshot.MarkUnknown
	return s
}

// Stale is a picture that was not renewed for 41 seconds.
func Stale() *snapshot.Snapshot {
	b := &builder{at: Now().Add(-41 * time.Second), seq: 18110}
	s := b.normal("order-created", "pay")
	for i := range s.Queues {
		q := &s.Queues[i]
		for _, v := range []*snapshot.Val[int64]{&q.Min, &q.Max, &q.Committed, &q.Next, &q.Lag, &q.Bytes, &q.Span} {
			*v = v.Aged(Now(), 5*time.Second)
		}
		q.Count, q.InRate, q.OutRate = q.Count.Aged(Now(), 5*time.Second), q.InRate.Aged(Now(), 5*time.Second), q.OutRate.Aged(Now(), 5*time.Second)
		q.LagSlope = q.LagSlope.Aged(Now(), 5*time.Second)
		if q.Mark == snapshot.MarkOK {
			q.Mark, q.Note = snapshot.MarkStale, "41s old"
		}
	}
	for i := range s.Topics {
		s.Topics[i].Lag = s.Topics[i].Lag.Aged(Now(), 5*time.Second)
	}
	return s
}

// Failing is a source that lost its name servers but works on with what it has.
func Failing() *snapshot.Snapshot {
	s := Stale()
	s.Source.State = snapshot.Failing
	s.Source.Err = "ask name server 10.0.0.12:9876 for the route of order-created: dial: connection refused"
	s.Source.RetryAt = Now().Add(2800 * time.Millisecond)
	s.Cluster.NameServers[0].Up = false
	return s
}

// Huge has numbers at the ends of their ranges and names that do not fit.
func Huge() *snapshot.Snapshot {
	b := &builder{at: Now().Add(-400 * time.Millisecond), seq: math.MaxUint32}
	s := b.normal("a-topic-with-a-very-long-name-that-a-team-agreed-on-in-a-meeting-and-nobody-dares-to-change-now", "pay")
	const top = math.MaxInt64
	for i := range s.Queues {
		q := &s.Queues[i]
		if i%2 == 0 && q.ID != Focus(s) {
			continue
		}
		q.Min, q.Committed, q.Next, q.Max = of(b, int64(0)), of(b, int64(top-9_000_000)), of(b, int64(top-8_997_996)), of(b, int64(top))
		q.Lag, q.Count, q.Bytes = of(b, int64(9_000_000_000_000)), of(b, 65535), of(b, int64(1<<40))
		q.InRate, q.OutRate, q.LagSlope = of(b, 1.2e7), of(b, 3.4e6), of(b, 8.6e6)
		q.Flow.PutBacks = math.MaxUint64
		q.RoundTrip.P99 = 300 * time.Hour
	}
	s.Queues[1].Lag = of(b, int64(-123))
	s.Group.Name = "group-" + fmt.Sprintf("%0100d", 7)
	s.Counters = snapshot.Counters{Pulls: math.MaxUint64, Received: math.MaxUint64, Consumed: math.MaxInt64, SentBack: 1 << 40}
	s.Topics[1].Lag = of(b, int64(math.MaxInt64))
	s.Group.Threads.Oldest = 900 * time.Hour
	return s
}

// CJK has names two cells wide.
func CJK() *snapshot.Snapshot {
	b := &builder{at: Now().Add(-400 * time.Millisecond), seq: 18244}
	s := b.normal("订单-created", "支付结果通知-主题")
	s.Source.Name, s.Group.Name = "生产-上海", "订单服务"
	w := s.Windows[Focus(s)]
	w.Meta[0].Tag, w.Meta[0].Keys = "已支付", "订单-88123"
	s.Queues[2].Note = "监听器没有返回"
	s.Events.Entries[7].What = "所有 20 个线程都在监听器里"
	return s
}

// Payloads are texts that must not act on a terminal (known-faults.md P48).
func Payloads() []string {
	return []string{
		"\x1b[31mRED\x1b[0m", "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x1b\\", "\x1b[2J\x1b[H", "\x1b[6n", "\x1bPq#0\x1b\\",
		"\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x9b31mC1", "\u009b6n", "\u009d52;c;eA==\u009c", "line\r\nover\rwritten",
		"bell\abs\b\x7f", "nul\x00tab\tend", "bidi \u202eevil\u202c \u2066x\u2069", "zero\u200bwidth\u200d\ufeff", "tag \U000e0041\U000e0042",
		"vs\ufe0f\ufe0e", "zalgo e\u0301\u0302\u0303\u0304\u0305\u0306", "bad \xff\xfe\xc3", "half \xf0\x9f\x91", "private \ue000 \U000f0000",
		"\u0301leading mark", "unterminated \x1b]0;", "👩\u200d👩\u200d👧", "e\u0301", "\u3164\u115f", "\ud7ff\u0600x",
	}
}

// Hostile has such a text in every field that comes from outside.
func Hostile() *snapshot.Snapshot {
	p := Payloads()
	n := 0
	next := func() string { n++; return p[n%len(p)] }
	b := &builder{at: Now().Add(-400 * time.Millisecond), seq: 18244}
	s := b.normal("evil\x1b[31m\u202e-topic", "tab\there\nnow")
	s.Source.Name, s.Source.Err, s.Source.State = next(), next(), snapshot.Failing
	s.Group.Name, s.Group.Strategy, s.Group.Version, s.Group.RebalanceNote = next(), next(), next(), next()
	s.Group.ClientID = next()
	s.Cluster.NameServers[0].Addr, s.Cluster.NameServers[0].Err = next(), next()
	for i := range s.Cluster.Brokers {
		br := &s.Cluster.Brokers[i]
		br.Addr, br.Err, br.Name = next(), next(), br.Name+next()
	}
	for i := range s.Members {
		s.Members[i].ID = next()
	}
	for i := range s.Topics {
		s.Topics[i].Name = next()
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		q.Note, q.LastError = next(), next()
		q.Owner = of(b, next())
		q.Flow.Cause += "\x1b[5m"
		q.LastPull.V.Status = next()
	}
	w := s.Windows[Focus(s)]
	for i := range w.Meta {
		w.Meta[i].Tag, w.Meta[i].Keys, w.Meta[i].ID = next(), next(), next()
	}
	for i := range s.Events.Entries {
		e := &s.Events.Entries[i]
		e.What, e.Where, e.Source = next(), next(), e.Source+next()
	}
	return s
}
