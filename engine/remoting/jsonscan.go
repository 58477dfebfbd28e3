package remoting

import (
	"strings"
	"unicode/utf8"

	"mqscope/engine/internal/fastjson"
)

// scanner reads the JSON that fastjson reads: also single quotes, bare keys, extra commas
// and raw control characters. Strings without escapes are cut out of the text, not copied.
type scanner struct {
	s     string
	pos   int
	depth int // how much deeper values may nest
}

// kind is what a value is.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindObject
	kindArray
)

// bad makes an error at the current place.
func (p *scanner) bad(what string) *ProtocolError {
	return &ProtocolError{What: "JSON header: " + what, At: envelope + p.pos}
}

// peek skips white space and gives the next byte, 0 at the end.
func (p *scanner) peek() byte {
	for p.pos < len(p.s) {
		switch b := p.s[p.pos]; b {
		case ' ', '\t', '\n', '\r', '\f', '\b':
			p.pos++
		default:
			return b
		}
	}
	return 0
}

// open enters an object or array.
func (p *scanner) open(b byte) error {
	if p.peek() != b {
		return p.bad("want " + string(rune(b)))
	}
	if p.depth == 0 {
		return p.bad("nested too deep (Limits.JSONDepth)")
	}
	p.depth--
	p.pos++
	return nil
}

// more reports whether another entry follows; at the closing byte it leaves the object or
// array. Between entries at least one comma must stand, and more than one may.
func (p *scanner) more(end byte, first bool) (bool, error) {
	comma := first
	for {
		switch p.peek() {
		case ',':
			comma = true
			p.pos++
		case end:
			p.depth++
			p.pos++
			return false, nil
		case 0:
			return false, p.bad("it ends early")
		default:
			if !comma {
				return false, p.bad("want a comma")
			}
			return true, nil
		}
	}
}

// key reads the name of an entry and its colon.
func (p *scanner) key() (string, error) {
	var k string
	switch b := p.peek(); b {
	case '"', '\'':
		var err error
		if k, err = p.str(); err != nil {
			return "", err
		}
	default:
		k = p.bare()
		if k == "" {
			return "", p.bad("want a name")
		}
	}
	if p.peek() != ':' {
		return "", p.bad("want a colon")
	}
	p.pos++
	return k, nil
}

// str reads a string.
func (p *scanner) str() (string, error) {
	text, next, why := fastjson.String(p.s, p.pos)
	p.pos = next
	if why != "" {
		return "", p.bad(why)
	}
	return text, nil
}

// bare reads letters, digits and what else numbers, words and bare names are made of.
func (p *scanner) bare() string {
	start := p.pos
	for p.pos < len(p.s) {
		b := p.s[p.pos]
		if b-'0' > 9 && (b|0x20)-'a' > 25 && b != '_' && b != '$' && b != '-' && b != '+' && b != '.' && b < utf8.RuneSelf {
			break
		}
		p.pos++
	}
	return p.s[start:p.pos]
}

// value reads any value. text is the string it holds, or for other kinds their spelling.
func (p *scanner) value() (text string, k kind, err error) {
	switch b := p.peek(); b {
	case '"', '\'':
		text, err = p.str()
		return text, kindString, err
	case '{', '[':
		start := p.pos
		if b == '{' {
			k, err = kindObject, p.skipObject()
		} else {
			k, err = kindArray, p.skipArray()
		}
		return p.s[start:p.pos], k, err
	}
	start := p.pos
	switch text = p.bare(); text {
	case "null":
		return text, kindNull, nil
	case "true", "false":
		return text, kindBool, nil
	}
	if !isNumber(text) {
		p.pos = start
		return "", 0, p.bad("want a value")
	}
	return text, kindNumber, nil
}

func (p *scanner) skipObject() error {
	if err := p.open('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		if more, err := p.more('}', first); !more || err != nil {
			return err
		}
		if _, err := p.key(); err != nil {
			return err
		}
		if _, _, err := p.value(); err != nil {
			return err
		}
	}
}

func (p *scanner) skipArray() error {
	if err := p.open('['); err != nil {
		return err
	}
	for first := true; ; first = false {
		if more, err := p.more(']', first); !more || err != nil {
			return err
		}
		if _, _, err := p.value(); err != nil {
			return err
		}
	}
}

// isNumber: -1, 3, 1.5, 2e9.
func isNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n]-'0' <= 9 {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && s[0]|0x20 == 'e' {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
