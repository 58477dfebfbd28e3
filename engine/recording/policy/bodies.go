package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bodies is how much of a message body is kept: so many bytes, 0 being the default.
type Bodies int

// Bodies that are no number of bytes.
const (
	Full Bodies = -1
	Hash Bodies = -2 // the length and a hash; of a short body that anyone can guess, it can be guessed
)

// DefaultBytes is how many bytes of a body are kept where nothing else is said.
const DefaultBytes = 256

// ParseBodies reads what a person writes: full, hash, or a number of bytes, as in 256, 4KiB or
// "first 256".
func ParseBodies(text string) (Bodies, error) {
	words := strings.ToLower(strings.TrimSpace(text))
	switch words {
	case "full", "all", "whole":
		return Full, nil
	case "hash", "none", "0":
		return Hash, nil
	}
	number := strings.TrimSpace(strings.TrimPrefix(words, "first "))
	unit := 1
	for _, u := range []struct {
		name string
		n    int
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"bytes", 1}, {"b", 1}} {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.n
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n*uint64(unit) > math.MaxInt32 {
		return 0, fmt.Errorf("bodies %.40q: write full, hash, or how many bytes to keep, as in 256 or 4KiB", text)
	}
	if n == 0 {
		return Hash, nil
	}
	return Bodies(int(n) * unit), nil
}

// String is what ParseBodies reads, for the header of a recording.
func (b Bodies) String() string {
	switch n, full := b.limit(); {
	case full:
		return "full"
	case n == 0:
		return "hash"
	default:
		return "first " + strconv.Itoa(n) + " bytes"
	}
}

// limit is how many bytes are kept.
func (b Bodies) limit() (n int, full bool) {
	switch {
	case b == Full:
		return math.MaxInt, true
	case b == 0:
		return DefaultBytes, false
	case b < 0:
		return 0, false
	}
	return int(b), false
}

// Fewer is what of a body is left when both have their way.
func (b Bodies) Fewer(c Bodies) Bodies {
	n, _ := b.limit()
	if m, _ := c.limit(); m < n {
		return c
	}
	return b
}

// Kept is what is kept of a body.
type Kept struct {
	Bytes []byte // its first ones
	Len   int64  // how long it was
	Hash  [sha256.Size]byte
}

// Cut tells whether there was more of it.
func (k Kept) Cut() bool { return int64(len(k.Bytes)) < k.Len }

// keptMark begins what stands behind the bytes that are kept of a body that was cut: the mark, the
// length of the whole as 8 bytes, little endian, and its SHA-256.
const (
	keptMark = "\x00MQKEPT\x01"
	tailLen  = len(keptMark) + 8 + sha256.Size
)

// Body appends what is kept of a body: itself, or its beginning and a tail that says so. One that
// has such a tail by itself gets another.
func (p Policy) Body(dst, body []byte) []byte {
	n, _ := p.Bodies.limit()
	if n >= len(body) && !tailed(body) {
		return append(dst, body...)
	}
	return p.cut(dst, Kept{Bytes: body, Len: int64(len(body)), Hash: sha256.Sum256(body)})
}

// Again is Body for what was kept of a body before.
func (p Policy) Again(dst, kept []byte) []byte {
	k := ReadKept(kept)
	if k.Cut() {
		return p.cut(dst, k)
	}
	return p.Body(dst, k.Bytes)
}

func (p Policy) cut(dst []byte, k Kept) []byte {
	n, _ := p.Bodies.limit()
	dst = append(dst, k.Bytes[:min(n, len(k.Bytes))]...)
	dst = append(dst, keptMark...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(k.Len))
	return append(dst, k.Hash[:]...)
}

func tailed(kept []byte) bool {
	at := len(kept) - tailLen
	return at >= 0 && string(kept[at:at+len(keptMark)]) == keptMark
}

// ReadKept reads what Body has written: all of a body, or what is known of one that was cut.
func ReadKept(kept []byte) Kept {
	whole := Kept{Bytes: kept, Len: int64(len(kept))}
	if !tailed(kept) {
		return whole
	}
	at := len(kept) - tailLen
	tail := kept[at+len(keptMark):]
	k := Kept{Bytes: kept[:at:at], Len: int64(binary.LittleEndian.Uint64(tail)), Hash: [sha256.Size]byte(tail[8:])}
	if k.Len < int64(at) {
		return whole // nobody cut it
	}
	return k
}
