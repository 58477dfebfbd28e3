package overview

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Sheet implements views.Exporter: the pane that has the keys.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	pane := min(max(in.Focus, 0), panes-1)
	order := v.facts(in.Snap).order[pane]
	switch pane {
	case brokersPane:
		return brokerSheet(in.Snap, order), true
	case membersPane:
		return memberSheet(in.Snap, order), in.Snap.MembersKnown.OK()
	}
	return topicSheet(in.Snap, order), true
}

func brokerSheet(snap *snapshot.Snapshot, order []int) views.Sheet {
	s := views.NewSheet("brokers", snap.At, "mark", "name", "addr", "master", "version", "up", "error", "retry_at",
		"in_per_s", "out_per_s", "pulls", "held", "p50_ms", "p99_ms", "max_ms", "last_heartbeat")
	for _, i := range order {
		b := &snap.Cluster.Brokers[i]
		t := b.RoundTrip
		s.Add(views.Is(brokerMark(b).String()), views.Is(b.Name), views.Is(b.Addr), views.Is(b.Master), views.Reading(b.Version, snap.At),
			views.Is(b.Up), views.Cause(b.Err), views.When(b.RetryAt), views.Reading(b.InRate, snap.At), views.Reading(b.OutRate, snap.At),
			views.Is(t.N), views.Is(t.HeldN), views.Quantile(t, t.P50), views.Quantile(t, t.P99), views.Millis(t.Max), views.Reading(b.LastHeartbeat, snap.At))
	}
	return s
}

func memberSheet(snap *snapshot.Snapshot, order []int) views.Sheet {
	s := views.NewSheet("members", snap.At, "id", "me", "queues", "cached", "lag", "told", "topics_that_differ")
	for _, i := range order {
		m := &snap.Members[i]
		s.Add(views.Is(m.ID), views.Is(m.Me), views.Reading(m.Queues, snap.At), views.Reading(m.Cached, snap.At),
			views.Reading(m.Lag, snap.At), views.Reading(m.Told, snap.At), views.Is(len(m.Differs)))
	}
	return s
}

func topicSheet(snap *snapshot.Snapshot, order []int) views.Sheet {
	s := views.NewSheet("topics", snap.At, "mark", "name", "queues_owned", "queues_all", "allotted_by", "allot_note",
		"lag", "lag_missing", "in_per_s", "out_per_s")
	for _, i := range order {
		t := &snap.Topics[i]
		s.Add(views.Is(t.Worst.String()), views.Is(t.Name), views.Is(t.Queues), views.Reading(t.All, snap.At), views.Cause(t.AllottedBy),
			views.Cause(t.AllotNote), views.Reading(t.Lag, snap.At), views.Is(t.LagMissing), views.Reading(t.InRate, snap.At), views.Reading(t.OutRate, snap.At))
	}
	return s
}
