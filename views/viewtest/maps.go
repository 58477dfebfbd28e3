package viewtest

import (
	"math/rand/v2"
	"slices"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Cached is a consumer whose queues hold different amounts.
func Cached(s *snapshot.Snapshot) *snapshot.Snapshot {
	b := &builder{at: s.At}
	for i := range s.Queues {
		q := &s.Queues[i]
		kib := [...]int64{0, 640, 420, 95, 900, 42 << 10, 512, 9600, 320, 29_900, 12_200, 4_400, 880}[i%13]
		q.Bytes, q.Count = of(b, kib<<10), of(b, int(kib/9))
		if q.Lag.OK() && q.Lag.V == 0 && i%3 > 0 {
			q.Lag = of(b, int64(i*i*37))
		}
	}
	return s
}

// MapCases are the situations of the Map screen.
func MapCases(bySizeOfLag, byFlow, byTopic, byOwner, byAge, byLock []views.Event) []ScreenCase {
	partial := Cached(Partial())
	for i := range partial.Queues {
		if q := &partial.Queues[i]; q.ID.BrokerName == "broker-b" && i%2 == 0 {
			q.Bytes, q.Count = snapshot.UnknownBecause[int64]("broker-b does not answer"), snapshot.UnknownBecause[int]("broker-b does not answer")
		}
	}
	stale := Cached(Stale())
	for i := range stale.Queues {
		q := &stale.Queues[i]
		q.Bytes.State, q.Count.State, q.Lag.State = snapshot.Stale, snapshot.Stale, snapshot.Stale
	}
	one := Normal()
	for i := range one.Queues {
		q := &one.Queues[i]
		q.Bytes = of(&builder{at: one.At}, int64(i)*900)
		if q.ID.QueueID == 4 && q.ID.Topic == "order-created" {
			q.Bytes.V = 99 << 20
		}
	}
	nothing := Normal()
	for i := range nothing.Queues {
		q := &nothing.Queues[i]
		q.Bytes, q.Count, q.Lag = of(&builder{at: nothing.At}, int64(0)), of(&builder{at: nothing.At}, 0), of(&builder{at: nothing.At}, int64(0))
	}
	cases := Screens(
		Case{Name: "normal", Snap: Cached(Normal())},
		Case{Name: "empty", Snap: Empty()},
		Case{Name: "nothing-cached", Snap: nothing},
		Case{Name: "loading", Waited: time.Second},
		Case{Name: "partial", Snap: partial},
		Case{Name: "stale", Snap: stale},
		Case{Name: "error", Snap: Cached(Failing())},
		Case{Name: "huge", Snap: Huge()},
		Case{Name: "cjk", Snap: Cached(CJK())},
		Case{Name: "hostile", Snap: Cached(Hostile())},
		Case{Name: "one-has-all", Snap: one},
		Case{Name: "many", Snap: ManyCached(1)},
	)
	return append(cases,
		ScreenCase{Case{Name: "by-lag", Snap: Cached(Normal())}, bySizeOfLag},
		ScreenCase{Case{Name: "shade-flow", Snap: Cached(Normal())}, byFlow},
		ScreenCase{Case{Name: "shade-lock", Snap: Cached(Orderly())}, byLock},
		ScreenCase{Case{Name: "shade-age", Snap: Cached(Normal())}, byAge},
		ScreenCase{Case{Name: "by-topic", Snap: Cached(Normal())}, byTopic},
		ScreenCase{Case{Name: "by-owner", Snap: Cached(Normal())}, byOwner},
	)
}

// ManyCached are 4,096 queues that hold messages, on eight brokers.
func ManyCached(seq uint64) *snapshot.Snapshot {
	s := Many(4096, seq)
	b := &builder{at: s.At}
	rng := rand.New(rand.NewPCG(11, seq))
	names := map[string]bool{}
	for i := range s.Queues {
		q := &s.Queues[i]
		q.Bytes = of(b, int64(1)<<rng.IntN(26)+rng.Int64N(1000))
		q.Count = of(b, int(q.Bytes.V>>10))
		names[q.ID.BrokerName] = true
	}
	for _, br := range s.Cluster.Brokers {
		delete(names, br.Name)
	}
	for name := range names {
		br := s.Cluster.Brokers[0]
		br.Name = name
		s.Cluster.Brokers = append(s.Cluster.Brokers, br)
	}
	slices.SortFunc(s.Cluster.Brokers, func(a, b snapshot.Broker) int { return compare(a.Name, b.Name) })
	return s
}
