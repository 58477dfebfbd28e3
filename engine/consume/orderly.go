package consume

import (
	"context"
	"sync/atomic"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// Orderly consumes the messages of each queue one batch after the other, and different queues
// at once on a fixed number of threads (Java: ConsumeMessageOrderlyService). Nothing is
// handed over unless the broker's lock of the queue is held and young enough.
//
// What stops a queue ends with an event, never with a look after a while: messages come
// (Submit), the lock is granted (Wake), a suspension is over (one timer for all).
type Orderly struct {
	shift[*orderlyWorker]

	cfg     OrderlyConfig
	resleep chan struct{} // size one: the first suspension to end is another one
	oddTold atomic.Bool

	// Guarded by the shift's mutex:
	lanes  map[mq.MessageQueue]*lane
	ready  laneList
	asleep laneHeap
}

// NewOrderly returns an Orderly that consumes once Run is called.
func NewOrderly(cfg OrderlyConfig) *Orderly {
	cfg.setDefaults()
	c := &Orderly{
		cfg: cfg, lanes: map[mq.MessageQueue]*lane{},
		resleep: make(chan struct{}, 1),
	}
	c.init(cfg.Clock, cfg.Emit, cfg.Threads, &c.ready.n, func() *orderlyWorker {
		return &orderlyWorker{c: c, teller: teller{decisions: c.cfg.Decisions}, given: make([]mq.Message, 0, cfg.Batch)}
	})
	return c
}

// Run runs the threads until ctx ends and all of them have returned: a listener that ignores
// its context holds it up. It may be called once.
func (c *Orderly) Run(ctx context.Context) error {
	return c.run(ctx, c.runAsleep, c.cfg.Timeout, c.tellOverdue)
}

// Submit says that messages came to wait in q, those of a batch that was just put in. It
// never blocks: how much may wait is bounded by flow control, before the pull.
func (c *Orderly) Submit(q *processqueue.Queue, _ *mq.Batch, _ []int) {
	var old uint64 // epoch of the assignment that q takes the place of
	c.mu.Lock()
	l := c.lanes[q.ID]
	if l == nil {
		l = &lane{id: q.ID}
		c.lanes[q.ID] = l
	}
	if l.q != q {
		// A late batch of an earlier assignment must not hide the newer one.
		if l.q != nil && l.q.Epoch > q.Epoch {
			c.mu.Unlock()
			return
		}
		if l.q != nil {
			old = l.q.Epoch
		}
		c.replace(l, q)
	}
	was := l.state
	switch was {
	case idle:
		c.list(l)
	case running:
		l.again = true
	default:
	}
	c.aside(func(d *decision.Recorder) {
		if old > 0 {
			d.Fact(decision.OrderlyReplaced, q.ID, "", [6]int64{int64(q.Epoch), int64(old)})
		}
		d.Told(decision.OrderlyQueued, q.ID, was == idle, was.String(), [6]int64{})
	})
	c.unlockAndWake()
}

// replace makes q what is consumed on l. Whatever the earlier assignment waited for is no
// matter any more; if it is with a listener, that one is waited for.
func (c *Orderly) replace(l *lane, q *processqueue.Queue) {
	l.q, l.gone = q, false
	switch l.state {
	case suspended:
		c.asleep.remove(l)
		l.state = idle
	case unlocked:
		l.state = idle
	default:
	}
}

// Wake says that the broker's lock of q was granted: if that is what the queue waits for, it
// goes on.
func (c *Orderly) Wake(q *processqueue.Queue) {
	c.mu.Lock()
	l := c.lanes[q.ID]
	waits := l != nil && l.q == q && l.state == unlocked
	if waits {
		c.list(l)
	}
	c.aside(func(d *decision.Recorder) { d.Is(decision.OrderlyWoken, q.ID, waits, [6]int64{}) })
	c.unlockAndWake()
}

// Forget says that q was given up. A call of its listener that runs still holds up the next
// assignment of the same message queue.
func (c *Orderly) Forget(q *processqueue.Queue) {
	if known, now := c.forget(q); known {
		c.cfg.Decisions.Is(decision.OrderlyForgotten, q.ID, now, [6]int64{})
	}
}

// forget tells whether q was there, and whether it is gone now.
func (c *Orderly) forget(q *processqueue.Queue) (known, now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lanes[q.ID]
	if l == nil || l.q != q {
		return false, false
	}
	switch l.state {
	case running:
		l.gone = true
		return true, false
	case ready:
		c.ready.remove(l)
	case suspended:
		c.asleep.remove(l)
	default:
	}
	delete(c.lanes, q.ID)
	return true, true
}

// SuspendedUntil is when the suspension of a queue ends; false when there is none.
func (c *Orderly) SuspendedUntil(q mq.MessageQueue) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.lanes[q]; l != nil && l.state == suspended {
		return l.due, true
	}
	return time.Time{}, false
}

// list puts l at the end of the list of work. The mutex is held.
func (c *Orderly) list(l *lane) {
	l.state = ready
	c.ready.push(l)
}

// pick returns the next lane for w to serve and its queue, nil when there is none.
func (c *Orderly) pick(ctx context.Context, w *orderlyWorker, from condition) (*lane, *processqueue.Queue) {
	if !c.ask(ctx, w, from) {
		return nil, nil
	}
	l := c.ready.pop()
	l.state, l.again = running, false
	q := l.q
	c.unlockAndWake()
	return l, q
}

// endTurn puts l where it belongs after a turn of q.
func (c *Orderly) endTurn(l *lane, q *processqueue.Queue, e ending, pause time.Duration) {
	first, granted := false, false
	c.mu.Lock()
	l.state = idle
	switch {
	case l.gone:
		delete(c.lanes, l.id)
	case l.q != q, e == outOfTime, e == ranDry && l.again:
		c.list(l)
	case e == paused:
		first = c.asleep.sleep(l, c.cfg.Clock.Now().Add(pause))
	case e == lockless:
		l.state = unlocked
		// The lock may have been granted between the worker's look and now.
		if granted = q.HoldsLock(c.cfg.Clock.Now(), c.cfg.LockExpiry); granted {
			c.list(l)
		}
	}
	slept := l.state == suspended
	c.aside(func(d *decision.Recorder) {
		switch {
		case slept:
			d.Fact(decision.OrderlySuspended, q.ID, "", [6]int64{int64(pause)})
		case e == lockless:
			d.Is(decision.OrderlyUnlocked, q.ID, !granted, [6]int64{})
		}
	})
	c.unlockAndWake()
	if first {
		select {
		case c.resleep <- struct{}{}:
		default:
		}
	}
}
