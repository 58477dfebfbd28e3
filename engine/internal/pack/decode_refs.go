package pack

import (
	"bytes"
	"errors"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// pointers decodes a pointer: into what it points to, if it does, else into something new. What
// an atomic pointer points to may have readers: it is never written to.
func pointers(t reflect.Type, elem *decoding, s *shape) decode {
	shared := isAtomic(t)
	var offset uintptr
	if shared {
		offset = wordOf(t)
	}
	return func(d *decoder, p unsafe.Pointer) *Error {
		n, err := d.uint()
		if err != nil {
			return err
		}
		word := (*unsafe.Pointer)(unsafe.Add(p, offset))
		to := *word
		switch {
		case n == 0:
			to = nil
		case n > 1:
			to, err = d.earlier(n-2, elem, s)
		default:
			to, err = d.place(to, shared, elem)
		}
		if err != nil {
			return err
		}
		if shared {
			atomic.StorePointer(word, to)
		} else {
			*word = to
		}
		if n != 1 {
			return nil
		}
		return d.follow(to, elem)
	}
}

func (d *decoder) follow(to unsafe.Pointer, elem *decoding) *Error {
	if err := d.deeper(); err != nil {
		return err
	}
	err := elem.decode(d, to)
	d.depth--
	return err
}

// place gives the next pointer its number. Where it has one already, it was passed over before
// something pointed to it.
func (d *decoder) place(to unsafe.Pointer, shared bool, elem *decoding) (unsafe.Pointer, *Error) {
	again := d.next < len(d.pointers)
	if again && d.pointers[d.next].typ == elem.typ {
		d.next++
		return d.pointers[d.next-1].p, nil
	}
	if shared || to == nil || d.used[seat{to, elem.typ}] {
		if err := d.ask(int(elem.typ.Size())); err != nil {
			return nil, err
		}
		to = reflect.New(elem.typ).UnsafePointer()
	} else {
		d.used[seat{to, elem.typ}] = true
	}
	if again {
		d.pointers[d.next].p, d.pointers[d.next].typ = to, elem.typ
	} else {
		d.pointers = append(d.pointers, place{p: to, typ: elem.typ})
	}
	d.next++
	return to, nil
}

// earlier is what pointer n points to. It is decoded now if it was in a field that this program
// does not have.
func (d *decoder) earlier(n uint64, elem *decoding, s *shape) (unsafe.Pointer, *Error) {
	if n < uint64(len(d.pointers)) {
		at := &d.pointers[n]
		if at.typ == elem.typ {
			return at.p, nil
		}
		if at.typ == nil && at.shape == s {
			to := reflect.New(elem.typ).UnsafePointer()
			at.p, at.typ = to, elem.typ
			src, next := d.src, d.next
			if err := d.ask(int(elem.typ.Size()) + len(at.src)); err != nil {
				return nil, err
			}
			d.src, d.next = at.src, int(n)+1
			err := d.follow(to, elem)
			d.src, d.next = src, next
			return to, err
		}
	}
	return nil, problem("there is no pointer %d of type %v before it", n, elem.typ)
}

func array(elem *decoding, n int) decode {
	size := elem.typ.Size()
	return func(d *decoder, p unsafe.Pointer) *Error {
		for i := range n {
			if err := elem.decode(d, unsafe.Add(p, uintptr(i)*size)); err != nil {
				return err
			}
		}
		return nil
	}
}

func slice(t reflect.Type, elem *decoding, s *shape) decode {
	size := elem.typ.Size()
	return func(d *decoder, p unsafe.Pointer) *Error {
		n, err := d.count(s.perElement())
		if err != nil {
			return err
		}
		if n < 0 {
			*(*header)(p) = header{}
			return nil
		}
		if err := d.ask(n * int(size)); err != nil {
			return err
		}
		made := reflect.MakeSlice(t, n, n)
		*(*header)(p) = header{made.UnsafePointer(), n, n}
		if err := d.deeper(); err != nil {
			return err
		}
		for i := range n {
			if err := d.padding(s.least); err != nil {
				return err
			}
			if err := elem.decode(d, unsafe.Add((*header)(p).data, uintptr(i)*size)); err != nil {
				return err
			}
		}
		d.depth--
		return nil
	}
}

// padding takes the zero that stands for something without bytes.
func (d *decoder) padding(least int) *Error {
	if least > 0 {
		return nil
	}
	n, err := d.uint()
	if err == nil && n != 0 {
		err = problem("an element without bytes begins with %d", n)
	}
	return err
}

// perEntry is what a map needs for an entry, about, beside key and value.
const perEntry = 16

func dictionary(t reflect.Type, key, elem *decoding, s *shape) decode {
	least := s.key.least + s.elem.least
	each := int(t.Key().Size()+t.Elem().Size()) + perEntry
	return func(d *decoder, p unsafe.Pointer) *Error {
		n, err := d.count(max(1, least))
		if err != nil {
			return err
		}
		m := at(t, p)
		if n < 0 {
			m.SetZero()
			return nil
		}
		if err := d.ask(n * each); err != nil {
			return err
		}
		m.Set(reflect.MakeMapWithSize(t, n))
		if err := d.deeper(); err != nil {
			return err
		}
		k, v := reflect.New(t.Key()), reflect.New(t.Elem())
		var before []byte
		for i := range n {
			k.Elem().SetZero()
			v.Elem().SetZero()
			from := d.src
			if err := key.decode(d, k.UnsafePointer()); err != nil {
				return err
			}
			written := from[:len(from)-len(d.src)]
			if i > 0 && bytes.Compare(before, written) >= 0 {
				return problem("its keys are not in order")
			}
			before = written
			if err := d.padding(least); err != nil {
				return err
			}
			if err := elem.decode(d, v.UnsafePointer()); err != nil {
				return err
			}
			m.SetMapIndex(k.Elem(), v.Elem())
		}
		d.depth--
		return nil
	}
}

// dynamic is what an interface may hold, by its number.
type dynamic struct {
	of     *decoding
	direct bool
	word   unsafe.Pointer
}

// dynamic compiles the type of this number the first time that it is asked for.
func (d *decoder) dynamic(n uint64) (*dynamic, *Error) {
	c := d.codec
	if n >= uint64(len(c.dynamic)) {
		return nil, problem("there is no type %d", n)
	}
	if g := c.dynamic[n].Load(); g != nil {
		return g, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t, s, err := c.numbered(n)
	if err != nil {
		return nil, err
	}
	of, err := c.decodingOf(t, s)
	if err != nil {
		return nil, err.in(typeName(t))
	}
	g := &dynamic{of: of, direct: isDirect(t), word: typeWord(t)}
	c.dynamic[n].Store(g)
	return g, nil
}

// numbered is the type with a number of who wrote, and how its values were written.
func (c *Codec) numbered(n uint64) (reflect.Type, *shape, *Error) {
	if c.theirs != nil {
		return c.theirs.numbered(c, n)
	}
	t := c.types[n]
	s, err := c.shapeOf(t)
	if err != nil {
		panic(err)
	}
	return t, s, nil
}

// any decodes into the interface of type t at p.
func (d *decoder) any(t reflect.Type, p unsafe.Pointer) *Error {
	n, err := d.uint()
	if err != nil {
		return err
	}
	iface := at(t, p)
	if n == 0 {
		iface.SetZero()
		return nil
	}
	if n == 1 {
		var v error
		err := d.err(&v)
		if err == nil && (v == nil || !reflect.TypeOf(v).Implements(t)) {
			err = problem("a %v cannot hold the error %v", t, v)
		}
		if err == nil {
			iface.Set(reflect.ValueOf(v))
		}
		return err
	}
	g, err := d.dynamic(n - 2)
	if err != nil {
		return err
	}
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	of := g.of.typ
	if of.Kind() == reflect.Pointer && reflect.TypeOf(held(p, t.NumMethod() > 0)) == of {
		return d.inside(g, inside(p, true))
	}
	if t.NumMethod() > 0 && !of.Implements(t) {
		return problem("a %v cannot hold a %v", t, of)
	}
	if err := d.ask(int(of.Size())); err != nil {
		return err
	}
	to := reflect.New(of)
	if err := d.inside(g, to.UnsafePointer()); err != nil {
		return err
	}
	if t.NumMethod() > 0 {
		iface.Set(to.Elem())
		return nil
	}
	made := words{g.word, to.UnsafePointer()}
	if g.direct {
		made.data = *(*unsafe.Pointer)(made.data)
	}
	*(*words)(p) = made
	return nil
}

func (d *decoder) inside(g *dynamic, p unsafe.Pointer) *Error {
	if err := g.of.decode(d, p); err != nil {
		return err.in(typeName(g.of.typ))
	}
	return nil
}

func (d *decoder) err(to *error) *Error {
	how, err := d.uint()
	if err != nil {
		return err
	}
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	switch how {
	case errNil:
		*to = nil
		return nil
	case errText:
		text, err := d.string()
		*to = errors.New(text)
		return err
	case errWrapped:
		text, err := d.string()
		if err != nil {
			return err
		}
		inside := &wrapped{text: text}
		*to = inside
		return d.inner(&inside.err)
	case errJoined:
		return d.joined(to)
	case errSentinel:
		n, err := d.uint()
		if err != nil {
			return err
		}
		return d.codec.sentinelNumbered(n, to)
	case errTyped:
		var v any
		if err := d.any(reflect.TypeFor[any](), unsafe.Pointer(&v)); err != nil {
			return err
		}
		var ok bool
		if *to, ok = v.(error); !ok {
			return problem("a %T is no error", v)
		}
		return nil
	}
	return problem("no error is written as %d", how)
}

// inner decodes what an error wraps.
func (d *decoder) inner(to *error) *Error {
	err := d.err(to)
	if err == nil && *to == nil {
		err = problem("an error wraps nothing")
	}
	return err
}

func (d *decoder) joined(to *error) *Error {
	text, err := d.string()
	if err != nil {
		return err
	}
	n, err := d.uint()
	if err != nil {
		return err
	}
	if n > uint64(len(d.src)) {
		return problem("an error claims to wrap %d others with %d bytes left", n, len(d.src))
	}
	all := &joined{text: text}
	*to = all
	for range n {
		var one error
		if err := d.inner(&one); err != nil {
			return err
		}
		all.errs = append(all.errs, one)
	}
	return nil
}

func (c *Codec) sentinelNumbered(n uint64, to *error) *Error {
	if c.theirs != nil {
		return c.theirs.sentinel(c, n, to)
	}
	if n >= uint64(len(c.sentinels)) {
		return problem("there is no sentinel %d", n)
	}
	*to = c.sentinels[n].err
	return nil
}
