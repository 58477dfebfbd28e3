package recorder

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"mqscope/engine/recording"
)

// tape gives what a consumer's loop records to all recordings that are made of it. It implements
// consumer.Tape.
type tape struct {
	over  atomic.Bool // none of them goes on
	timed atomic.Bool // one record at least had a time
	list  atomic.Pointer[[]*recording.Writer]
	mu    sync.Mutex // of who changes list
}

func newTape(list []*recording.Writer) *tape {
	t := &tape{}
	t.set(slices.Clone(list))
	return t
}

func (t *tape) set(list []*recording.Writer) {
	t.list.Store(&list)
	t.over.Store(len(list) == 0)
}

var errOver = errors.New("nothing is recorded any more")

// Append implements consumer.Tape. What comes from beside the loop has no time: a Writer gives it that
// of the record before. It is left out before there is any.
func (t *tape) Append(r recording.Record) {
	first := !t.timed.Load()
	if first && r.At.IsZero() {
		return
	}
	for _, w := range *t.list.Load() {
		w.Append(r)
	}
	if first {
		t.timed.Store(true)
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
	for _, w := range *t.list.Load() {
		w.Fail(err)
	}
}

// drop leaves w out from now on, and tells whether nobody is left.
func (t *tape) drop(w *recording.Writer) (last bool) {
	return t.without(func(one *recording.Writer) bool { return one == w })
}

// look leaves out recordings that have ended by themselves.
func (t *tape) look() { t.without(func(w *recording.Writer) bool { return w.Err() != nil }) }

func (t *tape) without(gone func(w *recording.Writer) bool) (empty bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(slices.DeleteFunc(slices.Clone(*t.list.Load()), gone))
	return t.over.Load()
}
