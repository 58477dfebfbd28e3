// Contract: GET_MAX_OFFSET (30) asks for the next offset to be written; answered by
// OffsetResponse.

package protocol

// GetMaxOffsetRequest asks for the next offset to be written (Java:
// GetMaxOffsetRequestHeader).
type GetMaxOffsetRequest struct {
	TopicBase

	Topic     string
	QueueID   int32
	Committed bool // Java always sends true
}

func (h *GetMaxOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.boolean("committed", &h.Committed, always)
}
