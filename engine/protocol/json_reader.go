// Contract: reads the JSON dialect of RocketMQ bodies, which fastjson writes: besides standard
// JSON, integers and whole objects as keys, null as a key, raw control characters in strings,
// NaN and Infinity, a comma before a closing bracket, single-quoted strings and bare
// identifiers as keys. Numbers stay text until the type they go into is known, so that no
// int64 passes through a float64. Depth and the number of values are limited.

package protocol

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mqscope/engine/internal/fastjson"
)

const (
	maxJSONDepth  = 32
	maxJSONValues = 1 << 20
)

type nodeKind uint8

const (
	nullNode nodeKind = iota
	boolNode
	numberNode
	stringNode
	arrayNode
	objectNode
)

// node is one value as read. text is what a string says, or the source text of anything else.
// list holds the elements of an array, or key, value, key, value of an object.
type node struct {
	text string
	list []node
	kind nodeKind
}

// jsonReader is a recursive descent over one text.
type jsonReader struct {
	src    string
	pos    int
	depth  int
	values int
	why    string // the first fault, at pos
}

// parseJSON reads data whole. After a fault r.why is not empty and r.pos says where.
func parseJSON(data []byte) (n node, r jsonReader) {
	r = jsonReader{src: validText(data)}
	r.space()
	n, ok := r.value()
	if !ok {
		return node{}, r
	}
	r.space()
	if r.pos < len(r.src) {
		r.fail("text behind the end of the value")
	}
	return n, r
}

// validText is data with U+FFFD for each byte that is not UTF-8.
func validText(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	out := make([]byte, 0, len(data)+utf8.UTFMax)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		out = utf8.AppendRune(out, r)
		data = data[size:]
	}
	return string(out)
}

func (r *jsonReader) fail(why string) bool {
	if r.why == "" {
		r.why = why
	}
	return false
}

// peek is the next byte, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

func (r *jsonReader) space() {
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case ' ', '\t', '\r', '\n':
			r.pos++
		default:
			return
		}
	}
}

func (r *jsonReader) value() (node, bool) {
	if r.values++; r.values > maxJSONValues {
		return node{}, r.fail("more than " + strconv.Itoa(maxJSONValues) + " values")
	}
	switch c := r.peek(); {
	case c == '{':
		return r.object()
	case c == '[':
		return r.array()
	case c == '"' || c == '\'':
		text, next, why := fastjson.String(r.src, r.pos)
		if r.pos = next; why != "" {
			return node{}, r.fail(why)
		}
		return node{kind: stringNode, text: text}, true
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return r.number()
	case isWordByte(c):
		return r.word()
	case r.pos >= len(r.src):
		return node{}, r.fail("unexpected end")
	}
	return node{}, r.fail("no value begins here")
}

func (r *jsonReader) object() (node, bool) {
	from := r.pos
	if !r.enter() {
		return node{}, false
	}
	n := node{kind: objectNode}
	for {
		r.space()
		if r.peek() == '}' {
			break
		}
		key, ok := r.key()
		if !ok {
			return node{}, false
		}
		r.space()
		if r.peek() != ':' {
			return node{}, r.fail("want ':' after a key")
		}
		r.pos++
		r.space()
		val, ok := r.value()
		if !ok {
			return node{}, false
		}
		n.list = append(n.list, key, val)
		r.space()
		if r.peek() == ',' {
			r.pos++
			continue
		}
		if r.peek() != '}' {
			return node{}, r.fail("want ',' or '}'")
		}
	}
	r.leave()
	n.text = r.src[from:r.pos]
	return n, true
}

func (r *jsonReader) array() (node, bool) {
	from := r.pos
	if !r.enter() {
		return node{}, false
	}
	n := node{kind: arrayNode}
	for {
		r.space()
		if r.peek() == ']' {
			break
		}
		val, ok := r.value()
		if !ok {
			return node{}, false
		}
		n.list = append(n.list, val)
		r.space()
		if r.peek() == ',' {
			r.pos++
			continue
		}
		if r.peek() != ']' {
			return node{}, r.fail("want ',' or ']'")
		}
	}
	r.leave()
	n.text = r.src[from:r.pos]
	return n, true
}

// enter steps over an opening bracket, leave over a closing one.
func (r *jsonReader) enter() bool {
	if r.depth++; r.depth > maxJSONDepth {
		return r.fail("nested deeper than " + strconv.Itoa(maxJSONDepth))
	}
	r.pos++
	return true
}

func (r *jsonReader) leave() {
	r.depth--
	r.pos++
}

// key reads what stands before a colon: any value but an array, or a bare identifier.
func (r *jsonReader) key() (node, bool) {
	if r.peek() == '[' {
		return node{}, r.fail("an array can not be a key")
	}
	if c := r.peek(); isWordByte(c) {
		if r.values++; r.values > maxJSONValues {
			return node{}, r.fail("more than " + strconv.Itoa(maxJSONValues) + " values")
		}
		w := r.bare()
		if w == "null" {
			return node{kind: nullNode, text: w}, true
		}
		return node{kind: stringNode, text: w}, true
	}
	return r.value()
}

func (r *jsonReader) number() (node, bool) {
	from := r.pos
	if r.peek() == '-' && strings.HasPrefix(r.src[r.pos+1:], "Infinity") {
		r.pos += len("-Infinity")
		return node{kind: numberNode, text: r.src[from:r.pos]}, true
	}
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		if c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E' {
			r.pos++
			continue
		}
		break
	}
	text := r.src[from:r.pos]
	if _, err := strconv.ParseFloat(text, 64); err != nil && !isRangeError(err) {
		r.pos = from
		return node{}, r.fail("malformed number")
	}
	return node{kind: numberNode, text: text}, true
}

func (r *jsonReader) word() (node, bool) {
	from := r.pos
	switch w := r.bare(); w {
	case "null":
		return node{kind: nullNode, text: w}, true
	case "true", "false":
		return node{kind: boolNode, text: w}, true
	case "NaN", "Infinity":
		return node{kind: numberNode, text: w}, true
	}
	r.pos = from
	return node{}, r.fail("unknown word")
}

func (r *jsonReader) bare() string {
	from := r.pos
	for r.pos < len(r.src) && (isWordByte(r.src[r.pos]) || r.src[r.pos] >= '0' && r.src[r.pos] <= '9') {
		r.pos++
	}
	return r.src[from:r.pos]
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

// member finds a member by its name without regard to case; the last one wins, as when
// fastjson sets one field after the other.
func (n *node) member(name string) *node {
	for i := len(n.list) - 2; i >= 0; i -= 2 {
		if k := &n.list[i]; k.kind == stringNode && strings.EqualFold(k.text, name) {
			return &n.list[i+1]
		}
	}
	return nil
}
