package replay

import (
	"errors"
	"io"
	"iter"

	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// Beside reads a recording while its track stands elsewhere, to list events.
type Beside struct {
	// Again opens the file once more, at the first use.
	Again func() (*recording.Reader, error)
	// Moment makes a moment of records, one by one; ok is false where there is none to a record.
	Moment func(recording.Entry) (m snapshot.Moment, ok bool, err error)
	// Lead stands in front of record number from, another place, having read what Moment needs to
	// know of before it; where it is nil that is nothing.
	Lead func(r *recording.Reader, from uint64) error

	r    *recording.Reader
	next uint64 // number of the record that r stands in front of, 0: not known
}

// Close closes the file if it was opened.
func (b *Beside) Close() error {
	if b.r == nil {
		return nil
	}
	return b.r.Close()
}

// seek stands in front of record number from.
func (b *Beside) seek(from uint64) error {
	if b.r == nil {
		if b.Again == nil {
			return errors.New("events can not be listed: nobody says how to open the file again")
		}
		r, err := b.Again()
		if err != nil {
			return err
		}
		b.r, b.next = r, 0
	}
	if b.next != 0 && b.next == from {
		return nil
	}
	b.next = 0
	if b.Lead != nil {
		return b.Lead(b.r, from)
	}
	return b.r.SeekRecord(from)
}

// Moments lists the events from number from on up to number to: a file that is still written may
// have more.
func (b *Beside) Moments(from, to uint64) iter.Seq2[snapshot.Moment, error] {
	return func(yield func(snapshot.Moment, error) bool) {
		if err := b.seek(from); err != nil {
			yield(snapshot.Moment{}, err)
			return
		}
		for {
			e, err := b.r.Next()
			if err == nil && e.Number > to {
				return
			}
			var m snapshot.Moment
			var ok bool
			if err == nil {
				m, ok, err = b.Moment(e)
			}
			if err != nil {
				b.next = 0
				if !errors.Is(err, io.EOF) {
					yield(snapshot.Moment{}, err)
				}
				return
			}
			b.next = e.Number + 1
			if ok && !yield(m, nil) {
				return
			}
		}
	}
}
