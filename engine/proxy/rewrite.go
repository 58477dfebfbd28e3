package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
)

// errBody says that a body is none of JSON as fastjson writes it.
var errBody = errors.New("the body is not JSON as name servers write it")

// maxDepth is how deep a body may nest.
const maxDepth = 64

// edit puts text in the place of some bytes of a body.
type edit struct {
	from, to int
	text     string
}

// rewriteBody appends body to dst with all addresses at the places changed that rename knows
// another one for. Everything else stays, byte for byte. On an error dst comes back as it was.
func rewriteBody(dst, body []byte, places []place, rename func(addr string) (string, bool)) ([]byte, error) {
	s := scan{b: body, places: places, rename: rename}
	if err := s.value(1<<len(places)-1, 0); err != nil {
		return dst, err
	}
	if s.peek(); s.pos != len(body) {
		return dst, s.bad("something follows the value")
	}
	done := 0
	for _, e := range s.edits {
		dst = append(dst, body[done:e.from]...)
		dst = append(dst, e.text...)
		done = e.to
	}
	return append(dst, body[done:]...), nil
}

// scan walks over JSON as remoting.md 3.2 has it: keys may be strings, numbers or objects.
type scan struct {
	b      []byte
	pos    int
	places []place
	rename func(string) (string, bool)
	edits  []edit // in order, apart from each other
}

func (s *scan) bad(what string) error { return fmt.Errorf("%w: %s at byte %d", errBody, what, s.pos) }

// peek skips white space and returns the next byte, 0 at the end.
func (s *scan) peek() byte {
	for ; s.pos < len(s.b); s.pos++ {
		switch c := s.b[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// value walks over one value; mask has the places whose path leads here, which is depth long.
func (s *scan) value(mask uint, depth int) error {
	switch s.peek() {
	case '{':
		return s.object(mask, depth)
	case '[':
		return s.array(mask, depth)
	case '"', '\'':
		from, to, err := s.text()
		if err == nil {
			s.found(mask, depth, false, from, to)
		}
		return err
	}
	return s.bare()
}

// enter steps over an opening byte.
func (s *scan) enter(depth int) error {
	if depth >= maxDepth {
		return s.bad("values nest too deep")
	}
	s.pos++
	return nil
}

func (s *scan) object(mask uint, depth int) error {
	if err := s.enter(depth); err != nil {
		return err
	}
	for {
		switch c := s.peek(); c {
		case '}':
			s.pos++
			return nil
		case ',':
			s.pos++
			continue
		case 0:
			return s.bad("an object does not end")
		}
		below, err := s.key(mask, depth)
		if err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.bad("a key without a colon")
		}
		s.pos++
		if err := s.value(below, depth+1); err != nil {
			return err
		}
	}
}

// key walks over a key and returns the places that lead on through it.
func (s *scan) key(mask uint, depth int) (uint, error) {
	var key []byte
	switch s.peek() {
	case '{', '[':
		return 0, s.value(0, depth+1)
	case '"', '\'':
		from, to, err := s.text()
		if err != nil {
			return 0, err
		}
		key = s.b[from:to]
		s.found(mask, depth+1, true, from, to)
	default:
		from := s.pos
		if err := s.bare(); err != nil {
			return 0, err
		}
		key = s.b[from:s.pos]
	}
	return s.below(mask, depth, key), nil
}

// below is which of the places go on with key.
func (s *scan) below(mask uint, depth int, key []byte) (below uint) {
	for i := range s.places {
		p := s.places[i].path
		if mask&(1<<i) != 0 && len(p) > depth && (p[depth] == each || p[depth] == string(key)) {
			below |= 1 << i
		}
	}
	return below
}

func (s *scan) array(mask uint, depth int) error {
	if err := s.enter(depth); err != nil {
		return err
	}
	below := s.below(mask, depth, nil)
	for {
		switch s.peek() {
		case ']':
			s.pos++
			return nil
		case ',':
			s.pos++
			continue
		case 0:
			return s.bad("a list does not end")
		}
		if err := s.value(below, depth+1); err != nil {
			return err
		}
	}
}

// text walks over a string and returns what is between its quotes.
func (s *scan) text() (from, to int, err error) {
	quote := s.b[s.pos]
	s.pos++
	for from = s.pos; s.pos < len(s.b); s.pos++ {
		switch s.b[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return from, s.pos - 1, nil
		}
	}
	s.pos = from
	return 0, 0, s.bad("a string does not end")
}

// bare walks over a number, a word, or what stands for one.
func (s *scan) bare() error {
	from := s.pos
	for ; s.pos < len(s.b); s.pos++ {
		switch s.b[s.pos] {
		case ',', ':', '}', ']', '{', '[', '"', '\'', ' ', '\t', '\r', '\n':
			if s.pos == from {
				return s.bad("a value is missing")
			}
			return nil
		}
	}
	if s.pos == from {
		return s.bad("a value is missing")
	}
	return nil
}

// found changes a string if it is at one of the places and an address that has another one.
func (s *scan) found(mask uint, depth int, isKey bool, from, to int) {
	for i := range s.places {
		if p := &s.places[i]; mask&(1<<i) == 0 || len(p.path) != depth || p.key != isKey {
			continue
		}
		if text, ok := s.rename(unescaped(s.b[from:to])); ok {
			s.edits = append(s.edits, edit{from, to, text})
		}
		return
	}
}

// unescaped is the text of a string; the standard dialect writes \/ and \uXXXX.
func unescaped(b []byte) string {
	for _, c := range b {
		if c == '\\' {
			var text string
			if json.Unmarshal(append(append([]byte{'"'}, b...), '"'), &text) == nil {
				return text
			}
			break
		}
	}
	return string(b)
}
