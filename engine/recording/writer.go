package recording

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
)

// target is where a Writer puts records: a file, or the segments of a Box.
type target interface {
	add(i item, whole []byte) error
	flush() error
	close(why End, sync bool) error
	setHurry(bool)
	size() int64 // of what is kept
}

func (w *file) setHurry(on bool) { w.hurry = on }
func (w *file) size() int64      { return w.at }

// Writer writes a recording beside what is recorded. Any goroutine may Append; Run does the rest.
type Writer struct {
	options Options
	to      target
	started atomic.Bool
	size    atomic.Int64

	mu      sync.Mutex
	queue   []byte      // records as the chain hashes them, one after the other
	at      int64       // of the last record
	over    bool        // nothing is taken any more
	err     error       // why, if it ended by itself
	broken  atomic.Bool // err is set
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
	w := &Writer{
		options: o, to: to, at: nanoseconds(time.Time{}),
		some: make(chan struct{}, 1), much: make(chan struct{}, 1), asked: make(chan struct{}, 1),
		stop: make(chan struct{}), failed: make(chan struct{}), done: make(chan struct{}),
	}
	w.size.Store(to.size())
	return w
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Append records r, copying its payload. It never waits for the disk: when the recording cannot
// take it, the recording ends. After its end Append does nothing. A record without a time gets that of
// the one before it, so that time runs on.
func (w *Writer) Append(r Record) {
	i, timed := r.item(), !r.At.IsZero()
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
	if !timed {
		i.at = w.at
	}
	w.at = i.at
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
		w.broken.Store(true)
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

// Fail ends the recording with err, as a fault of what is recorded.
func (w *Writer) Fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.fail(err)
	}
}

// Size is how many bytes are in the file; of a Box, in all that it keeps.
func (w *Writer) Size() int64 { return w.size.Load() }

// Err is why the recording ended by itself, nil when it did not.
func (w *Writer) Err() error {
	if !w.broken.Load() { // as ever: whoever records asks for each event
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
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
