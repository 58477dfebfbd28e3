package snapshot

func encodeSource(s *Snapshot) *object {
	o := &object{now: s.At}
	o.put("kind", s.Source.Kind.String())
	o.put("name", s.Source.Name)
	o.put("state", s.Source.State.String())
	o.put("error", s.Source.Err)
	o.time("retry_at", s.Source.RetryAt)
	o.put("paused", s.Mode.Paused)
	return o
}

func encodeGroup(s *Snapshot) *object {
	g, o := &s.Group, &object{now: s.At}
	o.put("name", g.Name)
	o.put("client_id", g.ClientID)
	o.put("kind", g.Kind.String())
	o.put("orderly", g.Orderly)
	o.put("model", g.Model.String())
	o.put("from", g.From.String())
	o.put("strategy", g.Strategy)
	limits := &object{}
	limits.put("count_per_queue", g.Limits.CountPerQueue)
	limits.put("mib_per_queue", g.Limits.MiBPerQueue)
	limits.put("span", g.Limits.Span)
	limits.put("pull_batch", g.Limits.PullBatch)
	limits.put("consume_batch", g.Limits.ConsumeBatch)
	limits.put("max_reconsume", g.Limits.MaxReconsume)
	limits.put("consume_timeout_ms", g.Limits.ConsumeTimeout.Milliseconds())
	o.put("limits", limits)
	threads := &object{}
	threads.put("busy", g.Threads.Busy)
	threads.put("max", g.Threads.Max)
	threads.put("oldest_ms", g.Threads.Oldest.Milliseconds())
	o.put("threads", threads)
	o.put("subscriptions", encodeAll(g.Subscriptions, s.At, func(o *object, sub Subscription) {
		o.put("topic", sub.Topic)
		o.put("expression", sub.Expression)
		reading(o, "queues", sub.Queues)
	}))
	reading(o, "last_rebalance", g.LastRebalance)
	o.put("rebalance", g.RebalanceNote)
	return o
}

func encodeEndpoint(o *object, e Endpoint) {
	o.put("addr", e.Addr)
	o.put("up", e.Up)
	o.put("in_use", e.InUse)
	o.put("error", e.Err)
	o.time("retry_at", e.RetryAt)
}

func encodeBroker(o *object, b Broker) {
	o.put("name", b.Name)
	o.put("addr", b.Addr)
	o.put("master", b.Master)
	o.put("up", b.Up)
	o.put("error", b.Err)
	o.time("retry_at", b.RetryAt)
	reading(o, "version", b.Version)
	reading(o, "in_per_s", b.InRate)
	reading(o, "out_per_s", b.OutRate)
	o.put("round_trip", encodeLatency(b.RoundTrip))
	reading(o, "last_heartbeat", b.LastHeartbeat)
}

func encodeMember(o *object, m Member) {
	o.put("id", m.ID)
	o.put("me", m.Me)
	reading(o, "queues", m.Queues)
	reading(o, "cached", m.Cached)
	reading(o, "lag", m.Lag)
	reading(o, "told", m.Told)
	o.put("differs", encodeAll(m.Differs, o.now, func(o *object, d Difference) {
		o.put("topic", d.Topic)
		o.put("ours", d.Ours)
		o.put("theirs", d.Theirs)
		o.put("theirs_is_newer", d.TheirsIsNewer)
	}))
}

func encodeTopic(o *object, t Topic) {
	o.put("name", t.Name)
	o.put("queues_owned", t.Queues)
	reading(o, "queues_all", t.All)
	o.put("allotted_by", t.AllottedBy)
	o.put("allot_note", t.AllotNote)
	reading(o, "lag", t.Lag)
	o.put("lag_missing", t.LagMissing)
	reading(o, "in_per_s", t.InRate)
	reading(o, "out_per_s", t.OutRate)
}

// encodeLatency has no quantiles below 20 samples: they would mean nothing.
func encodeLatency(l Latency) *object {
	o := &object{}
	o.put("n", l.N)
	o.put("held", l.HeldN)
	if l.Enough {
		o.put("p50_ms", float64(l.P50.Microseconds())/1000)
		o.put("p99_ms", float64(l.P99.Microseconds())/1000)
	} else {
		o.unknown("p50_ms", "fewer than 20 samples")
		o.unknown("p99_ms", "fewer than 20 samples")
	}
	o.put("max_ms", float64(l.Max.Microseconds())/1000)
	return o
}

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
	o.put("in_listener", q.InListener)
	reading(o, "in_per_s", q.InRate)
	reading(o, "out_per_s", q.OutRate)
	o.put("flow", q.Flow.Cause)
	o.time("flow_since", q.Flow.Since)
	o.put("put_backs", q.Flow.PutBacks)
	o.put("task", q.Task.State.String())
	o.put("task_why", q.Task.Cause)
	o.time("task_due", q.Task.Due)
	o.put("lock", encodeLock(q.Lock))
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
	if w, ok := windows[q.ID]; ok {
		runs := make([][3]any, 0, len(w.Runs))
		for _, r := range w.Runs {
			runs = append(runs, [3]any{r.From, r.To, r.State.String()})
		}
		o.put("window", runs)
	}
}

// encodeLock is null of a consumer that uses no locks.
func encodeLock(l Lock) *object {
	if !l.Used {
		return nil
	}
	o := &object{}
	o.put("broker", l.BrokerSays.String())
	o.time("granted_at", l.GrantedAt)
	o.put("client_lease_ms", l.ClientLease.Milliseconds())
	o.put("broker_lease_ms", l.BrokerLease.Milliseconds())
	o.time("renew_at", l.RenewAt)
	o.put("try_unlock", l.TryUnlock)
	o.put("believers", append([]string{}, l.Believers...))
	return o
}

func encodeCounters(s *Snapshot) *object {
	c, o := &s.Counters, &object{}
	for _, f := range []struct {
		name string
		v    uint64
	}{
		{"pulls", c.Pulls}, {"pulls_failed", c.PullsFailed}, {"received", c.Received},
		{"consumed", c.Consumed}, {"sent_back", c.SentBack}, {"send_back_failed", c.SendBackFailed},
		{"filtered", c.Filtered}, {"commits", c.Commits}, {"commits_failed", c.CommitsFailed},
		{"duplicates", c.Duplicates}, {"unknown_answers", c.UnknownAnswers}, {"late_answers", c.LateAnswers},
		{"events_dropped", s.Events.Dropped}, {"snapshots_skipped", c.SnapshotsSkipped},
	} {
		o.put(f.name, f.v)
	}
	return o
}

// String is the word on screen and in JSON.
func (m Mark) String() string {
	return [...]string{"ok", "watch", "warn", "bad", "stale", "unknown"}[m]
}

// String is the word on screen and in JSON.
func (s MessageState) String() string {
	return [...]string{"gap", "waiting", "consuming", "done", "retry", "delivered"}[s]
}
