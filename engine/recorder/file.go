package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/event"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// recorded is a recording that is made.
type recorded struct {
	*recording.Writer
	path string
	left int64 // messages that recordings had left out before
}

// Begin begins a recording to a file. It may be called before Around, else Ask is for that. It fails
// where the file can not be made, with an *ExistsError where there is one already.
func (r *Recorder) Begin(c Record) error {
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

func (r *Recorder) options(replace bool) recording.Options {
	return recording.Options{
		Replace: replace, FS: r.cfg.FS, Clock: r.clock, QueueBytes: 32 << 20,
		Ended: func(error) {
			r.tape.look() // at once: the consumer makes no more records for it
			r.poke()
		},
	}
}

// attach has the consumer record to all there is to record to, from a new beginning.
func (r *Recorder) attach() {
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
func (r *Recorder) detach(w *recording.Writer) {
	r.push.TellLeftOut()
	if r.tape.drop(w) {
		r.push.Record(nil)
		r.push.RecordMessages(nil, consumer.Messages{})
	}
}

// stop ends the recording to a file.
func (r *Recorder) stop(ctx context.Context) error {
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

func (r *Recorder) close(ctx context.Context, one *recorded) error {
	ctx, cancel := clock.WithTimeout(ctx, r.clock, closeWithin)
	defer cancel()
	err := one.Close(ctx)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("the disk of %s stands still: the end of the recording is not on it", one.path)
	}
	return err
}

// lookAtEnds tells of recordings that have ended by themselves.
func (r *Recorder) lookAtEnds() {
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

// endedWith leaves behind what became of the recording that the source's end has ended.
func (r *Recorder) endedWith(one *recorded, err error) {
	last := &shownRecording{Recorder: snapshot.Recorder{File: one.path, Bytes: one.Size(), LeftOut: r.push.MessagesLeftOut() - one.left, Saved: r.saved}}
	if err != nil {
		last.Err = endText(err)
	}
	r.shown.Store(last)
}
