package inferred

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

// Span implements replay.Spanner: it folds the events, and compares what came of them with each
// checkpoint. Where another version of the program wrote the file, or something was taken out of it
// since, nothing is compared: that may conclude, or leave, something else.
func (t *Track) Span(from, to uint64) (done replay.Span, err error) {
	if err := replay.ToCheckpoint(t.r, from); err != nil {
		return done, err
	}
	if err := t.load(); err != nil {
		return done, err
	}
	same := t.info.Header.Meta[shapesMeta] == Header(recording.Header{}).Meta[shapesMeta] && t.info.Header.Meta[replay.MetaRedacted] == ""
	for t.event < to {
		e, err := t.r.Next()
		if errors.Is(err, io.EOF) {
			return done, nil
		}
		switch {
		case err != nil:
			return done, err
		case e.Kind == kindEvent:
			before := t.state.Seq
			if err := t.take(e); err != nil {
				return done, err
			}
			if done.Events++; t.entry.Seq != before+1 {
				depart(&done, e.Number, "its number does not follow that of the event before it: something is missing")
			}
		case e.Kind == kindCheckpoint:
			if err := t.r.SeekRecord(e.Number); err != nil {
				return done, err
			}
			alike, err := t.alike(same)
			if err != nil {
				return done, err
			}
			if same {
				done.Checkpoints++
			}
			if !alike {
				depart(&done, e.Number, "what is concluded from the events before it is not what was recorded")
			}
			if e.Number >= to {
				return done, nil
			}
		}
	}
	return done, nil
}

// alike reads the checkpoint that the reader stands in front of and tells, if it is to be compared,
// whether it is what came of the events.
func (t *Track) alike(compare bool) (bool, error) {
	all, _, err := t.parts()
	if err != nil {
		return false, err
	}
	if !compare {
		return true, nil
	}
	return bytes.Equal(all, appendCheckpoint(nil, codec(), t.state, t.memory)), nil
}

// depart notes the first thing that is not as it was recorded.
func depart(s *replay.Span, number uint64, why string) {
	if s.Departed == "" {
		s.Departed, s.At = fmt.Sprintf("event %d: %s", number, why), number
	}
}
