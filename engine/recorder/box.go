package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// Box is a black box: it keeps what was recorded last, and is saved when something goes wrong; what
// that is, the list in wrong.go says.
type Box struct {
	Dir    string // that it is kept in, its own; "" is none
	Limit  int64  // of what it keeps, in bytes
	SaveTo string // folder that it is saved to
	// StuckAfter is how long a listener may run, a queue stand still and flow control hold it before
	// that is something that goes wrong. Default one minute.
	StuckAfter time.Duration
}

// box is the black box of a recorder.
type box struct {
	*recording.Box
	ended    bool // by itself, and that was told
	doctor   *doctor
	lookedAt time.Time
	saves    saves
}

// openBox begins to keep a black box; the consumer does not run yet.
func (r *Recorder) openBox() error {
	made, err := recording.NewBox(r.cfg.Box.Dir, r.cfg.Box.Limit, r.header(), r.options(false))
	if err != nil {
		return fmt.Errorf("black box: %w", err)
	}
	r.box = &box{
		Box: made, doctor: newDoctor(cmp.Or(r.cfg.Box.StuckAfter, stuckAfter)), saves: saves{unwell: map[ailment]time.Time{}},
	}
	r.attach()
	return nil
}

// wrong is told that something went wrong. It may be called from any goroutine.
func (r *Recorder) wrong(t trouble) {
	t.what, _, _ = strings.Cut(t.what, "\n") // the stack of a panic follows
	r.mu.Lock()
	if len(r.troubles) < mostTroubles {
		r.troubles = append(r.troubles, t)
	}
	r.mu.Unlock()
	r.poke()
}

// look looks for what goes wrong when it is time to, and says when it will be again.
func (r *Recorder) look() time.Duration {
	b, now := r.box, r.clock.Now()
	if b == nil || b.ended {
		return 0
	}
	if left := b.lookedAt.Add(lookEvery).Sub(now); left > 0 {
		return left
	}
	b.lookedAt = now
	b.saves.recovered(now)
	for _, t := range b.doctor.look(r.push.Latest()) {
		r.wrong(t)
	}
	r.check(func(broken []snapshot.Breach) {
		for _, one := range broken {
			r.wrong(trouble{cause: causeInvariant, where: one.ID, what: "invariant " + one.ID + ": " + one.What})
		}
	})
	return lookEvery
}

// dueSave saves the black box when that is due, and says when else it will be. The source is over,
// and why it ended may be what went wrong: that is saved whatever was saved before.
func (r *Recorder) dueSave(ctx context.Context, over bool, ended string) time.Duration {
	r.mu.Lock()
	troubles := r.troubles
	r.troubles = nil
	r.mu.Unlock()
	b, now := r.box, r.clock.Now()
	if b == nil || b.ended {
		return 0
	}
	for _, t := range troubles {
		if refused := b.saves.hear(now, t); refused != "" {
			r.tell(event.Warn, refused)
		}
	}
	if over && ended != "" {
		b.saves.ends(now, ended)
	}
	why, due := b.saves.take(now, over)
	if why == "" {
		return due
	}
	path, err := r.save(ctx, "")
	if err != nil {
		r.tell(event.Warn, fmt.Sprintf("black box not saved: %v", err))
		return 0
	}
	r.tell(event.Warn, fmt.Sprintf("%s: black box saved to %s", why, path))
	r.savedTo(path, why)
	return 0
}

// savedTo has snapshots show where the black box was saved to.
func (r *Recorder) savedTo(path, why string) {
	r.saved.File, r.saved.Why = path, why
	r.saved.Times++
	now := *r.shown.Load()
	now.Saved = r.saved
	r.shown.Store(&now)
}

// saveAsked saves the black box because somebody wants that.
func (r *Recorder) saveAsked(ctx context.Context, path string) error {
	if r.box == nil {
		return errors.New("there is no black box: it begins with --black-box SIZE, record FILE records from now on")
	}
	path, err := r.save(ctx, path)
	if err == nil {
		r.tell(event.Info, "black box saved to "+path)
		r.savedTo(path, "")
	}
	return err
}

// save writes the black box to a file; without a path it gets a name of group and time.
func (r *Recorder) save(ctx context.Context, path string) (string, error) {
	ctx, cancel := clock.WithTimeout(ctx, r.clock, saveWithin)
	defer cancel()
	if path != "" {
		_, err := r.box.Save(ctx, path)
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s is there already: give another name", path)
		}
		return path, err
	}
	base := fileName(r.header().Group) + "-" + r.clock.Now().Format("20060102-150405")
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		path := filepath.Join(r.cfg.Box.SaveTo, name+".mqrec")
		_, err := r.box.Save(ctx, path)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		return path, err
	}
}

// fileName makes a name that any disk takes of that of a group.
func fileName(group string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' {
			return c
		}
		return '_'
	}, group[:min(len(group), 64)])
}

// finishBox ends the black box and takes away what it kept: it was saved if there was a reason.
// The error is a disk that stands still.
func (r *Recorder) finishBox(ctx context.Context) error {
	within, cancel := clock.WithTimeout(ctx, r.clock, closeWithin)
	defer cancel()
	err := r.box.Close(within)
	if within.Err() != nil && errors.Is(err, within.Err()) {
		return err
	}
	_ = r.box.Discard() // what can not be taken away is found at the next start
	return nil
}
