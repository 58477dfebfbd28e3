// Package pack turns Go values into bytes and back: the records and the checkpoints of a
// recording. It keeps unexported fields too, and bytes are described, so that another version of
// the program can read them: fields are matched by name.
//
// A Codec is made once with the types that interfaces may hold, and may then be used by many
// goroutines. It owns nothing else. There is no Java counterpart.
//
// # What is kept
//
// Booleans, numbers, strings, slices, arrays, maps, structs, pointers, interfaces that hold a
// registered type, times as instants (those of time.Local stay there, others become UTC) and what
// the types of sync/atomic hold. Equal values give equal bytes. Pointers to one value still point
// to one value when they are back, in circles too, if they point to whole values of their own:
// one into a slice or into a field gets a copy. Mutexes are passed over. Functions, channels and
// the rest of package sync cannot be kept: such a field is tagged `pack:"-"`.
//
// An error is kept as its text, with the registered sentinels and types of errors that it wraps,
// so that errors.Is and errors.As find them again.
//
// Decode writes into what is there: fields with the tag "-" are left alone, also behind pointers
// that are not nil; slices, maps and what an atomic.Pointer points to are made anew. A type with
// a method Unpacked() on its pointer is told when it was decoded; where pointers go in circles
// that may be before what it points to.
//
// The tags `pack:"body"`, `pack:"properties"` and `pack:"text"` say what a field holds: they
// change nothing of its bytes and are part of the description, for whoever walks over values that
// it does not know.
//
// # Layout
//
// An integer is a varint (zigzag if it is signed), a float its 8 bytes, little endian, a string
// its length and its bytes. A slice is 0 for nil or its length plus one and its elements; an
// element that takes no bytes gets one of zero, so that counts never exceed bytes. A map is alike
// with its keys ascending as bytes. A struct is its fields. A pointer is 0, or 1 and its value, or
// the number of an earlier pointer plus 2. An interface is 0, or 1 and an error, or the number of
// the type plus 2 and its value. A time is a byte of how and its nanoseconds or seconds. A
// description is text, see describe.go.
package pack
