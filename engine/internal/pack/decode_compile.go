package pack

import (
	"net/netip"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// decodings compiles decodings; the codec's mutex is held.
type decodings struct {
	known, made map[pair]*decoding
}

func (b *decodings) of(t reflect.Type, s *shape) (*decoding, *Error) {
	at := pair{t, s}
	if g := b.known[at]; g != nil {
		return g, nil
	}
	if g := b.made[at]; g != nil {
		return g, nil
	}
	k, err := kindOf(t)
	if err != nil {
		return nil, err
	}
	if k != s.kind {
		return nil, problem("%v was written, here it is %v", s.kind, k)
	}
	if k == kRaw || k == kArray {
		if s.count != t.Len() {
			return nil, problem("an array of %d was written, here it has %d", s.count, t.Len())
		}
	}
	g := &decoding{typ: t, leaf: leafOf(t)}
	b.made[at] = g
	g.decode, err = b.compile(g, k, s)
	return g, err
}

type decode = func(d *decoder, p unsafe.Pointer) *Error

func (b *decodings) compile(g *decoding, k kind, s *shape) (decode, *Error) {
	t := g.typ
	if g.leaf != notLeaf {
		return func(d *decoder, p unsafe.Pointer) *Error { return d.decodeLeaf(g.leaf, p) }, nil
	}
	if isAtomic(t) && k != kPointer {
		return atomics(t.Name()), nil
	}
	switch k {
	case kString:
		return addresses(t), nil
	case kRaw:
		n := t.Len()
		return func(d *decoder, p unsafe.Pointer) *Error {
			from, err := d.take(uint64(n))
			copy(unsafe.Slice((*byte)(p), n), from)
			return err
		}, nil
	case kError:
		return func(d *decoder, p unsafe.Pointer) *Error { return d.err((*error)(p)) }, nil
	case kAny:
		return func(d *decoder, p unsafe.Pointer) *Error { return d.any(t, p) }, nil
	case kPointer:
		elem, err := b.of(pointsTo(t), s.elem)
		if err != nil {
			return nil, err
		}
		return pointers(t, elem, s.elem), nil
	case kSlice, kArray:
		elem, err := b.of(t.Elem(), s.elem)
		if err != nil {
			return nil, err
		}
		if k == kArray {
			return array(elem, s.count), nil
		}
		return slice(t, elem, s.elem), nil
	case kMap:
		key, err := b.of(t.Key(), s.key)
		if err != nil {
			return nil, err
		}
		elem, err := b.of(t.Elem(), s.elem)
		if err != nil {
			return nil, err
		}
		return dictionary(t, key, elem, s), nil
	default:
		return b.structs(t, s)
	}
}

func atomics(name string) decode {
	switch name {
	case "Bool":
		return func(d *decoder, p unsafe.Pointer) *Error {
			v, err := d.bool()
			(*atomic.Bool)(p).Store(v)
			return err
		}
	case "Int32", "Int64":
		return func(d *decoder, p unsafe.Pointer) *Error {
			var v int64
			width := leafInt64
			if name == "Int32" {
				width = leafInt32
			}
			err := d.decodeInt(width, unsafe.Pointer(&v))
			if name == "Int32" {
				(*atomic.Int32)(p).Store(*(*int32)(unsafe.Pointer(&v)))
			} else {
				(*atomic.Int64)(p).Store(v)
			}
			return err
		}
	}
	return func(d *decoder, p unsafe.Pointer) *Error {
		var v uint64
		if name == "Uint32" {
			err := d.decodeUint(leafUint32, unsafe.Pointer(&v))
			(*atomic.Uint32)(p).Store(*(*uint32)(unsafe.Pointer(&v)))
			return err
		}
		err := d.decodeUint(leafUint64, unsafe.Pointer(&v))
		(*atomic.Uint64)(p).Store(v)
		return err
	}
}

func addresses(t reflect.Type) decode {
	return func(d *decoder, p unsafe.Pointer) *Error {
		text, err := d.string()
		if err != nil {
			return err
		}
		var fault error
		switch {
		case t == addrType && text == "":
			*(*netip.Addr)(p) = netip.Addr{}
		case t == addrType:
			*(*netip.Addr)(p), fault = netip.ParseAddr(text)
		case text == "":
			*(*netip.AddrPort)(p) = netip.AddrPort{}
		default:
			*(*netip.AddrPort)(p), fault = netip.ParseAddrPort(text)
		}
		if fault != nil {
			return problem("%.60q is no address", text)
		}
		return nil
	}
}
