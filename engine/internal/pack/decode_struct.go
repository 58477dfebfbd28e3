package pack

import (
	"reflect"
	"unsafe"
)

// move is what is done about one field: it is decoded, passed over or set to its zero.
type move struct {
	leaf   leaf
	offset uintptr
	of     *decoding
	name   string
	pass   *shape       // the bytes have it, the type has not
	zero   reflect.Type // the type has it, the bytes have not
}

// unpacked is told when it was decoded.
type unpacked interface{ Unpacked() }

var unpackedType = reflect.TypeFor[unpacked]()

func (b *decodings) structs(t reflect.Type, s *shape) (decode, *Error) {
	var moves []move
	if err := b.moves(&moves, t, s, 0, ""); err != nil {
		return nil, err
	}
	tell := reflect.PointerTo(t).Implements(unpackedType)
	return func(d *decoder, p unsafe.Pointer) *Error {
		for i := range moves {
			m := &moves[i]
			var err *Error
			switch {
			case m.leaf != notLeaf:
				err = d.decodeLeaf(m.leaf, unsafe.Add(p, m.offset))
			case m.of != nil:
				err = m.of.decode(d, unsafe.Add(p, m.offset))
			case m.pass != nil:
				err = d.skip(m.pass)
			default:
				at(m.zero, unsafe.Add(p, m.offset)).SetZero()
			}
			if err != nil {
				return err.in(m.name)
			}
		}
		if tell {
			reflect.NewAt(t, p).Interface().(unpacked).Unpacked()
		}
		return nil
	}, nil
}

// moves appends what is to be done about the fields of a t; those of a struct inside it are done
// in the same list, unless that wants to be told.
func (b *decodings) moves(all *[]move, t reflect.Type, s *shape, base uintptr, prefix string) *Error {
	ours := map[string]reflect.StructField{}
	for f := range fieldsOf(t) {
		ours[f.Name] = f
	}
	for _, theirs := range s.fields {
		f, ok := ours[theirs.name]
		name := prefix + theirs.name
		if !ok {
			*all = append(*all, move{name: name, pass: theirs.shape})
			continue
		}
		delete(ours, theirs.name)
		m := move{leaf: leafOf(f.Type), offset: base + f.Offset, name: name}
		k, err := kindOf(f.Type)
		if err != nil {
			return err.in(theirs.name)
		}
		if k == kStruct && theirs.shape.kind == kStruct && !reflect.PointerTo(f.Type).Implements(unpackedType) {
			if err := b.moves(all, f.Type, theirs.shape, m.offset, name+"."); err != nil {
				return err.in(theirs.name)
			}
			continue
		}
		if m.of, err = b.of(f.Type, theirs.shape); err != nil {
			return err.in(theirs.name)
		}
		*all = append(*all, m)
	}
	for f := range fieldsOf(t) {
		if _, missing := ours[f.Name]; missing {
			zeros(all, f.Type, base+f.Offset, prefix+f.Name)
		}
	}
	return nil
}

// zeros appends that what is kept of a t becomes its zero.
func zeros(all *[]move, t reflect.Type, offset uintptr, name string) {
	if k, err := kindOf(t); err != nil || k != kStruct {
		*all = append(*all, move{offset: offset, name: name, zero: t})
		return
	}
	for f := range fieldsOf(t) {
		zeros(all, f.Type, offset+f.Offset, name+"."+f.Name)
	}
}
