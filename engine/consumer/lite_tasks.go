package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// Delays of a lite consumer's pull tasks (Java: DefaultLitePullConsumerImpl).
const (
	flowAllDelay   = 50 * time.Millisecond
	startErrDelay  = 3 * time.Second
	illegalBackoff = time.Second
)

// liteTasks is the manner of a lite consumer: the pull tasks of its queues and the batches that
// wait to be polled. The loop owns it.
type liteTasks struct {
	lite     *Lite
	schedule *schedule.Schedule
	pull     *pull.Pull
	queues   map[mq.MessageQueue]*liteQueue
	sent     uint64 // pulls so far, to tell answers apart
	// pausedAll is beside the queues' own pauses.
	pausedAll bool

	batches   []*liteBatch  // in the order they came
	available chan struct{} // size one: there may be a batch

	watches map[string]*topicWatch
	watchAt time.Time
}

// liteQueue is what a lite consumer knows of one of its queues (Java: AssignedMessageQueue).
type liteQueue struct {
	paused    bool
	consumed  int64     // position behind what was polled, -1 before
	out       uint64    // number of the pull that is out
	illegalAt time.Time // when the offset was last told to be illegal
}

// liteBatch is the messages of one pull that wait to be polled. It has one reference of its
// batch beside those of the ProcessQueue.
type liteBatch struct {
	o    *owned
	msgs fetched
}

type (
	unsubscribed   struct{ topic string }
	assignedByHand struct{ queues []mq.MessageQueue }
	// liteStart is where a queue begins that was assigned by hand.
	liteStart struct {
		queue     mq.MessageQueue
		epoch     uint64
		at        int64
		committed bool
		err       error
	}
	liteFetched struct {
		f  fetched
		no uint64
	}
)

func (m *liteTasks) loop() *onDemand { return m.lite.loop }

func (m *liteTasks) step(now time.Time, e event.Event) {
	switch e := e.(type) {
	case event.RoomFreed:
		if o := m.loop().live(e.Queue, e.Epoch); o != nil {
			m.scheduleStep(now, event.Woken{Queue: e.Queue, Causes: flowCauses})
		}
	case event.BrokerReachable:
		m.scheduleStep(now, event.Woken{BrokerName: e.BrokerName, Causes: failureCauses})
	case liteFetched:
		m.fetched(now, e)
	case liteStart:
		m.startKnown(now, e)
	case unsubscribed:
		m.loop().carryOut(now, m.loop().rebalance.Unsubscribe(now, e.topic))
		delete(m.watches, e.topic)
	case assignedByHand:
		m.assignByHand(now, e.queues)
	case event.ConsumptionPaused:
		m.setPausedAll(now, true)
	case event.ConsumptionResumed:
		m.setPausedAll(now, false)
	case topicSeen:
		m.topicSeen(now, e)
	case topicWatched:
		m.watchTopic(e)
	}
}

// assignByHand makes queues ours and no other.
func (m *liteTasks) assignByHand(now time.Time, queues []mq.MessageQueue) {
	l := m.loop()
	l.noRebalance = true
	wanted := map[mq.MessageQueue]bool{}
	for _, q := range queues {
		wanted[q] = true
	}
	for _, q := range append([]mq.MessageQueue(nil), l.order...) {
		if !wanted[q] {
			l.revoke(now, event.QueueRevoked{Queue: q, Why: event.RevokedUnsubscribed})
		}
	}
	topics := map[string]bool{}
	for _, q := range queues {
		if l.queues[q] == nil {
			l.offsetStep(now, offset.Removed{Queue: q})
			l.assign(now, event.QueueAssigned{Queue: q, Start: offset.None})
		}
		if !topics[q.Topic] {
			topics[q.Topic] = true
			l.subscribed(now, subscribed{topic: q.Topic, quiet: true})
		}
	}
}

func (m *liteTasks) assigned(now time.Time, o *owned) {
	m.queues[o.id] = &liteQueue{consumed: offset.None}
	m.begin(now, o)
}

// begin gives an assignment, or the new one that a seek makes of it, its pull task.
func (m *liteTasks) begin(now time.Time, o *owned) {
	m.scheduleStep(now, event.QueueAssigned{Queue: o.id, Epoch: o.epoch, Start: o.next})
}

func (m *liteTasks) revoked(now time.Time, o *owned) {
	m.end(now, o)
	delete(m.queues, o.id)
}

// end takes the pull task and the batches of an assignment away.
func (m *liteTasks) end(now time.Time, o *owned) {
	gone := event.QueueRevoked{Queue: o.id, Epoch: o.epoch}
	m.scheduleStep(now, gone)
	m.pull.Step(now, gone)
	kept := m.batches[:0]
	for _, b := range m.batches {
		if b.o == o {
			m.loop().batches.release(b.msgs.batch, 1)
			continue
		}
		kept = append(kept, b)
	}
	clear(m.batches[len(kept):])
	m.batches = kept
}

func (m *liteTasks) scheduleStep(now time.Time, e event.Event) {
	for _, a := range m.schedule.Step(now, e) {
		switch a := a.(type) {
		case schedule.Turn:
			m.turn(now, a.Request)
		case event.Entry:
			a.At = now
			m.loop().journal.add(a)
		}
	}
}

// turn makes the checks of one pull task in Java's order and does what follows
// (Java: DefaultLitePullConsumerImpl.PullTaskImpl.run).
func (m *liteTasks) turn(now time.Time, r schedule.Request) {
	m.schedule.Taken(r)
	l := m.loop()
	o, q := l.live(r.Queue, r.Epoch), m.queues[r.Queue]
	back := func(delay time.Duration, cause event.Cause) {
		m.putBack(now, o, event.PutBack{Queue: r.Queue, Epoch: r.Epoch, Next: r.Next, Delay: delay, Cause: cause})
	}
	switch {
	case o == nil || q == nil:
		m.scheduleStep(now, event.RequestDied{Queue: r.Queue, Epoch: r.Epoch})
		return
	case q.paused || m.pausedAll:
		back(time.Second, event.CausePaused)
		return
	case m.full():
		back(flowAllDelay, event.CauseFlowAll)
		return
	case r.Next < 0:
		m.findStart(now, o)
		return
	}
	count, bytes, span := o.pq.Load()
	m.pullStep(now, o, pull.Turn{
		Queue: r.Queue, Epoch: r.Epoch, Next: r.Next, Dropped: o.pq.Dropped(), Running: l.running,
		Subscribed: l.subs.has(r.Queue.Topic), Load: pull.Load{Count: count, Bytes: bytes, Span: span},
	})
}

// full tells whether all queues together hold enough.
func (m *liteTasks) full() bool {
	return len(m.batches)*m.lite.cfg.PullBatch > m.lite.cfg.ThresholdForAll
}

func (m *liteTasks) pullStep(now time.Time, o *owned, e event.Event) {
	for _, a := range m.pull.Step(now, e) {
		switch a := a.(type) {
		case pull.Send:
			m.send(now, o, a)
		case event.PutBack:
			m.putBack(now, o, a)
		case event.RequestDied:
			m.scheduleStep(now, a)
		case pull.CorrectOffset:
			m.skipFiltered(o, a.Offset)
		case pull.RepairOffset:
			m.illegal(now, o, a)
		case event.Entry:
			a.At = now
			m.loop().journal.add(a)
		}
	}
}

// putBack returns a request to the schedule, and has flow control end as soon as there is room.
func (m *liteTasks) putBack(now time.Time, o *owned, back event.PutBack) {
	if back.Next >= 0 {
		o.next = back.Next
	}
	m.scheduleStep(now, back)
	if !back.Cause.IsFlow() {
		return
	}
	limits, queue, epoch, inbox := m.lite.cfg.Limits, o.id, o.epoch, m.loop().inbox
	if o.flow.trip(now, back.Cause) {
		text := fmt.Sprintf("%d batches of %d wait to be polled, above %d messages, put back 50ms", len(m.batches), m.lite.cfg.PullBatch, m.lite.cfg.ThresholdForAll)
		if back.Cause != event.CauseFlowAll {
			text = flowText(back.Cause, o, limits)
		}
		m.loop().noteQueue(now, event.Warn, "flow", o.id, text)
	}
	if back.Cause == event.CauseFlowAll {
		return // the poll that makes room wakes all
	}
	o.pq.Watch(func(count int, bytes, span int64) bool {
		return limits.Flow(pull.Load{Count: count, Bytes: bytes, Span: span}) == event.CauseNone
	}, func() { inbox.post(event.RoomFreed{Queue: queue, Epoch: epoch}) })
}

// send makes a pull. It says what it wants, to be held, and that it is a lite one.
func (m *liteTasks) send(now time.Time, o *owned, s pull.Send) {
	l := m.loop()
	d, tags, ok := l.subs.wanted(s.Queue.Topic)
	if !ok {
		m.scheduleStep(now, event.RequestDied{Queue: s.Queue, Epoch: s.Epoch})
		return
	}
	o.next, o.asked = s.Offset, s.Offset
	o.waitsTail = o.max.OK() && s.Offset >= o.max.V
	l.counters.Pulls++
	m.sent++
	no := m.sent
	m.queues[o.id].out = no
	h := l.pullHeader(s.Queue, d, s.Offset, int(s.MaxNums), maxBytes, protocol.PullSuspend|protocol.PullLite)
	m.scheduleStep(now, event.PullSent{Queue: s.Queue, Epoch: s.Epoch, Hold: s.Hold})
	l.fetch(s.Queue, s.Epoch, s.BrokerID, tags, h, s.Timeout, func(f fetched) {
		if f.batch == nil || len(m.lite.hooks.filter) == 0 {
			l.inbox.post(liteFetched{f, no})
			return
		}
		l.crew.do("filter hook", func(ctx context.Context) {
			m.lite.hooks.narrow(ctx, &l.membership, &f)
			l.inbox.post(liteFetched{f, no})
		})
	})
}

// maxBytes is what Java's pulls say: no limit.
const maxBytes = 1<<31 - 1

// fetched takes an answer in. One that belongs to an earlier assignment, or to a pull that was
// taken for lost, brings nothing.
func (m *liteTasks) fetched(now time.Time, e liteFetched) {
	l, f := m.loop(), e.f
	o := l.live(f.done.Queue, f.done.Epoch)
	if o == nil || m.queues[f.done.Queue].out != e.no {
		if f.batch != nil {
			l.batches.release(f.batch, 1)
		}
		return
	}
	m.queues[o.id].out = 0
	if f.batch != nil {
		m.keep(o, &f)
	}
	held := f.done.Status == mq.NoNewMsg || f.done.Status == mq.Found && o.waitsTail
	l.learned(now, o, f.done, held)
	m.pullStep(now, o, f.done)
}

// keep puts the messages of an answer where polls find them.
func (m *liteTasks) keep(o *owned, f *fetched) {
	added := o.pq.Put(f.batch, f.keep)
	f.done.Count, f.done.Bytes = added.Count, int(added.Bytes)
	if added.Count == 0 {
		m.loop().batches.release(f.batch, 1)
		return
	}
	m.batches = append(m.batches, &liteBatch{o: o, msgs: *f})
	select {
	case m.available <- struct{}{}:
	default:
	}
}

// skipFiltered moves the position of a queue over messages that nobody wants, when all that
// were pulled have been polled: else a group that wants none of the tags would lag for ever.
func (m *liteTasks) skipFiltered(o *owned, to int64) {
	if q := m.queues[o.id]; q != nil && to > o.start && o.drained() {
		q.consumed = max(q.consumed, to)
	}
}

// illegal goes on where the broker says, as Java does; a second time in a row slowly. What is
// cached of a queue whose offset was reset is dropped, and what was committed before with it:
// nothing of that is handed over, or sent, any more (Java's is).
func (m *liteTasks) illegal(now time.Time, o *owned, a pull.RepairOffset) {
	q := m.queues[o.id]
	again := now.Sub(q.illegalAt) < 2*illegalBackoff
	q.illegalAt = now
	if isReset(a) && !again {
		m.beginAt(now, o, a.Next, o.max)
		m.commit(now, a.Queue, a.Next)
		return
	}
	back := event.PutBack{Queue: a.Queue, Epoch: a.Epoch, Next: a.Next}
	if again {
		back.Delay, back.Cause = illegalBackoff, event.CauseException
	}
	m.putBack(now, o, back)
}

// findStart asks where a queue begins that was assigned by hand. Its request waits for the
// answer; an offset that could not be read is asked for again, it is never guessed.
func (m *liteTasks) findStart(now time.Time, o *owned) {
	l, cfg := m.loop(), &m.lite.cfg
	queue, epoch := o.id, o.epoch
	if at := l.offsets.Read(queue); at >= 0 {
		l.inbox.post(liteStart{queue, epoch, at, true, nil})
		return
	}
	if l.file != nil {
		if at, found, err := l.file.store.Stored(queue); found || err != nil {
			l.inbox.post(liteStart{queue, epoch, at, true, err})
			return
		}
	}
	fromFile := l.file != nil
	l.call(queue.BrokerName, func(ctx context.Context) {
		s := liteStart{queue: queue, epoch: epoch}
		if !fromFile {
			s.at, s.committed, s.err = l.client.QueryOffset(ctx, l.group, queue)
		}
		if s.err == nil && !s.committed {
			s.at, s.err = m.byPolicy(ctx, queue, cfg)
		}
		l.inbox.post(s)
	})
}

// byPolicy is where a queue begins of which the group has no offset
// (Java: RebalanceLitePullImpl.computePullFromWhereWithException).
func (m *liteTasks) byPolicy(ctx context.Context, q mq.MessageQueue, cfg *LiteConfig) (int64, error) {
	retry := mq.IsRetryTopic(q.Topic)
	switch {
	case cfg.From == mq.FromFirstOffset, cfg.From == mq.FromLastOffset && retry:
		return 0, nil
	case cfg.From == mq.FromTimestamp && !retry:
		return m.lite.client.SearchOffset(ctx, q, cfg.Timestamp)
	}
	return m.lite.client.MaxOffset(ctx, q)
}

func (m *liteTasks) startKnown(now time.Time, e liteStart) {
	l := m.loop()
	o := l.live(e.queue, e.epoch)
	if o == nil {
		return
	}
	back := event.PutBack{Queue: e.queue, Epoch: e.epoch, Next: e.at}
	if e.err == nil && e.at < 0 {
		e.err = fmt.Errorf("the broker answered %d", e.at)
	}
	if e.err != nil {
		o.failures++
		o.failedAt, o.lastErr = now, e.err.Error()
		l.noteQueue(now, event.Warn, "offset", e.queue, fmt.Sprintf("start offset unknown, asked again in %v: %v", startErrDelay, e.err))
		back.Next, back.Delay, back.Cause = offset.None, startErrDelay, event.CauseException
		m.putBack(now, o, back)
		return
	}
	o.start, o.next, o.lastErr = e.at, e.at, ""
	if e.committed {
		l.offsetStep(now, offset.Advanced{Queue: e.queue, Offset: e.at})
		l.committed(now, o, e.at)
	} else {
		o.committed.Reason = "nothing committed yet"
	}
	m.putBack(now, o, back)
}

func (m *liteTasks) queuesMoved(_ time.Time, topic string, all, mine []mq.MessageQueue) {
	if tell := m.lite.listenerOf(topic); tell != nil {
		l := m.loop()
		topic, all, mine := l.shown(topic), l.shownQueues(all), l.shownQueues(mine)
		l.crew.inOrder("message queue listener", func(ctx context.Context) { tell(ctx, topic, all, mine) })
	}
}

func (m *liteTasks) keepsStart() bool { return true }

func (m *liteTasks) tick(now time.Time) {
	if due, ok := m.schedule.NextDue(); ok && !due.After(now) {
		m.scheduleStep(now, event.Tick{})
	}
	m.lookAtTopics(now)
}

func (m *liteTasks) nextDue() (time.Time, bool) {
	due, ok := m.schedule.NextDue()
	if len(m.watches) > 0 && (!ok || m.watchAt.Before(due)) {
		return m.watchAt, true
	}
	return due, ok
}

// stop lets no pull task have another turn.
func (m *liteTasks) stop(now time.Time) {
	for _, q := range m.loop().order {
		m.end(now, m.loop().queues[q])
	}
}

func (m *liteTasks) idle() bool { return true }

func (m *liteTasks) task(q mq.MessageQueue) snapshot.Task { return m.schedule.Task(q) }

func (m *liteTasks) draw(s *snapshot.Snapshot, _ time.Time) {
	cfg := &m.lite.cfg
	s.Group.Kind, s.Group.From = snapshot.LiteKind, cfg.From
	l := &s.Group.Limits
	l.CountPerQueue, l.MiBPerQueue, l.Span, l.PullBatch = cfg.Limits.CountPerQueue, cfg.Limits.MiBPerQueue, cfg.Limits.Span, cfg.PullBatch
	all := len(m.queues) > 0
	for _, q := range m.queues {
		all = all && q.paused
	}
	s.Mode.Paused = all || m.pausedAll
	s.Group.Threads.TasksQueue = len(m.batches)
}

func (m *liteTasks) drawQueue(s *snapshot.Queue, o *owned) {
	if o.next < 0 {
		why := "reading its start offset"
		s.State, s.Note = snapshot.Resolving, why
		s.Next, s.Lag = snapshot.UnknownBecause[int64](why), snapshot.UnknownBecause[int64](why)
	}
	if q := m.queues[o.id]; q != nil && (q.paused || m.pausedAll) {
		s.State = snapshot.QueuePaused
		s.Mark, s.Note = markOf(s, o)
	}
}

var _ manner = (*liteTasks)(nil)
