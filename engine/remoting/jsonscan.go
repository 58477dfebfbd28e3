package remoting

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
		if k, err = p.str(b); err != nil {
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
		text, err = p.str(b)
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

// str reads a string that starts and ends with quote.
func (p *scanner) str(quote byte) (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.s) {
		switch b := p.s[p.pos]; b {
		case quote:
			p.pos++
			return p.s[start : p.pos-1], nil
		case '\\':
			return p.escaped(quote, start)
		}
		p.pos++
	}
	return "", p.bad("a string does not end")
}

// escaped is str from the first backslash on.
func (p *scanner) escaped(quote byte, start int) (string, error) {
	out := append(make([]byte, 0, p.pos-start+32), p.s[start:p.pos]...)
	for p.pos < len(p.s) {
		b := p.s[p.pos]
		p.pos++
		if b == quote {
			return string(out), nil
		}
		if b != '\\' {
			out = append(out, b)
			continue
		}
		if p.pos == len(p.s) {
			break
		}
		b = p.s[p.pos]
		p.pos++
		switch b {
		case '"', '\'', '\\', '/':
			out = append(out, b)
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f', 'F':
			out = append(out, '\f')
		case 'v':
			out = append(out, '\v')
		case '0', '1', '2', '3', '4', '5', '6', '7':
			out = append(out, b-'0')
		case 'x':
			u, ok := p.hex(2)
			if !ok {
				return "", p.bad("a \\x without two hex digits")
			}
			out = utf8.AppendRune(out, u)
		case 'u':
			u, ok := p.hex(4)
			if !ok {
				return "", p.bad("a \\u without four hex digits")
			}
			if utf16.IsSurrogate(u) {
				u = p.lowSurrogate(u)
			}
			out = utf8.AppendRune(out, u)
		default:
			p.pos--
			return "", p.bad("unknown escape")
		}
	}
	return "", p.bad("a string does not end")
}

// hex reads n hex digits.
func (p *scanner) hex(n int) (rune, bool) {
	if len(p.s)-p.pos < n {
		return 0, false
	}
	var u rune
	for _, b := range []byte(p.s[p.pos : p.pos+n]) {
		switch {
		case b-'0' <= 9:
			u = u<<4 | rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			u = u<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	p.pos += n
	return u, true
}

// lowSurrogate joins high with the escape that follows; a lone half becomes U+FFFD.
func (p *scanner) lowSurrogate(high rune) rune {
	before := p.pos
	if strings.HasPrefix(p.s[p.pos:], `\u`) {
		p.pos += 2
		if low, ok := p.hex(4); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r
			}
		}
	}
	p.pos = before
	return utf8.RuneError
}
