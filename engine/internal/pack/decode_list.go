package pack

import (
	"bytes"
	"reflect"
	"unsafe"
)

func array(elem *decoding, n int) decode {
	if elem.leaf == leafUint32 {
		return func(d *decoder, p unsafe.Pointer) *Error { return d.counts(unsafe.Slice((*uint32)(p), n)) }
	}
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

// counts decodes numbers of which most are small, as those of histograms are.
func (d *decoder) counts(to []uint32) *Error {
	for len(to) > 0 {
		src := d.src[d.at:min(d.at+len(to), len(d.src))]
		n := 0
		for n < len(src) && src[n] < 0x80 {
			to[n] = uint32(src[n])
			n++
		}
		d.at += n
		if to = to[n:]; len(to) == 0 {
			break
		}
		if err := d.decodeUint(leafUint32, unsafe.Pointer(&to[0])); err != nil {
			return err
		}
		to = to[1:]
	}
	return nil
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
			v.Elem().SetZero() // nothing is decoded in place
			from := d.at
			if err := key.decode(d, k.UnsafePointer()); err != nil {
				return err
			}
			written := d.src[from:d.at]
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
