package recording

import (
	"context"
	"sync"
	"sync/atomic"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// target is where a Writer puts records: a file, or the segments of a Box.
type target interface {
	add(i item, whole []byte) error
	flush() error
	close(why End, sync bool) error
	setHurry(bool)
}

func (w *file) setHurry(on bool) { w.hurry = on }

// Writer writes a recording beside what is recorded. Any goroutine may Append; Run does the rest.
type Writer struct {
	options Options
	to      target
	started atomic.Bool

	mu      sync.Mutex
	queue   []byte // records as the chain hashes them, one after the other
	over    bool   // nothing is taken any more
	err     error  // why, if it ended by itself
	waiters []chan struct{}

	some   chan struct{} // of size one: the queue is no longer empty
	much   chan struct{} // of size one: enough for a block
	asked  chan struct{} // of size one: there are waiters
	stop   chan struct{} // closed with over
	failed chan struct{} // closed with err
	done   chan struct{} // closed when the file is

	spare []byte // the queue of before, Run's
}

// Create makes a recording at path, where there must be nothing yet unless o says to replace it.
// It is written by Run.
func Create(path string, h Header, o Options) (*Writer, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	f, err := newFile(o.FS, path, h, o)
	if err != nil {
		return nil, err
	}
	return newWriter(f, o), nil
}

func newWriter(to target, o Options) *Writer {
	return &Writer{
		options: o, to: to,
		some: make(chan struct{}, 1), much: make(chan struct{}, 1), asked: make(chan struct{}, 1),
		stop: make(chan struct{}), failed: make(chan struct{}), done: make(chan struct{}),
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Append records r, copying its payload. It never waits for the disk: when the recording cannot
// take it, the recording ends. After its end Append does nothing.
func (w *Writer) Append(r Record) {
	i := r.item()
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.queue)
	switch {
	case w.over:
		return
	case len(r.Payload) > MaxPayload:
		w.fail(ErrTooLarge)
		return
	case before+prefixLen+len(r.Payload) > w.options.QueueBytes:
		w.fail(ErrBehind)
		return
	}
	w.queue = append(appendPrefix(w.queue, i), r.Payload...)
	if before == 0 {
		poke(w.some)
	}
	if enough := w.options.BlockBytes / 2; before < enough && len(w.queue) >= enough {
		poke(w.much)
	}
}

// fail ends the recording with err, the first one only; w.mu is held.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
		close(w.failed)
	}
	w.end()
}

// end takes nothing any more; w.mu is held.
func (w *Writer) end() {
	if !w.over {
		w.over = true
		close(w.stop)
	}
}

// Err is why the recording ended by itself, nil when it did not.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

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
	if !flush && waiters == 0 {
		return nil
	}
	if err := w.to.flush(); err != nil {
		return err
	}
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
	for _, done := range waiters {
		close(done)
	}
}

// Flush returns when what was appended before it is in the file, or the recording has ended:
// Err says how that was.
func (w *Writer) Flush(ctx context.Context) error {
	done := make(chan struct{})
	w.mu.Lock()
	if !w.over {
		w.waiters = append(w.waiters, done)
	}
	w.mu.Unlock()
	poke(w.asked)
	if clock.Wait(ctx, w.options.Clock, clock.Waits{First: done, Second: w.done}) == clock.Ended {
		return ctx.Err()
	}
	return w.Err()
}

// Close ends the recording and returns when its file is finished and on the disk, with Err. When
// ctx ends first, Run still goes on with that.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	w.end()
	w.mu.Unlock()
	if err := w.Run(context.WithoutCancel(ctx)); err != nil { // if nobody ever called it
		return err
	}
	if clock.Wait(ctx, w.options.Clock, clock.Waits{First: w.done}) == clock.Ended {
		return ctx.Err()
	}
	return w.Err()
}
