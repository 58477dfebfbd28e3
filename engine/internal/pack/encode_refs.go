package pack

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

func (e *encoder) pointer(dst []byte, p unsafe.Pointer, elem *encoding) []byte {
	if p == nil {
		return append(dst, 0)
	}
	at := seat{p, elem.typ}
	if n, ok := e.seen[at]; ok {
		return appendUint(dst, n+2)
	}
	e.seen[at] = uint64(len(e.seen))
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

// How an error is written.
const (
	errNil = iota
	errText
	errWrapped  // text, and one error
	errJoined   // text, a count, and as many errors
	errSentinel // its number
	errTyped    // an interface
)

// maxWrapped is how far into an error anything is looked for.
const maxWrapped = 32

func (e *encoder) err(dst []byte, err error, depth int) []byte {
	if err == nil {
		return append(dst, errNil)
	}
	if n, ok := e.codec.sentinel(err); ok {
		return appendUint(append(dst, errSentinel), n)
	}
	if _, ok := e.codec.numbers[reflect.TypeOf(err)]; ok {
		var v any = err
		return e.any(append(dst, errTyped), unsafe.Pointer(&v), false)
	}
	inside := e.codec.worth(err, depth)
	switch len(inside) {
	case 0:
		return appendString(append(dst, errText), err.Error())
	case 1:
		return e.err(appendString(append(dst, errWrapped), err.Error()), inside[0], depth+1)
	}
	dst = appendUint(appendString(append(dst, errJoined), err.Error()), uint64(len(inside)))
	for _, one := range inside {
		dst = e.err(dst, one, depth+1)
	}
	return dst
}

func (c *Codec) sentinel(err error) (uint64, bool) {
	if t := reflect.TypeOf(err); !c.kinds[t] || t.Kind() != reflect.Pointer && !reflect.ValueOf(err).Comparable() {
		return 0, false
	}
	n, ok := c.known[err]
	return n, ok
}

// worth returns what err wraps and has more to it than its text.
func (c *Codec) worth(err error, depth int) []error {
	if depth > maxWrapped {
		return nil
	}
	var all []error
	switch u := err.(type) { //nolint:errorlint // one level at a time
	case interface{ Unwrap() error }:
		all = []error{u.Unwrap()}
	case interface{ Unwrap() []error }:
		all = slices.Clone(u.Unwrap())
	}
	return slices.DeleteFunc(all, func(err error) bool {
		if err == nil {
			return true
		}
		if _, ok := c.sentinel(err); ok {
			return false
		}
		if _, ok := c.numbers[reflect.TypeOf(err)]; ok {
			return false
		}
		return len(c.worth(err, depth+1)) == 0
	})
}

// dict is the scratch of one map.
type dict struct {
	iter    reflect.MapIter
	key     reflect.Value
	values  reflect.Value // a slice
	bytes   []byte        // the keys, written
	entries []entry
}

type entry struct{ from, to, value int }

func (b *encodings) dict(g *encoding) {
	t := g.typ
	key, elem := b.of(t.Key()), b.of(t.Elem())
	g.steps = []step{{of: elem}} // for spread
	size := t.Elem().Size()
	valuesType := reflect.SliceOf(t.Elem())
	pool := &sync.Pool{New: func() any {
		return &dict{key: reflect.New(t.Key()).Elem(), values: reflect.New(valuesType).Elem()}
	}}
	pad := key.pad && elem.pad
	g.append = func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		m := at(t, p)
		if m.IsNil() {
			return append(dst, 0)
		}
		n := m.Len()
		dst = appendUint(dst, uint64(n)+1)
		if n == 0 {
			return dst
		}
		s := pool.Get().(*dict)
		s.read(e, m, key, n)
		e.deeper()
		for _, one := range s.entries {
			if dst = append(dst, s.bytes[one.from:one.to]...); pad {
				dst = append(dst, 0)
			}
			dst = elem.encode(e, dst, unsafe.Add(s.values.UnsafePointer(), uintptr(one.value)*size))
		}
		e.depth--
		s.values.Clear()
		pool.Put(s)
		return dst
	}
}

// read takes the entries of m in the order of their keys.
func (s *dict) read(e *encoder, m reflect.Value, key *encoding, n int) {
	if s.values.Cap() < n {
		s.values.Grow(n - s.values.Len())
	}
	s.values.SetLen(n)
	s.bytes, s.entries = s.bytes[:0], s.entries[:0]
	s.iter.Reset(m)
	for i := 0; i < n && s.iter.Next(); i++ {
		s.key.SetIterKey(&s.iter)
		s.values.Index(i).SetIterValue(&s.iter)
		from := len(s.bytes)
		s.bytes = key.encode(e, s.bytes, s.key.Addr().UnsafePointer())
		s.entries = append(s.entries, entry{from, len(s.bytes), i})
	}
	s.iter.Reset(reflect.Value{})
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(bytes.Compare(s.bytes[a.from:a.to], s.bytes[b.from:b.to]), cmp.Compare(a.value, b.value))
	})
}
