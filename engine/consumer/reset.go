package consumer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/rebalance"
)

const (
	// resetWait is the time between giving up a queue whose offset is reset and committing its
	// new offset, while listeners may finish what they have (Java: MQClientInstance.resetOffset).
	resetWait = 10 * time.Second
	// resetRetry is the wait after the new offset could not be committed.
	resetRetry = 3 * time.Second
)

// reset is the reset of one queue's offset that a broker asked for. The queue is dropped from
// its beginning to its end, and nothing else is pulled until the new offset was sent once.
type reset struct {
	epoch uint64 // of the assignment that was dropped for it
	from  int64  // the offset until then, offset.None for none
	to    int64
	by    string
	due   time.Time // when to commit
	sent  bool      // the commit is under way
	tried bool      // it failed before
}

// resetSent says how the commit of a new offset went.
type resetSent struct {
	queue mq.MessageQueue
	epoch uint64
	to    int64
	err   error
}

// resetRequested is the answer to a broker that wants offsets reset. It waits for the loop, so
// that a broker which asks again and again is held up by it.
func (l *loop) resetRequested(ctx context.Context, r client.ResetOffsets) error {
	if l.cfg.AllowBrokerRequests.Reset == Refused {
		l.inbox.post(requestNote(r.From, fmt.Sprintf("a reset of the offsets of %d queues of topic %s", len(r.Targets), r.Topic), false))
		return notAllowed("resets of offsets")
	}
	_, err := ask(ctx, l.clock, l.inbox, askedReset{r}, func(now time.Time) struct{} {
		l.reset(now, r)
		return struct{}{}
	})
	return err
}

// reset begins the resets of our queues; the members that have the others were asked too. Of a
// queue that is being reset the newest target counts.
func (l *loop) reset(now time.Time, r client.ResetOffsets) {
	ours, pauses := 0, false
	for _, q := range slices.SortedFunc(maps.Keys(r.Targets), mq.MessageQueue.Compare) {
		o := l.queues[q]
		if o == nil {
			continue
		}
		ours++
		if s := l.resets[q]; s != nil {
			s.to, s.by = r.Targets[q], r.From
			l.noteQueue(now, event.Warn, "offset", q, fmt.Sprintf("%s changed the reset under way: to %d", r.From, s.to))
			continue
		}
		l.advance(now, o)
		l.resets[q] = &reset{from: l.offsets.Read(q), to: r.Targets[q], by: r.From, due: now.Add(resetWait), tried: o.leaving != nil}
		l.decisions.Fact(decision.OffsetReset, q, "", [6]int64{l.resets[q].from, r.Targets[q], int64(resetWait)})
		pauses = pauses || o.leaving == nil
		l.beginReset(now, o)
	}
	what := fmt.Sprintf("offsets of topic %s are reset: %d of %d queues are ours", r.Topic, ours, len(r.Targets))
	if pauses {
		l.resetPause = true
		what += fmt.Sprintf(", pulling pauses for %v", resetWait)
	}
	if r.Skipped > 0 {
		what += fmt.Sprintf("; %d entries of the request were no queue of the topic with an offset", r.Skipped)
	}
	l.note(now, event.Warn, "offset", r.From, what)
}

// beginReset drops a queue whose reset is under way; so it does again when the queue was given
// up and came back meanwhile.
func (l *loop) beginReset(now time.Time, o *owned) {
	s := l.resets[o.id]
	if s == nil {
		return
	}
	s.epoch, s.sent = o.epoch, false
	o.pq.Drop()
	l.scheduleStep(now, event.RequestDied{Queue: o.id, Epoch: o.epoch})
	o.pq.Clear()
}

// dueResets commits the new offsets whose time has come, by an answered call: the next
// assignment reads them from the broker.
func (l *loop) dueResets(now time.Time) {
	for _, q := range l.resetting() {
		s := l.resets[q]
		o := l.live(q, s.epoch)
		if s.sent || s.due.After(now) || o == nil || o.leaving != nil {
			continue
		}
		s.sent = true
		e := resetSent{queue: q, epoch: s.epoch, to: s.to}
		if l.file != nil {
			l.overwrite(now, q, s.to)
			l.inbox.post(e)
			continue
		}
		l.call(q.BrokerName, func(ctx context.Context) {
			e.err = l.client.CommitOffsetSync(ctx, l.cfg.Group, e.queue, e.to)
			l.inbox.post(e)
		})
	}
}

// overwrite puts an offset into memory, whatever is there, and has it sent.
func (l *loop) overwrite(now time.Time, q mq.MessageQueue, to int64) {
	l.offsetStep(now, offset.Removed{Queue: q})
	l.offsetStep(now, offset.Advanced{Queue: q, Offset: to})
	l.offsetStep(now, offset.PersistQueue{Queue: q})
}

func (l *loop) resetSent(now time.Time, e resetSent) {
	s, o := l.resets[e.queue], l.live(e.queue, e.epoch)
	if s == nil || o == nil || s.epoch != e.epoch || o.leaving != nil {
		return
	}
	s.sent = false
	switch done := l.decisions.Is(decision.OffsetResetDone, e.queue, e.err == nil, [6]int64{e.to}); {
	case !done:
		l.offsetSent(now, event.OffsetSent{Queue: e.queue, Offset: e.to, Err: e.err})
		s.due, s.tried = now.Add(resetRetry), true
		l.noteQueue(now, event.Warn, "offset", e.queue, fmt.Sprintf("reset to %d not committed, tried again in %v: %v", e.to, resetRetry, e.err))
		l.mayResume(now)
		return
	case e.to != s.to: // changed meanwhile
		l.dueResets(now)
		return
	case l.file == nil:
		l.offsetSent(now, event.OffsetSent{Queue: e.queue, Offset: e.to})
	}
	l.noteQueue(now, event.Warn, "offset", e.queue, s.text())
	l.forget(now, o, event.QueueRevoked{Queue: e.queue, Epoch: e.epoch, Why: event.RevokedByReset})
	l.rebalanceStep(now, rebalance.Dropped{Queue: e.queue})
	l.endReset(now, e.queue)
}

// text tells where a queue goes on, and what that means.
func (s *reset) text() string {
	if s.from == offset.None {
		return fmt.Sprintf("offset reset for %s: none → %d", s.by, s.to)
	}
	text := fmt.Sprintf("offset reset for %s: %d → %d", s.by, s.from, s.to)
	switch n := s.to - s.from; {
	case n > 0:
		text += fmt.Sprintf(", %d are skipped", n)
	case n < 0:
		text += fmt.Sprintf(", %d come again", -n)
	}
	return text
}

// handOverReset has the next owner of a queue that is given up go on where the reset wants it.
func (l *loop) handOverReset(now time.Time, q mq.MessageQueue, why event.RevokeReason) {
	s := l.resets[q]
	if s == nil {
		return
	}
	l.decisions.Fact(decision.OffsetResetHanded, q, "", [6]int64{s.to})
	l.overwrite(now, q, s.to)
	l.noteQueue(now, event.Warn, "offset", q, s.text()+", sent as the queue is given up")
	if why != event.RevokedPullExpired { // else it is ours again at once
		l.endReset(now, q)
	}
}

func (l *loop) endReset(now time.Time, q mq.MessageQueue) {
	delete(l.resets, q)
	l.mayResume(now)
}

// mayResume lets pulling go on once every reset was done, or tried in vain.
func (l *loop) mayResume(now time.Time) {
	for _, s := range l.resets {
		if !s.tried {
			return
		}
	}
	if !l.resetPause || !l.running {
		return
	}
	l.resetPause = false
	l.note(now, event.Info, "offset", "", "pulling goes on after a reset of offsets")
	l.scheduleStep(now, event.Woken{Causes: []event.Cause{event.CausePaused}, By: "reset of offsets over"})
	l.rebalanceStep(now, event.RebalanceWanted{Why: "offsets reset"})
}

// resetWaitsForNobody lets pulling go on without a queue that is being given up: its reset is
// over when its listener has returned, which may take long.
func (l *loop) resetWaitsForNobody(now time.Time, q mq.MessageQueue) {
	if s := l.resets[q]; s != nil {
		s.tried = true
		l.mayResume(now)
	}
}

// resetting are the queues whose offsets are being reset, sorted.
func (l *loop) resetting() []mq.MessageQueue {
	if len(l.resets) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(l.resets), mq.MessageQueue.Compare)
}

// nextReset is when dueResets has something to do.
func (l *loop) nextReset() (at time.Time, ok bool) {
	for q, s := range l.resets {
		o := l.live(q, s.epoch)
		if !s.sent && o != nil && o.leaving == nil && (!ok || s.due.Before(at)) {
			at, ok = s.due, true
		}
	}
	return at, ok
}
