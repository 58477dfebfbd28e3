// Contract: how a body type becomes JSON and back. A body has one members method that names
// each member once, in alphabetical order as Java writes them; encodeBody and decodeBody run
// it in either direction. Unknown members are ignored, names match without regard to case, an
// absent or null member leaves the field as it is, and $ref objects are followed. Text fields
// that are empty are not written (Java: null).

package protocol

import (
	"encoding/base64"
	"reflect"
	"strconv"
	"strings"

	"mqscope/engine/internal/fastjson"
)

// spareDecodeSteps is what a body may take on top of four steps a value: without references
// two are enough.
const spareDecodeSteps = 1 << 14

// body is what a JSON body type provides: one pass over its members.
type body interface{ members(c *codec) }

// bodyOf is a body through the pointer to its type.
type bodyOf[T any] interface {
	*T
	body
}

// codec carries one pass over a body, in either direction.
type codec struct {
	// Writing.
	out      []byte
	first    bool // no member written yet into the object at hand
	standard bool // keys that are not strings are quoted
	writing  bool

	// Reading.
	root   *node
	object *node // whose members are being read
	value  *node // what stands at the place of the value being read
	budget int   // how many more steps may be taken, as $ref can multiply them
	err    *BodyError
	key    string // the member being read, for errors
}

// encodeBody writes b in the dialect that Apache's tools and clients expect.
func encodeBody(b body) []byte { return encodeDialect(b, false) }

func encodeDialect(b body, standard bool) []byte {
	c := codec{writing: true, standard: standard, out: make([]byte, 0, 256)}
	c.inObject(b)
	return c.out
}

// decodeBody reads a body from its zero value. The error is a *BodyError.
func decodeBody[T any, P bodyOf[T]](data []byte) (T, error) {
	var v T
	err := decodeInto[T, P](data, &v)
	return v, err
}

// decodeInto reads a body over the defaults in v.
func decodeInto[T any, P bodyOf[T]](data []byte, v *T) error {
	root, r := parseJSON(data)
	if r.why == "" && root.kind != objectNode {
		r.why, r.pos = "want an object", 0
	}
	if r.why != "" {
		return &BodyError{Body: bodyName(v), Pos: r.pos, Why: r.why}
	}
	c := codec{root: &root, value: &root, budget: spareDecodeSteps + 4*r.values}
	c.inObject(P(v))
	if c.err != nil {
		c.err.Body = bodyName(v)
		return c.err
	}
	return nil
}

func bodyName(v any) string {
	name := reflect.TypeOf(v).String()
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (c *codec) fail(why string) {
	if c.err == nil {
		c.err = &BodyError{Field: c.key, Pos: -1, Why: why}
	}
}

// inObject writes or reads one object at the place of the value.
func (c *codec) inObject(b body) {
	if c.writing {
		outer := c.first
		c.first = true
		c.out = append(c.out, '{')
		b.members(c)
		c.out = append(c.out, '}')
		c.first = outer
		return
	}
	if c.value.kind == nullNode || !c.spend(1+len(c.value.list)/2) {
		return
	}
	if c.value.kind != objectNode {
		c.fail("want an object")
		return
	}
	outer := c.object
	c.object = c.value
	b.members(c)
	c.object = outer
}

// spend takes steps off the budget: one for each value built or member looked through.
func (c *codec) spend(steps int) bool {
	if c.budget -= steps; c.budget < 0 {
		c.fail("references make it too large")
		return false
	}
	return c.err == nil
}

// at positions c at a member: writing puts the key, reading finds the value. It tells whether
// there is something to write or read.
func (c *codec) at(name string) bool {
	if c.writing {
		if !c.first {
			c.out = append(c.out, ',')
		}
		c.first = false
		c.out = fastjson.Append(c.out, name)
		c.out = append(c.out, ':')
		return true
	}
	if c.err != nil {
		return false
	}
	c.key = name
	v := c.resolve(c.object.member(name))
	if v == nil || v.kind == nullNode {
		return false
	}
	c.value = v
	return true
}

// resolve follows references, which fastjson writes for an instance it has written before.
func (c *codec) resolve(n *node) *node {
	for range maxJSONDepth {
		if n == nil || !n.isRef() {
			return n
		}
		n = c.lookup(n.list[1].text)
	}
	return nil
}

// isRef tells whether n is {"$ref":"a path"}.
func (n *node) isRef() bool {
	return n.kind == objectNode && len(n.list) == 2 && n.list[0].text == "$ref" && n.list[1].kind == stringNode
}

// lookup finds the value at a path such as $.a.b[2]; nil when the text does not have it.
func (c *codec) lookup(path string) *node {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil
	}
	n := c.root
	for rest != "" && n != nil {
		if after, ok := strings.CutPrefix(rest, "["); ok {
			index, tail, closed := strings.Cut(after, "]")
			i, err := strconv.Atoi(index)
			if !closed || err != nil || i < 0 || n.kind != arrayNode || i >= len(n.list) {
				return nil
			}
			n, rest = &n.list[i], tail
			continue
		}
		rest, ok = strings.CutPrefix(rest, ".")
		if !ok || n.kind != objectNode {
			return nil
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if !c.spend(len(n.list) / 2) {
			return nil
		}
		n, rest = n.member(rest[:end]), rest[end:]
	}
	return n
}

func (c *codec) str(name string, p *string) {
	if c.writing && *p == "" {
		return
	}
	if c.at(name) {
		strValue(c, p)
	}
}

func (c *codec) i32(name string, p *int32) {
	if c.at(name) {
		i32Value(c, p)
	}
}

func (c *codec) i64(name string, p *int64) {
	if c.at(name) {
		i64Value(c, p)
	}
}

func (c *codec) f64(name string, p *float64) {
	if c.at(name) {
		f64Value(c, p)
	}
}

func (c *codec) boolean(name string, p *bool) {
	if c.at(name) {
		boolValue(c, p)
	}
}

// base64 is a byte string as Base64 text, left out when empty.
func (c *codec) base64(name string, p *[]byte) {
	if c.writing {
		if len(*p) > 0 && c.at(name) {
			c.out = fastjson.Append(c.out, base64.StdEncoding.EncodeToString(*p))
		}
		return
	}
	if !c.at(name) {
		return
	}
	raw, err := base64.StdEncoding.DecodeString(c.value.text)
	if err != nil || c.value.kind != stringNode {
		c.fail("want Base64 text")
		return
	}
	*p = raw
}

// The xValue functions write or read one value at its place.

func strValue(c *codec, p *string) {
	switch {
	case c.writing:
		c.out = fastjson.Append(c.out, *p)
	case c.value.kind == nullNode:
		*p = ""
	default:
		*p = c.value.text // the source text where it is no string, as fastjson does
	}
}

func i32Value(c *codec, p *int32) {
	if c.writing {
		c.out = strconv.AppendInt(c.out, int64(*p), 10)
		return
	}
	v, ok := c.value.integer(32)
	if !ok {
		c.fail("want an int32, got " + clipped(c.value.text))
		return
	}
	*p = int32(v)
}

func i64Value(c *codec, p *int64) {
	if c.writing {
		c.out = strconv.AppendInt(c.out, *p, 10)
		return
	}
	v, ok := c.value.integer(64)
	if !ok {
		c.fail("want an int64, got " + clipped(c.value.text))
		return
	}
	*p = v
}

func f64Value(c *codec, p *float64) {
	if c.writing {
		c.out = appendJSONFloat(c.out, *p)
		return
	}
	v, ok := c.value.float()
	if !ok {
		c.fail("want a number, got " + clipped(c.value.text))
		return
	}
	*p = v
}

func boolValue(c *codec, p *bool) {
	if c.writing {
		c.out = strconv.AppendBool(c.out, *p)
		return
	}
	v, ok := c.value.boolean()
	if !ok {
		c.fail("want true or false, got " + clipped(c.value.text))
		return
	}
	*p = v
}

func objectValue[T any, P bodyOf[T]](c *codec, p *T) { c.inObject(P(p)) }

// appendJSONFloat writes like Java where it matters: what is no number becomes null.
func appendJSONFloat(dst []byte, v float64) []byte {
	if v != v || v > maxFloat || v < -maxFloat {
		return append(dst, "null"...)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, v, 'g', -1, 64)
	for _, ch := range dst[from:] {
		if ch == '.' || ch == 'e' {
			return dst
		}
	}
	return append(dst, '.', '0')
}
