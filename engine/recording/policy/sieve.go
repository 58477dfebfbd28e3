package policy

import "bytes"

// Sieve is Policy.Properties for many messages one after the other, whose properties have mostly
// the same names, in the same order. One goroutine uses it at a time.
type Sieve struct {
	policy Policy
	names  []sieved // of the last messages, by their place
}

// sieved is a name of a property.
type sieved struct {
	name   []byte
	denied bool
}

// NewSieve returns one for p.
func NewSieve(p Policy) *Sieve { return &Sieve{policy: p} }

// mostNames bounds how many names are remembered: others are looked at each time.
const mostNames = 64

// Properties appends what is kept of the properties of a message as they are stored.
func (s *Sieve) Properties(dst, text []byte) []byte {
	for n := 0; len(text) > 0; n++ {
		part := text
		if i := bytes.IndexByte(text, valueSeparator[0]); i >= 0 {
			part = text[:i+1]
		}
		text = text[len(part):]
		i := bytes.IndexByte(part, nameSeparator[0])
		switch {
		case i >= 0 && s.denies(n, part[:i]):
		case i >= 0 && quiet(part[i+1:]):
			dst = append(dst, part...)
		default:
			kept, _ := s.policy.Properties(string(part))
			dst = append(dst, kept...)
		}
	}
	return dst
}

// denies tells whether the n-th property, of that name, is left out.
func (s *Sieve) denies(n int, name []byte) bool {
	if n < len(s.names) && bytes.Equal(s.names[n].name, name) {
		return s.names[n].denied
	}
	denied := s.policy.Denies(string(name))
	switch one := (sieved{bytes.Clone(name), denied}); {
	case n < len(s.names):
		s.names[n] = one
	case n == len(s.names) && n < mostNames:
		s.names = append(s.names, one)
	}
	return denied
}

// quiet texts are such that Scrub leaves all their parts as they are; it is a quick look.
func quiet(text []byte) bool {
	for i, c := range text {
		rest := text[i:]
		switch c {
		case '=', ':', '%':
			return false
		case '-':
			if bytes.HasPrefix(rest, []byte("-----BEGIN")) {
				return false
			}
		case 'e':
			if len(rest) > 2 && rest[1] == 'y' && rest[2] == 'J' {
				return false
			}
		case 'L', 'A', 'S': // LTAI, AKIA, STS.
			if len(rest) > 1 && (rest[1] == 'T' || rest[1] == 'K') {
				return false
			}
		case 'r', 'R':
			const word, at = "bearer", 3
			if i >= at && len(rest) >= len(word)-at && bytes.EqualFold(text[i-at:i-at+len(word)], []byte(word)) {
				return false
			}
		}
	}
	return true
}
