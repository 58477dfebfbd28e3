// Contract: INVOKE_BROKER_TO_GET_CONSUMER_STATUS (223, tool to broker) and
// GET_CONSUMER_STATUS_FROM_CLIENT (221, broker to client): which offsets the members of a
// group have reached. Both answer with ConsumerStatus; 1 when that is not to be had.
// clientAddr is compared with client ids, not addresses.

package protocol

import (
	"mqscope/engine/mq"
)

// GetConsumerStatusRequest asks what offsets members have reached (Java:
// GetConsumerStatusRequestHeader).
type GetConsumerStatusRequest struct {
	TopicBase

	Topic      string
	Group      string
	ClientAddr string // a client id; empty: all members
}

func (h *GetConsumerStatusRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.str("group", &h.Group, required)
	v.str("clientAddr", &h.ClientAddr, optional)
}

// ConsumerStatus is the offsets that members have reached (Java: GetConsumerStatusBody).
type ConsumerStatus struct {
	// ConsumerTable is what a broker answers with: by client id.
	ConsumerTable map[string]map[mq.MessageQueue]int64
	// MessageQueueTable is what a client answers with.
	MessageQueueTable map[mq.MessageQueue]int64
	Unresolved        int // entries of the body whose queue could not be read
}

func (b *ConsumerStatus) members(c *codec) {
	textTable(c, "consumerTable", &b.ConsumerTable, func(c *codec, p *map[mq.MessageQueue]int64) {
		queueTableValue(c, p, &b.Unresolved, i64Value)
	})
	queueTable(c, "messageQueueTable", &b.MessageQueueTable, &b.Unresolved, i64Value)
}

// Encode writes b as JSON.
func (b ConsumerStatus) Encode() []byte { return encodeBody(&b) }

// DecodeConsumerStatus reads the answer to a question for offsets reached.
func DecodeConsumerStatus(data []byte) (ConsumerStatus, error) {
	return decodeBody[ConsumerStatus](data)
}
