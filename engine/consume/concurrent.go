package consume

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// Concurrent consumes the messages of all queues of a consumer on a number of threads, which
// may change, without order (Java: ConsumeMessageConcurrentlyService). A thread that hangs in
// the listener costs its own slot only; queues are served in turn.
type Concurrent struct {
	cfg    Config
	born   time.Time
	later  later
	totals totals        // of the sweep, and of threads that are gone
	wake   chan struct{} // at most one wake-up is under way, see waking
	closed atomic.Bool   // drained or ended: nothing is taken any more
	quiet  chan struct{} // closed when nothing is taken and no thread is busy

	mu      sync.Mutex
	staff   staff[*worker]
	ready   queueList // with waiting messages, each once
	idle    int       // workers that wait for a wake-up
	busy    int
	waking  bool
	silence bool // quiet is closed
}

// NewConcurrent returns a Concurrent that consumes once Run is called.
func NewConcurrent(cfg Config) *Concurrent {
	cfg.setDefaults()
	c := &Concurrent{
		cfg: cfg, born: cfg.Clock.Now(),
		later: later{wake: make(chan struct{}, 1)},
		wake:  make(chan struct{}, 1), quiet: make(chan struct{}),
	}
	c.staff.hire = func() *worker { return newWorker(c) }
	c.SetThreads(cfg.Threads)
	return c
}

// Run runs the threads until ctx ends and all of them have returned: a listener that ignores
// its context holds it up. It may be called once.
func (c *Concurrent) Run(ctx context.Context) error {
	g, ctx := lifecycle.NewGroup(ctx)
	c.mu.Lock()
	c.staff.begin(g)
	c.mu.Unlock()
	g.Go("consume again", func(ctx context.Context) error { return c.runLater(ctx) })
	g.Go("consume timeouts", func(ctx context.Context) error { return c.runSweep(ctx) })
	<-ctx.Done()
	c.close()
	return g.Wait()
}

// Submit says that messages came to wait in q, those of a batch that was just put in. It
// never blocks: how much may wait is bounded by flow control, before the pull.
func (c *Concurrent) Submit(q *processqueue.Queue, _ *mq.Batch, _ []int) {
	if q.Enlist() {
		c.list(q)
	}
}

// Drain stops taking messages and returns when no listener runs and what they answered is
// settled, or with ctx's error. No listener is called after it has returned.
func (c *Concurrent) Drain(ctx context.Context) error {
	c.close()
	select {
	case <-c.quiet:
		return nil
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Errorf("drain: %d of %d threads are busy: %w", c.busy, c.staff.wanted, ctx.Err())
}

func (c *Concurrent) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed.Store(true)
	c.noteSilence()
}

func (c *Concurrent) noteSilence() {
	if c.closed.Load() && c.busy == 0 && !c.silence {
		c.silence = true
		close(c.quiet)
	}
}

// list puts an enlisted queue at the end of the list of work.
func (c *Concurrent) list(q *processqueue.Queue) {
	c.mu.Lock()
	c.ready.push(q)
	wake := c.wantsWake()
	c.mu.Unlock()
	c.wakeIf(wake)
}

// wantsWake decides, with the mutex held, whether one more worker is to be woken: if there
// is work, and no wake-up is under way. The woken worker wakes the next one, so that slow
// listeners soon have all threads, and fast ones are done before many have woken.
func (c *Concurrent) wantsWake() bool {
	if c.ready.n == 0 || c.idle == 0 || c.waking || c.closed.Load() {
		return false
	}
	c.waking = true
	return true
}

func (c *Concurrent) wakeIf(wake bool) {
	if wake {
		c.wake <- struct{}{} // there is room: this is the only one
	}
}

// condition is what a worker comes from when it asks for work.
type condition uint8

const (
	fresh condition = iota
	fromTurn
	woken
	sentAway // by dismissal, while waiting for a wake-up
)

// pick returns the next queue for w to serve, nil when w is to wait for a wake-up or end.
func (c *Concurrent) pick(ctx context.Context, w *worker, from condition) *processqueue.Queue {
	c.mu.Lock()
	switch from {
	case fresh:
	case fromTurn:
		c.busy--
	case woken:
		c.idle--
		c.waking = false
	case sentAway:
		c.idle--
	}
	if w.dismissed {
		c.staff.forget(w, &c.totals)
		wake := c.wantsWake()
		c.noteSilence()
		c.mu.Unlock()
		c.wakeIf(wake)
		return nil
	}
	if c.closed.Load() || c.ready.n == 0 || ctx.Err() != nil {
		c.idle++
		c.noteSilence()
		c.mu.Unlock()
		return nil
	}
	q := c.ready.pop()
	c.busy++
	wake := c.wantsWake()
	c.mu.Unlock()
	c.wakeIf(wake)
	return q
}

// tell emits an entry about a queue.
func (c *Concurrent) tell(level event.Level, source string, q mq.MessageQueue, count int, what string) {
	c.cfg.Emit(event.Entry{At: c.cfg.Clock.Now(), Level: level, Source: source, Queue: q, What: what, Count: count})
}

// queueList is a first-in, first-out list that keeps its memory.
type queueList struct {
	items []*processqueue.Queue // length is a power of two
	head  int
	n     int
}

func (l *queueList) push(q *processqueue.Queue) {
	if l.n == len(l.items) {
		bigger := make([]*processqueue.Queue, max(16, 2*l.n))
		for i := range l.n {
			bigger[i] = l.items[(l.head+i)&(l.n-1)]
		}
		l.items, l.head = bigger, 0
	}
	l.items[(l.head+l.n)&(len(l.items)-1)] = q
	l.n++
}

func (l *queueList) pop() *processqueue.Queue {
	q := l.items[l.head]
	l.items[l.head] = nil
	l.head = (l.head + 1) & (len(l.items) - 1)
	l.n--
	return q
}
