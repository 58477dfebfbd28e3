package capture

import (
	"encoding/binary"

	"mqscope/engine/remoting"
)

// seekTries is how many headers are decoded in one piece of a stream before the rest of it
// is passed over: a stream made to look like headers everywhere must not cost more.
const seekTries = 64

// seek looks for a place where a frame begins and returns what follows it; nil when more
// bytes are needed. A place counts when the lengths there agree and the header they tell of
// is whole and reads as one.
func (f *framer) seek(b []byte) []byte {
	in, own := b, false
	if len(f.buf) > 0 {
		in, own = append(f.buf, b...), true
		f.buf = nil
	}
	pos, tries := 0, 0
search:
	for ; pos+prefix < len(in); pos++ {
		size, header, ok := lengths(in[pos:], f.limits)
		if !ok || header <= 4 || !looksLikeHeader(in[pos+prefix:], in[pos+4], header-4) {
			continue
		}
		switch end := pos + 4 + header; {
		case tries >= seekTries:
			f.skip += int64(len(in))
			return nil
		case end > len(in):
			break search // the header has not come yet
		default:
			tries++
			if c, err := remoting.DecodeFrame(in[pos+4:end], *f.limits); err == nil && plausible(c) && size > 0 {
				f.skip += int64(pos)
				f.told()
				f.mode = aligned
				return in[pos:]
			}
		}
	}
	f.skip += int64(pos)
	if in = in[pos:]; !own || pos > 0 {
		in = append([]byte(nil), in...)
	}
	f.buf = in
	return nil
}

// looksLikeHeader checks what is there of a header of n bytes; b[:1] is there.
func looksLikeHeader(b []byte, kind byte, n int) bool {
	if remoting.SerializeType(kind) == remoting.JSON {
		if b[0] != '{' || n < 2 {
			return false
		}
		return len(b) < 2 || b[1] == '"' || b[1] == ' ' || b[1] == '\n' || b[1] == '\r' || b[1] == '\t'
	}
	const fixed = 21
	if n < fixed {
		return false
	}
	if len(b) < fixed {
		return true
	}
	flag, remark := binary.BigEndian.Uint32(b[9:]), int(int32(binary.BigEndian.Uint32(b[13:])))
	if b[2] > 16 || flag > 3 || remark < 0 || remark > n-fixed {
		return false
	}
	if remark > 0 {
		return true
	}
	return int(binary.BigEndian.Uint32(b[17:])) == n-fixed
}

// plausible tells whether c reads like something that is sent.
func plausible(c *remoting.Command) bool {
	return c.Flag >= 0 && c.Flag <= 3 && c.Code >= -10_000 && c.Code < 1_000_000 &&
		c.Version >= 0 && c.Version < 10_000
}
