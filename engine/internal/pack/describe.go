package pack

import (
	"reflect"
	"strconv"
	"strings"
)

// A description is lines of words:
//
//	pack 1                          what it is, and its version
//	t KIND …                        a type; they count from 0
//	t raw LENGTH
//	t pointer TYPE                  also slice
//	t array LENGTH TYPE
//	t map TYPE TYPE
//	t struct "NAME" FIELD:TYPE …    or FIELD:TYPE:TAG
//	n "NAME" TYPE                   a type that interfaces hold; they count from 0
//	r "NAME" TYPE                   another one that has a name
//	e "NAME" "TEXT"                 a sentinel; they count from 0
const describeHead = "pack 1"

// Describe tells how the registered types, and those of values, are written: a text for Adapt.
func (c *Codec) Describe(values ...any) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := describer{codec: c, numbers: map[*shape]int{}}
	w.text.WriteString(describeHead + "\n")
	for _, t := range c.types {
		w.named("n", t)
	}
	for _, v := range values {
		w.named("r", reflect.TypeOf(v))
	}
	for _, s := range c.sentinels {
		w.text.WriteString("e " + strconv.Quote(s.name) + " " + strconv.Quote(s.err.Error()) + "\n")
	}
	return w.text.String()
}

type describer struct {
	codec   *Codec
	numbers map[*shape]int
	all     []*shape
	text    strings.Builder
}

func (w *describer) named(line string, t reflect.Type) {
	s, err := w.codec.shapeOf(t)
	if err != nil {
		panic(err)
	}
	n := w.number(s)
	w.text.WriteString(line + " " + strconv.Quote(typeName(t)) + " " + strconv.Itoa(n) + "\n")
}

// number writes s and all that it reaches, if they are not written.
func (w *describer) number(s *shape) int {
	if n, ok := w.numbers[s]; ok {
		return n
	}
	from := len(w.all)
	w.collect(s)
	for _, s := range w.all[from:] {
		w.line(s)
	}
	return w.numbers[s]
}

func (w *describer) collect(s *shape) {
	if _, ok := w.numbers[s]; s == nil || ok {
		return
	}
	w.numbers[s] = len(w.all)
	w.all = append(w.all, s)
	w.collect(s.key)
	w.collect(s.elem)
	for _, f := range s.fields {
		w.collect(f.shape)
	}
}

func (w *describer) line(s *shape) {
	words := []string{"t", s.kind.String()}
	switch s.kind {
	case kRaw, kArray:
		words = append(words, strconv.Itoa(s.count))
	case kStruct:
		words = append(words, strconv.Quote(s.name))
	default:
	}
	for _, of := range []*shape{s.key, s.elem} {
		if of != nil {
			words = append(words, strconv.Itoa(w.numbers[of]))
		}
	}
	for _, f := range s.fields {
		word := f.name + ":" + strconv.Itoa(w.numbers[f.shape])
		if f.tag != "" {
			word += ":" + f.tag
		}
		words = append(words, word)
	}
	w.text.WriteString(strings.Join(words, " ") + "\n")
}
