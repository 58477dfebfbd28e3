package pack

import (
	"reflect"
	"unsafe"
)

const wordSize = unsafe.Sizeof(uintptr(0))

// words is an interface in memory. Both kinds of it have what they hold in the second word.
type words struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

// header is a slice in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// held is the interface at p as an empty one. One that has methods becomes empty by a conversion
// that looks only at its type.
func held(p unsafe.Pointer, methods bool) any {
	if methods {
		return *(*interface{ method() })(p)
	}
	return *(*any)(p)
}

// inside is where what the interface at p holds lies. Pointers and the like lie in its second
// word, other values where that points to.
func inside(p unsafe.Pointer, direct bool) unsafe.Pointer {
	second := unsafe.Add(p, wordSize)
	if direct {
		return second
	}
	return *(*unsafe.Pointer)(second)
}

// isDirect tells whether values of t lie in the interface itself: then that of a zero is zero.
func isDirect(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return (*words)(unsafe.Pointer(&zero)).data == nil
}

// typeWord is the first word of an empty interface that holds a t.
func typeWord(t reflect.Type) unsafe.Pointer {
	zero := reflect.Zero(t).Interface()
	return (*words)(unsafe.Pointer(&zero)).typ
}

// at is the value of type t at p.
func at(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }
