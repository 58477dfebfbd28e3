package fastjson

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// String reads the string whose opening quote, a single or a double one, is at s[at], and says
// where s goes on behind the closing one. One without escapes is a part of s and not copied. why
// is empty unless it is malformed: next is where, then.
func String(s string, at int) (text string, next int, why string) {
	quote := s[at]
	for i := at + 1; i < len(s); i++ {
		switch s[i] {
		case quote:
			return s[at+1 : i], i + 1, ""
		case '\\':
			r := reader{s: s, pos: i}
			text, why = r.escaped(quote, at+1)
			return text, r.pos, why
		}
	}
	return "", len(s), unended
}

const unended = "a string does not end"

// reader reads a string from its first backslash on.
type reader struct {
	s   string
	pos int
}

func (r *reader) escaped(quote byte, from int) (text, why string) {
	out := append(make([]byte, 0, r.pos-from+32), r.s[from:r.pos]...)
	for r.pos < len(r.s) {
		b := r.s[r.pos]
		r.pos++
		switch {
		case b == quote:
			return string(out), ""
		case b != '\\':
			out = append(out, b)
		case r.pos < len(r.s):
			if out, why = r.escape(out); why != "" {
				return "", why
			}
		}
	}
	return "", unended
}

// escape appends what the escape stands for whose letter is at r.pos.
func (r *reader) escape(out []byte) (_ []byte, why string) {
	b := r.s[r.pos]
	r.pos++
	switch b {
	case '"', '\'', '\\', '/':
		return append(out, b), ""
	case 'n':
		return append(out, '\n'), ""
	case 'r':
		return append(out, '\r'), ""
	case 't':
		return append(out, '\t'), ""
	case 'b':
		return append(out, '\b'), ""
	case 'f', 'F':
		return append(out, '\f'), ""
	case 'v':
		return append(out, '\v'), ""
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return append(out, b-'0'), ""
	case 'x':
		u, ok := r.hex(2)
		if !ok {
			return out, "a \\x without two hex digits"
		}
		return utf8.AppendRune(out, u), ""
	case 'u':
		u, ok := r.hex(4)
		if !ok {
			return out, "a \\u without four hex digits"
		}
		if utf16.IsSurrogate(u) {
			u = r.lowSurrogate(u)
		}
		return utf8.AppendRune(out, u), ""
	}
	r.pos--
	return out, "unknown escape"
}

// hex reads n hex digits.
func (r *reader) hex(n int) (rune, bool) {
	if len(r.s)-r.pos < n {
		return 0, false
	}
	var u rune
	for _, b := range []byte(r.s[r.pos : r.pos+n]) {
		switch {
		case b-'0' <= 9:
			u = u<<4 | rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			u = u<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	r.pos += n
	return u, true
}

// lowSurrogate joins high with the escape that follows; a lone half becomes U+FFFD.
func (r *reader) lowSurrogate(high rune) rune {
	before := r.pos
	if strings.HasPrefix(r.s[r.pos:], `\u`) {
		r.pos += 2
		if low, ok := r.hex(4); ok {
			if joined := utf16.DecodeRune(high, low); joined != utf8.RuneError {
				return joined
			}
		}
	}
	r.pos = before
	return utf8.RuneError
}
