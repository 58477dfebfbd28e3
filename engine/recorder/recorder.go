package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Config is how a consumer may be recorded, and what of it.
type Config struct {
	Program    string        // that records, with its version
	Keep       policy.Policy // of messages
	Rate       consumer.Rate // of messages
	NoMessages bool          // they are not recorded at all
	Box        Box
	FS         recording.FS // default the computer's own
}

// What a person may ask of a recorder, see Ask.
type (
	// Record begins to record to a file; Stop ends that. A snapshot's Recorder shows both.
	Record struct {
		File    string
		Replace bool // what is there already, if that is a file
	}
	Stop struct{}
	// Save saves what the black box has; without a name for the file it gets one.
	Save struct{ File string }
)

const (
	closeWithin = 10 * time.Second // the end of a file; a disk that stands still holds nobody up
	saveWithin  = time.Minute
)

// Recorder makes the recordings of a consumer, on a goroutine of its own: what the disk does holds
// nothing else up.
type Recorder struct {
	cfg    Config
	clock  clock.Clock
	push   *consumer.Push
	header func() recording.Header
	check  func(reply func([]snapshot.Breach)) // of what must hold whatever happens

	started atomic.Bool
	shown   atomic.Pointer[shownRecording]
	wake    chan struct{} // of size one

	mu       sync.Mutex
	asked    []any
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

// New checks cfg and makes a recorder of a consumer that is still to be made, since the consumer's
// log comes by the recorder: Watch, then Of, then all else.
func New(cfg Config, c clock.Clock) (*Recorder, error) {
	if err := cfg.Keep.Validate(); err != nil {
		return nil, err
	}
	r := &Recorder{cfg: cfg, clock: c, wake: make(chan struct{}, 1), tape: newTape(nil)}
	return r, nil
}

// Of says what is recorded: the consumer made of c, in a cluster of that name.
func (r *Recorder) Of(cluster string, c *consumer.Config, push *consumer.Push) {
	r.push, r.check = push, push.Check
	r.header = func() recording.Header { return r.headerOf(cluster, c) }
}

// shownRecording is what snapshots show of the recording, but for its size.
type shownRecording struct {
	snapshot.Recorder
	size func() int64
	left int64 // messages that were left out before
}

// Show fills in what a snapshot says of recordings.
func (r *Recorder) Show(s *snapshot.Snapshot) {
	now := r.shown.Load()
	if now == nil {
		return
	}
	s.Recorder = now.Recorder
	if now.size != nil {
		s.Recorder.Bytes, s.Recorder.LeftOut = now.size(), r.push.MessagesLeftOut()-now.left
	}
}

// Ask has a command carried out soon: Record, Stop or Save.
func (r *Recorder) Ask(c any) {
	r.mu.Lock()
	r.asked = append(r.asked, c)
	r.mu.Unlock()
	r.poke()
}

func (r *Recorder) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Around runs fn, which runs the consumer, and finishes what was recorded behind it. What ends fn, a
// panic too, is a reason to save the black box.
func (r *Recorder) Around(ctx context.Context, fn func(context.Context) error) (err error) {
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
func (r *Recorder) run(ctx context.Context) error {
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
func (r *Recorder) work(ctx context.Context) (due time.Duration, over bool) {
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

func (r *Recorder) command(ctx context.Context, c any) error {
	switch c := c.(type) {
	case Record:
		return r.Begin(c)
	case Stop:
		return r.stop(ctx)
	case Save:
		return r.saveAsked(ctx, c.File)
	}
	return fmt.Errorf("a recorder knows no command %T", c)
}

// publish says what snapshots show from now on; err is why the last recording ended by itself.
func (r *Recorder) publish(err string) {
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

func (r *Recorder) tell(level event.Level, what string) {
	r.push.Note(event.Entry{Level: level, Source: "engine", What: what})
}

// finish ends all recordings. A disk that stands still is left alone: the process ends next.
func (r *Recorder) finish(ctx context.Context) error {
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
