package remade

import (
	"errors"
	"io"

	"mqscope/engine/replay"
)

// Span implements replay.Spanner: the consumer's code takes the events once more, and at each
// checkpoint what it knows is compared with what it knew.
func (t *Track) Span(from, to uint64) (done replay.Span, err error) {
	if err := replay.ToCheckpoint(t.r, from); err != nil {
		return done, err
	}
	e, err := t.r.Next()
	if err != nil {
		return done, err
	}
	if err := t.restore(e); err != nil {
		return done, err
	}
	t.watch(false)
	t.passing = true
	for t.event < to {
		event, err := t.take()
		switch {
		case errors.Is(err, io.EOF):
			return t.spanned(done), nil
		case err != nil:
			return t.spanned(done), err
		case event:
			done.Events++
		case t.checkpoint && t.remake.Compares():
			done.Checkpoints++
		}
	}
	return t.spanned(done), nil
}

func (t *Track) spanned(s replay.Span) replay.Span {
	s.Departed, s.At = t.remake.Departed(), t.remake.DepartedAt()
	return s
}
