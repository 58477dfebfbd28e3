package inferred

import (
	"errors"
	"io"
	"iter"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

func momentOf(number uint64, at time.Time, e *entry) snapshot.Moment {
	s := infer.About(e.Fact)
	m := snapshot.Moment{
		Event: number, At: at, Kind: infer.Kind(e.Fact), Queue: s.Queue, Group: s.Group, Client: s.Client,
		Level: picture.Level(e.Fact), Words: infer.Words(e.Fact), Interest: interestOf(e),
	}
	if s.Queue == (mq.MessageQueue{}) {
		m.Where = s.Topic
	}
	switch f := e.Fact.(type) {
	case infer.Opened:
		m.Where = f.Server
	case infer.Closed:
		m.Where = f.Server
	case infer.Popped:
		m.Where = f.Broker
	}
	return m
}

// interestOf says why one would want to look at an event.
func interestOf(e *entry) snapshot.InterestKind {
	switch f := e.Fact.(type) {
	case infer.Assigned, infer.Released, infer.MembersChanged, infer.MemberLeft:
		return snapshot.InterestRebalance
	case infer.MemberSeen:
		if f.New {
			return snapshot.InterestRebalance
		}
	case infer.Failed, infer.Unreadable:
		return snapshot.InterestError // what was refused is followed by Failed
	case infer.Locked:
		if len(f.Refuse) > 0 {
			return snapshot.InterestLock
		}
	case infer.Committed:
		if e.Jumped {
			return snapshot.InterestOffset
		}
	case infer.PullDone:
		if f.Answered && f.Status == mq.OffsetIllegal {
			return snapshot.InterestOffset
		}
	case infer.ResetOrdered:
		return snapshot.InterestOffset
	case infer.Noted:
		switch f.Note.Kind {
		case capture.NoteGap, capture.NoteLost, capture.NoteSkipped, capture.NoteFile, capture.NoteGivenUp:
			return snapshot.InterestGap
		}
	}
	return snapshot.NoInterest
}

// beside reads the file while the track stands elsewhere.
type beside struct {
	again func() (*recording.Reader, error)
	codec *pack.Codec
	r     *recording.Reader
	next  uint64 // number of the record that r stands in front of, 0: not known
	entry entry
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
	return b.r.SeekRecord(from)
}

// Moments lists the events from number from on, without moving.
func (t *Track) Moments(from uint64) iter.Seq2[snapshot.Moment, error] {
	return func(yield func(snapshot.Moment, error) bool) {
		b := &t.beside
		if err := b.seek(max(from, t.before+1)); err != nil {
			yield(snapshot.Moment{}, err)
			return
		}
		for {
			e, err := b.r.Next()
			if err == nil && e.Number > t.info.Total {
				return // it is still written
			}
			if err == nil && e.Kind == kindEvent {
				err = decodeEvent(b.codec, e, &b.entry)
			}
			if err != nil {
				b.next = 0
				if !errors.Is(err, io.EOF) {
					t.note(err)
					yield(snapshot.Moment{}, err)
				}
				return
			}
			b.next = e.Number + 1
			if e.Kind == kindEvent && !yield(momentOf(e.Number, e.At, &b.entry), nil) {
				return
			}
		}
	}
}
