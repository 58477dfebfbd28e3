// Contract: ACK_MESSAGE (200051), CHANGE_MESSAGE_INVISIBLETIME (200053) and BATCH_ACK_MESSAGE
// (200151, BatchAck as body, no fields): 13 bad queue, 17 unknown topic, 208 offset out of
// range. JSON headers only.

package protocol

// AckMessageRequest acknowledges a popped message (Java: AckMessageRequestHeader).
type AckMessageRequest struct {
	TopicBase

	ConsumerGroup string
	Topic         string // the real topic: of a retry, the retry topic
	QueueID       int32
	ExtraInfo     string // check point, the message's POP_CK
	Offset        int64
}

func (h *AckMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.str("extraInfo", &h.ExtraInfo, required)
	v.i64("offset", &h.Offset, required)
}

// ChangeInvisibleTimeRequest moves the time when a popped message comes back (Java:
// ChangeInvisibleTimeRequestHeader).
type ChangeInvisibleTimeRequest struct {
	TopicBase

	ConsumerGroup string
	Topic         string
	QueueID       int32
	ExtraInfo     string
	Offset        int64
	InvisibleTime int64 // ms
}

func (h *ChangeInvisibleTimeRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.str("extraInfo", &h.ExtraInfo, required)
	v.i64("offset", &h.Offset, required)
	v.i64("invisibleTime", &h.InvisibleTime, required)
}

// ChangeInvisibleTimeResponse is what the new check point is made of (Java:
// ChangeInvisibleTimeResponseHeader).
type ChangeInvisibleTimeResponse struct {
	PopTime       int64 // ms
	InvisibleTime int64 // ms
	ReviveQueueID int32
}

func (h *ChangeInvisibleTimeResponse) visit(v *visitor) {
	v.i64("popTime", &h.PopTime, required)
	v.i64("invisibleTime", &h.InvisibleTime, required)
	v.i32("reviveQid", &h.ReviveQueueID, required)
}

// BatchAck is the body of BatchAckMessage (Java: BatchAckMessageRequestBody).
type BatchAck struct {
	Acks       []BatchAckEntry
	BrokerName string
}

// BatchAckEntry acknowledges messages of one popped range (Java: BatchAck). The wire has
// one-letter names; the long ones are read too.
type BatchAckEntry struct {
	Bits          []byte // bit i of byte i/8 stands for StartOffset + i
	ConsumerGroup string
	InvisibleTime int64 // ms
	PopTime       int64 // ms
	QueueID       int32
	Retry         string // topic kind: 0 normal, 1 and 2 retry
	ReviveQueueID int32
	StartOffset   int64
	Topic         string
}

func (b *BatchAck) members(c *codec) {
	objects(c, "acks", &b.Acks)
	c.str("brokerName", &b.BrokerName)
}

func (e *BatchAckEntry) members(c *codec) {
	if !c.writing {
		e.longNames(c)
	}
	c.base64("b", &e.Bits)
	c.str("c", &e.ConsumerGroup)
	c.i64("it", &e.InvisibleTime)
	c.i64("pt", &e.PopTime)
	c.i32("q", &e.QueueID)
	c.str("r", &e.Retry)
	c.i32("rq", &e.ReviveQueueID)
	c.i64("so", &e.StartOffset)
	c.str("t", &e.Topic)
}

func (e *BatchAckEntry) longNames(c *codec) {
	c.base64("bitSet", &e.Bits)
	c.str("consumerGroup", &e.ConsumerGroup)
	c.i64("invisibleTime", &e.InvisibleTime)
	c.i64("popTime", &e.PopTime)
	c.i32("queueId", &e.QueueID)
	c.str("retry", &e.Retry)
	c.i32("reviveQueueId", &e.ReviveQueueID)
	c.i64("startOffset", &e.StartOffset)
	c.str("topic", &e.Topic)
}

// Offsets lists the acknowledged offsets.
func (e *BatchAckEntry) Offsets() []int64 {
	var out []int64
	for i := range 8 * len(e.Bits) {
		if e.Bits[i/8]&(1<<(i%8)) != 0 {
			out = append(out, e.StartOffset+int64(i))
		}
	}
	return out
}

// Encode writes b as JSON.
func (b BatchAck) Encode() []byte { return encodeBody(&b) }

// DecodeBatchAck reads the body of BatchAckMessage.
func DecodeBatchAck(data []byte) (BatchAck, error) { return decodeBody[BatchAck](data) }
