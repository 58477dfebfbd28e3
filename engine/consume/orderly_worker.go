package consume

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// ending is why a turn is over.
type ending uint8

const (
	goesOn    ending = iota
	ranDry           // nothing waits, or the queue was given up
	outOfTime        // others get their turn
	paused           // the listener failed or rolled back
	lockless         // the broker's lock is not held
)

// String is the word in traces.
func (e ending) String() string {
	return [...]string{"goes on", "nothing to do", "others get their turn", "suspended", "lock not held"}[e]
}

// orderlyWorker is one consume thread.
type orderlyWorker struct {
	thread
	teller
	c    *Orderly
	told int64 // start of the call that was last told as overdue; the watch's own

	// The turn.
	l       *lane
	q       *processqueue.Queue
	hand    processqueue.Hand
	given   []mq.Message // to the listener, which may do with the slice what it likes
	times   []int32
	context OrderlyContext
	began   time.Time
	pause   time.Duration
	tally   processqueue.Tally
	unseen  bool // the queue was given up before the listener was called
	// inListener stays true when the listener ended the goroutine.
	inListener bool
}

func (w *orderlyWorker) run(ctx context.Context, g *lifecycle.Group, name string) error {
	defer func() {
		if w.inListener { // runtime.Goexit in the listener: the thread lives on in a new goroutine
			g.Go(name, func(ctx context.Context) error { return w.run(ctx, g, name) })
		}
	}()
	from := fresh
	if w.inListener {
		w.inListener = false
		w.broke = w.c.exited(&w.thread, w.q.ID)
		w.finish(ctx, w.settle(ctx, SuspendCurrentQueueAMoment))
		from = fromTurn
	}
	for {
		l, q := w.c.pick(ctx, w, from)
		if l == nil {
			var ok bool
			if from, ok = w.c.rest(ctx, w); !ok {
				return nil
			}
			continue
		}
		w.turn(ctx, l, q)
		from = fromTurn
	}
}

// turn consumes from q until nothing waits, or something else ends it.
func (w *orderlyWorker) turn(ctx context.Context, l *lane, q *processqueue.Queue) {
	w.l, w.q, w.began = l, q, w.c.cfg.Clock.Now()
	w.queue.Store(q)
	if w.look() {
		w.fact(decision.OrderlyLane, w.q, "", int64(q.Epoch))
	}
	w.finish(ctx, w.start(ctx))
}

// start takes the first messages of a turn, after a commit that waited for the lock.
func (w *orderlyWorker) start(ctx context.Context) ending {
	now := w.began
	if e := w.mayTake(ctx, now); e != goesOn {
		return e
	}
	if w.is(decision.OrderlyOwed, w.q, w.l.owed == w.q) {
		kept := w.q.Kept()
		offset := w.q.Commit(now, &w.hand, w.c.cfg.Batch)
		w.fact(decision.OrderlyCommitted, w.q, "", 0, int64(kept), offset)
	} else {
		w.q.TakeOrdered(now, &w.hand, w.c.cfg.Batch)
	}
	w.l.owed = nil
	return w.took(now)
}

// finish calls the listener until the turn ends as e, and hands the lane back.
func (w *orderlyWorker) finish(ctx context.Context, e ending) {
	for e == goesOn {
		e = w.settle(ctx, w.call(ctx))
	}
	w.q.Count(w.tally)
	w.tally = processqueue.Tally{}
	w.started.Store(0)
	// An idle thread keeps no batch from being collected.
	w.hand.Forget()
	clear(w.given[:cap(w.given)])
	if w.on {
		w.fact(decision.OrderlyEnd, w.q, e.String(), int64(w.c.cfg.Clock.Now().Sub(w.began)))
	}
	w.c.endTurn(w.l, w.q, e, w.pause)
}

// mayTake tells whether more messages may be handed over at now. The lock's age is looked at
// before each batch (Java: ConsumeMessageOrderlyService.ConsumeRequest.run).
func (w *orderlyWorker) mayTake(ctx context.Context, now time.Time) ending {
	dropped, retired, ends := w.q.Dropped(), w.q.Retired(), w.ending(ctx)
	ran := now.Sub(w.began)
	switch {
	case w.is(decision.OrderlyGone, w.q, dropped || retired || ends, decision.Bool(dropped), decision.Bool(retired), decision.Bool(ends)):
		return ranDry
	case !w.mayUnderLock(now):
		return lockless
	case w.is(decision.OrderlyTime, w.q, ran > w.c.cfg.Continuous, int64(ran), int64(w.c.cfg.Continuous)):
		return outOfTime
	}
	return goesOn
}

// mayUnderLock is holdsLock, and tells of it.
func (w *orderlyWorker) mayUnderLock(now time.Time) bool {
	held := w.holdsLock(now)
	if !w.on {
		return held
	}
	at, granted := w.q.LockedAt()
	age := time.Duration(0)
	if granted {
		age = processqueue.LockAge(now, at)
	}
	return w.is(decision.OrderlyLock, w.q, held,
		decision.Bool(granted), int64(age), int64(w.c.cfg.LockExpiry), decision.Bool(w.c.cfg.Model == mq.Broadcasting))
}

func (w *orderlyWorker) ending(ctx context.Context) bool {
	return w.c.closed.Load() || ctx.Err() != nil
}

func (w *orderlyWorker) holdsLock(now time.Time) bool {
	return w.c.cfg.Model == mq.Broadcasting || w.q.HoldsLock(now, w.c.cfg.LockExpiry)
}

// took notes what came into the hand.
func (w *orderlyWorker) took(now time.Time) ending {
	if w.is(decision.OrderlyDry, w.q, w.hand.Empty()) {
		return ranDry
	}
	w.first.Store(w.hand.Messages[0].QueueOffset())
	w.started.Store(int64(now.Sub(w.c.born)) + 1)
	if w.look() {
		n := len(w.hand.Messages)
		w.fact(decision.OrderlyTaken, w.q, "", int64(n), w.first.Load(), w.hand.Messages[n-1].QueueOffset())
	}
	return goesOn
}

// call calls the listener. A message whose body can not be read is shown to nobody: it
// counts as failed, and what comes after it waits.
func (w *orderlyWorker) call(ctx context.Context) (s OrderlyStatus) {
	w.unseen, w.shown = false, false
	w.context = OrderlyContext{Queue: w.q.ID, AutoCommit: !w.c.cfg.ManualCommit}
	if m := w.hand.Messages[0]; w.is(decision.OrderlyUnreadable, w.q, unreadable(m), w.first.Load()) {
		if rareEnough(w.hand.Failed[0]) {
			w.c.tell(event.Error, "consume", w.q.ID, 1, fmt.Sprintf("body of offset %d can not be read, the queue waits for it: %v", m.QueueOffset(), m.BodyError()))
		}
		return SuspendCurrentQueueAMoment
	}
	if w.unseen = w.is(decision.OrderlyUnseen, w.q, w.q.Dropped() || w.q.Retired()); w.unseen {
		return SuspendCurrentQueueAMoment
	}
	defer func() {
		if v := recover(); v != nil {
			w.inListener = false
			w.broke = w.c.panicked(&w.thread, w.q.ID, v)
		}
	}()
	w.times = w.times[:0]
	for i, m := range w.hand.Messages {
		w.times = append(w.times, m.ReconsumeTimes()+int32(w.hand.Failed[i]))
	}
	w.context.Times = w.times
	w.given = append(w.given[:0], w.hand.Messages...)
	if w.shown = true; w.on {
		w.fact(decision.OrderlyCalled, w.q, "", w.first.Load(), int64(len(w.given)), int64(w.times[0]))
	}
	w.inListener = true
	s = w.c.cfg.Listener(ctx, w.given, &w.context)
	w.inListener = false
	return s
}

// rareEnough is true for the first failures of a message and for ever fewer of the next ones.
func rareEnough(failed uint16) bool { return failed&(failed-1) == 0 }
