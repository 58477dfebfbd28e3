package remoting

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
