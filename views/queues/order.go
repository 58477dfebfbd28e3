package queues

import (
	"cmp"
	"math"
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// worstFirst is the order that the screen starts with.
const worstFirst = "mark"

// rank is what a queue is ordered by. Unknown ones come last in both directions.
type rank struct {
	unknown bool
	n       int64
	s       string
	i       int32
}

// rankOf returns the reading behind a column.
func rankOf(column string, q *snapshot.Queue) (r rank) {
	num := func(v snapshot.Val[int64]) { r.n, r.unknown = v.V, !v.OK() }
	rate := func(v snapshot.Val[float64]) {
		r.unknown = !v.OK() || math.IsNaN(v.V)
		r.n = int64(min(max(v.V*1000, -1e18), 1e18))
	}
	switch column {
	case "broker":
		r.s = q.ID.BrokerName
	case "queue":
		r.n = int64(q.ID.QueueID)
	case "owner":
		r.s, r.unknown = q.Owner.V, !q.Owner.OK()
	case "state":
		r.n = int64(q.State)
	case "lag":
		num(q.Lag)
	case "slope":
		rate(q.LagSlope)
	case "committed":
		num(q.Committed)
	case "next":
		num(q.Next)
	case "max":
		num(q.Max)
	case "cached":
		r.n, r.unknown = int64(q.Count.V), !q.Count.OK()
	case "bytes":
		num(q.Bytes)
	case "flow":
		r.s, r.unknown = string(q.Flow.Cause), q.Flow.Cause == ""
	case "task":
		r.n = int64(q.Task.State)
	case "p99":
		r.n, r.unknown = int64(q.RoundTrip.P99), !q.RoundTrip.Enough
	case "in":
		rate(q.InRate)
	case "out":
		rate(q.OutRate)
	case "pulled":
		r.n, r.unknown = q.LastPull.V.At.UnixMilli(), !q.LastPull.OK()
	case worstFirst:
		// What other members have is not known here, and not this member's trouble.
		r.n, r.unknown = -int64(views.Severity(q.Mark)), q.State == snapshot.NotOwned && !q.Unread
	}
	return r
}

// order sorts the queues that pass. The snapshot is in the order of ids already, which is
// what equal ones keep.
func order(s *snapshot.Snapshot, p Params, tests []predicate) []int32 {
	ranks := make([]rank, 0, len(s.Queues))
next:
	for i := range s.Queues {
		q := &s.Queues[i]
		for _, t := range tests {
			if !t(q) {
				continue next
			}
		}
		r := rankOf(p.Sort, q)
		r.i = int32(i)
		ranks = append(ranks, r)
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		if a.unknown != b.unknown {
			if a.unknown {
				return 1
			}
			return -1
		}
		c := cmp.Compare(a.n, b.n)
		if c == 0 {
			c = cmp.Compare(a.s, b.s)
		}
		if p.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
		if p.Sort == "topic" && p.Desc {
			return cmp.Compare(b.i, a.i)
		}
		return cmp.Compare(a.i, b.i)
	})
	out := make([]int32, len(ranks))
	for i, r := range ranks {
		out[i] = r.i
	}
	return out
}
