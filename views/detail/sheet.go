package detail

import (
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Sheet implements views.Exporter: the messages that are known one by one, or, in their pane,
// the queue's events.
func (v *View) Sheet(in views.In) (views.Sheet, bool) {
	st, _ := in.State.(State)
	s, q := st.picture(in.Snap)
	if q == nil {
		return views.Sheet{}, false
	}
	if in.Focus == eventsPane {
		return v.eventSheet(s, q.ID), true
	}
	out := views.NewSheet("messages", s.At, "topic", "broker", "queue_id", "offset", "state", "tag", "keys", "id", "message_topic",
		"body_size", "reconsume_times", "stored_at", "started_at")
	for _, m := range s.Windows[q.ID].Meta {
		out.Add(append(views.QueueCells(q.ID), views.Is(m.Offset), views.Is(m.State.String()), views.Cause(m.Tag), views.Cause(m.Keys),
			views.Cause(m.ID), views.Cause(m.Topic), views.Is(m.BodySize), views.Is(m.Reconsume), views.When(m.Stored), views.When(m.Started))...)
	}
	return out, true
}

func (v *View) eventSheet(s *snapshot.Snapshot, id snapshot.MessageQueue) views.Sheet {
	var events []*snapshot.Entry
	for i := range s.Events.Entries {
		if e := &s.Events.Entries[i]; e.Queue == id {
			events = append(events, e)
		}
	}
	return views.EventSheet("events", s.At, events)
}
