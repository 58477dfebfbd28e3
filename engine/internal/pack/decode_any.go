package pack

import (
	"reflect"
	"unsafe"
)

// dynamic is what an interface may hold, by its number.
type dynamic struct {
	of     *decoding
	direct bool
	word   unsafe.Pointer
}

// dynamic compiles the type of this number the first time that it is asked for.
func (d *decoder) dynamic(n uint64) (*dynamic, *Error) {
	c := d.codec
	if n >= uint64(len(c.dynamic)) {
		return nil, problem("there is no type %d", n)
	}
	if g := c.dynamic[n].Load(); g != nil {
		return g, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t, s, err := c.numbered(n)
	if err != nil {
		return nil, err
	}
	of, err := c.decodingOf(t, s)
	if err != nil {
		return nil, err.in(typeName(t))
	}
	g := &dynamic{of: of, direct: isDirect(t), word: typeWord(t)}
	c.dynamic[n].Store(g)
	return g, nil
}

// numbered is the type with a number of who wrote, and how its values were written.
func (c *Codec) numbered(n uint64) (reflect.Type, *shape, *Error) {
	if c.theirs != nil {
		return c.theirs.numbered(c, n)
	}
	t := c.types[n]
	s, err := c.shapeOf(t)
	if err != nil {
		panic(err)
	}
	return t, s, nil
}

// any decodes into the interface of type t at p.
func (d *decoder) any(t reflect.Type, p unsafe.Pointer) *Error {
	n, err := d.uint()
	if err != nil {
		return err
	}
	iface := at(t, p)
	if n == 0 {
		iface.SetZero()
		return nil
	}
	if n == 1 {
		var v error
		err := d.err(&v)
		if err == nil && (v == nil || !reflect.TypeOf(v).Implements(t)) {
			err = problem("a %v cannot hold the error %v", t, v)
		}
		if err == nil {
			iface.Set(reflect.ValueOf(v))
		}
		return err
	}
	g, err := d.dynamic(n - 2)
	if err != nil {
		return err
	}
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	of := g.of.typ
	if of.Kind() == reflect.Pointer && reflect.TypeOf(held(p, t.NumMethod() > 0)) == of {
		return d.inside(g, inside(p, true))
	}
	if t.NumMethod() > 0 && !of.Implements(t) {
		return problem("a %v cannot hold a %v", t, of)
	}
	if err := d.ask(int(of.Size())); err != nil {
		return err
	}
	to := reflect.New(of)
	if err := d.inside(g, to.UnsafePointer()); err != nil {
		return err
	}
	if t.NumMethod() > 0 {
		iface.Set(to.Elem())
		return nil
	}
	made := words{g.word, to.UnsafePointer()}
	if g.direct {
		made.data = *(*unsafe.Pointer)(made.data)
	}
	*(*words)(p) = made
	return nil
}

func (d *decoder) inside(g *dynamic, p unsafe.Pointer) *Error {
	if err := g.of.decode(d, p); err != nil {
		return err.in(typeName(g.of.typ))
	}
	return nil
}
