package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/snapshot"
)

// Polled is what one poll returned: messages of one queue, none when nothing came in time.
type Polled struct {
	Queue mq.MessageQueue
	// Messages are valid until Release; Clone one to keep it.
	Messages []mq.Message

	batch *mq.Batch
	pool  *batchPool
}

// Release gives the bytes of the messages back. It need not be called: they are garbage
// collected then.
func (p *Polled) Release() {
	if p.batch != nil {
		p.pool.release(p.batch, 1)
	}
	p.batch, p.Messages = nil, nil
}

// Poll returns the next batch of messages, waiting for at most PollTimeout. Before it does, it
// commits what earlier polls returned, if AutoCommitInterval has gone by; so come back only
// when they are processed. Polls are made one after the other.
func (c *Lite) Poll(ctx context.Context) (*Polled, error) { return c.PollFor(ctx, c.cfg.PollTimeout) }

// PollFor is Poll with a time to wait of its own, 0 for none.
func (c *Lite) PollFor(ctx context.Context, wait time.Duration) (*Polled, error) {
	if wait < 0 {
		return nil, fmt.Errorf("poll: the time to wait is %v: it can not be negative", wait)
	}
	if err := c.loop.await(ctx); err != nil {
		return nil, err
	}
	if clock.Wait(ctx, c.cfg.Clock, clock.Waits{First: c.polled}) == clock.Ended {
		return nil, ctx.Err()
	}
	defer func() { c.polled <- struct{}{} }()
	if err := c.autoCommit(ctx); err != nil {
		return nil, err
	}
	timer := c.cfg.Clock.NewTimer(wait)
	defer timer.Stop()
	for over := wait == 0; ; {
		p, err := c.take(ctx)
		if err != nil || p != nil {
			return p, err
		}
		if over {
			return &Polled{}, nil
		}
		switch clock.Wait(ctx, c.cfg.Clock, clock.Waits{First: c.tasks.available, Second: c.loop.over, Timer: timer}) {
		case clock.Second:
			return nil, ErrNotRunning
		case clock.Fired:
			over = true
		case clock.Ended:
			return nil, ctx.Err()
		}
	}
}

// take returns the next batch, nil when there is none.
func (c *Lite) take(ctx context.Context) (*Polled, error) {
	got := make(chan *Polled, 1)
	if err := c.loop.do(ctx, func(now time.Time) { got <- c.tasks.next(now) }); err != nil {
		return nil, err
	}
	p := <-got
	if p != nil {
		c.hooks.handedOver(ctx, &c.loop.membership, p.Queue, p.Messages)
	}
	return p, nil
}

// next takes the oldest batch. With it the position of its queue moves on.
func (m *liteTasks) next(now time.Time) *Polled {
	if len(m.batches) == 0 {
		return nil
	}
	was := m.full()
	b := m.batches[0]
	m.batches[0] = nil
	m.batches = m.batches[1:]
	p := &Polled{Queue: m.loop().shownQueue(b.o.id), Messages: b.msgs.messages(), batch: b.msgs.batch, pool: &m.loop().batches}
	offsets := make([]int64, len(p.Messages))
	for i, msg := range p.Messages {
		offsets[i] = msg.QueueOffset()
	}
	if at := b.o.pq.Resolve(offsets); at >= 0 {
		m.queues[b.o.id].consumed = at
	}
	m.skipFiltered(b.o, b.o.next)
	m.loop().counters.Consumed += uint64(len(p.Messages))
	if was && !m.full() {
		m.scheduleStep(now, event.Woken{Causes: []event.Cause{event.CauseFlowAll}})
	}
	if len(m.batches) > 0 {
		select {
		case m.available <- struct{}{}:
		default:
		}
	}
	return p
}

// autoCommit commits what earlier polls returned when that is due. The first poll does.
func (c *Lite) autoCommit(ctx context.Context) error {
	if c.cfg.ManualCommit {
		return nil
	}
	now := c.cfg.Clock.Now()
	c.mu.Lock()
	due := !now.Before(c.commitAt)
	if due {
		c.commitAt = now.Add(c.cfg.AutoCommitInterval)
	}
	c.mu.Unlock()
	if !due {
		return nil
	}
	return c.Commit(ctx)
}

// Commit commits what polls have returned of all queues, in memory: brokers get it with the
// next of the sendings every PersistInterval (Java: commitAll).
func (c *Lite) Commit(ctx context.Context) error {
	return c.loop.do(ctx, func(now time.Time) {
		for _, q := range c.loop.order {
			c.tasks.commit(now, q, c.tasks.queues[q].consumed)
		}
	})
}

// CommitSync is Commit that sends the offsets and waits for the answers of the brokers. The
// error joins what they said.
func (c *Lite) CommitSync(ctx context.Context) error {
	type position struct {
		queue mq.MessageQueue
		at    int64
	}
	got := make(chan []position, 1)
	err := c.loop.do(ctx, func(now time.Time) {
		var list []position
		for _, q := range c.loop.order {
			if at := c.tasks.queues[q].consumed; at >= 0 {
				c.tasks.commit(now, q, at)
				list = append(list, position{q, at})
			}
		}
		got <- list
	})
	if err != nil {
		return err
	}
	if c.cfg.Model == mq.Broadcasting {
		return c.loop.do(ctx, func(now time.Time) { c.loop.persistAll(now) })
	}
	var errs []error
	for _, p := range <-got {
		err := c.client.CommitOffsetSync(ctx, c.cfg.Group, p.queue, p.at)
		errs = append(errs, err)
		c.loop.inbox.post(event.OffsetSent{Queue: p.queue, Offset: p.at, Err: err})
	}
	return errors.Join(errs...)
}

// CommitQueues is Commit of some queues; persist has them sent now.
func (c *Lite) CommitQueues(ctx context.Context, queues []mq.MessageQueue, persist bool) error {
	queues = c.loop.queuesOf(queues)
	return c.loop.do(ctx, func(now time.Time) {
		for _, q := range queues {
			if known := c.tasks.queues[q]; known != nil {
				c.tasks.commit(now, q, known.consumed)
			}
		}
		c.tasks.persist(now, queues, persist)
	})
}

// CommitOffsets commits given offsets of queues that are ours, backwards too; persist has them
// sent now. (Java's persist forgets the offsets of all other queues with it; this one does not.)
func (c *Lite) CommitOffsets(ctx context.Context, offsets map[mq.MessageQueue]int64, persist bool) error {
	positions := map[mq.MessageQueue]int64{}
	for _, q := range slices.SortedFunc(maps.Keys(offsets), mq.MessageQueue.Compare) {
		at := offsets[q]
		if at < 0 {
			return fmt.Errorf("commit %d of %v: offsets start at 0", at, q)
		}
		positions[c.loop.queue(q)] = at
	}
	queues := slices.SortedFunc(maps.Keys(positions), mq.MessageQueue.Compare)
	return c.loop.do(ctx, func(now time.Time) {
		for _, q := range queues {
			c.tasks.commit(now, q, positions[q])
		}
		c.tasks.persist(now, queues, persist)
	})
}

// commit sets the offset of a queue that is ours in memory.
func (m *liteTasks) commit(now time.Time, q mq.MessageQueue, at int64) {
	if o := m.loop().queues[q]; o != nil && !o.pq.Dropped() && at >= 0 {
		m.loop().offsetStep(now, offset.Advanced{Queue: q, Offset: at})
	}
}

func (m *liteTasks) persist(now time.Time, queues []mq.MessageQueue, wanted bool) {
	if !wanted {
		return
	}
	for _, q := range queues {
		if m.loop().queues[q] == nil {
			continue
		}
		if err := m.loop().persist(now, q); err != nil {
			m.loop().noteQueue(now, event.Warn, "offset", q, "not committed, sent again later: "+err.Error())
		}
	}
}

// Committed is the offset that the group has committed of q: what memory has, else the store.
func (c *Lite) Committed(ctx context.Context, q mq.MessageQueue) (at int64, found bool, err error) {
	q = c.loop.queue(q)
	at, err = c.loop.remembered(ctx, q)
	if err != nil || at >= 0 {
		return at, err == nil, err
	}
	return c.loop.stored(ctx, q)
}

// Seek has the next poll of q begin at an offset between its minimum and maximum. What was
// pulled and not polled is dropped.
func (c *Lite) Seek(ctx context.Context, q mq.MessageQueue, to int64) error {
	q = c.loop.queue(q)
	first, last, err := c.bounds(ctx, q)
	if err != nil {
		return fmt.Errorf("seek %v: %w", q, err)
	}
	if to < first || to > last {
		return fmt.Errorf("seek %v to %d: %d to %d is allowed", q, to, first, last)
	}
	return c.seek(ctx, q, to, last)
}

// SeekToBegin is Seek to the first offset that is still stored.
func (c *Lite) SeekToBegin(ctx context.Context, q mq.MessageQueue) error {
	q = c.loop.queue(q)
	first, last, err := c.bounds(ctx, q)
	if err != nil {
		return fmt.Errorf("seek %v to its beginning: %w", q, err)
	}
	return c.seek(ctx, q, first, last)
}

// SeekToEnd is Seek to behind the last message.
func (c *Lite) SeekToEnd(ctx context.Context, q mq.MessageQueue) error {
	q = c.loop.queue(q)
	_, last, err := c.bounds(ctx, q)
	if err != nil {
		return fmt.Errorf("seek %v to its end: %w", q, err)
	}
	return c.seek(ctx, q, last, last)
}

var errNotAssigned = errors.New("the queue is not this consumer's")

func (c *Lite) bounds(ctx context.Context, q mq.MessageQueue) (first, last int64, err error) {
	ours := make(chan bool, 1)
	if err := c.loop.do(ctx, func(time.Time) { ours <- c.loop.queues[q] != nil }); err != nil {
		return 0, 0, err
	}
	if !<-ours {
		return 0, 0, errNotAssigned
	}
	if first, err = c.client.MinOffset(ctx, q); err != nil {
		return 0, 0, err
	}
	last, err = c.client.MaxOffset(ctx, q)
	return first, last, err
}

func (c *Lite) seek(ctx context.Context, q mq.MessageQueue, to, last int64) error {
	result := make(chan error, 1)
	if err := c.loop.do(ctx, func(now time.Time) { result <- c.tasks.seek(now, q, to, last) }); err != nil {
		return err
	}
	return <-result
}

func (m *liteTasks) seek(now time.Time, q mq.MessageQueue, to, last int64) error {
	l := m.loop()
	old := l.queues[q]
	if old == nil {
		return errNotAssigned
	}
	m.beginAt(now, old, to, snapshot.Of(last, now))
	l.noteQueue(now, event.Info, "offset", q, fmt.Sprintf("sought to %d by hand", to))
	return nil
}

// beginAt makes a new assignment of a queue: the pull that is out, and what came of earlier
// ones, belong to the old one. end is that of the queue.
func (m *liteTasks) beginAt(now time.Time, old *owned, to int64, end snapshot.Val[int64]) {
	l, q := m.loop(), old.id
	m.end(now, old)
	old.pq.Drop()
	old.pq.Clear()
	l.epochs++
	o := newOwned(event.QueueAssigned{Queue: q, Epoch: l.epochs, Start: to})
	o.pq.Recycle = l.batches.put
	o.inherit(old)
	o.committed, o.sent, o.flow = old.committed, old.sent, old.flow
	o.rates, o.history = old.rates, old.history
	o.next, o.asked, o.waitsTail = to, to, false
	o.max = end
	l.queues[q] = o
	l.lately.Forget()
	state := m.queues[q]
	state.out, state.consumed = 0, to
	m.begin(now, o)
}

// Pause stops the pulls of queues; what was pulled is still polled. Queues that are not ours
// are ignored.
func (c *Lite) Pause(ctx context.Context, queues ...mq.MessageQueue) error {
	return c.setPaused(ctx, queues, true)
}

// Resume ends a Pause.
func (c *Lite) Resume(ctx context.Context, queues ...mq.MessageQueue) error {
	return c.setPaused(ctx, queues, false)
}

func (c *Lite) setPaused(ctx context.Context, queues []mq.MessageQueue, paused bool) error {
	queues = c.loop.queuesOf(queues)
	return c.loop.do(ctx, func(now time.Time) { c.tasks.setPaused(now, queues, paused) })
}

// PauseAll pauses every queue, those too that come later, or lets all go on that are not
// paused one by one. It does not wait.
func (c *Lite) PauseAll(paused bool) {
	if paused {
		c.loop.inbox.post(event.ConsumptionPaused{})
		return
	}
	c.loop.inbox.post(event.ConsumptionResumed{})
}

func (m *liteTasks) setPausedAll(now time.Time, paused bool) {
	if m.pausedAll == paused {
		return
	}
	m.pausedAll = paused
	text := "consumption resumed by hand"
	if paused {
		text = "consumption paused by hand: pulling stops, cached messages are still polled"
	}
	m.loop().note(now, event.Info, "engine", "", text)
	if !paused {
		m.scheduleStep(now, event.Woken{Causes: []event.Cause{event.CausePaused}})
	}
}

func (m *liteTasks) setPaused(now time.Time, queues []mq.MessageQueue, paused bool) {
	for _, q := range queues {
		if state := m.queues[q]; state != nil && state.paused != paused {
			state.paused = paused
			word := map[bool]string{true: "paused", false: "resumed"}[paused]
			m.loop().noteQueue(now, event.Info, "engine", q, word+" by hand")
			if !paused {
				m.scheduleStep(now, event.Woken{Queue: q, Causes: []event.Cause{event.CausePaused}})
			}
		}
	}
}
