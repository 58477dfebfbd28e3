package engine

import (
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
)

// Box is a black box: it keeps what was recorded last, and is saved when something goes wrong.
type Box struct {
	Dir    string // that it is kept in, its own; "" is none
	Limit  int64  // of what it keeps, in bytes
	SaveTo string // folder that it is saved to
}

const (
	saveAfter = 2 * time.Second // something went wrong: what comes of that is saved as well
	saveEvery = time.Minute     // by itself, at most
	mostSaves = 5               // by itself
)

// box is the black box of a recorder.
type box struct {
	*recording.Box
	ended bool      // by itself, and that was told
	due   time.Time // it is to be saved, zero if it is not
	why   string
	saved time.Time // last, by itself
	saves int       // by itself
}

// openBox begins to keep a black box; the consumer does not run yet.
func (r *recorder) openBox() error {
	made, err := recording.NewBox(r.cfg.Box.Dir, r.cfg.Box.Limit, r.header(), r.options(false))
	if err != nil {
		return fmt.Errorf("black box: %w", err)
	}
	r.box = &box{Box: made}
	r.attach()
	return nil
}

// wrong is told that something went wrong. It may be called from any goroutine.
func (r *recorder) wrong(what string) {
	r.mu.Lock()
	if r.trouble == "" {
		r.trouble = what
	}
	r.mu.Unlock()
	r.poke()
}

// dueSave saves the black box when that is due, and says when else it will be; at once: the source
// has ended.
func (r *recorder) dueSave(ctx context.Context, atOnce bool) time.Duration {
	r.mu.Lock()
	why := r.trouble
	r.trouble = ""
	r.mu.Unlock()
	b, now := r.box, r.clock.Now()
	if b == nil || b.ended {
		return 0
	}
	if why != "" && b.due.IsZero() && b.saves < mostSaves && (b.saves == 0 || now.Sub(b.saved) >= saveEvery) {
		b.due, b.why = now.Add(saveAfter), why
	}
	if b.due.IsZero() {
		return 0
	}
	if left := b.due.Sub(now); left > 0 && !atOnce {
		return left
	}
	b.due, b.saved = time.Time{}, now
	b.saves++
	path, err := r.save(ctx, "")
	if err != nil {
		r.tell(event.Warn, fmt.Sprintf("black box not saved: %v", err))
		return 0
	}
	r.tell(event.Info, fmt.Sprintf("black box saved to %s, because of: %s", path, b.why))
	return 0
}

// saveAsked saves the black box because somebody wants that.
func (r *recorder) saveAsked(ctx context.Context, path string) error {
	if r.box == nil {
		return errors.New("there is no black box: it begins with --black-box SIZE, record FILE records from now on")
	}
	path, err := r.save(ctx, path)
	if err == nil {
		r.tell(event.Info, "black box saved to "+path)
	}
	return err
}

// save writes the black box to a file; without a path it gets a name of group and time.
func (r *recorder) save(ctx context.Context, path string) (string, error) {
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
func (r *recorder) finishBox(ctx context.Context) error {
	within, cancel := clock.WithTimeout(ctx, r.clock, closeWithin)
	defer cancel()
	err := r.box.Close(within)
	if within.Err() != nil && errors.Is(err, within.Err()) {
		return err
	}
	_ = r.box.Discard() // what can not be taken away is found at the next start
	return nil
}
