package pack

import (
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
			behind, next := d.at, d.next
			if err := d.ask(int(elem.typ.Size()) + len(d.src) - at.at); err != nil {
				return nil, err
			}
			d.at, d.next = at.at, int(n)+1
			err := d.follow(to, elem)
			d.at, d.next = behind, next
			return to, err
		}
	}
	return nil, problem("there is no pointer %d of type %v before it", n, elem.typ)
}
