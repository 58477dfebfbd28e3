package viewtest

import (
	"math"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

const slots = 60

// series is ten minutes of pulls: typical and slowest round trip and number of each slot.
func (b *builder) series(each func(i int) (typical, slow time.Duration, n uint32)) snapshot.Series {
	se := snapshot.Series{Step: 10 * time.Second, Until: b.at.Truncate(10 * time.Second).Add(10 * time.Second), Buckets: make([]uint32, snapshot.BucketsCount)}
	var h snapshot.Histogram
	for i := range slots {
		typical, slow, n := each(i)
		s := snapshot.Slot{}
		if n > 0 {
			few := n/50 + 1
			s.Heat[snapshot.HeatClass(typical)] += n - few
			s.Heat[snapshot.HeatClass(slow)] += few
			s.Max = slow
			for range n - few {
				h.Add(typical)
			}
			for range few {
				h.Add(slow)
			}
			if n >= 20 {
				s.P50, s.P99 = typical, slow
			}
			if slow > se.Total.Max {
				se.Total.Max, se.WorstAt = slow, se.Until.Add(-time.Duration(slots-i)*se.Step+3*time.Second)
			}
		}
		se.Slots = append(se.Slots, s)
	}
	worst := se.WorstAt
	se.Total, se.WorstAt = h.Summary(0), worst
	copy(se.Buckets, h.Buckets[:])
	return se
}

// burst is quick, but slow in the slots from 20 to 40, worst in their middle.
func burst(i int, peak time.Duration) time.Duration {
	ms := 4 + i%3*2
	if i >= 20 && i <= 40 {
		d := max(10-max(i-30, 30-i), 1)
		return min(time.Duration(d*d)*peak/80+time.Duration(ms)*time.Millisecond, peak)
	}
	return time.Duration(ms) * time.Millisecond
}

// pulled adds ten minutes of pulls to s: a slow and a quick broker, and their queues.
func pulled(s *snapshot.Snapshot) *snapshot.Snapshot {
	b := &builder{at: s.At}
	s.BrokerPulls, s.QueuePulls = map[string]snapshot.Series{}, map[snapshot.MessageQueue]snapshot.Series{}
	for i := range s.Cluster.Brokers {
		name := s.Cluster.Brokers[i].Name
		if i%2 == 1 {
			se := b.series(func(i int) (time.Duration, time.Duration, uint32) {
				return burst(i, 40*time.Millisecond), burst(i, 3*time.Second), uint32(280 + i%7*9)
			})
			se.Slots[31].Timeouts, se.Slots[30].Exceptions, se.Slots[33].FlowControl = 4, 1, 2
			for i := range se.Slots {
				se.Slots[i].Held, se.Slots[i].HeldTime = uint32(3+i%4), 15*time.Second
				se.Total.HeldN += uint64(se.Slots[i].Held)
			}
			s.BrokerPulls[name] = se
			continue
		}
		s.BrokerPulls[name] = b.series(func(i int) (time.Duration, time.Duration, uint32) {
			d := time.Duration(2+i%2) * time.Millisecond
			if i%23 == 11 {
				return d, 12 * time.Millisecond, 330
			}
			return d, 4 * time.Millisecond, 330
		})
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		peak := time.Duration(1+i%5) * 500 * time.Millisecond
		if q.ID.BrokerName != s.Cluster.Brokers[len(s.Cluster.Brokers)-1].Name {
			peak = 9 * time.Millisecond
		}
		s.QueuePulls[q.ID] = b.series(func(i int) (time.Duration, time.Duration, uint32) {
			if i < 4 {
				return 0, 0, 0 // it was not ours yet
			}
			return 4 * time.Millisecond, burst(i, peak), uint32(24 + i%5)
		})
		q.RoundTrip = s.QueuePulls[q.ID].Total
	}
	return s
}

// heldOnly is a consumer whose pulls all waited for messages that did not come.
func heldOnly(s *snapshot.Snapshot) *snapshot.Snapshot {
	b := &builder{at: s.At}
	s.BrokerPulls, s.QueuePulls = map[string]snapshot.Series{}, nil
	for i := range s.Cluster.Brokers {
		se := b.series(func(int) (time.Duration, time.Duration, uint32) { return 0, 0, 0 })
		for j := range se.Slots {
			se.Slots[j].Held, se.Slots[j].HeldTime = 4, 15*time.Second
		}
		se.Total.HeldN = 240
		s.BrokerPulls[s.Cluster.Brokers[i].Name] = se
		s.Cluster.Brokers[i].RoundTrip = snapshot.Latency{HeldN: 240}
	}
	for i := range s.Queues {
		s.Queues[i].RoundTrip = snapshot.Latency{HeldN: 20}
	}
	return s
}

// PullCases are the situations of the Latency screen; the names of actions are its own.
func PullCases(open, cursor []views.Event) []ScreenCase {
	partial := pulled(Partial())
	delete(partial.BrokerPulls, "broker-b")
	thin := pulled(Normal())
	for name, se := range thin.BrokerPulls {
		for i := range se.Slots {
			if i%9 != 0 {
				se.Slots[i] = snapshot.Slot{}
			} else {
				se.Slots[i] = snapshot.Slot{Heat: [snapshot.HeatClasses]uint32{1}, Max: 3 * time.Millisecond}
			}
		}
		se.Total = snapshot.Latency{N: 7, Max: 3 * time.Millisecond}
		se.Buckets = nil
		thin.BrokerPulls[name] = se
	}
	cases := Screens(
		Case{Name: "normal", Snap: pulled(Normal())},
		Case{Name: "empty", Snap: Empty()},
		Case{Name: "no-pull", Snap: Normal()},
		Case{Name: "loading", Waited: time.Second},
		Case{Name: "partial", Snap: partial},
		Case{Name: "stale", Snap: pulled(Stale())},
		Case{Name: "error", Snap: pulled(Failing())},
		Case{Name: "huge", Snap: hugePulls()},
		Case{Name: "cjk", Snap: pulled(CJK())},
		Case{Name: "hostile", Snap: pulled(Hostile())},
		Case{Name: "all-holds", Snap: heldOnly(Normal())},
		Case{Name: "few-samples", Snap: thin},
	)
	asked := pulled(Normal())
	asked.QueuePulls = nil
	return append(cases,
		ScreenCase{Case{Name: "expanded", Snap: pulled(Normal())}, open},
		ScreenCase{Case{Name: "expanded-asked", Snap: asked}, open},
		ScreenCase{Case{Name: "expanded-cjk", Snap: pulled(CJK())}, open},
		ScreenCase{Case{Name: "cursor", Snap: pulled(Normal())}, cursor},
	)
}

func hugePulls() *snapshot.Snapshot {
	s := pulled(Huge())
	for name, se := range s.BrokerPulls {
		for i := range se.Slots {
			for c := range se.Slots[i].Heat {
				se.Slots[i].Heat[c] = math.MaxUint32
			}
			se.Slots[i].Timeouts, se.Slots[i].Exceptions, se.Slots[i].FlowControl = math.MaxUint32, math.MaxUint32, math.MaxUint32
			se.Slots[i].P99, se.Slots[i].Max = 900*time.Hour, 90_000*time.Hour
		}
		se.Total = snapshot.Latency{N: math.MaxUint64, HeldN: math.MaxUint64, P50: 3 * time.Hour, P99: 900 * time.Hour, Max: math.MaxInt64, Enough: true}
		s.BrokerPulls[name] = se
	}
	return s
}

// ManyPulls are 4,096 queues with pulls over time of all of them.
func ManyPulls(seq uint64) *snapshot.Snapshot {
	s := Many(4096, seq)
	all := s.Queues
	s.Queues = all[:64]
	pulled(s)
	s.Queues = all
	for i := range all {
		s.QueuePulls[all[i].ID] = s.QueuePulls[all[i%64].ID]
	}
	return s
}

// pulls adds pulls over time to s, with lengths, steps and times that none would have too.
func (r *dice) pulls(s *snapshot.Snapshot) {
	one := func() snapshot.Series {
		se := snapshot.Series{Step: 10 * time.Second, Until: s.At.Truncate(10 * time.Second), Total: r.latency(), WorstAt: r.time()}
		if r.n(6) == 0 {
			se.Step, se.Until = r.duration()-time.Second, r.time()
		}
		for range r.n(70) {
			sl := snapshot.Slot{Held: uint32(r.small()), HeldTime: r.duration(), P50: r.duration(), P99: r.duration(), Max: r.duration(), Timeouts: uint32(r.n(3)), Exceptions: uint32(r.n(2))}
			for c := range sl.Heat {
				sl.Heat[c] = uint32(r.small()) * uint32(r.n(2))
			}
			if r.yes() {
				sl = snapshot.Slot{}
			}
			se.Slots = append(se.Slots, sl)
		}
		if r.yes() {
			for range r.n(snapshot.BucketsCount + 10) {
				se.Buckets = append(se.Buckets, uint32(r.small()))
			}
		}
		return se
	}
	if r.n(5) == 0 {
		return
	}
	s.BrokerPulls, s.QueuePulls = map[string]snapshot.Series{}, map[snapshot.MessageQueue]snapshot.Series{}
	for _, b := range s.Cluster.Brokers {
		if r.n(4) > 0 {
			s.BrokerPulls[b.Name] = one()
		}
	}
	if r.yes() {
		s.BrokerPulls[r.text()] = one()
	}
	for _, q := range s.Queues {
		if r.n(3) == 0 {
			s.QueuePulls[q.ID] = one()
		}
	}
}
