package consume

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// A worker serves a queue until it has had its turn: so many messages, or so much time when
// the listener is slow. Other workers may serve the same queue meanwhile.
const (
	turnMessages = 32
	turnTime     = time.Millisecond

	stackBytes = 4 << 10 // of a panic, in its entry
)

// worker is one consume thread.
type worker struct {
	thread
	teller
	c *Concurrent

	// The turn.
	q        *processqueue.Queue
	msgs     []mq.Message // taken; those with a readable body stand first
	spare    []mq.Message
	given    []mq.Message // to the listener, which may do with the slice what it likes
	readable int
	context  Context
	left     int // messages
	until    time.Time
	tally    processqueue.Tally
	// inListener stays true when the listener ended the goroutine.
	inListener bool
}

func newWorker(c *Concurrent) *worker {
	return &worker{
		c: c, teller: teller{decisions: c.cfg.Decisions},
		msgs:  make([]mq.Message, 0, c.cfg.Batch),
		spare: make([]mq.Message, 0, c.cfg.Batch),
		given: make([]mq.Message, 0, c.cfg.Batch),
	}
}

func (w *worker) run(ctx context.Context, g *lifecycle.Group, name string) error {
	defer func() {
		if w.inListener { // runtime.Goexit in the listener: the thread lives on in a new goroutine
			g.Go(name, func(ctx context.Context) error { return w.run(ctx, g, name) })
		}
	}()
	from := fresh
	if w.inListener {
		w.inListener = false
		w.broke = w.c.exited(&w.thread, w.q.ID)
		w.settle(ctx, ReconsumeLater)
		w.serve(ctx)
		from = fromTurn
	}
	for {
		q := w.c.pick(ctx, w, from)
		if q == nil {
			var ok bool
			if from, ok = w.c.rest(ctx, w); !ok {
				return nil
			}
			continue
		}
		w.turn(ctx, q)
		from = fromTurn
	}
}

// turn serves q. Whoever has q off the list must put it back, or make sure that nothing
// waits in it, before the listener is called: the call may take forever.
func (w *worker) turn(ctx context.Context, q *processqueue.Queue) {
	now := w.c.cfg.Clock.Now()
	if w.q != q {
		w.q = q
		w.queue.Store(q)
	}
	w.left, w.until = turnMessages, now.Add(turnTime)
	var more bool
	w.msgs, more = q.Take(now, w.msgs[:0], w.c.cfg.Batch)
	if more || q.Delist() {
		w.c.list(q)
	}
	w.begin(now)
	w.serve(ctx)
}

// serve consumes what was taken, and more, until the turn is over.
func (w *worker) serve(ctx context.Context) {
	for len(w.msgs) > 0 {
		status := w.call(ctx)
		w.settle(ctx, status)
	}
	w.q.Count(w.tally)
	w.tally = processqueue.Tally{}
	w.started.Store(0)
	// An idle thread keeps no batch from being collected.
	clear(w.spare[:cap(w.spare)])
	clear(w.msgs[:cap(w.msgs)])
	clear(w.given)
}

// begin is the moment that CONSUME_START_TIME stands for.
func (w *worker) begin(now time.Time) {
	if len(w.msgs) == 0 {
		return
	}
	w.left -= len(w.msgs)
	w.first.Store(w.msgs[0].QueueOffset())
	w.started.Store(int64(now.Sub(w.c.born)) + 1)
	if w.look() {
		w.fact(decision.ConsumeStarted, w.q, "", w.first.Load(), int64(len(w.msgs)), int64(w.left))
	}
}

// call calls the listener with the messages that can be read.
func (w *worker) call(ctx context.Context) (s Status) {
	w.readable, w.shown = len(w.msgs), false
	if slices.ContainsFunc(w.msgs, unreadable) {
		w.setApart()
	}
	w.context = Context{Queue: w.q.ID, AckIndex: w.readable - 1}
	dropped := w.q.Dropped()
	if w.on {
		dropped = w.is(decision.ConsumeDropped, w.q, dropped, int64(w.readable))
	}
	if w.readable == 0 || dropped {
		return Success
	}
	defer func() {
		if v := recover(); v != nil {
			w.inListener = false
			w.broke = w.c.panicked(&w.thread, w.q.ID, v)
		}
	}()
	w.given = append(w.given[:0], w.msgs[:w.readable]...)
	if w.shown = true; w.on {
		w.fact(decision.ConsumeCalled, w.q, "", w.msgs[0].QueueOffset(), int64(w.readable))
	}
	w.inListener = true
	s = w.c.cfg.Listener(ctx, w.given, &w.context)
	w.inListener = false
	return s
}

func unreadable(m mq.Message) bool { return m.BodyError() != nil }

// setApart moves messages whose body can not be read to the end: no listener sees them, and
// they count as failed.
func (w *worker) setApart() {
	var bad []mq.Message
	w.msgs = slices.DeleteFunc(w.msgs, func(m mq.Message) bool {
		if !unreadable(m) {
			return false
		}
		bad = append(bad, m)
		w.fact(decision.ConsumeUnreadable, w.q, m.BodyError().Error(), m.QueueOffset())
		w.c.tell(event.Error, "consume", w.q.ID, 1, fmt.Sprintf("body of offset %d can not be read: %v", m.QueueOffset(), m.BodyError()))
		return true
	})
	w.readable = len(w.msgs)
	w.msgs = append(w.msgs, bad...)
}
