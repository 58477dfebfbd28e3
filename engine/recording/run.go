package recording

import (
	"context"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// Run writes until Close, the end of ctx or a fault; then it finishes the file. It always returns
// nil: a recording that fails ends nothing but itself, and says so by Err and Options.Ended.
func (w *Writer) Run(ctx context.Context) error {
	if !w.started.CompareAndSwap(false, true) {
		return nil
	}
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("recording", func(ctx context.Context) error {
		defer close(w.done)
		err := lifecycle.Guard(ctx, "write", w.write)
		err = lifecycle.Guard(ctx, "finish", func(context.Context) error { w.finish(err); return nil })
		if err != nil {
			w.mu.Lock()
			w.fail(err)
			w.mu.Unlock()
		}
		return nil
	})
	g.Go("recording alarm", func(ctx context.Context) error {
		clock.Wait(context.WithoutCancel(ctx), w.options.Clock, clock.Waits{First: w.failed, Second: w.done})
		if err := w.Err(); err != nil && w.options.Ended != nil {
			w.options.Ended(err)
		}
		return nil
	})
	return g.Wait()
}

// write moves records from the queue into the file until the recording is over.
func (w *Writer) write(ctx context.Context) error {
	c := w.options.Clock
	var due clock.Timer // set while something may not be in the file yet
	defer func() {
		if due != nil {
			due.Stop()
		}
	}()
	for {
		waits := clock.Waits{First: w.some, Second: w.stop, Third: w.asked}
		if due != nil {
			waits.First, waits.Timer = w.much, due
		}
		var err error
		switch clock.Wait(ctx, c, waits) {
		case clock.First:
			if due == nil {
				due = c.NewTimer(w.options.FlushEvery)
				continue
			}
			err = w.drain(false)
		case clock.Fired:
			due = nil
			err = w.drain(true)
		case clock.Third:
			err = w.drain(true)
		case clock.Second, clock.Ended:
			w.mu.Lock()
			w.end()
			w.mu.Unlock()
			return w.drain(true)
		}
		if err != nil {
			return err
		}
	}
}

// drain writes what is queued, and with flush all of it into the file.
func (w *Writer) drain(flush bool) error {
	w.mu.Lock()
	batch, waiters := w.queue, len(w.waiters)
	w.queue = w.spare[:0]
	w.mu.Unlock()
	w.to.setHurry(len(batch) > w.options.QueueBytes/2) // packing takes longer than writing
	w.spare = batch
	for len(batch) > 0 {
		var i item
		var whole []byte
		i, whole, batch = takeQueued(batch)
		if err := w.to.add(i, whole); err != nil {
			return err
		}
	}
	if flush || waiters > 0 {
		if err := w.to.flush(); err != nil {
			return err
		}
	}
	w.size.Store(w.to.size())
	w.mu.Lock()
	served := w.waiters[:waiters]
	w.waiters = w.waiters[waiters:]
	w.mu.Unlock()
	for _, done := range served { // others, and all after a fault, are finish's
		close(done)
	}
	return nil
}

// finish closes the file after err.
func (w *Writer) finish(err error) {
	w.mu.Lock()
	if err != nil {
		w.fail(err)
	}
	w.end()
	why := endOf(w.err)
	waiters := w.waiters
	w.waiters, w.queue, w.spare = nil, nil, nil
	w.mu.Unlock()
	if err := w.to.close(why, true); err != nil {
		w.mu.Lock()
		w.fail(err)
		w.mu.Unlock()
	}
	w.size.Store(w.to.size())
	for _, done := range waiters {
		close(done)
	}
}
