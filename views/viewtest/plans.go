package viewtest

import (
	"math"
	"slices"
	"strconv"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Allot is the planner of made-up snapshots: runs of queues (AVG), or every k-th one
// (AVG_BY_CIRCLE). It is pure.
func Allot(queues []snapshot.MessageQueue, strategy string, members []string) map[snapshot.MessageQueue]string {
	out := map[snapshot.MessageQueue]string{}
	n, k := len(queues), len(members)
	if k == 0 {
		return out
	}
	members = slices.Sorted(slices.Values(members))
	if strategy == "AVG_BY_CIRCLE" {
		for i, q := range queues {
			out[q] = members[i%k]
		}
		return out
	}
	at := 0
	for i, m := range members {
		size := n / k
		if i < n%k {
			size++
		}
		for range size {
			out[queues[at]] = m
			at++
		}
	}
	return out
}

// Planning gives s a planner that starts from the owners in it.
func Planning(s *snapshot.Snapshot) *snapshot.Snapshot {
	s.Strategies = []string{"AVG", "AVG_BY_CIRCLE"}
	s.WhatIf = func(req snapshot.PlanRequest) snapshot.Plan {
		p := snapshot.Plan{Topic: req.Topic, Strategy: req.Strategy}
		if !slices.Contains(s.Strategies, req.Strategy) {
			p.Err = "strategy " + req.Strategy + " is unknown"
			return p
		}
		before, held := map[snapshot.MessageQueue]string{}, map[string]int{}
		for _, q := range s.Queues {
			if q.ID.Topic == req.Topic {
				p.Queues = append(p.Queues, q.ID)
				if q.Owner.OK() {
					before[q.ID] = q.Owner.V
				}
				if q.Mine && q.Count.OK() {
					held[q.Owner.V] += q.Count.V
				}
			}
		}
		after := Allot(p.Queues, req.Strategy, req.Members)
		ids := slices.Clone(req.Members)
		for _, m := range before {
			ids = append(ids, m)
		}
		for _, m := range s.Members {
			ids = append(ids, m.ID)
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			m := snapshot.PlanMember{ID: id}
			was := slices.ContainsFunc(s.Members, func(m snapshot.Member) bool { return m.ID == id })
			is := slices.Contains(req.Members, id)
			m.Joins, m.Leaves = !was && is, was && !is
			for _, q := range p.Queues {
				if before[q] == id {
					m.Before = append(m.Before, q)
					if after[q] != id {
						p.Moves++
						p.MayRepeat += held[id] / max(len(m.Before), 1)
					}
				}
				if after[q] == id {
					m.After = append(m.After, q)
				}
			}
			if is && len(m.After) == 0 {
				p.Idle = append(p.Idle, id)
			}
			p.Members = append(p.Members, m)
		}
		for _, q := range p.Queues {
			if after[q] == "" {
				p.Orphans = append(p.Orphans, q)
			}
		}
		if len(p.Queues) > 0 {
			p.Percent = 100 * float64(p.Moves) / float64(len(p.Queues))
		}
		p.MinBefore, p.MaxBefore = spread(p.Members, true)
		p.MinAfter, p.MaxAfter = spread(p.Members, false)
		return p
	}
	return s
}

func spread(members []snapshot.PlanMember, before bool) (least, most int) {
	least = math.MaxInt
	for _, m := range members {
		if before && m.Joins || !before && m.Leaves {
			continue
		}
		n := len(m.After)
		if before {
			n = len(m.Before)
		}
		least, most = min(least, n), max(most, n)
	}
	return min(least, most), most
}

// Shared is a group whose topic has queues on two brokers, allotted by AVG.
func Shared(topic string, perBroker int) *snapshot.Snapshot {
	b := &builder{at: Now().Add(-400 * time.Millisecond), seq: 18244}
	s := b.base()
	var ids []snapshot.MessageQueue
	for _, broker := range []string{"broker-a", "broker-b"} {
		for i := range perBroker {
			ids = append(ids, snapshot.MessageQueue{Topic: topic, BrokerName: broker, QueueID: int32(i)})
		}
	}
	var members []string
	for _, m := range s.Members {
		members = append(members, m.ID)
	}
	owners := Allot(ids, "AVG", members)
	for i, id := range ids {
		q := b.queue(id.Topic, id.BrokerName, id.QueueID, 1_000_000+int64(i)*999)
		q.Owner = of(b, owners[id])
		if q.Mine = owners[id] == s.Group.ClientID; !q.Mine {
			q.State, q.Task = snapshot.NotOwned, snapshot.Task{}
			q.Count, q.Bytes, q.Span = snapshot.NA[int](), snapshot.NA[int64](), snapshot.NA[int64]()
		} else if i%4 < 2 {
			q.Count, q.InListener = of(b, 519), 1
		}
		s.Queues = append(s.Queues, q)
	}
	s.Topics = []snapshot.Topic{{Name: topic, Queues: len(ids) / 4, All: of(b, len(ids)), Lag: of(b, int64(0)), InRate: of(b, 0.0), OutRate: of(b, 0.0)}}
	s.Group.Subscriptions = []snapshot.Subscription{{Topic: topic, Expression: "*", Queues: of(b, len(ids))}}
	s.Rebalances = b.passes(topic, ids, members)
	return Planning(s)
}

// passes are two rebalances: a member came, a member went.
func (b *builder) passes(topic string, ids []snapshot.MessageQueue, members []string) []snapshot.Rebalance {
	owners := func(members []string) []string {
		by := Allot(ids, "AVG", members)
		out := make([]string, len(ids))
		for i, id := range ids {
			out[i] = by[id]
		}
		return out
	}
	three := members[:len(members)-1]
	return []snapshot.Rebalance{
		{At: b.at.Add(-41 * time.Minute), Topic: topic, Why: "a member joined", Strategy: "AVG", Members: members, Queues: ids, Before: make([]string, len(ids)), After: owners(members)},
		{At: b.at.Add(-12 * time.Minute), Topic: topic, Why: "member 10.1.0.9@871 left", Strategy: "AVG", Members: three, Queues: ids, Before: owners(members), After: owners(three)},
		{At: b.at.Add(-138 * time.Second), Topic: topic, Why: "a member joined", Strategy: "AVG", Members: members, Queues: ids, Before: owners(three), After: owners(members)},
	}
}

// PlanActs are what a person does on the Rebalance screen, by the name of a case.
type PlanActs struct{ Circle, More, Fewer, Out, Earlier []views.Event }

// PlanCases are the situations of the Rebalance screen.
func PlanCases(acts PlanActs) []ScreenCase {
	partial := Shared("order-created", 8)
	partial.MembersKnown = snapshot.UnknownBecause[int]("broker-b does not answer")
	partial.Members = partial.Members[2:3]
	for i := range partial.Queues {
		if q := &partial.Queues[i]; !q.Mine {
			q.Owner = snapshot.UnknownBecause[string]("broker-b does not answer")
		}
	}
	few := Shared("order-created", 1)
	for i := range few.Members {
		few.Members[i].Queues = of(&builder{at: few.At}, boolTo(i < 2, 1))
	}
	twice := Shared("order-created", 8)
	for i := range twice.Queues {
		q := &twice.Queues[i]
		q.Lock = (&builder{at: twice.At}).lock(11 * time.Second)
		if q.ID.QueueID == 0 && q.ID.BrokerName == "broker-b" {
			q.Lock.Believers = []string{"10.1.0.7@3312", "10.1.0.9@871"}
		}
	}
	none := Shared("order-created", 8)
	none.Queues[5].Owner = snapshot.UnknownBecause[string]("the strategy left it to nobody")
	guest := Shared("order-created", 8)
	guest.WhatIf, guest.Strategies = nil, nil
	stale := Shared("order-created", 8)
	stale.At = Now().Add(-41 * time.Second)
	for i := range stale.Queues {
		stale.Queues[i].Owner.State = snapshot.Stale
	}
	failing := Shared("order-created", 8)
	failing.Source.State, failing.Source.Err = snapshot.Failing, "ask name server 10.0.0.12:9876 for the route of order-created: dial: connection refused"
	failing.Source.RetryAt = Now().Add(2800 * time.Millisecond)
	refused := Shared("order-created", 8)
	refused.WhatIf = func(req snapshot.PlanRequest) snapshot.Plan {
		return snapshot.Plan{Topic: req.Topic, Strategy: req.Strategy, Err: "MACHINE_ROOM: no machine room is named"}
	}
	broker := Shared("order-created", 8)
	broker.Topics[0].AllottedBy = "broker"
	fallback := Shared("order-created", 8)
	fallback.Topics[0].AllottedBy = "AVG"
	fallback.Topics[0].AllotNote = "the broker does not allot: assignment of order-created from broker-a: 10.0.0.21:10911 answered REQUEST_CODE_NOT_SUPPORTED (3)"
	cases := Screens(
		Case{Name: "normal", Snap: Shared("order-created", 8)},
		Case{Name: "by-broker", Snap: broker},
		Case{Name: "topics-differ", Snap: Differing()},
		Case{Name: "not-by-broker", Snap: fallback},
		Case{Name: "empty", Snap: Empty()},
		Case{Name: "loading", Waited: time.Second},
		Case{Name: "partial", Snap: partial},
		Case{Name: "stale", Snap: stale},
		Case{Name: "error", Snap: failing},
		Case{Name: "huge", Snap: hugePlans()},
		Case{Name: "cjk", Snap: Shared("订单-created", 8)},
		Case{Name: "hostile", Snap: Planning(Hostile())},
		Case{Name: "fewer-queues-than-members", Snap: few},
		Case{Name: "two-owners", Snap: twice},
		Case{Name: "no-owner", Snap: none},
		Case{Name: "runs", Snap: Shared("order-created", 512)},
	)
	return append(cases,
		ScreenCase{Case{Name: "what-if-circle", Snap: Shared("order-created", 8)}, acts.Circle},
		ScreenCase{Case{Name: "what-if-more", Snap: Shared("order-created", 8)}, acts.More},
		ScreenCase{Case{Name: "what-if-fewer", Snap: twice}, acts.Fewer},
		ScreenCase{Case{Name: "what-if-out", Snap: Shared("order-created", 8)}, acts.Out},
		ScreenCase{Case{Name: "what-if-runs", Snap: Shared("order-created", 512)}, acts.More},
		ScreenCase{Case{Name: "what-if-cjk", Snap: Shared("订单-created", 8)}, acts.More},
		ScreenCase{Case{Name: "what-if-refused", Snap: refused}, acts.More},
		ScreenCase{Case{Name: "what-if-not-here", Snap: guest}, acts.More},
		ScreenCase{Case{Name: "last-pass", Snap: Shared("order-created", 8)}, acts.Earlier},
	)
}

func hugePlans() *snapshot.Snapshot {
	s := Shared("a-topic-with-a-very-long-name-that-a-team-agreed-on-in-a-meeting-and-nobody-dares-to-change-now", 2048)
	b := &builder{at: s.At}
	for i := range 60 {
		s.Members = append(s.Members, snapshot.Member{ID: "10.200.100." + strconv.Itoa(i) + "@2147483647#a-long-instance-name-of-a-client", Queues: of(b, 0)})
	}
	slices.SortFunc(s.Members, func(a, b snapshot.Member) int { return compare(a.ID, b.ID) })
	for i := range s.Queues {
		if s.Queues[i].Mine {
			s.Queues[i].Count, s.Queues[i].InListener = of(b, math.MaxInt32), math.MaxInt32
		}
	}
	return s
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// ManyShared is a topic of 4,096 queues, with a planner.
func ManyShared(seq uint64) *snapshot.Snapshot {
	s := Shared("order-created", 2048)
	s.Seq = seq
	return s
}

// plans adds rebalances and planners that answer anything.
func (r *dice) plans(s *snapshot.Snapshot) {
	for range r.n(6) {
		p := snapshot.Rebalance{At: r.time(), Topic: r.text(), Why: r.text(), Strategy: r.text()}
		if len(s.Queues) > 0 && r.yes() {
			p.Topic = s.Queues[r.n(len(s.Queues))].ID.Topic
		}
		for range r.n(5) {
			p.Members = append(p.Members, r.text())
		}
		for range r.n(9) {
			p.Queues = append(p.Queues, r.queueID())
			if r.n(9) > 0 {
				p.Before, p.After = append(p.Before, r.text()), append(p.After, r.text())
			}
		}
		s.Rebalances = append(s.Rebalances, p)
	}
	switch r.n(4) {
	case 0:
		Planning(s)
	case 1:
		p := r.plan()
		s.Strategies = []string{"AVG", r.text(), r.text()}
		s.WhatIf = func(snapshot.PlanRequest) snapshot.Plan { return p }
	}
}

func (r *dice) plan() snapshot.Plan {
	p := snapshot.Plan{
		Topic: r.text(), Strategy: r.text(), Moves: r.small(), Percent: r.float(), MinBefore: r.small(), MaxBefore: r.small(),
		MinAfter: r.small(), MaxAfter: r.small(), MayRepeat: r.small(), Err: r.maybe(),
	}
	queues := func() (out []snapshot.MessageQueue) {
		for range r.n(9) {
			out = append(out, r.queueID())
		}
		return out
	}
	p.Queues, p.Orphans, p.Doubles = queues(), queues(), queues()
	for range r.n(9) {
		p.Members = append(p.Members, snapshot.PlanMember{ID: r.text(), Joins: r.yes(), Leaves: r.yes(), Before: queues(), After: queues()})
		p.Idle = append(p.Idle, r.text())
	}
	return p
}
