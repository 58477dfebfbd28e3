package views

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// Backlog is the one-line answer for the smallest space: what is wrong, what is waiting.
func Backlog(s *snapshot.Snapshot, g *themes.Glyphs) Spans {
	bad := 0
	for i := range s.Queues {
		if Severity(s.Queues[i].Mark) == 0 {
			bad++
		}
	}
	sum, missing := LagSum(s)
	out := Spans{}
	if bad > 0 {
		out = append(out, Span{themes.Bad, Join(Sign(g.Bad), Own(" "), Exact(int64(bad)), Own(" bad  "))})
	}
	return append(out, Say(themes.Muted, "lag "), AtLeast(sum, missing, false, g))
}

// LagSum is the backlog of the queues that s sums up, and of how many it is not known. It
// is unknown when no part is known, and as old as its oldest part.
func LagSum(s *snapshot.Snapshot) (sum snapshot.Val[int64], missing int) {
	sum.Reason = "no lag is known yet"
	for i := range s.Queues {
		q := &s.Queues[i]
		if !s.Counts(q) {
			continue
		}
		sum, missing = AddVal(sum, q.Lag, missing)
	}
	return sum, missing
}

// AddVal adds a part to a sum. Unknown parts are counted, a stale part makes the sum stale.
func AddVal[N int64 | float64](sum, part snapshot.Val[N], missing int) (snapshot.Val[N], int) {
	switch {
	case part.State == snapshot.NotApplicable:
	case !part.OK():
		missing++
	case !sum.OK():
		sum = part
	default:
		sum.V += part.V
		if part.State == snapshot.Stale {
			sum.State = snapshot.Stale
		}
		if part.At.Before(sum.At) {
			sum.At = part.At
		}
	}
	return sum, missing
}
