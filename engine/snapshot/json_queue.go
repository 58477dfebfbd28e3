package snapshot

func encodeQueue(o *object, q Queue, windows map[MessageQueue]Window) {
	o.put("topic", q.ID.Topic)
	o.put("broker", q.ID.BrokerName)
	o.put("queue_id", q.ID.QueueID)
	reading(o, "owner", q.Owner)
	o.put("mine", q.Mine)
	o.put("state", q.State.String())
	o.put("mark", q.Mark.String())
	o.put("note", q.Note)
	o.put("unread", q.Unread)
	reading(o, "min", q.Min)
	reading(o, "max", q.Max)
	reading(o, "committed", q.Committed)
	reading(o, "next", q.Next)
	reading(o, "lag", q.Lag)
	reading(o, "cached_min", q.CachedMin)
	reading(o, "cached_max", q.CachedMax)
	reading(o, "count", q.Count)
	reading(o, "bytes", q.Bytes)
	reading(o, "span", q.Span)
	if q.Inferred {
		o.unknown("in_listener", notOnTheWire)
	} else {
		o.put("in_listener", q.InListener)
	}
	reading(o, "in_per_s", q.InRate)
	reading(o, "out_per_s", q.OutRate)
	encodeTask(o, &q)
	o.put("lock", encodeLock(q.Lock, q.Inferred))
	if q.LastPull.OK() {
		p, pull := q.LastPull.V, &object{}
		pull.time("at", p.At)
		pull.put("status", p.Status)
		pull.put("offset", p.Offset)
		pull.put("next", p.Next)
		pull.put("count", p.Count)
		pull.put("took_ms", float64(p.Took.Microseconds())/1000)
		pull.put("held", p.Held)
		o.put("last_pull", pull)
	} else {
		o.unknown("last_pull", "not pulled yet")
	}
	reading(o, "last_consume", q.LastTaken)
	o.put("round_trip", encodeLatency(q.RoundTrip))
	o.put("found", q.Found)
	o.put("filtered", q.Filtered)
	o.put("illegal", q.Illegal)
	o.put("failures", q.Failures)
	o.put("last_error", q.LastError)
	if q.Inferred {
		o.put("acked", q.Acked)
		o.put("deferred", q.Deferred)
	}
	if w, ok := windows[q.ID]; ok {
		runs := make([][3]any, 0, len(w.Runs))
		for _, r := range w.Runs {
			runs = append(runs, [3]any{r.From, r.To, r.State.String()})
		}
		o.put("window", runs)
	}
}

// encodeTask adds when the queue is pulled next. Seen from outside that shows only while a pull
// is at a broker.
func encodeTask(o *object, q *Queue) {
	if q.Inferred {
		o.unknown("flow", notOnTheWire)
		o.unknown("put_backs", notOnTheWire)
		if q.Task.State == TaskNone {
			o.unknown("task", "no pull of it is at a broker")
		} else {
			o.put("task", q.Task.State.String())
		}
		return
	}
	o.put("flow", q.Flow.Cause)
	o.time("flow_since", q.Flow.Since)
	o.put("put_backs", q.Flow.PutBacks)
	o.put("task", q.Task.State.String())
	o.put("task_why", q.Task.Cause)
	o.time("task_due", q.Task.Due)
}

// encodeLock is null of a consumer that uses no locks.
func encodeLock(l Lock, inferred bool) *object {
	if !l.Used {
		return nil
	}
	o := &object{}
	o.put("broker", l.BrokerSays.String())
	o.time("granted_at", l.GrantedAt)
	if inferred {
		o.time("since", l.Since)
		o.put("renewals", l.Renewals)
		for _, name := range []string{"client_lease_ms", "broker_lease_ms", "renew_at", "try_unlock"} {
			o.unknown(name, notOnTheWire)
		}
	} else {
		o.put("client_lease_ms", l.ClientLease.Milliseconds())
		o.put("broker_lease_ms", l.BrokerLease.Milliseconds())
		o.time("renew_at", l.RenewAt)
		o.put("try_unlock", l.TryUnlock)
	}
	o.put("believers", append([]string{}, l.Believers...))
	return o
}
