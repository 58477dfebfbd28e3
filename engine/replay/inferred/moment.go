package inferred

import (
	"iter"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
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
		case capture.NoteRefused:
			return snapshot.InterestError
		}
	}
	return snapshot.NoInterest
}

// besideOf lists events without folding them.
func besideOf(c *pack.Codec, o replay.Options) replay.Beside {
	one := new(entry)
	return replay.Beside{Again: o.Again, Moment: func(e recording.Entry) (snapshot.Moment, bool, error) {
		if e.Kind != kindEvent {
			return snapshot.Moment{}, false, nil
		}
		if err := decodeEvent(c, e, one); err != nil {
			return snapshot.Moment{}, false, err
		}
		return momentOf(e.Number, e.At, one), true, nil
	}}
}

// Moments lists the events from number from on, without moving.
func (t *Track) Moments(from uint64) iter.Seq2[snapshot.Moment, error] {
	return func(yield func(snapshot.Moment, error) bool) {
		for m, err := range t.beside.Moments(max(from, t.before+1), t.info.Total) {
			if err != nil {
				t.note(err)
			}
			if !yield(m, err) {
				return
			}
		}
	}
}
