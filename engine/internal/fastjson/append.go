package fastjson

import "unicode/utf8"

// Append appends s in quotes; bytes that are not UTF-8 become U+FFFD.
func Append(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0 // start of what needs no change
	for i := plain(s); i < len(s); {
		b := s[i]
		if b >= ' ' && b != '"' && b != '\\' && b < utf8.RuneSelf {
			i++
			continue
		}
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[from:i]...)
				dst = utf8.AppendRune(dst, utf8.RuneError)
				from = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// plain is how many bytes at the beginning of s are known to need no change: all of most strings.
func plain(s string) (n int) {
	for ; len(s)-n >= 8; n += 8 {
		if !plainWord(word(s[n : n+8])) {
			return n
		}
	}
	if n > 0 && n < len(s) && plainWord(word(s[len(s)-8:])) {
		return len(s)
	}
	return n
}

func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// plainWord tells of eight bytes whether each is printable ASCII and neither a quote nor a backslash.
func plainWord(w uint64) bool {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	quote, backslash := w^('"'*ones), w^('\\'*ones)
	// A byte that is lowered below 0 sets its top bit, and may take the ones above it along: these are
	// looked at once more, one by one.
	return (w|(w-' '*ones)|(quote-ones)&^quote|(backslash-ones)&^backslash)&tops == 0
}
