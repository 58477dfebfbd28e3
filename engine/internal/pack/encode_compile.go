package pack

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// encodings compiles encodings; the codec's mutex is held.
type encodings struct {
	codec *Codec
	all   map[reflect.Type]*encoding
}

func (b *encodings) of(t reflect.Type) *encoding {
	if g := b.all[t]; g != nil {
		return g
	}
	s, err := b.codec.shapeOf(t)
	if err != nil {
		panic(err)
	}
	g := &encoding{typ: t, leaf: leafOf(t), direct: isDirect(t), pad: s.least == 0}
	g.number, g.named = b.codec.numbers[t]
	b.all[t] = g
	if isAtomic(t) {
		g.append = b.atomic(g, s)
		return g
	}
	switch s.kind {
	case kString:
		if g.append = appendAddr; t == addrPortType {
			g.append = appendAddrPort
		}
	case kRaw:
		n := t.Len()
		g.append = func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
			return append(dst, unsafe.Slice((*byte)(p), n)...)
		}
	case kError:
		g.pointers = true
		g.append = func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return e.err(dst, *(*error)(p), 0) }
	case kAny:
		g.pointers = true
		methods := t.NumMethod() > 0
		g.append = func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return e.any(dst, p, methods) }
	case kPointer:
		g.pointers = true
		elem := b.of(t.Elem())
		g.append = func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			return e.pointer(dst, *(*unsafe.Pointer)(p), elem)
		}
	case kSlice, kArray:
		b.list(g, b.of(t.Elem()))
	case kMap:
		b.dict(g)
	case kStruct:
		b.steps(g, t, 0, "")
		g.append = g.appendStruct
	default:
	}
	return g
}

// spread tells g of pointers in what it holds; true if that is news. Others may use g already: then
// there is none, and nothing is written.
func (g *encoding) spread() bool {
	if g.pointers {
		return false
	}
	for _, s := range g.steps {
		if s.of != nil && s.of.pointers {
			g.pointers = true
			return true
		}
	}
	return false
}

func (b *encodings) steps(g *encoding, t reflect.Type, base uintptr, prefix string) {
	for f := range fieldsOf(t) {
		s := step{leaf: leafOf(f.Type), offset: base + f.Offset, name: prefix + f.Name}
		if s.leaf == notLeaf {
			if k, _ := kindOf(f.Type); k == kStruct {
				b.steps(g, f.Type, s.offset, s.name+".")
				continue
			}
			s.of = b.of(f.Type)
		}
		g.steps = append(g.steps, s)
	}
}

func (b *encodings) list(g *encoding, elem *encoding) {
	size := elem.typ.Size()
	g.steps = []step{{of: elem}} // for spread
	elems := func(e *encoder, dst []byte, p unsafe.Pointer, n int, pad bool) []byte {
		e.deeper()
		for i := range n {
			if pad {
				dst = append(dst, 0)
			}
			dst = elem.encode(e, dst, unsafe.Add(p, uintptr(i)*size))
		}
		e.depth--
		return dst
	}
	if g.typ.Kind() == reflect.Array {
		n := g.typ.Len()
		if leafOf(elem.typ) == leafUint32 {
			g.append = func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
				for _, c := range unsafe.Slice((*uint32)(p), n) {
					dst = appendUint(dst, uint64(c))
				}
				return dst
			}
			return
		}
		g.append = func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return elems(e, dst, p, n, false) }
		return
	}
	g.append = func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		h := (*header)(p)
		if h.data == nil {
			return append(dst, 0)
		}
		return elems(e, appendUint(dst, uint64(h.len)+1), h.data, h.len, elem.pad)
	}
}

func (b *encodings) atomic(g *encoding, s *shape) func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
	type appender = func(e *encoder, dst []byte, p unsafe.Pointer) []byte
	switch g.typ.Name() {
	case "Bool":
		return func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
			if (*atomic.Bool)(p).Load() {
				return append(dst, 1)
			}
			return append(dst, 0)
		}
	case "Int32":
		return func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
			return appendInt(dst, int64((*atomic.Int32)(p).Load()))
		}
	case "Int64":
		return func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
			return appendInt(dst, (*atomic.Int64)(p).Load())
		}
	case "Uint32":
		return func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
			return appendUint(dst, uint64((*atomic.Uint32)(p).Load()))
		}
	case "Uint64":
		return func(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
			return appendUint(dst, (*atomic.Uint64)(p).Load())
		}
	}
	g.pointers = true
	elem, offset := b.of(pointsTo(g.typ)), wordOf(g.typ)
	var f appender = func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		return e.pointer(dst, atomic.LoadPointer((*unsafe.Pointer)(unsafe.Add(p, offset))), elem)
	}
	return f
}

// wordOf is where an atomic.Pointer has its pointer.
func wordOf(t reflect.Type) uintptr {
	f, ok := t.FieldByName("v")
	if !ok || f.Type.Kind() != reflect.UnsafePointer {
		panic("pack: an atomic.Pointer is not what it was when this was written")
	}
	return f.Offset
}
