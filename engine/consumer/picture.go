package consumer

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

const (
	// windowsOfAllUpTo queues, every snapshot has the windows of all; above, of watched ones.
	windowsOfAllUpTo = 64
	windowMeta       = 64
	// staleAfter is when a reading that should be fresh counts as old.
	staleAfter = 20 * time.Second
)

// picture builds the snapshot of this moment. Nothing in it is changed afterwards.
func (l *loop) picture(now time.Time) *snapshot.Snapshot {
	s := l.pictureShared(now)
	s.Mode.Paused = l.paused
	stats := l.threadStats()
	l.pictureGroup(&s.Group, stats.Threads)
	c := &s.Counters
	c.Consumed, c.SentBack, c.SendBackFailed = stats.Consumed, stats.SentBack, stats.SendBackFailed
	c.Duplicates = uint64(l.in.note(&l.duplicated, int64(l.duplicates.Load())))
	s.Sched = l.pictureSched(now)
	return l.ofLast(s)
}

// pictureShared is what a snapshot says of every kind of consumer.
func (m *membership) pictureShared(now time.Time) *snapshot.Snapshot {
	m.seq++
	s := &snapshot.Snapshot{
		Seq: m.seq, At: now, Wall: now,
		Source: m.source, Mode: snapshot.Mode{Driving: true},
		Windows: map[mq.MessageQueue]snapshot.Window{}, Histories: map[mq.MessageQueue]snapshot.History{},
		Events: m.events(),
	}
	s.Queues = m.pictureQueues(now)
	s.Cluster = m.pictureCluster(now)
	s.Source = withoutBrokers(s.Source, s.Cluster.Brokers)
	s.Group = m.pictureSubscriptions(now)
	m.pictureMembers(s, now)
	s.Topics = m.pictureTopics(s.Queues)
	s.Counters = m.pictureCounters()
	m.pictureSeries(s, now)
	s.Rebalances = slices.Clone(m.passes.log)
	s.Strategies, s.WhatIf = rebalance.StrategyNames(), planner(s, m.strategy)
	for _, q := range m.order {
		if m.watched[q] || len(m.order) <= windowsOfAllUpTo {
			s.Windows[q] = m.queues[q].pq.Window(windowMeta)
		}
		if m.watched[q] {
			s.Histories[q] = m.queues[q].history.copy()
		}
	}
	return s
}

// events is the tail of the event stream.
func (m *membership) events() snapshot.Events {
	if m.in != nil && m.in.looking {
		return m.journal.peek()
	}
	return m.journal.view()
}

// pictureQueues has our queues and those that other members have, in one order.
func (m *membership) pictureQueues(now time.Time) []snapshot.Queue {
	known := m.rebalance.Queues()
	resolving := map[mq.MessageQueue]bool{}
	for _, q := range m.rebalance.Resolving() {
		resolving[q] = true
	}
	out := make([]snapshot.Queue, 0, len(known)+len(m.order))
	for _, q := range known {
		if o := m.queues[q]; o != nil {
			out = append(out, m.kind.pictureOwned(o, now))
			continue
		}
		out = append(out, m.pictureOther(q, resolving[q]))
	}
	for _, q := range m.order {
		if _, ok := slices.BinarySearchFunc(known, q, mq.MessageQueue.Compare); !ok {
			out = append(out, m.kind.pictureOwned(m.queues[q], now))
		}
	}
	slices.SortFunc(out, func(a, b snapshot.Queue) int { return a.ID.Compare(b.ID) })
	return out
}

// pictureOther is a queue that is not ours: who has it follows from the strategy, the rest
// only its owner knows.
func (m *membership) pictureOther(q mq.MessageQueue, resolving bool) snapshot.Queue {
	s := snapshot.Queue{ID: q, State: snapshot.NotOwned, Mark: snapshot.MarkUnknown}
	if owner, ok := m.rebalance.Owner(q); ok {
		s.Owner = snapshot.Of(owner, m.builtAt)
		if owner == m.clientID {
			s.Mine = true
		}
	} else {
		s.Owner = snapshot.UnknownBecause[string](m.whyNoOwner(q.Topic))
	}
	why := "only its owner knows"
	if resolving {
		s.State, s.Note = snapshot.Resolving, "reading its start offset"
		if m.rebalance.WaitsForLock(q) {
			s.Note = "waits for lock, owner unknown"
		}
		why = s.Note
	}
	m.pictureUnread(&s)
	if s.Lock = m.rebalance.Lock(q); s.Lock.Used {
		s.Lock.Believers = m.peers.Believers(m.builtAt, q, time.Time{}, s.Lock.ClientLease)
	}
	u := snapshot.UnknownBecause[int64](why)
	s.Min, s.Max, s.Committed, s.Next, s.CachedMin, s.CachedMax, s.Bytes, s.Span, s.Lag = u, u, u, u, u, u, u, u, u
	s.Count = snapshot.UnknownBecause[int](why)
	return s
}

// whyNoOwner says why it is not known who has a queue.
func (m *membership) whyNoOwner(topic string) string {
	if who, _ := m.rebalance.AllottedBy(topic); who == "broker" {
		return "the broker allots, and not as the strategy: it does not tell"
	}
	return "member list not read yet"
}

func (l *loop) pictureOwned(o *owned, now time.Time) snapshot.Queue {
	s := l.pictureQueue(o, now, l.task(o.id), l.paused)
	if l.orderly != nil {
		l.pictureOrderly(&s, o, now)
	}
	if r := l.resets[o.id]; r != nil {
		s.Note = fmt.Sprintf("dropped, its offset is being reset to %d", r.to)
	}
	return s
}

// pictureQueue is one of our queues.
func (m *membership) pictureQueue(o *owned, now time.Time, task snapshot.Task, paused bool) snapshot.Queue {
	count, bytes, span := o.pq.Load()
	max, lag := o.max, o.lag()
	if o.atTail(task) {
		max.At = now
		if lag.OK() {
			lag.At = now
		}
	}
	s := snapshot.Queue{
		ID: o.id, Owner: snapshot.Of(m.clientID, now), Mine: true, State: snapshot.Pulling, Epoch: o.epoch,
		Min: o.min, Max: max.Aged(now, staleAfter), Committed: o.committed, Next: snapshot.Of(o.next, now),
		Count: snapshot.Of(count, now), Bytes: snapshot.Of(bytes, now), Span: snapshot.Of(span, now),
		InListener: o.pq.Running(), Lag: lag.Aged(now, staleAfter),
		Flow: o.flow.shown(now), Task: task, LastPull: o.lastPull, LastFound: o.lastFound,
		LastTaken: snapshot.Of(o.pq.LastConsumed(), o.pq.LastConsumed()),
		RoundTrip: o.roundTrip.Summary(o.held),
		Found:     o.found, Filtered: o.filtered, Illegal: m.illegal[o.id], Failures: o.failures, LastError: o.lastErr,
	}
	if first, last, ok := o.pq.Bounds(); ok {
		s.CachedMin, s.CachedMax = snapshot.Of(first, now), snapshot.Of(last, now)
	} else {
		s.CachedMin, s.CachedMax = snapshot.NA[int64](), snapshot.NA[int64]()
	}
	if paused {
		s.State = snapshot.QueuePaused
	}
	if o.pq.Dropped() || o.pq.Retired() {
		s.State = snapshot.Dropped
	}
	s.InRate, s.OutRate = o.rates.perSecond()
	if s.InRate.OK() && s.OutRate.OK() {
		s.LagSlope = snapshot.Of(s.InRate.V-s.OutRate.V, s.InRate.At)
	}
	s.Mark, s.Note = markOf(&s, o)
	return s
}

func (l *loop) pictureGroup(g *snapshot.Group, threads snapshot.Threads) {
	g.Orderly, g.Model, g.From, g.Threads = l.cfg.Orderly, l.cfg.Model, l.cfg.From, threads
	g.Limits = snapshot.Limits{
		CountPerQueue: l.limits.CountPerQueue, MiBPerQueue: l.limits.MiBPerQueue, Span: l.limits.Span,
		PullBatch: l.cfg.Pull.Batch, ConsumeBatch: l.cfg.Batch, MaxReconsume: l.cfg.MaxReconsume,
		PullInterval: l.cfg.Pull.Interval, ConsumeTimeout: l.cfg.Timeout, PersistInterval: l.cfg.PersistInterval,
	}
}

// pictureSubscriptions is the group with what it subscribes to and how it last rebalanced.
func (m *membership) pictureSubscriptions(now time.Time) snapshot.Group {
	at, note := m.rebalance.LastPass()
	g := snapshot.Group{
		Name: m.group, ClientID: m.clientID, Strategy: m.strategy.Name(),
		Version: protocol.VersionName(protocol.ClientVersion), RebalanceNote: note,
	}
	if !at.IsZero() {
		g.LastRebalance = snapshot.Of(at, at)
	}
	for _, d := range m.subs.list() {
		sub := snapshot.Subscription{Topic: d.Topic, Expression: d.SubString}
		if queues, ok := m.routeQueues(d.Topic); ok {
			sub.Queues = snapshot.Of(len(queues), now)
		} else {
			sub.Queues.Reason = "no route yet"
		}
		g.Subscriptions = append(g.Subscriptions, sub)
	}
	return g
}

func (m *membership) pictureMembers(s *snapshot.Snapshot, now time.Time) {
	ids, at := m.rebalance.Members()
	if at.IsZero() {
		s.MembersKnown.Reason = "member list not read yet"
		return
	}
	s.MembersKnown = snapshot.Of(len(ids), at).Aged(now, 2*time.Minute)
	queues := map[string]int{}
	cached, lag, lagKnown := 0, int64(0), true
	for i := range s.Queues {
		q := &s.Queues[i]
		if q.Owner.OK() {
			queues[q.Owner.V]++
		}
		if q.State != snapshot.NotOwned {
			cached += q.Count.V
			lagKnown = lagKnown && q.Lag.OK()
			lag += q.Lag.V
		}
	}
	for _, id := range slices.Compact(ids) {
		m := snapshot.Member{ID: id, Me: id == m.clientID, Queues: snapshot.Of(queues[id], at)}
		m.Cached.Reason, m.Lag.Reason = "only the member itself knows", "only the member itself knows"
		if m.Me {
			m.Cached = snapshot.Of(cached, now)
			if lagKnown {
				m.Lag = snapshot.Of(lag, now)
			} else {
				m.Lag.Reason = "the lag of some queues is not known"
			}
		}
		s.Members = append(s.Members, m)
	}
	for i := range s.Members {
		m.picturePeer(&s.Members[i])
	}
	slices.SortFunc(s.Members, func(a, b snapshot.Member) int { return cmp.Compare(a.ID, b.ID) })
}

func (m *membership) pictureCounters() snapshot.Counters {
	c := m.counters
	net := m.instance()
	c.EventsDropped = m.journal.lost()
	c.UnknownAnswers, c.LateAnswers = uint64(net.Unknown), uint64(net.Late)
	return c
}
