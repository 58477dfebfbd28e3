package pack

import (
	"maps"
	"reflect"
	"sync"
	"unsafe"
)

// encoder is the state of one Append.
type encoder struct {
	codec *Codec
	root  seat            // what is written: pointers to it have the number 0
	seen  map[seat]uint64 // numbers of the other pointers that were written
	depth int
	in    *encoding // the struct that is written, for what to tell
	field string
}

// seat is a value that a pointer points to: a struct and its first field have one address.
type seat struct {
	p   unsafe.Pointer
	typ reflect.Type
}

var encoders = sync.Pool{New: func() any { return &encoder{seen: map[seat]uint64{}} }}

const largeSeen = 64

func (e *encoder) reset() {
	switch n := len(e.seen); {
	case n > largeSeen: // a large map is slow to clear for ever
		e.seen = map[seat]uint64{}
	case n > 0:
		clear(e.seen)
	}
	e.codec, e.in, e.depth, e.root = nil, nil, 0, seat{}
	encoders.Put(e)
}

// encoding is how a type is written.
type encoding struct {
	typ      reflect.Type
	leaf     leaf
	direct   bool // in an interface it lies in its second word
	pointers bool // there are pointers in it
	pad      bool // it takes no bytes
	number   uint64
	named    bool // it has a number: interfaces may hold it
	append   func(e *encoder, dst []byte, p unsafe.Pointer) []byte
	steps    []step // of a struct
}

// step is a field of a struct, also one of a struct inside it.
type step struct {
	leaf   leaf
	offset uintptr
	of     *encoding
	name   string
}

func (g *encoding) encode(e *encoder, dst []byte, p unsafe.Pointer) []byte {
	if g.leaf != notLeaf {
		return appendLeaf(dst, g.leaf, p)
	}
	return g.append(e, dst, p)
}

func (g *encoding) appendStruct(e *encoder, dst []byte, p unsafe.Pointer) []byte {
	for i := range g.steps {
		s := &g.steps[i]
		at := unsafe.Add(p, s.offset)
		if s.leaf != notLeaf {
			dst = appendLeaf(dst, s.leaf, at)
			continue
		}
		e.in, e.field = g, s.name
		dst = s.of.append(e, dst, at)
	}
	return dst
}

// deeper is called around what may go in circles.
func (e *encoder) deeper() {
	if e.depth++; e.depth > maxDepth {
		e.fail("values are nested more than %d deep", maxDepth)
	}
}

func (e *encoder) fail(format string, args ...any) {
	err := problem(format, args...)
	if e.in != nil {
		err.Where = typeName(e.in.typ) + "." + e.field
	}
	panic(err)
}

// encodingOf compiles how a t is written, or panics.
func (c *Codec) encodingOf(t reflect.Type) *encoding {
	if g := (*c.encoding.Load())[t]; g != nil {
		return g
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := encodings{codec: c, all: maps.Clone(*c.encoding.Load())}
	g := b.of(t)
	for changed := true; changed; { // what points to itself takes a few rounds
		changed = false
		for _, g := range b.all {
			changed = g.spread() || changed
		}
	}
	c.encoding.Store(&b.all)
	return g
}
