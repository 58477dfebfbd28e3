package pack

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const (
	maxDescription = 4 << 20
	maxTypes       = 8192
)

// description is what Describe told, read again.
type description struct {
	shapes    []*shape
	types     []named
	roots     map[string]*shape
	sentinels []told
}

type named struct {
	name  string
	shape *shape
}

type told struct{ name, text string }

// Adapt returns a codec that decodes what was written under a description, into the types of
// this one as far as they agree: fields that only one side has are passed over or become zero.
// Where they do not, Decode fails. What it appends has this program's shapes.
func (c *Codec) Adapt(text string) (*Codec, error) {
	theirs, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("description of the recorded types: %w", err)
	}
	a := &Codec{
		types: slices.Clone(c.types), numbers: c.numbers, sentinels: slices.Clone(c.sentinels),
		known: c.known, kinds: c.kinds, theirs: theirs,
	}
	a.start(len(theirs.types))
	return a, nil
}

func parse(text string) (*description, error) {
	if len(text) > maxDescription {
		return nil, fmt.Errorf("%d bytes, at most %d", len(text), maxDescription)
	}
	head, rest, _ := strings.Cut(text, "\n")
	if head != describeHead {
		return nil, fmt.Errorf("it begins with %.40q, not with %q: another version of mqscope wrote it", head, describeHead)
	}
	total := strings.Count(rest, "\nt ") + 1
	if total > maxTypes {
		return nil, fmt.Errorf("%d types, at most %d", total, maxTypes)
	}
	p := parser{d: &description{roots: map[string]*shape{}}, ahead: make([]shape, total)}
	for n := 2; rest != ""; n++ {
		p.rest, rest, _ = strings.Cut(rest, "\n")
		if err := p.line(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if p.highest >= len(p.d.shapes) {
		return nil, fmt.Errorf("type %d is used and not described", p.highest)
	}
	for _, s := range p.d.shapes {
		if err := s.measure(0); err != nil {
			return nil, err
		}
	}
	return p.d, nil
}

// parser reads the line that is rest.
type parser struct {
	d       *description
	rest    string
	ahead   []shape // of all types: lines may name later ones
	highest int     // number that was named
}

func (p *parser) word() string {
	word, rest, _ := strings.Cut(p.rest, " ")
	p.rest = rest
	return word
}

func (p *parser) quoted() (string, error) {
	q, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return "", fmt.Errorf("%.40q is no text in quotes", p.rest)
	}
	p.rest = strings.TrimPrefix(p.rest[len(q):], " ")
	return strconv.Unquote(q)
}

func (p *parser) number() (int, error) {
	word := p.word()
	n, err := strconv.ParseUint(word, 10, 40)
	if err != nil {
		return 0, fmt.Errorf("%.40q is no number", word)
	}
	return int(n), nil
}

func (p *parser) shape(word string) (*shape, error) {
	n, err := strconv.ParseUint(word, 10, 40)
	if err != nil || n >= uint64(len(p.ahead)) {
		return nil, fmt.Errorf("%.40q is the number of no type", word)
	}
	p.highest = max(p.highest, int(n))
	return &p.ahead[n], nil
}

func (p *parser) line() error {
	what := p.word()
	if what == "t" {
		return p.typ()
	}
	if what != "n" && what != "r" && what != "e" {
		return fmt.Errorf("unknown word %.40q", what)
	}
	name, err := p.quoted()
	if err != nil {
		return err
	}
	if what == "e" {
		text, err := p.quoted()
		p.d.sentinels = append(p.d.sentinels, told{name, text})
		return err
	}
	s, err := p.shape(p.word())
	if err != nil {
		return err
	}
	if what == "n" {
		p.d.types = append(p.d.types, named{name, s})
	}
	p.d.roots[name] = s
	return nil
}

func (p *parser) typ() (err error) {
	if len(p.d.shapes) == len(p.ahead) {
		return fmt.Errorf("more types than lines that begin with one")
	}
	word := p.word()
	k := slices.Index(kindNames[:], word)
	if k < 0 {
		return fmt.Errorf("%.40q is no kind of type", word)
	}
	s := &p.ahead[len(p.d.shapes)]
	p.d.shapes = append(p.d.shapes, s)
	s.kind = kind(k)
	if s.kind == kRaw || s.kind == kArray {
		if s.count, err = p.number(); err != nil {
			return err
		}
	}
	if s.kind == kMap {
		if s.key, err = p.shape(p.word()); err != nil {
			return err
		}
	}
	switch s.kind {
	case kPointer, kSlice, kArray, kMap:
		s.elem, err = p.shape(p.word())
	case kStruct:
		err = p.fields(s)
	default:
	}
	return err
}

func (p *parser) fields(s *shape) (err error) {
	if s.name, err = p.quoted(); err != nil {
		return err
	}
	names := map[string]bool{}
	for p.rest != "" {
		name, rest, _ := strings.Cut(p.word(), ":")
		number, tag, _ := strings.Cut(rest, ":")
		of, err := p.shape(number)
		if err != nil {
			return err
		}
		if names[name] {
			return fmt.Errorf("two fields %.40q", name)
		}
		names[name] = true
		s.fields = append(s.fields, field{name: name, tag: tag, shape: of})
	}
	return nil
}

// named is the type of this name, nil if none is described.
func (d *description) named(name string) *shape {
	if s := d.roots[name]; s != nil {
		return s
	}
	for _, s := range d.shapes {
		if s.kind == kStruct && s.name == name {
			return s
		}
	}
	return nil
}

// root is how a t was written that is not inside anything; ours is how this program does.
func (d *description) root(t reflect.Type, ours *shape) (*shape, *Error) {
	name := typeName(t)
	if s := d.named(name); s != nil {
		return s, nil
	}
	switch ours.kind {
	case kPointer, kSlice, kArray, kMap, kRaw, kStruct:
	default:
		return ours, nil
	}
	return nil, problem("the recording does not describe it").in(name)
}

// numbered is the type of this program that has the name of their type n.
func (d *description) numbered(c *Codec, n uint64) (reflect.Type, *shape, *Error) {
	name, s := d.types[n].name, d.types[n].shape
	for _, t := range c.types {
		if typeName(t) == name {
			return t, s, nil
		}
	}
	return nil, nil, problem("%q is not known to this program: it was written by another version", name)
}

func (d *description) sentinel(c *Codec, n uint64, to *error) *Error {
	if n >= uint64(len(d.sentinels)) {
		return problem("there is no sentinel %d", n)
	}
	for _, s := range c.sentinels {
		if s.name == d.sentinels[n].name {
			*to = s.err
			return nil
		}
	}
	*to = errors.New(d.sentinels[n].text)
	return nil
}
