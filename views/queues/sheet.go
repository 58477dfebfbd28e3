package queues

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Sheet implements views.Exporter: the queues that pass, also those under a folded head.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	st := stateOf(in.State)
	m := *v.list(in.Snap, st, in.Now)
	m.rows, m.groups = nil, nil
	st.Folded = nil
	m.build(st)
	s := views.NewSheet("queues", in.Snap.At, "mark", "topic", "broker", "queue_id", "owner", "mine", "state", "note",
		"lag", "lag_per_s", "committed", "next", "min", "max", "cached_min", "cached_max", "count", "bytes", "span", "in_listener",
		"flow", "flow_since", "put_backs", "task", "task_why", "task_due", "last_pull_at", "last_pull", "p50_ms", "p99_ms",
		"in_per_s", "out_per_s", "found", "filtered", "illegal", "failures", "last_error")
	for _, r := range m.rows {
		if r.queue >= 0 {
			s.Add(cells(&in.Snap.Queues[r.queue], in.Snap)...)
		}
	}
	return s, true
}

func cells(q *snapshot.Queue, s *snapshot.Snapshot) []views.Cell {
	at := s.At
	pulledAt, pulled := views.Cell{Why: "no pull finished yet"}, views.Cell{Why: "no pull finished yet"}
	switch {
	case q.LastPull.OK():
		pulledAt, pulled = views.When(q.LastPull.V.At), views.Is(q.LastPull.V.Status)
	case q.LastPull.State == snapshot.NotApplicable:
		pulledAt, pulled = views.Cell{}, views.Cell{}
	case q.LastPull.Reason != "":
		pulledAt.Why, pulled.Why = q.LastPull.Reason, q.LastPull.Reason
	}
	within := []views.Cell{views.Is(q.InListener), views.Cause(string(q.Flow.Cause)), views.When(q.Flow.Since), views.Is(q.Flow.PutBacks)}
	task := views.Is(q.Task.State.String())
	if q.Inferred {
		for i := range within {
			within[i] = views.Cell{Why: "it does not show on the wire"}
		}
		if q.Task.State == snapshot.TaskNone {
			task = views.Cell{Why: "no pull of it is at a broker"}
		}
	}
	out := append([]views.Cell{views.Is(q.Mark.String())}, views.QueueCells(q.ID)...)
	out = append(out, views.Reading(q.Owner, at), views.Is(q.Mine), views.Is(q.State.String()), views.Cause(q.Note),
		views.Reading(q.Lag, at), views.Reading(q.LagSlope, at), views.Reading(q.Committed, at), views.Reading(q.Next, at),
		views.Reading(q.Min, at), views.Reading(q.Max, at), views.Reading(q.CachedMin, at), views.Reading(q.CachedMax, at),
		views.Reading(q.Count, at), views.Reading(q.Bytes, at), views.Reading(q.Span, at))
	return append(append(out, within...), task, views.Cause(string(q.Task.Cause)), views.When(q.Task.Due),
		pulledAt, pulled, views.Quantile(q.RoundTrip, q.RoundTrip.P50), views.Quantile(q.RoundTrip, q.RoundTrip.P99),
		views.Reading(q.InRate, at), views.Reading(q.OutRate, at), views.Is(q.Found), views.Is(q.Filtered),
		views.Is(q.Illegal), views.Is(q.Failures), views.Cause(q.LastError))
}
