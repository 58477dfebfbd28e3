package pack

import (
	"errors"
	"reflect"
	"unsafe"
)

// err decodes an error.
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
	if n > uint64(d.left()) {
		return problem("an error claims to wrap %d others with %d bytes left", n, d.left())
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
