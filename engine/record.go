package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
	"mqscope/engine/snapshot"
)

// Recording is how a Live may be recorded, and what of it.
type Recording struct {
	Program    string        // that records, with its version
	Keep       policy.Policy // of messages
	Rate       consumer.Rate // of messages
	NoMessages bool          // they are not recorded at all
	Box        Box
	FS         recording.FS // default the computer's own
}

const (
	closeWithin = 10 * time.Second // the end of a file; a disk that stands still holds nobody up
	saveWithin  = time.Minute
)

// recorder makes the recordings of a Live, on a goroutine of its own: what the disk does holds
// nothing else up.
type recorder struct {
	cfg    Recording
	clock  clock.Clock
	push   *consumer.Push
	header func() recording.Header
	check  func(reply func([]snapshot.Breach)) // of what must hold whatever happens

	started atomic.Bool
	shown   atomic.Pointer[shownRecording]
	wake    chan struct{} // of size one

	mu       sync.Mutex
	asked    []Command
	troubles []trouble // not looked at yet
	over     bool      // the source has ended
	ended    string    // with what error, "" is none

	// Of the goroutine, and of who prepares it.
	tape    *tape
	file    *recorded
	box     *box
	saved   snapshot.SavedBox
	writers *lifecycle.Group
}

// recorded is a recording that is made.
type recorded struct {
	*recording.Writer
	path string
	left int64 // messages that recordings had left out before
}

// shownRecording is what snapshots show of the recording, but for its size.
type shownRecording struct {
	snapshot.Recorder
	size func() int64
	left int64 // messages that were left out before
}

func newRecorder(l *Live) *recorder {
	r := &recorder{cfg: l.cfg.Recording, clock: l.cfg.Clock, push: l.push, header: l.header, check: l.push.Check, wake: make(chan struct{}, 1), tape: &tape{}}
	r.tape.over.Store(true)
	return r
}

// show fills in what a snapshot says of recordings.
func (r *recorder) show(s *snapshot.Snapshot) {
	now := r.shown.Load()
	if now == nil {
		return
	}
	s.Recorder = now.Recorder
	if now.size != nil {
		s.Recorder.Bytes, s.Recorder.LeftOut = now.size(), r.push.MessagesLeftOut()-now.left
	}
}

// ask has a command carried out soon.
func (r *recorder) ask(c Command) {
	r.mu.Lock()
	r.asked = append(r.asked, c)
	r.mu.Unlock()
	r.poke()
}

func (r *recorder) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// around runs fn, and finishes what was recorded behind it.
func (r *recorder) around(ctx context.Context, fn func(context.Context) error) (err error) {
	if r.started.Swap(true) {
		return fn(ctx)
	}
	if r.cfg.Box.Dir != "" {
		if err := r.openBox(); err != nil {
			return err
		}
	}
	group, groupCtx := lifecycle.NewGroup(context.WithoutCancel(ctx))
	r.writers, _ = lifecycle.NewGroup(groupCtx)
	group.Go("recorder", r.run)
	ended := "the consumer ended at once"
	defer func() {
		r.mu.Lock()
		r.over, r.ended = true, ended
		r.mu.Unlock()
		r.poke()
		err = errors.Join(err, group.Wait())
	}()
	err = fn(ctx)
	r.push.TellLeftOut()
	if ended = ""; err != nil && !errors.Is(err, client.ErrAlreadyRun) {
		ended = err.Error()
	}
	return err
}

// run carries out commands until the source has ended.
func (r *recorder) run(ctx context.Context) error {
	if r.file != nil {
		r.writers.Go("recording", r.file.Run)
	}
	if r.box != nil {
		r.writers.Go("black box", r.box.Run)
	}
	for {
		due, over := r.work(ctx)
		if over {
			return r.finish(ctx)
		}
		w := clock.Waits{First: r.wake}
		if due > 0 {
			w.Timer = r.clock.NewTimer(due)
		}
		which := clock.Wait(ctx, r.clock, w)
		if w.Timer != nil {
			w.Timer.Stop()
		}
		if which == clock.Ended {
			return r.finish(ctx)
		}
	}
}

// work does what is to be done now, and says when there is something to be done later.
func (r *recorder) work(ctx context.Context) (due time.Duration, over bool) {
	r.mu.Lock()
	asked, ended := r.asked, r.ended
	r.asked, over = nil, r.over
	r.mu.Unlock()
	for _, c := range asked {
		if err := r.command(ctx, c); err != nil {
			r.tell(event.Warn, "not done: "+err.Error())
		}
	}
	r.lookAtEnds()
	if !over {
		due = r.look()
	}
	if save := r.dueSave(ctx, over, ended); save > 0 {
		due = min(cmp.Or(due, save), save)
	}
	return due, over
}

func (r *recorder) command(ctx context.Context, c Command) error {
	switch c := c.(type) {
	case Record:
		return r.record(c)
	case StopRecording:
		return r.stop(ctx)
	case SaveBox:
		return r.saveAsked(ctx, c.File)
	}
	return fmt.Errorf("a recorder knows no command %T", c)
}

// record begins a recording.
func (r *recorder) record(c Record) error {
	if r.file != nil {
		return fmt.Errorf("it is recorded to %s already: stop ends that", r.file.path)
	}
	one := &recorded{path: c.File, left: r.push.MessagesLeftOut()}
	var err error
	one.Writer, err = recording.Create(c.File, r.header(), r.options(c.Replace))
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{c.File}
	}
	if err != nil {
		return fmt.Errorf("record to %s: %w", c.File, err)
	}
	r.file = one
	if r.writers != nil {
		r.writers.Go("recording", one.Run)
	}
	r.attach()
	r.tell(event.Info, "recording to "+c.File)
	return nil
}

// ExistsError is a file that is there already and was not to be replaced.
type ExistsError struct{ Path string }

// Error says what to do.
func (e *ExistsError) Error() string {
	return e.Path + " is there already: give another name, or replace it with --force"
}

func (r *recorder) options(replace bool) recording.Options {
	return recording.Options{
		Replace: replace, FS: r.cfg.FS, Clock: r.clock, QueueBytes: 32 << 20,
		Ended: func(error) {
			r.tape.look() // at once: the consumer makes no more records for it
			r.poke()
		},
	}
}

// attach has the consumer record to all there is to record to, from a new beginning.
func (r *recorder) attach() {
	var list []*recording.Writer
	if r.file != nil {
		list = append(list, r.file.Writer)
	}
	if r.box != nil && r.box.Err() == nil {
		list = append(list, r.box.Writer)
	}
	r.tape = newTape(list)
	r.push.Record(r.tape)
	if !r.cfg.NoMessages {
		r.push.RecordMessages(r.tape, consumer.Messages{Keep: r.cfg.Keep, Rate: r.cfg.Rate})
	}
	r.publish("")
}

// detach ends recording to w.
func (r *recorder) detach(w *recording.Writer) {
	r.push.TellLeftOut()
	if r.tape.drop(w) {
		r.push.Record(nil)
		r.push.RecordMessages(nil, consumer.Messages{})
	}
}

// stop ends the recording to a file.
func (r *recorder) stop(ctx context.Context) error {
	if r.file == nil {
		return errors.New("nothing is recorded to a file")
	}
	one := r.file
	r.file = nil
	r.detach(one.Writer)
	err := r.close(ctx, one)
	r.publish("")
	if err != nil {
		return err
	}
	r.tell(event.Info, "recorded to "+one.path)
	return nil
}

func (r *recorder) close(ctx context.Context, one *recorded) error {
	ctx, cancel := clock.WithTimeout(ctx, r.clock, closeWithin)
	defer cancel()
	err := one.Close(ctx)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("the disk of %s stands still: the end of the recording is not on it", one.path)
	}
	return err
}

// lookAtEnds tells of recordings that have ended by themselves.
func (r *recorder) lookAtEnds() {
	if r.file != nil && r.file.Err() != nil {
		one, err := r.file, r.file.Err()
		r.file = nil
		r.detach(one.Writer)
		r.publish(endText(err))
		r.tell(event.Error, "recording to "+one.path+": "+endText(err))
	}
	if r.box != nil && r.box.Err() != nil && !r.box.ended {
		r.box.ended = true
		r.detach(r.box.Writer)
		r.publish(endText(r.box.Err()))
		r.tell(event.Error, "black box: "+endText(r.box.Err()))
	}
}

// endText says why a recording ended by itself, and what to do.
func endText(err error) string {
	if disk, ok := errors.AsType[*recording.DiskError](err); ok {
		return disk.Error()
	}
	return err.Error()
}

// publish says what snapshots show from now on; err is why the last recording ended by itself.
func (r *recorder) publish(err string) {
	now := &shownRecording{}
	now.Saved = r.saved
	switch {
	case r.file != nil:
		now.On, now.File, now.size, now.left = true, r.file.path, r.file.Size, r.file.left
	case r.box != nil && !r.box.ended:
		now.On, now.Box, now.File, now.Limit, now.size = true, true, r.cfg.Box.Dir, r.cfg.Box.Limit, r.box.Size
	}
	now.Err = err
	r.shown.Store(now)
}

func (r *recorder) tell(level event.Level, what string) {
	r.push.Note(event.Entry{Level: level, Source: "engine", What: what})
}

// finish ends all recordings. A disk that stands still is left alone: the process ends next.
func (r *recorder) finish(ctx context.Context) error {
	stuck := false
	if one := r.file; one != nil {
		r.file = nil
		err := r.close(ctx, one)
		stuck = err != nil && one.Err() == nil
		r.endedWith(one, err)
	}
	if r.box != nil {
		stuck = r.finishBox(ctx) != nil || stuck
	}
	if stuck {
		return nil
	}
	return r.writers.Wait()
}

// endedWith leaves behind what became of the recording that the source's end has ended.
func (r *recorder) endedWith(one *recorded, err error) {
	last := &shownRecording{Recorder: snapshot.Recorder{File: one.path, Bytes: one.Size(), LeftOut: r.push.MessagesLeftOut() - one.left, Saved: r.saved}}
	if err != nil {
		last.Err = endText(err)
	}
	r.shown.Store(last)
}
