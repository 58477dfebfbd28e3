package queues

import (
	"math"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// worstFirst is the order that the screen starts with.
const worstFirst = "mark"

// rankOf is the rank of queue i by a column; the snapshot is in the order of ids.
func rankOf(column string, q *snapshot.Queue, i int32) views.Rank {
	r := views.Rank{I: i}
	num := func(v snapshot.Val[int64]) { r.N, r.Unknown = v.V, !v.OK() }
	rate := func(v snapshot.Val[float64]) {
		r.Unknown = !v.OK() || math.IsNaN(v.V)
		r.N = int64(min(max(v.V*1000, -1e18), 1e18))
	}
	switch column {
	case "topic":
		r.N = int64(i)
	case "broker":
		r.S = q.ID.BrokerName
	case "queue":
		r.N = int64(q.ID.QueueID)
	case "owner":
		r.S, r.Unknown = q.Owner.V, !q.Owner.OK()
	case "state":
		r.N = int64(q.State)
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
		r.N, r.Unknown = int64(q.Count.V), !q.Count.OK()
	case "bytes":
		num(q.Bytes)
	case "flow":
		r.S, r.Unknown = string(q.Flow.Cause), q.Flow.Cause == ""
	case "task":
		r.N = int64(q.Task.State)
	case "p99":
		r.N, r.Unknown = int64(q.RoundTrip.P99), !q.RoundTrip.Enough
	case "in":
		rate(q.InRate)
	case "out":
		rate(q.OutRate)
	case "pulled":
		r.N, r.Unknown = q.LastPull.V.At.UnixMilli(), !q.LastPull.OK()
	case worstFirst:
		// What other members have is not known here, and not this member's trouble.
		r.N, r.Unknown = -int64(views.Severity(q.Mark)), q.State == snapshot.NotOwned && !q.Unread
	}
	return r
}

// order sorts the queues that pass.
func order(s *snapshot.Snapshot, p Params, pass predicate) []int32 {
	ranks := make([]views.Rank, 0, len(s.Queues))
	for i := range s.Queues {
		if q := &s.Queues[i]; pass(q) {
			ranks = append(ranks, rankOf(p.Sort, q, int32(i)))
		}
	}
	views.Sort(ranks, p.Desc)
	out := make([]int32, len(ranks))
	for i, r := range ranks {
		out[i] = r.I
	}
	return out
}
