package pack

import "strings"

// Leaf is a text or some bytes inside a value that is walked over.
type Leaf struct {
	Tag   string // what the field holds that it is in: body, properties, text, or ""
	Name  string // of the entry, in a map from texts to texts or a list of names with values
	Value []byte // valid until the call returns
	Bytes bool   // else it is a text
	Error bool   // it is the text of an error
	path  []string
}

// Path names the fields that lead to the leaf.
func (l *Leaf) Path() string { return strings.Join(l.path, ".") }

// Verdict is what becomes of a leaf.
type Verdict uint8

// Verdicts. An entry of a map can be dropped; another leaf becomes empty.
const (
	Keep Verdict = iota
	Replace
	Drop
)

// Rewrite takes a value off src and appends it to dst, with other texts and bytes where visit says
// so. Root is the name of the value's type, as it was given to Describe; "" is a value that was
// written as an interface. Keys of maps stay as they are.
func (c *Codec) Rewrite(dst, src []byte, root string, visit func(*Leaf) ([]byte, Verdict)) (out, rest []byte, err error) {
	s := &shape{kind: kAny, least: 1, measured: true}
	if root != "" {
		if s = c.shapeNamed(root); s == nil {
			return dst, src, problem("the recording does not describe it").in(root)
		}
	}
	d := decoders.Get().(*decoder)
	defer d.reset()
	d.codec, d.src, d.budget = c, src, leastBudget+budgetPerByte*len(src)
	d.pointers, d.next = append(d.pointers, place{}), 1
	w := walker{d: d, dst: dst, visit: visit}
	if root != "" {
		w.leaf.path = append(w.leaf.path, root)
	}
	if fault := w.value(s); fault != nil {
		return dst, src, fault.in(w.leaf.Path())
	}
	return w.dst, d.src[d.at:], nil
}

// shapeNamed is the described type of this name, nil if there is none.
func (c *Codec) shapeNamed(name string) *shape {
	if c.theirs != nil {
		return c.theirs.named(name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for t, s := range c.shapes {
		if typeName(t) == name {
			return s
		}
	}
	return nil
}

type walker struct {
	d     *decoder
	dst   []byte
	leaf  Leaf
	visit func(*Leaf) ([]byte, Verdict)
}

// copied appends what take takes, as it is.
func (w *walker) copied(take func() *Error) *Error {
	from := w.d.at
	err := take()
	w.dst = append(w.dst, w.d.src[from:w.d.at]...)
	return err
}

func (w *walker) count() (n uint64, err *Error) {
	err = w.copied(func() *Error { n, err = w.d.uint(); return err })
	return n, err
}

func (w *walker) value(s *shape) *Error {
	switch s.kind {
	case kString:
		return w.text(false)
	case kBytes:
		return w.bytes()
	case kError, kAny, kPointer, kSlice, kArray, kMap, kStruct:
		if err := w.d.deeper(); err != nil {
			return err
		}
		defer func() { w.d.depth-- }()
	default:
		return w.copied(func() *Error { return w.d.skip(s) })
	}
	switch s.kind {
	case kError:
		return w.err()
	case kAny:
		return w.any()
	case kPointer:
		return w.pointer(s)
	case kMap:
		return w.entries(s)
	case kStruct:
		return w.fields(s)
	default:
		return w.list(s)
	}
}

// ask asks what becomes of a leaf.
func (w *walker) ask(value []byte, isBytes, isError bool) ([]byte, Verdict) {
	w.leaf.Value, w.leaf.Bytes, w.leaf.Error = value, isBytes, isError
	with, verdict := w.visit(&w.leaf)
	switch verdict {
	case Keep:
		with = value
	case Drop:
		with = nil
	default:
	}
	return with, verdict
}

func (w *walker) text(isError bool) *Error {
	b, err := w.d.text()
	if err != nil {
		return err
	}
	b, _ = w.ask(b, false, isError)
	w.dst = append(appendUint(w.dst, uint64(len(b))), b...)
	return nil
}

func (w *walker) bytes() *Error {
	n, err := w.d.count(1)
	if err != nil {
		return err
	}
	if n < 0 {
		w.dst = append(w.dst, 0)
		return nil
	}
	b, err := w.d.take(uint64(n))
	if err != nil {
		return err
	}
	b, _ = w.ask(b, true, false)
	w.dst = append(appendUint(w.dst, uint64(len(b))+1), b...)
	return nil
}

func (w *walker) fields(s *shape) *Error {
	tag, name := w.leaf.Tag, w.leaf.Name
	for _, f := range s.fields {
		if f.shape.least == 0 {
			continue
		}
		if f.tag != "" {
			w.leaf.Tag = f.tag
		}
		w.leaf.path = append(w.leaf.path, f.name)
		from := w.d.at
		if err := w.value(f.shape); err != nil {
			return err
		}
		if tag == "properties" && f.shape.kind == kString && w.leaf.Name == name {
			w.leaf.Name = textOf(w.d.src[from:]) // what follows is its value
		}
		w.leaf.path, w.leaf.Tag = w.leaf.path[:len(w.leaf.path)-1], tag
	}
	w.leaf.Name = name
	return nil
}

// textOf is the text at the beginning of src, which is there.
func textOf(src []byte) string {
	d := decoder{src: src}
	b, _ := d.text()
	return string(b)
}

func (w *walker) list(s *shape) *Error {
	n, least := uint64(s.count), 1
	if s.kind == kSlice {
		got, err := w.d.count(s.elem.perElement())
		if err != nil {
			return err
		}
		w.dst = appendUint(w.dst, uint64(got+1))
		n, least = uint64(max(got, 0)), s.elem.least
	} else if s.least == 0 {
		return nil
	}
	for ; n > 0; n-- {
		if err := w.copied(func() *Error { return w.d.padding(least) }); err != nil {
			return err
		}
		if err := w.value(s.elem); err != nil {
			return err
		}
	}
	return nil
}
