// Contract: lists and maps inside bodies. Maps are written in the order of their keys, so that
// the same value is always the same text. Maps keyed by a message queue have whole objects as
// keys; a string that holds the object's JSON is read as well, and a key that is a reference
// which the text does not resolve is reported, not guessed.

package protocol

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"mqscope/engine/internal/fastjson"
	"mqscope/engine/mq"
)

const maxFloat = math.MaxFloat64

// list writes or reads an array member; nil is written as an empty one.
func list[E any](c *codec, name string, p *[]E, elem func(*codec, *E)) {
	if c.at(name) {
		listValue(c, p, elem)
	}
}

// listValue is an array in value position.
func listValue[E any](c *codec, p *[]E, elem func(*codec, *E)) {
	if c.writing {
		c.out = append(c.out, '[')
		for i := range *p {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			elem(c, &(*p)[i])
		}
		c.out = append(c.out, ']')
		return
	}
	if c.value.kind != arrayNode {
		c.fail("want an array")
		return
	}
	items := c.value.list
	*p = nil
	for i := range items {
		if !c.spend(1) {
			return
		}
		c.value = c.resolve(&items[i])
		if c.value == nil || c.value.kind == nullNode {
			continue
		}
		var e E
		elem(c, &e)
		*p = append(*p, e)
	}
}

// texts is a list of strings in value position.
func texts(c *codec, p *[]string) { listValue(c, p, strValue) }

// objects is a list of bodies.
func objects[T any, P bodyOf[T]](c *codec, name string, p *[]T) {
	list(c, name, p, objectValue[T, P])
}

// object is one body as a member.
func object[T any, P bodyOf[T]](c *codec, name string, p *T) {
	if c.at(name) {
		c.inObject(P(p))
	}
}

// pointer is a body that may be absent.
func pointer[T any, P bodyOf[T]](c *codec, name string, p **T) {
	if c.writing && *p == nil || !c.at(name) {
		return
	}
	if !c.writing {
		*p = new(T)
	}
	c.inObject(P(*p))
}

// table writes or reads a map as a member. writeKey and readKey turn a key into text and back.
func table[K comparable, V any](c *codec, name string, p *map[K]V, compare func(a, b K) int,
	writeKey func(c *codec, k K), readKey func(c *codec, n *node) (K, bool), val func(*codec, *V)) {
	if c.at(name) {
		tableValue(c, p, compare, writeKey, readKey, val)
	}
}

// tableValue is a map in value position.
func tableValue[K comparable, V any](c *codec, p *map[K]V, compare func(a, b K) int,
	writeKey func(c *codec, k K), readKey func(c *codec, n *node) (K, bool), val func(*codec, *V)) {
	if c.writing {
		writeTable(c, *p, compare, writeKey, val)
		return
	}
	readTable(c, p, readKey, val)
}

func writeTable[K comparable, V any](c *codec, m map[K]V, compare func(a, b K) int,
	writeKey func(c *codec, k K), val func(*codec, *V)) {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compare)
	c.out = append(c.out, '{')
	for i, k := range keys {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		writeKey(c, k)
		c.out = append(c.out, ':')
		v := m[k]
		val(c, &v)
	}
	c.out = append(c.out, '}')
}

func readTable[K comparable, V any](c *codec, p *map[K]V, readKey func(c *codec, n *node) (K, bool),
	val func(*codec, *V)) {
	if c.value.kind != objectNode {
		c.fail("want an object")
		return
	}
	items := c.value.list
	*p = nil
	if len(items) == 0 {
		return
	}
	*p = make(map[K]V, min(len(items)/2, 1024))
	for i := 0; i+1 < len(items); i += 2 {
		if !c.spend(1) {
			return
		}
		k, ok := readKey(c, &items[i])
		if !ok {
			continue
		}
		// A null is no value: taken for zero it would be an offset to go back to.
		if c.value = c.resolve(&items[i+1]); c.value == nil || c.value.kind == nullNode {
			continue
		}
		var v V
		val(c, &v)
		(*p)[k] = v
	}
}

// textTable is a map from strings.
func textTable[V any](c *codec, name string, p *map[string]V, val func(*codec, *V)) {
	table(c, name, p, strings.Compare, writeTextKey, readTextKey, val)
}

func writeTextKey(c *codec, k string) { c.out = fastjson.Append(c.out, k) }

func readTextKey(_ *codec, n *node) (string, bool) { return n.text, n.kind != nullNode }

// textTableValue is such a map in value position.
func textTableValue[V any](c *codec, p *map[string]V, val func(*codec, *V)) {
	tableValue(c, p, strings.Compare, writeTextKey, readTextKey, val)
}

// intTable is a map from integers, which fastjson does not quote.
func intTable[K int32 | int64, V any](c *codec, name string, p *map[K]V, val func(*codec, *V)) {
	table(c, name, p, cmp.Compare[K], writeIntKey[K], readIntKey[K], val)
}

// intTableValue is such a map in value position.
func intTableValue[K int32 | int64, V any](c *codec, p *map[K]V, val func(*codec, *V)) {
	tableValue(c, p, cmp.Compare[K], writeIntKey[K], readIntKey[K], val)
}

func writeIntKey[K int32 | int64](c *codec, k K) {
	if c.standard {
		c.out = append(c.out, '"')
	}
	c.out = strconv.AppendInt(c.out, int64(k), 10)
	if c.standard {
		c.out = append(c.out, '"')
	}
}

func readIntKey[K int32 | int64](c *codec, n *node) (K, bool) {
	v, ok := n.integer(64)
	if !ok || n.kind == nullNode || n.text == "" || int64(K(v)) != v {
		c.fail("want integers as keys, got " + clipped(n.text))
		return 0, false
	}
	return K(v), true
}

// queueTable is a map from message queues. unresolved counts the entries whose key is a
// reference into another part of the text, or none at all; they are left out of the map.
func queueTable[V any](c *codec, name string, p *map[mq.MessageQueue]V, unresolved *int, val func(*codec, *V)) {
	table(c, name, p, mq.MessageQueue.Compare, writeQueueKey, queueKeyReader(unresolved), val)
}

// queueTableValue is such a map in value position.
func queueTableValue[V any](c *codec, p *map[mq.MessageQueue]V, unresolved *int, val func(*codec, *V)) {
	tableValue(c, p, mq.MessageQueue.Compare, writeQueueKey, queueKeyReader(unresolved), val)
}

func writeQueueKey(c *codec, q mq.MessageQueue) {
	if !c.standard {
		c.inObject((*queueBody)(&q))
		return
	}
	inner := codec{writing: true}
	inner.inObject((*queueBody)(&q))
	c.out = fastjson.Append(c.out, string(inner.out))
}

func queueKeyReader(unresolved *int) func(*codec, *node) (mq.MessageQueue, bool) {
	return func(c *codec, n *node) (mq.MessageQueue, bool) {
		q, ok := c.queueKey(n)
		if !ok {
			*unresolved++
		}
		return q, ok
	}
}

// queueKey reads a message queue in key position.
func (c *codec) queueKey(n *node) (mq.MessageQueue, bool) {
	var q mq.MessageQueue
	switch n.kind {
	case objectNode:
		n = c.resolveKey(n)
		if n == nil || n.kind != objectNode {
			return q, false
		}
	case stringNode:
		if strings.TrimSpace(n.text) == "" {
			return q, false
		}
		inner, r := parseJSON([]byte(n.text))
		if r.why != "" || inner.kind != objectNode {
			c.fail("want a message queue as key, got " + clipped(n.text))
			return q, false
		}
		c.budget += 2 * r.values
		n = &inner
	default:
		return q, false
	}
	outer := c.value
	c.value = n
	c.inObject((*queueBody)(&q))
	c.value = outer
	return q, true
}

// resolveKey follows a reference in key position. Such a path names a key, and shows it as
// null when it is an object; it can be followed only where there is one such key.
func (c *codec) resolveKey(n *node) *node {
	if !n.isRef() {
		return n
	}
	parent, ok := strings.CutSuffix(n.list[1].text, ".null")
	if !ok {
		return c.resolve(n)
	}
	m := c.lookup(parent)
	if m == nil || m.kind != objectNode || !c.spend(len(m.list)/2) {
		return nil
	}
	var key *node
	for i := 0; i < len(m.list); i += 2 {
		if k := &m.list[i]; k.kind == objectNode && !k.isRef() {
			if key != nil {
				return nil
			}
			key = k
		}
	}
	return key
}

// queueBody is a message queue as JSON.
type queueBody mq.MessageQueue

func (q *queueBody) members(c *codec) {
	c.str("brokerName", &q.BrokerName)
	c.i32("queueId", &q.QueueID)
	c.str("topic", &q.Topic)
}

func queueValue(c *codec, q *mq.MessageQueue) { c.inObject((*queueBody)(q)) }

// queueSet is a list of message queues in which each is kept once.
func queueSet(c *codec, name string, p *[]mq.MessageQueue) {
	list(c, name, p, queueValue)
	if c.writing || len(*p) < 2 {
		return
	}
	seen := make(map[mq.MessageQueue]struct{}, len(*p))
	*p = slices.DeleteFunc(*p, func(q mq.MessageQueue) bool {
		_, twice := seen[q]
		seen[q] = struct{}{}
		return twice
	})
}

// enum is a Java enum: its name without regard to case, or its ordinal. names are in Java's
// order and paired with the Go values. An unknown name leaves unknown, an ordinal out of range
// is an error, and unknown is not written.
func enum[T comparable](c *codec, name string, p *T, unknown T, values []T, text func(T) string) {
	if c.writing {
		if *p != unknown && c.at(name) {
			c.out = fastjson.Append(c.out, text(*p))
		}
		return
	}
	if !c.at(name) {
		return
	}
	*p = unknown
	switch c.value.kind {
	case numberNode:
		i, ok := c.value.integer(32)
		if !ok || i < 0 || int(i) >= len(values) {
			c.fail("no such constant: " + clipped(c.value.text))
			return
		}
		*p = values[i]
	case stringNode:
		for _, v := range values {
			if strings.EqualFold(text(v), c.value.text) {
				*p = v
			}
		}
	default:
		c.fail("want the name of a constant, got " + clipped(c.value.text))
	}
}
