package consume

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// settle carries out what follows from the listener's answer and takes the next messages; it
// tells how the turn goes on. The results of a dropped queue are discarded.
func (w *orderlyWorker) settle(ctx context.Context, s OrderlyStatus) ending {
	now := w.c.cfg.Clock.Now()
	if w.on && w.shown {
		took := now.Sub(w.c.born) - time.Duration(w.started.Load()-1)
		w.fact(decision.OrderlyReturned, w.q, s.String()+w.broke, w.first.Load(), int64(took), decision.Bool(w.context.AutoCommit))
	}
	if w.is(decision.OrderlyDiscarded, w.q, w.q.Dropped() || w.unseen, int64(len(w.hand.Messages))) {
		w.q.Untake(now, &w.hand)
		return ranDry
	}
	w.tally.Calls++
	w.tally.Busy += now.Sub(w.c.born) - time.Duration(w.started.Load()-1)
	o, odd := decideOrdered(s, w.context.AutoCommit)
	if odd && !w.c.oddTold.Swap(true) {
		w.c.tell(event.Warn, "consume", w.q.ID, 1, fmt.Sprintf("listener answers %v with AutoCommit on: taken for SUCCESS", s))
	}
	if s == OrderlySuccess || odd {
		w.totals.consumed.Add(uint64(len(w.hand.Messages)))
		w.tally.OK += int64(len(w.hand.Messages))
	}
	switch o {
	case commitAll:
		return w.commit(ctx, now)
	case keepBatch:
		return w.keep(ctx, now)
	case rollBack:
		w.pause = w.c.cfg.suspension(w.context.Suspend)
		if w.on {
			w.fact(decision.OrderlyRolledBack, w.q, "", int64(len(w.hand.Messages)), int64(w.q.Kept()))
		}
		w.q.Rollback(now, &w.hand)
		return paused
	default:
		return w.failed(ctx, now)
	}
}

// commit resolves the consuming set, if the lock is still held. Without it somebody else may
// have the queue: the batch is kept, and committed only when the lock comes back unbroken.
func (w *orderlyWorker) commit(ctx context.Context, now time.Time) ending {
	if !w.is(decision.OrderlyMayCommit, w.q, w.holdsLock(now)) {
		w.q.Keep(now, &w.hand, 0)
		w.l.owed = w.q
		w.c.tell(event.Warn, "consume", w.q.ID, 1, fmt.Sprintf("lock lost while the listener had offset %d: not committed before it is held again", w.first.Load()))
		return w.noMore()
	}
	e, next := w.next(ctx, now)
	count, kept := len(w.hand.Messages), 0
	if w.on {
		kept = w.q.Kept()
	}
	offset := w.q.Commit(now, &w.hand, next)
	if w.on {
		w.fact(decision.OrderlyCommitted, w.q, "", int64(count), int64(kept), offset)
	}
	return w.goOn(e, now)
}

// keep leaves the batch for a later Commit or Rollback of the listener.
func (w *orderlyWorker) keep(ctx context.Context, now time.Time) ending {
	e, next := w.next(ctx, now)
	count := len(w.hand.Messages)
	w.q.Keep(now, &w.hand, next)
	if w.on {
		w.fact(decision.OrderlyKept, w.q, "", int64(count), int64(w.q.Kept()))
	}
	return w.goOn(e, now)
}

// next tells whether and how many messages may be taken at now.
func (w *orderlyWorker) next(ctx context.Context, now time.Time) (ending, int) {
	if e := w.mayTake(ctx, now); e != goesOn {
		return e, 0
	}
	return goesOn, w.c.cfg.Batch
}

func (w *orderlyWorker) goOn(e ending, now time.Time) ending {
	if e != goesOn {
		return e
	}
	return w.took(now)
}

// noMore is how a turn ends without the lock.
func (w *orderlyWorker) noMore() ending {
	if w.q.Retired() {
		return ranDry
	}
	return lockless
}

// failed follows a batch that did not succeed: it suspends its queue, unless every message
// of it failed so often that the dead-letter topic took it
// (Java: ConsumeMessageOrderlyService.checkReconsumeTimes).
//
// One difference is meant: a message that the dead-letter topic took together with one that
// still suspends the batch is done here; Java consumes it again and sends it once more.
func (w *orderlyWorker) failed(ctx context.Context, now time.Time) ending {
	n := len(w.hand.Messages)
	w.totals.failed.Add(uint64(n))
	w.tally.Failed += int64(n)
	dead := w.deadLetters(ctx)
	if dead > 0 {
		now = w.c.cfg.Clock.Now()
		w.totals.sentBack.Add(uint64(dead))
		w.c.tell(event.Warn, "retry", w.q.ID, dead, "failed too often, message sent to the dead-letter topic")
	}
	if dead == n {
		if w.context.AutoCommit {
			return w.commit(ctx, now)
		}
		return w.keep(ctx, now)
	}
	if dead > 0 && w.is(decision.OrderlyMayCommit, w.q, w.holdsLock(now)) {
		w.q.Finish(now, w.given[:dead])
		w.hand.Messages = append(w.hand.Messages[:0], w.given[dead:n]...)
	}
	w.pause = w.c.cfg.suspension(w.context.Suspend)
	if rareEnough(w.hand.Failed[0]) {
		w.c.tell(event.Warn, "consume", w.q.ID, n, fmt.Sprintf("listener failed at offset %d, %d times before: queue suspended for %v", w.first.Load(), w.hand.Failed[0], w.pause))
	}
	if w.on {
		w.fact(decision.OrderlyAgain, w.q, "", int64(len(w.hand.Messages)), w.hand.Messages[0].QueueOffset())
	}
	w.q.ConsumeAgain(now, &w.hand)
	return paused
}

// deadLetters sends what failed too often to the dead-letter topic. It returns how many
// messages the broker has; they stand first in given, the others behind them.
func (w *orderlyWorker) deadLetters(ctx context.Context) (dead int) {
	w.given = w.given[:0]
	if w.c.cfg.MaxReconsume == math.MaxInt32 {
		return 0
	}
	var rest []mq.Message
	for i, m := range w.hand.Messages {
		times, limit := m.ReconsumeTimes()+int32(w.hand.Failed[i]), w.c.cfg.MaxReconsume
		if !w.is(decision.OrderlyDead, w.q, times >= limit, m.QueueOffset(), int64(times), int64(limit)) {
			rest = append(rest, m)
			continue
		}
		err := w.c.deadLetter(ctx, m)
		if !w.is(decision.OrderlyDeadLetter, w.q, err == nil, m.QueueOffset()) {
			w.totals.sendBackFailed.Add(1)
			w.c.tell(event.Warn, "retry", w.q.ID, 1, fmt.Sprintf("offset %d could not be sent to the dead-letter topic, the queue waits: %v", m.QueueOffset(), err))
			rest = append(rest, m)
			continue
		}
		w.given = append(w.given, m)
	}
	dead = len(w.given)
	w.given = append(w.given, rest...)
	return dead
}

// deadLetter sends m to the dead-letter topic; a panic on the way is a failure too.
func (c *Orderly) deadLetter(ctx context.Context, m mq.Message) (err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := debug.Stack()
			err = fmt.Errorf("panic in send-back: %v\n%s", v, stack[:min(len(stack), stackBytes)])
		}
	}()
	return c.cfg.SendBack.SendBack(ctx, m, -1, c.cfg.MaxReconsume)
}
