package pack

import (
	"encoding/binary"
	"hash/maphash"
	"maps"
	"math"
	"math/bits"
	"reflect"
	"sync"
	"time"
	"unsafe"
)

// Limits of what bytes may ask for.
const (
	maxDepth      = 4096
	leastBudget   = 1 << 20
	budgetPerByte = 256 // of memory, for each byte that is decoded
)

// decoder is the state of one Decode.
type decoder struct {
	codec    *Codec
	src      []byte
	at       int // up to here it is taken
	depth    int
	budget   int
	pointers []place
	next     int           // number of the next pointer
	used     map[seat]bool // what was decoded in place
	seed     maphash.Seed
	words    [512]string // strings that were decoded lately: most come again
}

// place is what a pointer points to, or what is known of it if it was passed over.
type place struct {
	p     unsafe.Pointer
	typ   reflect.Type
	at    int // where its bytes are
	shape *shape
}

var decoders = sync.Pool{New: func() any { return &decoder{used: map[seat]bool{}, seed: maphash.MakeSeed()} }}

func (d *decoder) reset() {
	clear(d.pointers)
	if len(d.used) > 0 {
		clear(d.used)
	}
	d.codec, d.src, d.at, d.depth, d.next, d.pointers = nil, nil, 0, 0, 0, d.pointers[:0]
	decoders.Put(d)
}

// decoding is how the bytes of a shape become a type.
type decoding struct {
	typ    reflect.Type
	leaf   leaf
	decode func(d *decoder, p unsafe.Pointer) *Error
}

func (d *decoder) deeper() *Error {
	if d.depth++; d.depth > maxDepth {
		return problem("values are nested more than %d deep", maxDepth)
	}
	return nil
}

// ask takes memory off what the bytes may ask for.
func (d *decoder) ask(n int) *Error {
	if n < 0 || n > d.budget {
		return problem("it asks for more memory than so few bytes need")
	}
	d.budget -= n
	return nil
}

// left is how many bytes are not taken.
func (d *decoder) left() int { return len(d.src) - d.at }

func (d *decoder) uint() (uint64, *Error) {
	if d.at < len(d.src) && d.src[d.at] < 0x80 { // most numbers are small
		d.at++
		return uint64(d.src[d.at-1]), nil
	}
	return d.longer()
}

// longer takes a number of any length.
func (d *decoder) longer() (uint64, *Error) {
	if d.left() >= 8 {
		word := binary.LittleEndian.Uint64(d.src[d.at:])
		if ends := ^word & tops; ends != 0 { // its last byte is among these eight
			d.at += bits.TrailingZeros64(ends)/8 + 1
			return sevens(word & (ends ^ (ends - 1))), nil
		}
	}
	n, size := binary.Uvarint(d.src[d.at:])
	if size < 0 {
		return 0, problem("a number is too large")
	}
	if size == 0 {
		return 0, cut()
	}
	d.at += size
	return n, nil
}

const tops = 0x8080808080808080

// sevens puts the lower seven bits of each byte together.
func sevens(word uint64) uint64 {
	word &^= tops
	word = word&0x007f007f007f007f | word&0x7f007f007f007f00>>1
	word = word&0x00003fff00003fff | word&0x3fff00003fff0000>>2
	return word&0x000000000fffffff | word&0x0fffffff00000000>>4
}

func (d *decoder) int() (int64, *Error) {
	u, err := d.uint()
	return int64(u>>1) ^ -int64(u&1), err
}

func (d *decoder) float() (float64, *Error) {
	if d.left() < 8 {
		return 0, cut()
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(d.src[d.at:]))
	d.at += 8
	return f, nil
}

// count takes a length plus one of something with so many bytes each; -1 is nil.
func (d *decoder) count(each int) (int, *Error) {
	n, err := d.uint()
	if err != nil {
		return 0, err
	}
	if n > 0 && n-1 > uint64(d.left()/each) {
		return 0, problem("it claims %d elements with %d bytes left", n-1, d.left())
	}
	return int(n) - 1, nil
}

// take takes n bytes, which stay part of what is decoded.
func (d *decoder) take(n uint64) ([]byte, *Error) {
	if n > uint64(d.left()) {
		return nil, problem("it claims %d bytes with %d left", n, d.left())
	}
	from := d.at
	d.at += int(n)
	b := d.src[from:d.at:d.at]
	return b, nil
}

func (d *decoder) text() ([]byte, *Error) {
	n, err := d.uint()
	if err != nil {
		return nil, err
	}
	return d.take(n)
}

func (d *decoder) string() (string, *Error) {
	b, err := d.text()
	if err != nil || len(b) == 0 {
		return "", err
	}
	if len(b) > 64 {
		return string(b), nil
	}
	slot := &d.words[maphash.Bytes(d.seed, b)%uint64(len(d.words))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot, nil
}

func (d *decoder) bool() (bool, *Error) {
	n, err := d.uint()
	if err == nil && n > 1 {
		err = problem("%d is no boolean", n)
	}
	return n == 1, err
}

func (d *decoder) time() (time.Time, *Error) {
	how, err := d.uint()
	if err != nil {
		return time.Time{}, err
	}
	var t time.Time
	switch how &^ timeLocal {
	case timeZero:
	case timeNanos:
		n, err := d.int()
		if err != nil {
			return t, err
		}
		t = time.Unix(0, n).UTC()
	case timeSeconds:
		s, err := d.int()
		if err != nil {
			return t, err
		}
		n, err := d.uint()
		if err != nil {
			return t, err
		}
		if n >= 1e9 {
			return t, problem("a second has no %d nanoseconds", n)
		}
		t = time.Unix(s, int64(n)).UTC()
	default:
		return t, problem("no time is written as %d", how)
	}
	if how&timeLocal != 0 {
		t = t.Local()
	}
	return t, nil
}

// root is how a t that is not inside anything is decoded.
func (c *Codec) root(t reflect.Type) (*decoding, *Error) {
	if g := (*c.roots.Load())[t]; g != nil {
		return g, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, err := c.shapeOf(t)
	if err != nil {
		panic(err)
	}
	if c.theirs != nil {
		if s, err = c.theirs.root(t, s); err != nil {
			return nil, err
		}
	}
	g, err := c.decodingOf(t, s)
	if err != nil {
		return nil, err.in(typeName(t))
	}
	all := maps.Clone(*c.roots.Load())
	all[t] = g
	c.roots.Store(&all)
	return g, nil
}

// decodingOf compiles how a t is decoded from bytes of this shape; c.mu is held.
func (c *Codec) decodingOf(t reflect.Type, s *shape) (*decoding, *Error) {
	b := decodings{known: c.decoders, made: map[pair]*decoding{}}
	g, err := b.of(t, s)
	if err == nil {
		maps.Copy(c.decoders, b.made)
	}
	return g, err
}
