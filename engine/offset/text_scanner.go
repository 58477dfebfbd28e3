package offset

// textScanner goes over JSON that was found to be well-formed before, without regard to what
// the values are.
type textScanner struct {
	text []byte
	pos  int
}

// peek returns the next byte that is no space, 0 at the end.
func (s *textScanner) peek() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// members calls each behind the colon of every member of the object at hand; it must step
// over the value.
func (s *textScanner) members(each func(key string) error) error {
	s.pos++ // the opening brace
	for {
		switch s.peek() {
		case 0:
			return nil
		case '}':
			s.pos++
			return nil
		case ',':
			s.pos++
			continue
		}
		key := s.value()
		if s.peek() == ':' {
			s.pos++
		}
		s.peek()
		if err := each(key); err != nil {
			return err
		}
	}
}

// value steps over one value and returns its text.
func (s *textScanner) value() string {
	s.peek()
	from, depth := s.pos, 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '"', '\'':
			s.str(c)
			continue
		case '{', '[':
			depth++
		case '}', ']', ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return s.since(from)
			}
			if c == '}' || c == ']' {
				depth--
			}
		}
		s.pos++
	}
	return s.since(from)
}

// since returns the text from a place on, and makes sure that a scan comes to an end.
func (s *textScanner) since(from int) string {
	if s.pos == from && s.pos < len(s.text) {
		s.pos++
	}
	s.pos = min(s.pos, len(s.text))
	return string(s.text[from:s.pos])
}

// str steps over a string.
func (s *textScanner) str(quote byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return
		}
	}
	s.pos = len(s.text)
}
