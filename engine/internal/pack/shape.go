package pack

import "reflect"

// kind is how a value is written.
type kind uint8

const (
	kBool kind = iota
	kInt
	kUint
	kFloat
	kString
	kBytes // a slice of bytes
	kRaw   // an array of bytes
	kTime
	kError
	kAny
	kPointer
	kSlice
	kArray
	kMap
	kStruct
)

var kindNames = [...]string{
	"bool", "int", "uint", "float", "string", "bytes", "raw", "time", "error", "any",
	"pointer", "slice", "array", "map", "struct",
}

func (k kind) String() string { return kindNames[k] }

// shape is how the values of a type are written, by this program or by another version of it.
type shape struct {
	kind   kind
	name   string // of a struct
	count  int    // of a raw or an array
	key    *shape // of a map
	elem   *shape // of a pointer, slice, array or map
	fields []field
	least  int // bytes of the smallest value
	// measured is set when least is known.
	measured bool
}

type field struct {
	name  string
	tag   string // what it holds: body, properties, text
	shape *shape
}

// pair is a type of this program and the shape that its bytes have.
type pair struct {
	typ   reflect.Type
	shape *shape
}

const (
	maxNested = 200     // structs and arrays in one another
	maxLeast  = 1 << 29 // beyond this nobody counts: two of them are an int anywhere
)

// measure finds the least bytes of s, which may come from anyone.
func (s *shape) measure(depth int) *Error {
	if s.measured {
		return nil
	}
	if depth > maxNested {
		return problem("a type holds itself, or is nested too deeply").in(s.name)
	}
	least := 1
	switch s.kind {
	case kFloat:
		least = 8
	case kRaw:
		least = s.count
	case kArray:
		if err := s.elem.measure(depth + 1); err != nil {
			return err
		}
		least = times(s.count, s.elem.least)
	case kStruct:
		least = 0
		for _, f := range s.fields {
			if err := f.shape.measure(depth + 1); err != nil {
				return err.in(f.name)
			}
			least = min(least+f.shape.least, maxLeast)
		}
	default:
	}
	s.least, s.measured = least, true
	return nil
}

func times(n, least int) int {
	if least != 0 && n > maxLeast/least {
		return maxLeast
	}
	return n * least
}

// perElement is how many bytes an element of this shape takes at least in a slice or a map.
func (s *shape) perElement() int { return max(1, s.least) }
