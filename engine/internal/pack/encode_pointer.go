package pack

import (
	"reflect"
	"unsafe"
)

func (e *encoder) pointer(dst []byte, p unsafe.Pointer, elem *encoding) []byte {
	if p == nil {
		return append(dst, 0)
	}
	at := seat{p, elem.typ}
	if at == e.root {
		return append(dst, 2)
	}
	if n, ok := e.seen[at]; ok {
		return appendUint(dst, n+2)
	}
	e.seen[at] = uint64(len(e.seen)) + 1
	e.deeper()
	dst = elem.encode(e, append(dst, 1), p)
	e.depth--
	return dst
}

// any writes what the interface at p holds.
func (e *encoder) any(dst []byte, p unsafe.Pointer, methods bool) []byte {
	v := held(p, methods)
	if v == nil {
		return append(dst, 0)
	}
	g := (*e.codec.encoding.Load())[reflect.TypeOf(v)]
	if g == nil {
		t := reflect.TypeOf(v)
		if _, ok := e.codec.numbers[t]; ok {
			g = e.codec.encodingOf(t)
		}
	}
	if g == nil || !g.named {
		err, ok := v.(error)
		if !ok {
			e.fail("it holds a %T, which is not registered", v)
		}
		return e.err(append(dst, 1), err, 0)
	}
	e.deeper()
	dst = g.encode(e, appendUint(dst, g.number+2), inside(p, g.direct))
	e.depth--
	return dst
}
