package remade

import (
	"errors"
	"io"
	"iter"

	"mqscope/engine/consumer"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// beside reads the file while the track stands elsewhere.
type beside struct {
	again func() (*recording.Reader, error)
	list  *consumer.List
	r     *recording.Reader
	next  uint64 // number of the record that r stands in front of, 0: not known
}

func (b *beside) close() error {
	if b.r == nil {
		return nil
	}
	return b.r.Close()
}

// seek stands in front of record number from.
func (b *beside) seek(from uint64) error {
	if b.r == nil {
		if b.again == nil {
			return errors.New("events can not be listed: nobody says how to open the file again")
		}
		r, err := b.again()
		if err != nil {
			return err
		}
		b.r, b.next = r, 0
	}
	if b.next != 0 && b.next == from {
		return nil
	}
	b.next = 0
	b.list.Forget()
	return b.r.SeekRecord(from)
}

// Moments lists the events from number from on, without moving.
func (t *Track) Moments(from uint64) iter.Seq2[snapshot.Moment, error] {
	return func(yield func(snapshot.Moment, error) bool) {
		b := &t.beside
		if err := b.seek(max(from, t.first)); err != nil {
			yield(snapshot.Moment{}, err)
			return
		}
		for {
			e, err := b.r.Next()
			if err == nil && e.Number > t.info.Total {
				return // it is still written
			}
			var m snapshot.Moment
			var ok bool
			if err == nil {
				if m, ok, err = b.list.Add(e); err != nil {
					err = malformed(e.Number, err)
				}
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
