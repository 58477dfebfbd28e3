package pack

import (
	"reflect"
	"slices"
	"unsafe"
)

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
