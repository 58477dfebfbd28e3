package consume

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/plant"
	"mqscope/engine/mq"
)

// sweptLevel is the delay level of messages that were swept (Java: ProcessQueue.cleanExpiredMsg).
const sweptLevel = 3

// settle carries out what follows from the listener's answer, and takes more messages when
// the turn is not over. The results of a dropped queue are discarded.
func (w *worker) settle(ctx context.Context, s Status) {
	now := w.c.cfg.Clock.Now()
	n := len(w.msgs)
	v := decide(w.c.cfg.Model, s, w.context.AckIndex, w.readable)
	dropped, before := w.q.Dropped(), int64(0)
	if w.on {
		w.tellAnswer(now, s)
		dropped = w.is(decision.ConsumeDiscarded, w.q, dropped, int64(n))
		before = w.q.Committable()
	}
	if !dropped {
		w.note(now, v)
	}
	done := v.acked
	if v.acked < n && !dropped {
		w.q.Finish(now, w.msgs[:v.acked])
		done += w.settleRest(ctx, v)
		w.msgs = w.msgs[:0]
		now = w.c.cfg.Clock.Now()
	}
	if !dropped {
		w.totals.consumed.Add(uint64(v.acked))
	}
	next := 0
	goesOn := w.left > 0 && now.Before(w.until) && !w.c.closed.Load() && ctx.Err() == nil
	if w.on {
		goesOn = w.is(decision.ConsumeTurn, w.q, goesOn, int64(w.left), int64(max(0, w.until.Sub(now))))
	}
	if goesOn {
		next = w.c.cfg.Batch
	}
	finished := w.msgs
	w.msgs, _ = w.q.Next(now, finished, w.spare[:0], next)
	w.spare = finished
	if w.on && !dropped {
		w.fact(decision.ConsumeRemoved, w.q, "", int64(done), before, w.q.Committable())
	}
	w.begin(now)
}

// tellAnswer records what the listener said, when it was asked.
func (w *worker) tellAnswer(now time.Time, s Status) {
	if !w.shown {
		return
	}
	took := now.Sub(w.c.born) - time.Duration(w.started.Load()-1)
	w.fact(decision.ConsumeReturned, w.q, s.String()+w.broke, w.first.Load(), int64(w.readable), int64(took),
		int64(w.context.AckIndex), int64(w.context.DelayLevel))
	w.is(decision.ConsumeOvertime, w.q, took >= w.c.cfg.Timeout, int64(took), int64(w.c.cfg.Timeout))
}

// note counts a call of the listener and what became of its messages, for statistics.
func (w *worker) note(now time.Time, v verdict) {
	if w.readable > 0 {
		w.tally.Calls++
		w.tally.Busy += now.Sub(w.c.born) - time.Duration(w.started.Load()-1)
	}
	if w.on {
		w.fact(decision.ConsumeAcked, w.q, "", w.first.Load(), int64(v.acked), int64(len(w.msgs)-v.acked))
	}
	w.tally.OK += int64(v.acked)
	w.tally.Failed += int64(len(w.msgs) - v.acked)
}

// settleRest deals with the messages that did not succeed, one by one. It returns how many of
// them are done here.
func (w *worker) settleRest(ctx context.Context, v verdict) (done int) {
	failed := w.msgs[v.acked:]
	w.totals.failed.Add(uint64(len(failed)))
	if w.is(decision.ConsumeGivenUp, w.q, v.rest == giveUp, failed[0].QueueOffset(), int64(len(failed))) {
		w.totals.dropped.Add(uint64(len(failed)))
		w.c.tell(event.Warn, "consume", w.q.ID, len(failed), "listener failed, message given up: broadcasting has no retry")
		w.q.Finish(w.c.cfg.Clock.Now(), failed)
		return len(failed)
	}
	sent := 0
	for i := range failed {
		m, level := failed[i], w.context.DelayLevel
		if v.acked+i >= w.readable {
			level = 0 // the listener did not mean this one
		}
		off, times := m.QueueOffset(), int64(m.ReconsumeTimes())
		if !w.is(decision.ConsumeOurs, w.q, w.q.Failed(m), off) {
			continue // swept: it was sent back already, or is being
		}
		err := w.c.sendBack(ctx, m, level)
		if !w.is(decision.ConsumeSentBack, w.q, err == nil || plant.IgnoreSendBack, off, int64(level), times) {
			w.totals.sendBackFailed.Add(1)
			w.retry(m, err)
			continue
		}
		sent++
		w.q.Finish(w.c.cfg.Clock.Now(), failed[i:i+1])
	}
	w.totals.sentBack.Add(uint64(sent))
	if sent > 0 {
		w.c.tell(event.Warn, "retry", w.q.ID, sent, "listener failed, message sent back")
	}
	return sent
}

func (w *worker) retry(m mq.Message, err error) {
	off := m.QueueOffset()
	w.c.tellSendBackFailed(w.q.ID, off, err)
	if w.is(decision.ConsumeRetryHere, w.q, w.q.Retry(m), off, int64(w.c.cfg.RetryDelay)) {
		w.c.later.add(w.c.cfg.Clock.Now().Add(w.c.cfg.RetryDelay), w.q, off)
	}
}

func (c *Concurrent) tellSendBackFailed(q mq.MessageQueue, off int64, err error) {
	c.tell(event.Warn, "retry", q, 1, fmt.Sprintf("offset %d could not be sent back, stays here, next try in %v: %v", off, c.cfg.RetryDelay.Round(time.Millisecond), err))
}

// sendBack sends m back; a panic on the way is a failure too.
func (c *Concurrent) sendBack(ctx context.Context, m mq.Message, level int32) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			err = fmt.Errorf("panic in send-back: %v\n%s", v, stack[:min(len(stack), stackBytes)])
		}
	}()
	return c.cfg.SendBack.SendBack(ctx, m, level, c.cfg.MaxReconsume)
}
