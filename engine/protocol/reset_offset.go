// Contract: INVOKE_BROKER_TO_RESET_OFFSET (222, tool to broker) and
// RESET_CONSUMER_CLIENT_OFFSET (220, broker to client, one-way). Both carry ResetOffsetBody,
// 222 in the answer. By default the broker only records the target and the consumer learns of
// it by PullOffsetMoved; else it pushes 220, and 206 means that nobody is online.

package protocol

import (
	"mqscope/engine/mq"
)

// ResetOffsetRequest moves the offsets of a group (Java: ResetOffsetRequestHeader).
type ResetOffsetRequest struct {
	TopicBase

	Topic     string
	Group     string
	QueueID   int32      // -1: all queues
	Offset    Opt[int64] // -1: none, go by the timestamp
	Timestamp int64      // ms; negative: the end of the queue
	Force     bool       // also forward
}

func (h *ResetOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.str("group", &h.Group, required)
	if v.decoding {
		h.QueueID = -1 // when the peer leaves it out
	}
	v.i32("queueId", &h.QueueID, always)
	v.optI64("offset", &h.Offset)
	v.i64("timestamp", &h.Timestamp, required)
	v.boolean("isForce", &h.Force, required)
}

// ResetOffsetBody is where each queue is to go on (Java: ResetOffsetBody).
type ResetOffsetBody struct {
	OffsetTable map[mq.MessageQueue]int64
	Unresolved  int // entries of the body whose queue could not be read
}

func (b *ResetOffsetBody) members(c *codec) {
	if !c.writing {
		if v := c.object.member("offsetTable"); v != nil && v.kind == arrayNode {
			b.readList(c, v)
			return
		}
	}
	queueTable(c, "offsetTable", &b.OffsetTable, &b.Unresolved, i64Value)
}

// readList reads the two list forms: objects with an offset of their own, which brokers send
// after a C++ tool asked (Java: ResetOffsetBodyForC), and pairs of queue and offset.
func (b *ResetOffsetBody) readList(c *codec, array *node) {
	c.key = "offsetTable"
	for i := range array.list {
		item := c.resolve(&array.list[i])
		if item == nil || !c.spend(1) {
			return
		}
		var e resetEntry
		c.value = item
		if item.kind == arrayNode && len(item.list) == 2 {
			c.value = &item.list[0]
			c.inObject(&e)
			c.value = &item.list[1]
			i64Value(c, &e.offset)
			e.hasOffset = c.value.kind != nullNode
		} else {
			c.inObject(&e)
		}
		if !e.hasOffset {
			b.Unresolved++
			continue
		}
		if b.OffsetTable == nil {
			b.OffsetTable = make(map[mq.MessageQueue]int64)
		}
		b.OffsetTable[e.queue] = e.offset
	}
}

// resetEntry is one entry of the list forms.
type resetEntry struct {
	queue     mq.MessageQueue
	offset    int64
	hasOffset bool
}

func (e *resetEntry) members(c *codec) {
	(*queueBody)(&e.queue).members(c)
	if c.at("offset") {
		e.hasOffset = true
		i64Value(c, &e.offset)
	}
}

// Encode writes b as JSON.
func (b ResetOffsetBody) Encode() []byte { return encodeBody(&b) }

// DecodeResetOffsetBody reads the body of a reset in any of its three forms.
func DecodeResetOffsetBody(data []byte) (ResetOffsetBody, error) {
	return decodeBody[ResetOffsetBody](data)
}
