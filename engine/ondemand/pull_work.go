package ondemand

import (
	"context"
	"sync"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
)

// PullFrom is where a pull consumer begins in a queue; the zero value is where the group is.
type PullFrom struct {
	Where  PullWhere
	Offset int64     // with PullFromOffset
	Time   time.Time // with PullFromTime: the first message stored at it or after
}

// PullWhere is a kind of place in a queue.
type PullWhere uint8

// Places.
const (
	PullFromGroup PullWhere = iota
	PullFromFirst
	PullFromLast // behind what is stored now
	PullFromTime
	PullFromOffset
)

// find is the offset of the place in q.
func (f PullFrom) find(ctx context.Context, p *consumer.Pull, q mq.MessageQueue) (int64, error) {
	switch f.Where {
	case PullFromFirst:
		return p.MinOffset(ctx, q)
	case PullFromLast:
		return p.MaxOffset(ctx, q)
	case PullFromTime:
		return p.SearchOffset(ctx, q, f.Time)
	}
	return f.Offset, nil
}

// pullWork is the application of a pull consumer: a worker for each queue that is ours.
type pullWork struct {
	source *Source
	pull   *consumer.Pull
	app    App

	queues map[mq.MessageQueue]context.CancelFunc // of run alone

	taking sync.Mutex
	taken  int
	places map[mq.MessageQueue]int64 // where each goes on
	over   chan struct{}             // closed when app.Count messages were taken and their offsets set

	changed chan struct{}
	mu      sync.Mutex
	mine    map[string][]mq.MessageQueue // by topic, as last told
}

func newPullWork(s *Source, p *consumer.Pull, app App) *pullWork {
	w := &pullWork{
		source: s, pull: p, app: app, queues: map[mq.MessageQueue]context.CancelFunc{},
		changed: make(chan struct{}, 1), mine: map[string][]mq.MessageQueue{},
		places: map[mq.MessageQueue]int64{}, over: make(chan struct{}),
	}
	for _, q := range app.Queues {
		w.mine[q.Topic] = append(w.mine[q.Topic], q)
	}
	return w
}

// moved is told of queues.
func (w *pullWork) moved(_ context.Context, topic string, _, mine []mq.MessageQueue) {
	w.mu.Lock()
	w.mine[topic] = mine
	w.mu.Unlock()
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// run starts and ends workers until ctx ends or enough was taken, and waits for them.
func (w *pullWork) run(ctx context.Context) error {
	group, groupCtx := lifecycle.NewGroup(ctx)
	for {
		wanted := map[mq.MessageQueue]bool{}
		w.mu.Lock()
		for _, queues := range w.mine {
			for _, q := range queues {
				wanted[q] = true
			}
		}
		w.mu.Unlock()
		for q, stop := range w.queues {
			if !wanted[q] {
				stop()
				delete(w.queues, q)
			}
		}
		for q := range wanted {
			if w.queues[q] == nil {
				workerCtx, stop := context.WithCancel(groupCtx)
				w.queues[q] = stop
				group.Go("worker", func(context.Context) error {
					return lifecycle.Guard(workerCtx, "worker", func(ctx context.Context) error { return w.work(ctx, q) })
				})
			}
		}
		select {
		case <-w.changed:
			continue
		case <-w.over:
		case <-groupCtx.Done():
		}
		for _, stop := range w.queues {
			stop()
		}
		return group.Wait()
	}
}

// work pulls one queue until ctx ends.
func (w *pullWork) work(ctx context.Context, q mq.MessageQueue) error {
	for {
		if err := w.source.whilePaused(ctx); err != nil {
			return err
		}
		last, err := w.once(ctx, q)
		if last {
			close(w.over)
			return err
		}
		if err != nil {
			if err := w.source.failed(ctx, q, err); err != nil {
				return err
			}
		}
	}
}

// once pulls a batch, works on it and sets the offset. last is true once, with the last
// message that was wanted.
func (w *pullWork) once(ctx context.Context, q mq.MessageQueue) (last bool, err error) {
	at, err := w.place(ctx, q)
	if err != nil {
		return false, err
	}
	r, err := w.source.pull(ctx, w.pull, q, at, w.app, true)
	if err != nil {
		return false, err
	}
	defer r.Release()
	next, last := w.take(q, r)
	if w.app.KeepOffsets {
		return last, nil
	}
	// What was handed over counts, also when another worker's last message ends this one now.
	ctx = context.WithoutCancel(ctx)
	err = w.pull.UpdateConsumeOffset(ctx, q, next)
	if err == nil && len(w.app.Queues) > 0 { // perhaps not ours, so that nobody would send it later
		err = w.pull.UpdateConsumeOffsetToBroker(ctx, q, next, false)
	}
	return last, err
}

// place is where to pull from: the first time where the application begins, then where it
// left off. Who moves the group's offsets asks for them, since a tool may have reset them.
func (w *pullWork) place(ctx context.Context, q mq.MessageQueue) (int64, error) {
	w.taking.Lock()
	at, begun := w.places[q]
	w.taking.Unlock()
	begin := w.app.Begin
	switch {
	case begun && (w.app.KeepOffsets || len(w.app.Queues) > 0):
		return at, nil
	case begun || begin.Where == PullFromGroup:
		return w.source.place(ctx, w.pull, q)
	}
	return begin.find(ctx, w.pull, q)
}

// take hands over the messages of r, as many as are still wanted, and says where to go on.
func (w *pullWork) take(q mq.MessageQueue, r *consumer.PullResult) (next int64, last bool) {
	w.taking.Lock()
	defer w.taking.Unlock()
	n := len(r.Messages)
	if w.app.Count > 0 {
		n = min(n, w.app.Count-w.taken)
	}
	w.taken += n
	if w.app.Take != nil {
		for _, m := range r.Messages[:n] {
			w.app.Take(q, m)
		}
	}
	next = r.Next
	if n < len(r.Messages) {
		next = r.Messages[n].QueueOffset()
	}
	w.places[q] = next
	return next, n > 0 && w.taken == w.app.Count
}
