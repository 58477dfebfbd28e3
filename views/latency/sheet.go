package latency

import "mqscope/views"

// Sheet implements views.Exporter: the brokers, and the queues of those that are open.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	if in.Snap == nil {
		return views.Sheet{}, false
	}
	st, _ := in.State.(State)
	m := v.list(in.Snap, st, in.Now)
	s := views.NewSheet("latency", in.Snap.At, "mark", "broker", "topic", "queue_id", "answers", "held", "p50_ms", "p99_ms", "max_ms",
		"slowest_at", "timeouts", "exceptions", "flow_control", "since_assigned")
	for _, r := range m.rows {
		se, _ := m.series(r)
		total, since := m.total(r)
		var timeouts, exceptions, refused uint64
		for _, slot := range se.Slots {
			timeouts, exceptions, refused = timeouts+uint64(slot.Timeouts), exceptions+uint64(slot.Exceptions), refused+uint64(slot.FlowControl)
		}
		broker, topic, id := views.Is(m.brokers[r.broker].name), views.Cell{}, views.Cell{}
		if r.queue >= 0 {
			q := in.Snap.Queues[r.queue].ID
			topic, id = views.Is(q.Topic), views.Is(q.QueueID)
		}
		s.Add(views.Is(m.mark(r).String()), broker, topic, id, views.Is(total.N), views.Is(total.HeldN), views.Quantile(total, total.P50),
			views.Quantile(total, total.P99), views.Millis(total.Max), views.When(se.WorstAt), views.Is(timeouts), views.Is(exceptions),
			views.Is(refused), views.Is(since))
	}
	return s, true
}
