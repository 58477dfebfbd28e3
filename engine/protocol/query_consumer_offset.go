// Contract: QUERY_CONSUMER_OFFSET (14) asks for the committed offset of a group in a queue; 22
// means that there is none. A broker may answer 0 with success for a group without an offset
// when the queue begins at 0 and setZeroIfNotFound is not false.

package protocol

// QueryConsumerOffsetRequest asks for a committed offset (Java:
// QueryConsumerOffsetRequestHeader).
type QueryConsumerOffsetRequest struct {
	TopicBase

	ConsumerGroup     string
	Topic             string
	QueueID           int32
	SetZeroIfNotFound Opt[bool]
}

func (h *QueryConsumerOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.optBool("setZeroIfNotFound", &h.SetZeroIfNotFound)
}
