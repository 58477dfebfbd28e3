package viewtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"mqscope/engine/snapshot"
)

// Random is any snapshot that an engine could make and many that none would: values in all
// states, texts that attack terminals, numbers at the ends of their ranges.
func Random(rng *rand.Rand) *snapshot.Snapshot {
	r := &dice{rng}
	s := &snapshot.Snapshot{Seq: r.rng.Uint64(), At: r.time(), Wall: r.time()}
	s.Source = snapshot.Source{
		Kind: snapshot.SourceKind(r.n(2)), Name: r.text(), State: snapshot.SourceState(r.n(5)), Err: r.maybe(), RetryAt: r.time(),
	}
	s.Mode = snapshot.Mode{Paused: r.yes(), Driving: r.yes(), ReadOnly: r.yes()}
	for range r.n(3) {
		s.Cluster.NameServers = append(s.Cluster.NameServers, snapshot.Endpoint{Addr: r.text(), Up: r.yes(), Err: r.maybe(), InUse: r.yes()})
	}
	for range r.n(5) {
		s.Cluster.Brokers = append(s.Cluster.Brokers, snapshot.Broker{
			Name: r.text(), Addr: r.text(), Master: r.yes(), Up: r.yes(), Err: r.maybe(), RetryAt: r.time(),
			InRate: val(r, r.float()), OutRate: val(r, r.float()), RoundTrip: r.latency(),
		})
	}
	s.Group = snapshot.Group{
		Name: r.text(), ClientID: r.text(), Strategy: r.text(), Version: r.text(), RebalanceNote: r.maybe(),
		Limits: snapshot.Limits{
			CountPerQueue: r.small(), MiBPerQueue: r.small(), Span: r.small(), PullBatch: r.small(), ConsumeBatch: r.small(),
			MaxReconsume: r.small(), ConsumeTimeout: r.duration(),
		},
		Threads:       snapshot.Threads{Busy: r.small(), Max: r.small(), Oldest: r.duration(), OldestAt: r.int(), OldestOn: r.queueID(), TasksQueue: r.small()},
		LastRebalance: val(r, r.time()),
	}
	for range r.n(4) {
		s.Group.Subscriptions = append(s.Group.Subscriptions, snapshot.Subscription{Topic: r.text(), Expression: r.text()})
	}
	s.MembersKnown = val(r, r.small())
	for range r.n(8) {
		s.Members = append(s.Members, snapshot.Member{ID: r.text(), Me: r.yes(), Queues: val(r, r.small()), Cached: val(r, r.small()), Lag: val(r, r.int()), Differs: r.differences()})
	}
	for range r.n(12) {
		s.Topics = append(s.Topics, snapshot.Topic{
			Name: r.text(), Queues: r.small(), All: val(r, r.small()), Lag: val(r, r.int()), LagMissing: r.n(3), InRate: val(r, r.float()),
			OutRate: val(r, r.float()), LagTrend: r.samples(12), Worst: snapshot.Mark(r.n(6)),
			AllottedBy: []string{"", "AVG", "broker", "all"}[r.n(4)], AllotNote: r.text(),
		})
	}
	s.Windows, s.Histories = map[snapshot.MessageQueue]snapshot.Window{}, map[snapshot.MessageQueue]snapshot.History{}
	seen := map[snapshot.MessageQueue]bool{}
	for range r.n(60) {
		q := r.queue()
		if seen[q.ID] {
			continue
		}
		seen[q.ID] = true
		s.Queues = append(s.Queues, q)
		if r.yes() {
			s.Windows[q.ID] = r.window()
			s.Histories[q.ID] = snapshot.History{Step: 5 * time.Second, Count: r.samples(120), Lag: r.samples(120), Commit: r.samples(120), Latency: r.samples(120)}
		}
	}
	slices.SortFunc(s.Queues, func(a, b snapshot.Queue) int { return a.ID.Compare(b.ID) })
	s.Counters = snapshot.Counters{Pulls: r.rng.Uint64(), Received: r.rng.Uint64(), Consumed: uint64(r.small())}
	seq := uint64(1 + r.n(1000))
	for range r.n(80) {
		seq += uint64(1 + r.n(3))
		e := snapshot.Entry{Seq: seq, At: r.time(), Source: r.text(), Where: r.maybe(), What: r.text(), Count: r.small()}
		e.Level = [...]snapshot.Entry{{Level: snapshot.Debug}, {Level: snapshot.Info}, {Level: snapshot.Warn}, {Level: snapshot.Error}}[r.n(4)].Level
		if r.yes() && len(s.Queues) > 0 {
			e.Queue = s.Queues[r.n(len(s.Queues))].ID
		}
		s.Events.Entries = append(s.Events.Entries, e)
	}
	s.Events.Dropped = uint64(r.n(2)) * r.rng.Uint64()
	r.locks(s)
	r.pulls(s)
	r.plans(s)
	r.sched(s)
	r.outside(s)
	return s
}

type dice struct{ rng *rand.Rand }

func (r *dice) n(n int) int { return r.rng.IntN(n) }
func (r *dice) yes() bool   { return r.rng.IntN(2) == 0 }

func (r *dice) small() int {
	return [...]int{0, 1, 7, 32, 999, 1000, 1001, 65535, math.MaxInt32, r.rng.IntN(100_000)}[r.n(10)]
}

func (r *dice) int() int64 {
	switch r.n(6) {
	case 0:
		return [...]int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1}[r.n(6)]
	case 1:
		return r.rng.Int64()
	case 2:
		return -r.rng.Int64N(10_000)
	}
	return r.rng.Int64N(10_000_000)
}

func (r *dice) float() float64 {
	return [...]float64{0, 1, -1, 29, 0.3, 1e7, -4e9, 1e300, math.NaN(), math.Inf(1), math.Inf(-1), r.rng.Float64() * 1000}[r.n(12)]
}

func (r *dice) duration() time.Duration {
	return time.Duration(r.rng.Int64N(int64(1) << (1 + r.n(62))))
}

func (r *dice) time() time.Time {
	switch r.n(4) {
	case 0:
		return time.Time{}
	case 1:
		return Now().Add(r.duration())
	}
	return Now().Add(-r.duration())
}

func (r *dice) text() string {
	p := Payloads()
	switch r.n(6) {
	case 0:
		return p[r.n(len(p))]
	case 1:
		return "topic-" + strconv.Itoa(r.n(5))
	case 2:
		return "订单-创建-" + strconv.Itoa(r.n(5))
	case 3:
		return p[r.n(len(p))] + p[r.n(len(p))] + p[r.n(len(p))]
	case 4:
		b := make([]byte, r.n(40))
		for i := range b {
			b[i] = byte(r.rng.Uint32())
		}
		return string(b)
	}
	return ""
}

func (r *dice) maybe() string {
	if r.yes() {
		return ""
	}
	return r.text()
}

func val[T any](r *dice, v T) snapshot.Val[T] {
	return snapshot.Val[T]{V: v, State: snapshot.State(r.n(4)), At: r.time(), Reason: r.maybe()}
}

func (r *dice) latency() snapshot.Latency {
	return snapshot.Latency{N: uint64(r.small()), P50: r.duration(), P99: r.duration(), Max: r.duration(), Enough: r.yes()}
}

func (r *dice) samples(most int) []float64 {
	out := make([]float64, r.n(most+1))
	for i := range out {
		out[i] = r.float()
	}
	return out
}

func (r *dice) queueID() snapshot.MessageQueue {
	return snapshot.MessageQueue{Topic: r.text(), BrokerName: r.text(), QueueID: int32(r.n(16))}
}

func (r *dice) queue() snapshot.Queue {
	q := snapshot.Queue{
		ID: r.queueID(), Owner: val(r, r.text()), Mine: r.yes(), State: snapshot.QueueState(r.n(5)),
		Min: val(r, r.int()), Max: val(r, r.int()), Committed: val(r, r.int()), Next: val(r, r.int()),
		CachedMin: val(r, r.int()), CachedMax: val(r, r.int()), Count: val(r, r.small()), Bytes: val(r, r.int()), Span: val(r, r.int()),
		Lag: val(r, r.int()), InRate: val(r, r.float()), OutRate: val(r, r.float()), LagSlope: val(r, r.float()),
		Task:     snapshot.Task{ID: r.rng.Uint64(), State: snapshot.TaskState(r.n(5)), Due: r.time(), Since: r.time()},
		LastPull: val(r, snapshot.Pull{At: r.time(), Status: r.text(), Count: r.small(), Took: r.duration(), Held: r.yes()}), LastTaken: val(r, r.time()),
		LastFound: val(r, r.time()), RoundTrip: r.latency(), Found: uint64(r.small()), Failures: uint64(r.small()), LastError: r.maybe(),
		Mark: snapshot.Mark(r.n(6)), Note: r.maybe(), Unread: r.n(9) == 0,
	}
	if r.yes() {
		q.Min.V, q.Committed.V, q.Next.V, q.Max.V = 10, 10+int64(r.n(100)), 200+int64(r.n(100)), 400
	}
	if r.yes() {
		q.Flow = snapshot.Flow{Cause: snapshot.Cause(r.text()), Since: r.time(), PutBacks: r.rng.Uint64()}
		q.Task.Cause = q.Flow.Cause
	}
	return q
}

func (r *dice) window() (w snapshot.Window) {
	at := r.int()
	for range r.n(40) {
		size := int64(r.n(300))
		if r.n(10) == 0 {
			size = r.rng.Int64()
		}
		if at > math.MaxInt64-size-10 {
			break
		}
		w.Runs = append(w.Runs, snapshot.Run{From: at, To: at + size, State: snapshot.MessageState(r.n(5))})
		if r.yes() {
			w.Meta = append(w.Meta, snapshot.Message{
				Offset: at, State: snapshot.MessageState(r.n(5)), Tag: r.text(), Keys: r.text(), BodySize: r.small(), Reconsume: int32(r.n(17)),
				Stored: r.time(), Started: r.time(),
			})
		}
		at += size + 1 + int64(r.n(3))
	}
	return w
}

// Many is a consumer with n queues, as benchmarks and limits need it.
func Many(n int, seq uint64) *snapshot.Snapshot {
	b := &builder{at: Now().Add(-400 * time.Millisecond), seq: seq}
	s := b.normal("order-created", "pay")
	rng := rand.New(rand.NewPCG(7, seq))
	for i := len(s.Queues); i < n; i++ {
		q := b.queue("topic-"+strconv.Itoa(i/512), "broker-"+string(rune('a'+i%8)), int32(i), 1_000_000+int64(i))
		lag := rng.Int64N(2_000_000)
		q.Lag, q.Max = of(b, lag), of(b, q.Committed.V+lag)
		q.Mark = snapshot.Mark(rng.IntN(3))
		q.Note = "lag grows"
		s.Queues = append(s.Queues, q)
	}
	slices.SortFunc(s.Queues, func(a, b snapshot.Queue) int { return a.ID.Compare(b.ID) })
	return s
}
