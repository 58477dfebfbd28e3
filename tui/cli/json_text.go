package cli

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// jsonText writes JSON so that a terminal shows it as it is: characters that control one, or do not
// show, are escaped. They are in texts from the network, and stand in strings only. Each Write has
// whole characters.
type jsonText struct{ w io.Writer }

// Write implements io.Writer.
func (j jsonText) Write(b []byte) (int, error) {
	text := b
	if bytes.ContainsFunc(b, hidden) {
		text = escaped(b)
	}
	if _, err := j.w.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// hidden tells whether a terminal may do something else with r than show it.
func hidden(r rune) bool {
	return r >= 0x7f && (r <= 0x9f || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

func escaped(b []byte) []byte {
	out := make([]byte, 0, len(b)+64)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case !hidden(r):
			out = append(out, b[:n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}
