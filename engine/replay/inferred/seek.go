package inferred

import (
	"errors"
	"io"
	"time"

	"mqscope/engine/recording"
)

// near is how many events it goes on from where it stands rather than look for a better place.
const near = 512

// SeekTime goes to behind the last event up to at.
func (t *Track) SeekTime(at time.Time) error {
	if at.Before(t.info.From) {
		return t.Seek(0)
	}
	if err := t.r.SeekTime(at.Add(1)); err != nil {
		return err
	}
	e, err := t.r.Next()
	switch {
	case errors.Is(err, io.EOF):
		return t.far(t.info.Total)
	case err != nil:
		if d, ok := errors.AsType[*recording.Damage](err); ok {
			t.note(err)
			return t.far(d.Record - min(d.Record, 1))
		}
		return err
	}
	return t.far(e.Number - min(e.Number, 1))
}

// Seek goes to where the events up to number n have happened.
func (t *Track) Seek(n uint64) error {
	n = max(min(n, t.info.Total), t.before)
	t.backing = n < t.event && t.event-n <= 1024
	if !t.dirty && n >= t.event && n-t.event <= near {
		if err := t.fold(n); err != nil || t.event >= n {
			return err
		}
		// Damage is on the way: there may be a checkpoint behind it.
	}
	return t.far(n)
}

// far goes there from the nearest place where all is known: here, a copy or a checkpoint.
func (t *Track) far(n uint64) error {
	for below := max(n, t.info.Header.First); ; {
		number, err := t.r.SeekCheckpoint(below)
		none := errors.Is(err, recording.ErrNoCheckpoint)
		if err != nil && !none {
			return err
		}
		here := !t.dirty && t.event > t.before && t.event <= n && (none || t.event >= number)
		c := t.kept.before(n)
		switch {
		case c != nil && (none || c.event >= number) && (!here || c.event > t.event):
			return t.resume(c, n)
		case here:
			return t.goOn(n)
		case none:
			t.fresh()
			return t.goOn(n)
		}
		err = t.load()
		if err == nil {
			return t.fold(n)
		}
		if _, damaged := errors.AsType[*recording.Damage](err); !damaged {
			return err
		}
		t.note(err) // an earlier one will do
		if below = number - min(number, 1); below < t.info.Header.First {
			t.fresh()
			return t.goOn(n)
		}
	}
}

// goOn takes the events behind the last one up to number n.
func (t *Track) goOn(n uint64) error {
	if err := t.r.SeekRecord(t.event + 1); err != nil {
		return err
	}
	return t.fold(n)
}

// resume goes on from a copy.
func (t *Track) resume(c *moment, n uint64) error {
	t.stand(c.state.Clone(), c.memory.Clone(), c.event, c.at)
	return t.goOn(n)
}

// fold takes events up to number n, or to where the recording ends.
func (t *Track) fold(n uint64) error {
	for t.event < n {
		e, err := t.r.Next()
		if err == nil && e.Kind != kindEvent {
			if e.Number >= n {
				return nil
			}
			continue
		}
		if err == nil && e.Number > n {
			return t.r.SeekRecord(e.Number)
		}
		if err == nil {
			err = t.take(e)
		}
		if err != nil {
			_, damaged := errors.AsType[*recording.Damage](t.ended(err))
			if damaged || errors.Is(err, io.EOF) {
				return nil // where the recording ends
			}
			return err
		}
		t.keepOnTheWay(n - t.event)
	}
	return nil
}

// load reads the checkpoint that the reader stands in front of.
func (t *Track) load() error {
	all, first, err := t.parts()
	if err != nil {
		return err
	}
	c, err := unpackCheckpoint(t.codec, all)
	if err != nil {
		return malformed(first.Number, err)
	}
	t.stand(c.State, c.Memory, first.Number-min(first.Number, 1), c.State.At)
	return nil
}
