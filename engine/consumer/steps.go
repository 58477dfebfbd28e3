package consumer

import "encoding/binary"

// steps are the numbers that the loop reads at an event, in their order, as a recording has them:
// for each eight of them a byte says which are not zero, and those follow as varints. Most are: they
// are differences to what was read before. Its zero value has none.
type steps struct {
	style stepStyle
	b     []byte // recording: all so far; remaking: what is left
	n     int    // how many were noted, or taken
	mask  byte   // remaking: of those that are left of eight
	at    int    // recording: where the byte of these eight is
}

// stepStyle is how a recording has what was read.
type stepStyle uint8

const (
	stepsMasked   stepStyle = iota
	stepsPlain              // by recordings of before: varints one after the other
	stepsAbsolute           // of the first ones: and no differences
)

// begin has nothing noted yet.
func (s *steps) begin() { s.b, s.n = s.b[:0], 0 }

// note adds what was read.
func (s *steps) note(v int64) {
	if s.n%8 == 0 {
		s.at = len(s.b)
		s.b = append(s.b, 0)
	}
	if v != 0 {
		s.b[s.at] |= 1 << (s.n % 8)
		s.b = binary.AppendVarint(s.b, v)
	}
	s.n++
}

// play has take return what t has.
func (s *steps) play(t *taken) {
	*s = steps{b: t.Seen}
	switch {
	case len(t.Reads) > 0:
		*s = steps{b: t.Reads, style: stepsAbsolute}
	case len(t.Steps) > 0:
		*s = steps{b: t.Steps, style: stepsPlain}
	}
}

// take is the next one; ok is false where there is none.
func (s *steps) take() (v int64, ok bool) {
	if s.style == stepsMasked {
		if s.n%8 == 0 {
			if len(s.b) == 0 {
				return 0, false
			}
			s.mask, s.b = s.b[0], s.b[1:]
		}
		s.n++
		zero := s.mask&1 == 0
		if s.mask >>= 1; zero {
			return 0, true
		}
	}
	v, n := binary.Varint(s.b)
	if n <= 0 {
		return 0, false
	}
	s.b = s.b[n:]
	return v, true
}

// left tells whether there are more. It does not see zeros at the end of eight.
func (s *steps) left() bool { return len(s.b) > 0 || s.mask != 0 }
