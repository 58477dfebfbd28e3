// Contract: how the ext fields of a command become a Go value and back. A header type has
// one visit method that names each field once; Encode and Decode run it in either
// direction. Unknown fields are ignored, the last of equal keys wins, an optional text
// field that is empty counts as absent (the binary header can not tell them apart).
// Deliberately unlike Java, which only logs it: a missing required field is an error.

package protocol

import (
	"reflect"
	"strconv"
	"strings"
)

// Field is one ext field of a command. It is the same type as remoting.Field.
type Field = struct{ Key, Value string }

// Header is the typed form of a command's ext fields (Java: CommandCustomHeader).
type Header interface{ visit(v *visitor) }

// Opt is a field that may be absent, which Java tells apart from zero and false.
type Opt[T int32 | int64 | bool] struct {
	Value T
	Set   bool
}

// Some returns a present field.
func Some[T int32 | int64 | bool](v T) Opt[T] { return Opt[T]{v, true} }

// Or returns the value, or def when the field is absent.
func (o Opt[T]) Or(def T) T {
	if o.Set {
		return o.Value
	}
	return def
}

// Encode writes h as ext fields.
func Encode(h Header) []Field { return AppendFields(make([]Field, 0, 16), h) }

// AppendFields appends the ext fields of h to dst.
func AppendFields(dst []Field, h Header) []Field {
	v := visitor{out: dst}
	h.visit(&v)
	return v.out
}

// Decode reads fields into h, which should be a zero value. The error is a *FieldError.
func Decode(fields []Field, h Header) error {
	v := visitor{decoding: true, in: fields}
	h.visit(&v)
	if v.err != nil {
		v.err.Header = headerName(h)
		return v.err
	}
	return nil
}

// presence says when a field is written and whether it may be missing.
type presence uint8

const (
	optional presence = iota // a text that is left out when empty
	always                   // a Java primitive: always written, may be missing
	required
)

// visitor carries one pass over the fields of a header, in either direction.
type visitor struct {
	out      []Field
	in       []Field
	err      *FieldError // the first fault; Header is filled in by Decode
	decoding bool
}

func (v *visitor) put(key, value string) { v.out = append(v.out, Field{key, value}) }

func (v *visitor) get(key string) (string, bool) {
	for i := len(v.in) - 1; i >= 0; i-- {
		if v.in[i].Key == key {
			return v.in[i].Value, true
		}
	}
	return "", false
}

func (v *visitor) missing(key, want string, p presence) {
	if p == required && v.err == nil {
		v.err = &FieldError{Field: key, Want: want, Missing: true}
	}
}

func (v *visitor) bad(key, value, want string) {
	if v.err == nil {
		v.err = &FieldError{Field: key, Value: value, Want: want}
	}
}

func (v *visitor) str(key string, p *string, mode presence) {
	if !v.decoding {
		if *p != "" || mode != optional {
			v.put(key, *p)
		}
		return
	}
	if s, ok := v.get(key); ok {
		*p = s
		return
	}
	v.missing(key, "text", mode)
}

func (v *visitor) i32(key string, p *int32, mode presence) {
	if !v.decoding {
		v.put(key, strconv.FormatInt(int64(*p), 10))
		return
	}
	if s, ok := v.get(key); ok {
		*p = int32(v.number(key, s, 32, "int32"))
		return
	}
	v.missing(key, "int32", mode)
}

func (v *visitor) i64(key string, p *int64, mode presence) {
	if !v.decoding {
		v.put(key, strconv.FormatInt(*p, 10))
		return
	}
	if s, ok := v.get(key); ok {
		*p = v.number(key, s, 64, "int64")
		return
	}
	v.missing(key, "int64", mode)
}

func (v *visitor) boolean(key string, p *bool, mode presence) {
	if !v.decoding {
		v.put(key, strconv.FormatBool(*p))
		return
	}
	if s, ok := v.get(key); ok {
		*p = javaTrue(s)
		return
	}
	v.missing(key, "true or false", mode)
}

func (v *visitor) optI32(key string, p *Opt[int32]) {
	if !v.decoding {
		if p.Set {
			v.put(key, strconv.FormatInt(int64(p.Value), 10))
		}
		return
	}
	if s, ok := v.get(key); ok {
		*p = Some(int32(v.number(key, s, 32, "int32")))
	}
}

func (v *visitor) optI64(key string, p *Opt[int64]) {
	if !v.decoding {
		if p.Set {
			v.put(key, strconv.FormatInt(p.Value, 10))
		}
		return
	}
	if s, ok := v.get(key); ok {
		*p = Some(v.number(key, s, 64, "int64"))
	}
}

func (v *visitor) optBool(key string, p *Opt[bool]) {
	if !v.decoding {
		if p.Set {
			v.put(key, strconv.FormatBool(p.Value))
		}
		return
	}
	if s, ok := v.get(key); ok {
		*p = Some(javaTrue(s))
	}
}

func (v *visitor) number(key, s string, bits int, want string) int64 {
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		v.bad(key, s, want)
		return 0
	}
	return n
}

// javaTrue is Java's Boolean.parseBoolean: "true" without regard to case, else false.
func javaTrue(s string) bool { return strings.EqualFold(s, "true") }

// Base is the four fields that any request of the families R and T may carry
// (Java: RpcRequestHeader).
type Base struct {
	Namespace  string    // ns: namespace name
	Namespaced Opt[bool] // nsd: names already carry the namespace
	BName      string    // bname: broker name that the request is meant for
	OneWay     Opt[bool] // oway
}

func (b *Base) visitBase(v *visitor) {
	v.str("ns", &b.Namespace, optional)
	v.optBool("nsd", &b.Namespaced)
	v.str("bname", &b.BName, optional)
	v.optBool("oway", &b.OneWay)
}

// TopicBase is Base and the mapping switch of requests about a topic
// (Java: TopicRequestHeader, TopicQueueRequestHeader).
type TopicBase struct {
	Base
	Logical Opt[bool] // lo: false means that queueId is a physical id, not a static topic's
}

func (b *TopicBase) visitTopicBase(v *visitor) {
	v.optBool("lo", &b.Logical)
	b.visitBase(v)
}

// headerName is the Go type name of h without its package.
func headerName(h Header) string {
	name := reflect.TypeOf(h).String()
	return name[strings.LastIndexByte(name, '.')+1:]
}
