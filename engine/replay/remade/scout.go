package remade

import (
	"errors"

	"mqscope/engine/replay"
)

// scoutRecords is how many records a scout takes at once.
const scoutRecords = 256

// scout looks for events at which breakpoints are reached, by another track of the same file: ahead
// by playing on, back from one checkpoint after the other before.
type scout struct {
	of, on *Track
	from   uint64 // where of stands
	to     uint64 // it looks no farther than to before this event
	back   bool
	begun  bool
	// Going back: the part that is played through, which begins with a checkpoint.
	begin, end uint64
	hit        replay.Hit
}

// Scout looks for the first event behind from, and before to, at which a breakpoint is reached; with
// back for the last one before from, and behind to. It is nil without breakpoints. It is that of a
// replay.Decider.
func (t *Track) Scout(from, to uint64, back bool) (replay.Scout, error) {
	if !t.trail.Breaks() {
		return nil, nil
	}
	if t.ahead == nil {
		other, err := t.another()
		if err != nil {
			return nil, err
		}
		t.ahead = other
	}
	return &scout{of: t, on: t.ahead, from: from, to: to, back: back, begin: from}, nil
}

// another is a track of the same file that keeps no places.
func (t *Track) another() (*Track, error) {
	if t.lines.again == nil {
		return nil, errors.New("nobody says how to open the file again")
	}
	r, err := t.lines.again()
	if err != nil {
		return nil, err
	}
	other, err := Open(r, replay.Options{})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	out := other.(*Track)
	out.passing = true
	return out, nil
}

// Reached is how far it has come.
func (s *scout) Reached() uint64 {
	if s.back || !s.begun {
		return s.begin
	}
	return s.on.event
}

// Look goes on by some events.
func (s *scout) Look() (hit replay.Hit, over bool) {
	var err error
	switch {
	case s.back:
		over, err = s.lookBack()
	case !s.begun:
		s.begun = true
		err = s.stand(s.from)
	default:
		over, err = s.play(s.to)
	}
	return s.hit, over || err != nil
}

// stand goes to an event and looks out for breakpoints from there on.
func (s *scout) stand(n uint64) error {
	s.on.trail.Follow(nil, false)
	err := s.on.jump(n, n > s.of.first)
	s.on.watch(true)
	s.on.trail.Follow(&s.of.trail, s.back)
	return err
}

// play goes on by some events to one before end, ahead no farther than to a hit.
func (s *scout) play(end uint64) (over bool, err error) {
	for range scoutRecords {
		if s.on.event+1 >= end {
			return true, nil
		}
		event, err := s.on.take()
		if err != nil {
			return true, err
		}
		why := s.on.trail.Hit()
		if !event || why == "" || s.on.event >= end || s.back && s.on.event <= s.to {
			continue
		}
		s.hit = replay.Hit{Event: s.on.event, At: s.on.At(), Why: why}
		if !s.back {
			return true, nil
		}
	}
	return false, nil
}

// lookBack plays a part through, and goes on with the one before.
func (s *scout) lookBack() (over bool, err error) {
	if s.begun {
		if played, _ := s.play(s.end); !played { // whatever ends it
			return false, nil
		}
		if s.hit.Event != 0 {
			return true, nil
		}
	}
	s.begun = true
	if s.begin <= max(s.to+1, s.of.first+1) {
		return true, nil
	}
	s.end = s.begin
	if s.begin, err = s.on.r.SeekCheckpoint(s.end - 1); err != nil {
		return true, err
	}
	return false, s.stand(s.begin)
}
