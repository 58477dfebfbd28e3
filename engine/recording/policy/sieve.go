package policy

import "bytes"

// Sieve is Policy.Properties for many messages one after the other, whose properties have mostly
// the same names. One goroutine uses it at a time.
type Sieve struct {
	policy Policy
	denied map[string]bool // by name
}

// NewSieve returns one for p.
func NewSieve(p Policy) *Sieve { return &Sieve{policy: p, denied: map[string]bool{}} }

// mostNames bounds how many names are remembered: others are looked at each time.
const mostNames = 256

// Properties appends what is kept of the properties of a message as they are stored.
func (s *Sieve) Properties(dst, text []byte) []byte {
	quiet := quiet(text)
	for len(text) > 0 {
		part := text
		if i := bytes.IndexByte(text, valueSeparator[0]); i >= 0 {
			part = text[:i+1]
		}
		text = text[len(part):]
		i := bytes.IndexByte(part, nameSeparator[0])
		switch {
		case i >= 0 && s.denies(part[:i]):
		case quiet:
			dst = append(dst, part...)
		default:
			kept, _ := s.policy.Properties(string(part))
			dst = append(dst, kept...)
		}
	}
	return dst
}

func (s *Sieve) denies(name []byte) bool {
	denied, known := s.denied[string(name)]
	if !known {
		denied = s.policy.Denies(string(name))
		if len(s.denied) < mostNames {
			s.denied[string(name)] = denied
		}
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
