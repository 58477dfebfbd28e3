package pack

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

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
