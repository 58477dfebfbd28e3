package overview

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// facts is what is derived from one snapshot, once.
type facts struct {
	from *snapshot.Snapshot

	owned   int
	marks   [6]int // owned queues by mark
	worst   snapshot.Mark
	worstAt int // index of the queue to look at first, -1 for none
	lag     snapshot.Val[int64]
	missing int
	in, out snapshot.Val[float64]
	unread  int // queues that nobody reads
	differ  int // members that subscribe otherwise
	inMiss  int
	outMiss int

	order [panes][]int // rows of each pane as indexes into the snapshot, worst first
	names [panes][]string
}

func (v *View) facts(s *snapshot.Snapshot) *facts {
	if v.memo.from == s {
		return &v.memo
	}
	f := facts{from: s, worstAt: -1, worst: snapshot.MarkOK}
	f.lag.Reason = "no lag is known yet"
	for i := range s.Queues {
		q := &s.Queues[i]
		if q.Unread {
			f.unread++
		}
		if !s.Counts(q) {
			continue
		}
		f.owned++
		if int(q.Mark) < len(f.marks) {
			f.marks[q.Mark]++
		}
		f.worst = views.Worse(f.worst, q.Mark)
		if q.Mark != snapshot.MarkOK && (f.worstAt < 0 || before(q, &s.Queues[f.worstAt])) {
			f.worstAt = i
		}
		f.lag, f.missing = views.AddVal(f.lag, q.Lag, f.missing)
		f.in, f.inMiss = views.AddVal(f.in, q.InRate, f.inMiss)
		f.out, f.outMiss = views.AddVal(f.out, q.OutRate, f.outMiss)
	}
	if f.owned == 0 {
		f.worst = snapshot.MarkUnknown
	}
	for i := range s.Members {
		if len(s.Members[i].Differs) > 0 {
			f.differ++
		}
	}
	f.sortRows(s)
	v.memo = f
	return &v.memo
}

// group is the mark of what is wrong between members.
func (f *facts) group() snapshot.Mark {
	switch {
	case f.unread > 0:
		return snapshot.MarkBad
	case f.differ > 0:
		return snapshot.MarkWarn
	}
	return snapshot.MarkOK
}

// before orders queues by how much they need a look.
func before(a, b *snapshot.Queue) bool {
	if c := cmp.Compare(views.Severity(a.Mark), views.Severity(b.Mark)); c != 0 {
		return c < 0
	}
	return a.Lag.OK() && (!b.Lag.OK() || a.Lag.V > b.Lag.V)
}

// sortRows puts what needs a look first; among equals names keep their order, so that
// numbers which change do not move rows.
func (f *facts) sortRows(s *snapshot.Snapshot) {
	index := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	b, m, t := index(len(s.Cluster.Brokers)), index(len(s.Members)), index(len(s.Topics))
	slices.SortStableFunc(b, func(i, j int) int {
		return cmp.Compare(views.Severity(brokerMark(&s.Cluster.Brokers[i])), views.Severity(brokerMark(&s.Cluster.Brokers[j])))
	})
	slices.SortStableFunc(m, func(i, j int) int { return cmp.Compare(rank(&s.Members[i]), rank(&s.Members[j])) })
	slices.SortStableFunc(t, func(i, j int) int {
		return cmp.Compare(views.Severity(s.Topics[i].Worst), views.Severity(s.Topics[j].Worst))
	})
	f.order = [panes][]int{b, m, t}
	for _, i := range b {
		f.names[brokersPane] = append(f.names[brokersPane], s.Cluster.Brokers[i].Name)
	}
	for _, i := range m {
		f.names[membersPane] = append(f.names[membersPane], s.Members[i].ID)
	}
	for _, i := range t {
		f.names[topicsPane] = append(f.names[topicsPane], s.Topics[i].Name)
	}
}

// rank puts this process first.
func rank(m *snapshot.Member) int {
	if m.Me {
		return 0
	}
	return 1
}

// slowPull is the p99 from which a broker is worth watching.
const slowPull = time.Second

func brokerMark(b *snapshot.Broker) snapshot.Mark {
	switch {
	case !b.Up && b.Err != "":
		return snapshot.MarkBad
	case !b.Up:
		return snapshot.MarkUnknown
	case b.RoundTrip.Enough && b.RoundTrip.P99 > slowPull:
		return snapshot.MarkWatch
	}
	return snapshot.MarkOK
}

// memberMark: only what a member reports can be called healthy.
func memberMark(m *snapshot.Member, own snapshot.Mark) snapshot.Mark {
	if m.Me {
		return own
	}
	if len(m.Differs) > 0 {
		return snapshot.MarkWarn
	}
	if !m.Cached.OK() && !m.Lag.OK() {
		return snapshot.MarkUnknown
	}
	return snapshot.MarkOK
}

// drain is how long the backlog lasts at the present rates. It is unknown when a part is.
// never means that it does not shrink.
func (f *facts) drain() (d time.Duration, never, known bool) {
	if !f.lag.OK() || !f.in.OK() || !f.out.OK() || f.missing+f.inMiss+f.outMiss > 0 {
		return 0, false, false
	}
	return views.Drain(f.lag.V, f.in.V, f.out.V)
}
