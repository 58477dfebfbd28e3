package snapshot

func encodeSource(s *Snapshot) *object {
	o := &object{now: s.At}
	o.put("kind", s.Source.Kind.String())
	o.put("name", s.Source.Name)
	o.put("state", s.Source.State.String())
	o.put("error", s.Source.Err)
	o.time("retry_at", s.Source.RetryAt)
	o.put("paused", s.Mode.Paused)
	if s.Replay.Inferred {
		o.put("provenance", "inferred")
		o.put("client", s.Replay.Client)
	}
	return o
}

func encodeGroup(s *Snapshot) *object {
	g, o := &s.Group, &object{now: s.At}
	o.put("name", g.Name)
	o.put("client_id", g.ClientID)
	o.put("kind", g.Kind.String())
	if g.Kind == PassiveKind || g.Kind == UnseenKind {
		o.unknown("orderly", "no lock was seen")
	} else {
		o.put("orderly", g.Orderly)
	}
	o.put("model", g.Model.String())
	o.put("from", g.From.String())
	if s.Replay.Inferred {
		o.unknown("strategy", notOnTheWire)
		o.unknown("limits", notOnTheWire)
		o.unknown("threads", notOnTheWire)
	} else {
		encodeSettings(o, g)
	}
	o.put("subscriptions", encodeAll(g.Subscriptions, s.At, func(o *object, sub Subscription) {
		o.put("topic", sub.Topic)
		o.put("expression", sub.Expression)
		reading(o, "queues", sub.Queues)
	}))
	reading(o, "last_rebalance", g.LastRebalance)
	o.put("rebalance", g.RebalanceNote)
	return o
}

// notOnTheWire is why much of a group is not known that was seen from outside.
const notOnTheWire = "it does not show on the wire"

// encodeSettings adds how this member is set, and what its threads do.
func encodeSettings(o *object, g *Group) {
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
	if l.N > 0 {
		o.put("max_ms", float64(l.Max.Microseconds())/1000)
	} else {
		o.unknown("max_ms", "nothing was measured")
	}
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
		if s.Replay.Inferred && (f.name == "consumed" || f.name == "duplicates") {
			o.unknown(f.name, notOnTheWire)
			continue
		}
		o.put(f.name, f.v)
	}
	if s.Replay.Inferred {
		o.put("acked", c.Acked)
		o.put("deferred", c.Deferred)
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
