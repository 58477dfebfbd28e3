package consume

import (
	"context"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// Concurrent consumes the messages of all queues of a consumer on a number of threads, which
// may change, without order (Java: ConsumeMessageConcurrentlyService). A thread that hangs in
// the listener costs its own slot only; queues are served in turn.
type Concurrent struct {
	shift[*worker]

	cfg   Config
	later later
	ready queueList // with waiting messages, each once; guarded by the shift's mutex
}

// NewConcurrent returns a Concurrent that consumes once Run is called.
func NewConcurrent(cfg Config) *Concurrent {
	cfg.setDefaults()
	c := &Concurrent{
		cfg: cfg, later: later{wake: make(chan struct{}, 1)},
	}
	c.init(cfg.Clock, cfg.Emit, cfg.Threads, &c.ready.n, func() *worker { return newWorker(c) })
	return c
}

// Run runs the threads until ctx ends and all of them have returned: a listener that ignores
// its context holds it up. It may be called once.
func (c *Concurrent) Run(ctx context.Context) error {
	return c.run(ctx, c.runLater, c.cfg.Timeout, c.guardedSweep)
}

// Submit says that messages came to wait in q, those of a batch that was just put in. It
// never blocks: how much may wait is bounded by flow control, before the pull.
func (c *Concurrent) Submit(q *processqueue.Queue, _ *mq.Batch, _ []int) {
	if c.isOf(decision.ConsumeQueued, q, q.Enlist(), [6]int64{int64(q.Waiting())}) {
		c.list(q)
	}
}

// isOf records the answer to a question about q and returns it.
func (c *Concurrent) isOf(l *decision.Line, q *processqueue.Queue, answer bool, n [6]int64) bool {
	return c.cfg.Decisions.Is(l, q.ID, answer, n)
}

// list puts an enlisted queue at the end of the list of work.
func (c *Concurrent) list(q *processqueue.Queue) {
	c.mu.Lock()
	c.ready.push(q)
	c.unlockAndWake()
}

// pick returns the next queue for w to serve, nil when there is none.
func (c *Concurrent) pick(ctx context.Context, w *worker, from condition) *processqueue.Queue {
	if !c.ask(ctx, w, from) {
		return nil
	}
	q := c.ready.pop()
	c.unlockAndWake()
	return q
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
