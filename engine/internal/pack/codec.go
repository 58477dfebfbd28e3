package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Codec packs values and unpacks them. It is safe for concurrent use once it was made and its
// sentinels were named.
type Codec struct {
	types     []reflect.Type // that interfaces may hold
	numbers   map[reflect.Type]uint64
	sentinels []sentinel
	known     map[error]uint64      // number of a sentinel
	kinds     map[reflect.Type]bool // types of sentinels
	theirs    *description          // of who wrote what is decoded, nil: this program

	mu       sync.Mutex
	shapes   map[reflect.Type]*shape
	decoders map[pair]*decoding
	// What was compiled already; never changed, only replaced.
	encoding atomic.Pointer[map[reflect.Type]*encoding]
	roots    atomic.Pointer[map[reflect.Type]*decoding]
	dynamic  []atomic.Pointer[dynamic] // by number
}

type sentinel struct {
	name string
	err  error
}

// New returns a codec. Types are zero values of what fields of interface types may hold.
func New(types ...any) *Codec {
	c := &Codec{numbers: map[reflect.Type]uint64{}, known: map[error]uint64{}, kinds: map[reflect.Type]bool{}}
	names := map[string]bool{}
	for _, zero := range types {
		t := reflect.TypeOf(zero)
		name := typeName(t)
		if names[name] {
			panic("pack: two types have the name " + name)
		}
		names[name] = true
		c.numbers[t] = uint64(len(c.types))
		c.types = append(c.types, t)
	}
	c.Errors("context.Canceled", context.Canceled)
	c.Errors("context.DeadlineExceeded", context.DeadlineExceeded)
	c.Errors("io.EOF", io.EOF)
	c.Errors("io.ErrUnexpectedEOF", io.ErrUnexpectedEOF)
	c.Errors("os.ErrDeadlineExceeded", os.ErrDeadlineExceeded)
	c.Errors("fs.ErrNotExist", fs.ErrNotExist)
	c.start(len(c.types))
	return c
}

func (c *Codec) start(dynamics int) {
	c.shapes, c.decoders = map[reflect.Type]*shape{}, map[pair]*decoding{}
	c.encoding.Store(&map[reflect.Type]*encoding{})
	c.roots.Store(&map[reflect.Type]*decoding{})
	c.dynamic = make([]atomic.Pointer[dynamic], dynamics)
}

// Errors names a sentinel, so that errors that wrap it still do when they are back. It is called
// before the codec is used, and returns it.
func (c *Codec) Errors(name string, err error) *Codec {
	for _, s := range c.sentinels {
		if s.name == name {
			panic("pack: two errors have the name " + name)
		}
	}
	c.known[err] = uint64(len(c.sentinels))
	c.kinds[reflect.TypeOf(err)] = true
	c.sentinels = append(c.sentinels, sentinel{name, err})
	return c
}

// Append appends what v points to. It panics with an *Error where that can not be kept: that is
// the same for all values of a type, but for interfaces that hold a type that is not registered.
func (c *Codec) Append(dst []byte, v any) []byte {
	t, p := target(v)
	e := encoders.Get().(*encoder)
	e.codec = c
	plan := c.encodingOf(t)
	e.root = seat{p, t}
	dst = plan.encode(e, dst, p)
	e.reset()
	return dst
}

// Decode takes what v points to off src. Where it fails v may be filled in part.
func (c *Codec) Decode(src []byte, v any) (rest []byte, err error) {
	t, p := target(v)
	plan, fault := c.root(t)
	if fault != nil {
		return src, fault
	}
	d := decoders.Get().(*decoder)
	defer d.reset()
	d.codec, d.src, d.budget = c, src, leastBudget+budgetPerByte*len(src)
	d.pointers, d.next = append(d.pointers, place{p: p, typ: t}), 1
	if fault := plan.decode(d, p); fault != nil {
		return src, fault.in(typeName(t))
	}
	return d.src[d.at:], nil
}

// Check tells what of the types of values, and of those that are registered, can not be kept.
func (c *Codec) Check(values ...any) error {
	var faults []error
	c.mu.Lock()
	defer c.mu.Unlock()
	check := func(t reflect.Type) {
		if _, err := c.shapeOf(t); err != nil {
			faults = append(faults, err)
		}
	}
	for _, t := range c.types {
		check(t)
	}
	for _, v := range values {
		check(reflect.TypeOf(v))
	}
	return errors.Join(faults...)
}

// target is the type and the place of what v points to.
func target(v any) (reflect.Type, unsafe.Pointer) {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("pack: %T is no pointer", v))
	}
	p := (*words)(unsafe.Pointer(&v)).data
	if p == nil {
		panic(fmt.Sprintf("pack: the %T is nil", v))
	}
	return t.Elem(), p
}

// shapeOf is how this program writes a t; c.mu is held.
func (c *Codec) shapeOf(t reflect.Type) (*shape, *Error) {
	b := shaper{known: c.shapes, made: map[reflect.Type]*shape{}}
	s, err := b.shape(t)
	if err != nil {
		return nil, err
	}
	for _, s := range b.made {
		if err := s.measure(0); err != nil {
			return nil, err
		}
	}
	maps.Copy(c.shapes, b.made)
	return s, nil
}
