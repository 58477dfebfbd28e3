package consumer

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

func (l *loop) task(q mq.MessageQueue) snapshot.Task { return l.schedule.Task(q) }

// scheduleStep lets the schedule take e and gives each request its turn.
func (l *loop) scheduleStep(now time.Time, e event.Event) {
	l.scheduled(now, l.schedule.Step(now, e))
}

// scheduled does what the schedule decided.
func (l *loop) scheduled(now time.Time, actions []schedule.Action) {
	for _, a := range actions {
		switch a := a.(type) {
		case schedule.Turn:
			l.turn(now, a.Request)
		case event.Entry:
			a.At = now
			l.add(a)
		}
	}
}

// turn runs the checks of one pull with what they look at, and does what they decide.
func (l *loop) turn(now time.Time, r schedule.Request) {
	l.schedule.Taken(r)
	o := l.live(r.Queue, r.Epoch)
	if o == nil {
		l.scheduleStep(now, event.RequestDied{Queue: r.Queue, Epoch: r.Epoch})
		l.drive.turned(false)
		return
	}
	l.advance(now, o)
	o.served.turn = now
	l.rebalance.Attempted(now, r.Queue)
	if l.decisions.On() {
		l.record(decision.PullTouched, r.Queue, r.ID, [6]int64{now.UnixNano()}, "")
	}
	sub, subscribed := l.subscription(o, r.Queue.Topic)
	count, bytes, span := o.pq.Load()
	t := pull.Turn{
		Queue: r.Queue, Epoch: r.Epoch, Next: r.Next,
		Dropped: o.pq.Dropped(), Running: l.running, Paused: l.paused || l.resetPause,
		Subscribed: subscribed, SubVersion: sub.SubVersion, Expression: sub.SubString,
		CommitOffset: l.committable(o),
		Load:         pull.Load{Count: count, Bytes: bytes, Span: span},
		Task:         r.ID,
		Ordered:      l.cfg.Orderly, // there is no limit to its span (Java: checked of concurrent consumers only)
		Lock:         l.lockOf(now, o),
	}
	l.openOr(now, o, r.ID, l.pull.Turn(now, &t))
}

// follow carries out what the pull part decided about o.
func (l *loop) follow(now time.Time, o *owned, actions []pull.Action) {
	for _, a := range actions {
		switch a := a.(type) {
		case pull.Send:
			l.send(now, o, a)
		case event.PutBack:
			l.putBack(now, o, a)
		case event.RequestDied:
			l.scheduleStep(now, a)
		case pull.CorrectOffset:
			l.correct(o, a)
		case pull.Recheck:
			l.recheck(o, a)
		case pull.RepairOffset:
			l.repair(now, o, a)
		case event.Entry:
			a.At = now
			l.add(a)
		}
	}
}

// correct raises the stored offset to a's if nothing is cached that it would pass
// (Java: correctTagsOffset).
func (l *loop) correct(o *owned, a pull.CorrectOffset) {
	drained := o.drained()
	if l.decisions.On() {
		count := o.pq.shown()
		l.decisions.Record(&decision.Decision{
			Line: decision.PullCorrected, Queue: o.id, Task: a.Task, Yes: drained, N: [6]int64{int64(count), a.Offset},
		})
	}
	if drained {
		l.raise(o, a.Offset)
	}
}

// record records a fact about a queue's pulls.
func (m *membership) record(line *decision.Line, q mq.MessageQueue, task uint64, n [6]int64, text string) {
	m.decisions.Record(&decision.Decision{Line: line, Queue: q, Task: task, N: n, Text: text})
}

// taskOf is the number of the pull request of a queue, while somebody watches.
func (l *loop) taskOf(q mq.MessageQueue) uint64 {
	if !l.decisions.On() {
		return 0
	}
	return l.schedule.Task(q).ID
}

// putBack notes flow control, arms the wake-up that ends it, and returns the request.
func (l *loop) putBack(now time.Time, o *owned, back event.PutBack) {
	o.next = back.Next
	l.scheduled(now, l.schedule.PutBack(now, back))
	if !back.Cause.IsFlow() {
		return
	}
	if o.flow.trip(now, back.Cause) {
		l.noteQueue(now, event.Warn, "flow", o.id, flowText(back.Cause, o, l.limits))
	}
	limits, queue, epoch, inbox, orderly := l.limits, o.id, o.epoch, l.inbox, l.cfg.Orderly
	o.pq.Watch(func(count int, bytes, span int64) bool {
		if orderly {
			span = 0
		}
		return limits.Flow(pull.Load{Count: count, Bytes: bytes, Span: span}) == event.CauseNone
	}, func() { inbox.post(event.RoomFreed{Queue: queue, Epoch: epoch}) })
}

func (l *loop) send(now time.Time, o *owned, s pull.Send) {
	o.next, o.asked = s.Offset, s.Offset
	o.waitsTail = o.max.OK() && s.Offset >= o.max.V
	l.counters.Pulls++
	sub, _ := l.subscription(o, s.Queue.Topic)
	l.scheduled(now, l.schedule.Sent(now, event.PullSent{Queue: s.Queue, Epoch: s.Epoch, Hold: s.Hold}))
	l.in.act(actPull, int64(s.Queue.QueueID), s.Offset, s.BrokerID)
	if !l.in.remakes() {
		l.askBroker(now, o, s, sub.ExpressionType)
	}
}

// askBroker hands the request of a pull to the connection, and says what is to be done with the
// answer.
func (l *loop) askBroker(now time.Time, o *owned, s pull.Send, expressionType string) {
	h := &protocol.PullMessageRequest{
		ConsumerGroup: l.cfg.Group, Topic: s.Queue.Topic, QueueID: s.Queue.QueueID,
		QueueOffset: s.Offset, MaxMsgNums: s.MaxNums, MaxMsgBytes: protocol.Some(s.MaxBytes),
		SysFlag: s.SysFlag, CommitOffset: s.Commit, SuspendTimeoutMillis: s.Hold.Milliseconds(),
		SubVersion: s.SubVersion, ExpressionType: expressionType,
	}
	d := &delivery{
		decoding: decoding{membership: &l.membership, queue: s.Queue, offset: s.Offset, tags: l.subs.tags[s.Queue.Topic], task: s.Task},
		loop:     l, pq: o.pq.Queue, send: s, sent: now,
	}
	if l.cfg.Model == mq.Clustering {
		d.retryTopic = mq.RetryTopic(l.cfg.Group)
	}
	l.client.Pull(s.Queue, s.BrokerID, h, s.Timeout, d.done)
}

// subscription is that of the topic with the version that pulls of o may carry.
func (l *loop) subscription(o *owned, topic string) (protocol.SubscriptionData, bool) {
	sub, ok := l.subs.get(topic)
	sub.SubVersion = o.pq.subVersion(sub.SubVersion)
	return sub, ok
}

// pullDone learns from an answer and decides what follows.
func (l *loop) pullDone(now time.Time, e event.PullDone) {
	o := l.live(e.Queue, e.Epoch)
	if o == nil {
		if l.decisions.On() {
			l.decisions.Record(&decision.Decision{
				Line: decision.PullStale, Queue: e.Queue, N: [6]int64{e.Offset}, Text: e.Status.String(),
				Then: decision.Then{Do: decision.Stop},
			})
		}
		return
	}
	l.in.pulled(o)
	held := o.learn(now, &e)
	if o.broker == nil {
		o.broker = l.pullsOf(e.Queue.BrokerName)
	}
	o.broker.add(now, &e, held)
	l.tailSeen(now, o, &e)
	l.counters.Received += uint64(e.Count)
	l.counters.Filtered += uint64(e.Filtered)
	if e.Status == mq.Found {
		if o.topic == nil {
			o.topic = l.stats.of(e.Queue.Topic)
		}
		o.topic.pull(e.Took, e.Count)
	}
	if e.Status == mq.PullFailed {
		l.counters.PullsFailed++
	} else if e.Commit > 0 && (!o.committed.OK() || e.Commit > o.committed.V) {
		// What went along with a pull that was held may have been overtaken since.
		l.committed(now, o, e.Commit)
	}
	if l.unreadable(now, o, &e) {
		return
	}
	l.follow(now, o, l.pull.Answered(now, &e))
}
