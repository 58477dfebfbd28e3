package consumer

import (
	"context"
	"maps"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

// quietRoutesEvery is how often the routes of topics are read that heartbeats do not tell of:
// the client instance refreshes only those that are subscribed to.
const quietRoutesEvery = 30 * time.Second

// subscribed says that a topic is to be rebalanced from now on.
type subscribed struct {
	topic string
	quiet bool
}

// committedRead is what the group has committed of a queue, read to be shown.
type committedRead struct {
	queue mq.MessageQueue
	epoch uint64
	at    int64
	found bool
	err   error
}

func (l *onDemand) subscribed(now time.Time, e subscribed) {
	l.rebalance.Subscribe(e.topic)
	if e.quiet {
		l.refreshQuiet(e.topic)
		return
	}
	l.call(groupLane, func(ctx context.Context) {
		if err := l.client.RefreshRoutes(ctx, e.topic); err != nil {
			l.note(l.clock.Now(), event.Warn, "engine", e.topic, "subscribe: "+err.Error())
			return
		}
		// The instance tells of a route only when it changed.
		if queues, known := l.routeQueues(e.topic); known {
			l.inbox.post(event.RouteChanged{Topic: e.topic, Queues: queues, Known: true})
		}
		l.heartbeat(ctx)
		l.inbox.post(event.RebalanceWanted{Why: "subscribed to " + e.topic})
	})
}

// refreshQuiet reads the routes of quiet topics; the queues are taken over by lookAtQuietRoutes.
func (l *onDemand) refreshQuiet(topics ...string) {
	if len(topics) == 0 {
		return
	}
	l.call(groupLane, func(ctx context.Context) {
		if err := l.client.RefreshRoutes(ctx, topics...); err != nil {
			l.cfg.Log.Debug("routes of topics that were pulled from", "err", err)
		}
	})
}

// lookAtQuietRoutes tells the rebalance of queues that the client instance tells us nothing of.
func (l *onDemand) lookAtQuietRoutes(now time.Time) {
	if !l.running {
		return
	}
	for _, topic := range l.subs.quietTopics() {
		if queues, known := l.routeQueues(topic); known {
			l.rebalanceStep(now, event.RouteChanged{Topic: topic, Queues: queues, Known: true})
		}
	}
}

// offsetRead brings an answer to whoever asked.
func (l *onDemand) offsetRead(now time.Time, e event.OffsetRead) {
	if o := l.live(e.Queue, e.Epoch); o != nil && e.Source == event.MaxOffset && o.asksMax {
		l.endTold(now, o, e)
		return
	}
	if l.manner.keepsStart() {
		l.offsetStep(now, e)
	}
	l.rebalanceStep(now, e)
}

// assign takes a queue in. It is ours under a number of our own: a seek begins anew too.
func (l *onDemand) assign(now time.Time, e event.QueueAssigned) {
	l.epochs++
	e.Epoch = l.epochs
	o := newOwned(e)
	o.served.assigned = now
	o.pq.Recycle = l.batches.put
	o.max.Reason = "not pulled yet"
	if stray := l.strays[e.Queue]; stray != nil {
		o.inherit(stray)
		delete(l.strays, e.Queue)
	}
	o.committed.Reason = "not read yet"
	if l.manner.keepsStart() && e.Start >= 0 {
		o.committed.Reason = "nothing committed yet"
	}
	if at := l.offsets.Read(e.Queue); at >= 0 {
		o.committed = snapshot.Of(at, now)
		o.sent.known(now, at)
	}
	l.enter(o)
	if l.decisions.On() {
		l.record(decision.TaskQueueAdded, e.Queue, 0, [6]int64{l.offsets.Read(e.Queue)}, "")
	}
	l.noteMoved(now, e.Queue.Topic)
	delete(l.loose, e.Queue)
	l.noteQueue(now, event.Info, "rebalance", e.Queue, "assigned")
	l.manner.assigned(now, o)
}

// revoke gives a queue up: what the application has committed of it is sent (Java:
// RebalancePullImpl.removeUnnecessaryMessageQueue).
func (l *onDemand) revoke(now time.Time, e event.QueueRevoked) {
	o := l.queues[e.Queue]
	if o == nil {
		return
	}
	l.manner.revoked(now, o)
	o.pq.Drop()
	memory := l.offsets.Read(e.Queue)
	l.offsetStep(now, offset.PersistQueue{Queue: e.Queue})
	l.offsetStep(now, offset.Removed{Queue: e.Queue})
	o.pq.Clear()
	l.leave(o)
	if l.decisions.On() {
		l.record(decision.TaskQueueRemoved, e.Queue, 0, [6]int64{memory}, e.Why.String())
	}
	l.noteMoved(now, e.Queue.Topic)
	l.noteQueue(now, event.Info, "rebalance", e.Queue, "given up: "+e.Why.String())
}

// advance has nothing to do: only the application moves offsets.
func (l *onDemand) advance(time.Time, *owned) {}

// askCommitted reads what the group has committed of a queue, to be shown.
func (l *onDemand) askCommitted(o *owned) {
	queue, epoch := o.id, o.epoch
	if l.file != nil {
		at, found, err := l.file.store.Stored(queue)
		l.inbox.post(committedRead{queue, epoch, at, found, err})
		return
	}
	l.call(queue.BrokerName, func(ctx context.Context) {
		at, found, err := l.client.QueryOffset(ctx, l.group, queue)
		l.inbox.post(committedRead{queue, epoch, at, found, err})
	})
}

func (l *onDemand) committedRead(now time.Time, e committedRead) {
	o := l.live(e.queue, e.epoch)
	switch {
	case o == nil || o.committed.OK():
	case e.err != nil:
		o.committed.Reason = "could not be read: " + e.err.Error()
	case !e.found:
		o.committed.Reason = "nothing committed yet"
	default:
		o.committed = snapshot.Of(e.at, now)
	}
}

// persistAll sends the offsets of all owned queues. Those of other queues are forgotten with
// it, as Java's store does (RemoteBrokerOffsetStore.persistAll); here that is told.
func (l *onDemand) persistAll(now time.Time) {
	if l.decisions.On() {
		l.record(decision.TaskPersist, mq.MessageQueue{}, 0, [6]int64{int64(len(l.order)), int64(len(l.loose))}, "")
	}
	l.offsetStep(now, offset.PersistDue{Owned: l.order})
	for _, q := range l.order { // queues that the application pulls never expire
		l.rebalance.Attempted(now, q)
	}
	if len(l.order) == 0 {
		return
	}
	for _, q := range slices.SortedFunc(maps.Keys(l.loose), mq.MessageQueue.Compare) {
		if l.file == nil && l.queues[q] == nil {
			if l.decisions.On() {
				l.record(decision.TaskForgotten, q, 0, [6]int64{}, "")
			}
			l.noteQueue(now, event.Warn, "offset", q, "the offset set by hand is forgotten: the queue is not ours, so it must be persisted by hand too")
		}
		delete(l.loose, q)
	}
}

// settleFor is how long the news of moved queues waits for start offsets that are being read:
// a pass is told once, not queue by queue.
const settleFor = time.Second

func (l *onDemand) noteMoved(now time.Time, topic string) {
	if _, known := l.moved[topic]; !known {
		l.moved[topic] = now
	}
}

// tellMoved tells of topics whose queues changed.
func (l *onDemand) tellMoved(now time.Time) {
	if len(l.moved) == 0 {
		return
	}
	resolving := map[string]bool{}
	for _, q := range l.rebalance.Resolving() {
		resolving[q.Topic] = true
	}
	for _, topic := range slices.Sorted(maps.Keys(l.moved)) {
		since := l.moved[topic]
		switch {
		case !l.running:
			delete(l.moved, topic)
		case !resolving[topic] || now.Sub(since) >= settleFor:
			delete(l.moved, topic)
			all, _ := l.routeQueues(topic)
			l.manner.queuesMoved(now, topic, slices.Clone(all), l.mine(topic))
		}
	}
}

// mine are our queues of a topic, sorted.
func (l *onDemand) mine(topic string) []mq.MessageQueue {
	out := []mq.MessageQueue{}
	for _, q := range l.order {
		if q.Topic == topic {
			out = append(out, q)
		}
	}
	return out
}

// visited is what is known of a queue that was pulled from, ours or not.
func (l *onDemand) visited(q mq.MessageQueue) *owned {
	if o := l.queues[q]; o != nil {
		return o
	}
	o := l.strays[q]
	if o == nil {
		o = newOwned(event.QueueAssigned{Queue: q})
		o.max.Reason, o.committed.Reason = "not pulled yet", "not read yet"
		l.strays[q] = o
	}
	return o
}

// inherit takes over what was seen of a queue before it was ours.
func (o *owned) inherit(s *owned) {
	o.min, o.max, o.next, o.asked, o.waitsTail = s.min, s.max, s.next, s.asked, s.waitsTail
	o.lastPull, o.lastFound, o.roundTrip, o.series = s.lastPull, s.lastFound, s.roundTrip, s.series
	o.held, o.found, o.filtered, o.failures = s.held, s.found, s.filtered, s.failures
	o.lastErr, o.failedAt = s.lastErr, s.failedAt
}

// learned takes in what an answered pull says.
func (l *onDemand) learned(now time.Time, o *owned, e event.PullDone, held bool) {
	o.learnAs(now, &e, held)
	l.pullsOf(e.Queue.BrokerName).add(now, &e, held)
	l.tailSeen(now, o, &e)
	l.counters.Received += uint64(e.Count)
	l.counters.Filtered += uint64(e.Filtered)
	if e.Status == mq.PullFailed {
		l.counters.PullsFailed++
	}
	if e.Status == mq.OffsetIllegal {
		l.illegal[e.Queue]++
		level, text := illegalText(pull.RepairOffset{Asked: e.Offset, Next: e.Next, Min: e.Min, Max: e.Max}, "the broker says to go on at")
		l.noteQueue(now, level, "pull", e.Queue, text)
	}
}

// task and pictureOwned are those of the manner.
func (l *onDemand) task(q mq.MessageQueue) snapshot.Task { return l.manner.task(q) }

func (l *onDemand) pictureOwned(o *owned, now time.Time) snapshot.Queue {
	s := l.pictureQueue(o, now, l.task(o.id), false)
	if !o.committed.OK() && !l.manner.keepsStart() {
		s.Lag = snapshot.UnknownBecause[int64]("committed offset: " + o.committed.Reason)
		s.Mark, s.Note = markOf(&s, o)
	}
	l.manner.drawQueue(&s, o)
	return s
}

func (l *onDemand) picture(now time.Time) *snapshot.Snapshot {
	s := l.pictureShared(now)
	for i := range s.Queues {
		q := &s.Queues[i]
		if o := l.strays[q.ID]; o != nil && q.State == snapshot.NotOwned {
			q.Min, q.Max, q.LastPull, q.LastFound = o.min, o.max.Aged(now, staleAfter), o.lastPull, o.lastFound
			q.RoundTrip, q.Found, q.Filtered, q.Failures, q.LastError = o.roundTrip.Summary(o.held), o.found, o.filtered, o.failures, o.lastErr
			q.Next = snapshot.Of(o.next, now)
		}
	}
	s.Group.Model, s.Group.From = l.cfg.Model, mq.FromLastOffset
	s.Group.Limits.PersistInterval = l.cfg.PersistInterval
	l.manner.draw(s, now)
	return s
}
