package pack

import (
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"time"
)

const module = "mqscope/"

// typeName is the stable name of a type: its package without the module, and its own.
func typeName(t reflect.Type) string {
	switch {
	case t.Name() != "" && t.PkgPath() != "":
		return strings.ReplaceAll(strings.TrimPrefix(t.PkgPath(), module)+"."+t.Name(), module, "")
	case t.Kind() == reflect.Pointer:
		return "*" + typeName(t.Elem())
	}
	return t.String()
}

var (
	errorType    = reflect.TypeFor[error]()
	timeType     = reflect.TypeFor[time.Time]()
	addrType     = reflect.TypeFor[netip.Addr]()
	addrPortType = reflect.TypeFor[netip.AddrPort]()
	mutexType    = reflect.TypeFor[sync.Mutex]()
	rwMutexType  = reflect.TypeFor[sync.RWMutex]()
)

// kindOf is how values of t are written, without a look at what it holds.
func kindOf(t reflect.Type) (kind, *Error) {
	switch t {
	case timeType:
		return kTime, nil
	case errorType:
		return kError, nil
	case addrType, addrPortType:
		return kString, nil
	}
	switch t.PkgPath() {
	case "sync/atomic":
		return kindOfAtomic(t)
	case "sync", "unique":
		return 0, problem(`a %v cannot be kept: tag it pack:"-"`, t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return kBool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return kInt, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return kUint, nil
	case reflect.Float32, reflect.Float64:
		return kFloat, nil
	case reflect.String:
		return kString, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return kBytes, nil
		}
		return kSlice, nil
	case reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return kRaw, nil
		}
		return kArray, nil
	case reflect.Map:
		return kMap, keyProblem(t.Key())
	case reflect.Struct:
		return kStruct, nil
	case reflect.Pointer:
		return kPointer, nil
	case reflect.Interface:
		return kAny, nil
	default:
		return 0, problem(`a %v cannot be kept: tag it pack:"-"`, t)
	}
}

func kindOfAtomic(t reflect.Type) (kind, *Error) {
	switch t.Name() {
	case "Bool":
		return kBool, nil
	case "Int32", "Int64":
		return kInt, nil
	case "Uint32", "Uint64":
		return kUint, nil
	}
	if strings.HasPrefix(t.Name(), "Pointer[") {
		return kPointer, nil
	}
	return 0, problem(`a %v cannot be kept: tag it pack:"-"`, t)
}

func isAtomic(t reflect.Type) bool { return t.PkgPath() == "sync/atomic" }

// pointsTo is what a pointer, also an atomic one, points to.
func pointsTo(t reflect.Type) reflect.Type {
	if isAtomic(t) {
		return t.Field(0).Type.Elem().Elem() // _ [0]*T
	}
	return t.Elem()
}

// keyProblem tells why the keys of a map have no order, nil if they have one.
func keyProblem(t reflect.Type) *Error {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Chan, reflect.UnsafePointer, reflect.Float32, reflect.Float64:
		return problem("keys of type %v have no order", t)
	case reflect.Array:
		return keyProblem(t.Elem())
	case reflect.Struct:
		if t == timeType || t == addrType || t == addrPortType {
			return nil
		}
		for f := range fieldsOf(t) {
			if err := keyProblem(f.Type); err != nil {
				return err
			}
		}
	default:
	}
	return nil
}

// fieldsOf yields the fields of a struct that are kept, in their order.
func fieldsOf(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Name == "_" || f.Tag.Get("pack") == "-" || f.Type == mutexType || f.Type == rwMutexType {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// shaper makes the shapes of this program's types.
type shaper struct {
	known map[reflect.Type]*shape
	made  map[reflect.Type]*shape
}

func (b *shaper) shape(t reflect.Type) (*shape, *Error) {
	if s := b.known[t]; s != nil {
		return s, nil
	}
	if s := b.made[t]; s != nil {
		return s, nil
	}
	k, err := kindOf(t)
	if err != nil {
		return nil, err
	}
	s := &shape{kind: k}
	b.made[t] = s
	switch k {
	case kRaw:
		s.count = t.Len()
	case kArray:
		s.count = t.Len()
		s.elem, err = b.shape(t.Elem())
	case kSlice:
		s.elem, err = b.shape(t.Elem())
	case kPointer:
		s.elem, err = b.shape(pointsTo(t))
	case kMap:
		if s.key, err = b.shape(t.Key()); err == nil {
			s.elem, err = b.shape(t.Elem())
		}
	case kStruct:
		err = b.fill(s, t)
	default:
	}
	return s, err
}

func (b *shaper) fill(s *shape, t reflect.Type) *Error {
	s.name = typeName(t)
	for f := range fieldsOf(t) {
		of, err := b.shape(f.Type)
		if err != nil {
			if err.Where == "" { // the innermost struct has it
				err.Where = s.name + "." + f.Name
			}
			return err
		}
		tag := f.Tag.Get("pack")
		if strings.ContainsAny(tag, " :\"\n") {
			return problem("the tag %q is no word", tag).in(s.name + "." + f.Name)
		}
		s.fields = append(s.fields, field{name: f.Name, tag: tag, shape: of})
	}
	return nil
}
