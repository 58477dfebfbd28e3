package recorder

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/recording"
)

// tape gives what a consumer's loop records to all recordings that are made of it. It implements
// consumer.Tape.
type tape struct {
	over atomic.Bool // none of them goes on

	mu   sync.Mutex
	at   time.Time // of the last record
	list []*recording.Writer
}

func newTape(list []*recording.Writer) *tape {
	t := &tape{list: slices.Clone(list)}
	t.over.Store(len(list) == 0)
	return t
}

var errOver = errors.New("nothing is recorded any more")

// Append implements consumer.Tape. What comes without a time, from beside the loop, has that of the
// record before: so time runs on. It is left out before there is any.
func (t *tape) Append(r recording.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.At.IsZero() {
		if r.At = t.at; r.At.IsZero() {
			return
		}
	}
	t.at = r.At
	for _, w := range t.list {
		w.Append(r)
	}
}

// Err implements consumer.Tape. The loop asks for each event.
func (t *tape) Err() error {
	if t.over.Load() {
		return errOver
	}
	return nil
}

// Fail implements consumer.Tape.
func (t *tape) Fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.list {
		w.Fail(err)
	}
}

// drop leaves w out from now on, and tells whether nobody is left.
func (t *tape) drop(w *recording.Writer) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.DeleteFunc(t.list, func(one *recording.Writer) bool { return one == w })
	t.over.Store(len(t.list) == 0)
	return len(t.list) == 0
}

// look leaves out recordings that have ended by themselves.
func (t *tape) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.DeleteFunc(t.list, func(one *recording.Writer) bool { return one.Err() != nil })
	t.over.Store(len(t.list) == 0)
}
