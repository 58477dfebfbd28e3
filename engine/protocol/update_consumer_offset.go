// Contract: UPDATE_CONSUMER_OFFSET (15) commits an offset, often one-way. The answer has no
// fields. 0 without effect while a server-side reset is pending; 26, 17 and 29 refuse.

package protocol

// UpdateConsumerOffsetRequest commits an offset (Java: UpdateConsumerOffsetRequestHeader).
type UpdateConsumerOffsetRequest struct {
	TopicBase

	ConsumerGroup string
	Topic         string
	QueueID       int32
	CommitOffset  int64
}

func (h *UpdateConsumerOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.i64("commitOffset", &h.CommitOffset, required)
}
