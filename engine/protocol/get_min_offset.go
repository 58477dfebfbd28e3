// Contract: GET_MIN_OFFSET (31) asks for the first offset still stored; answered by
// OffsetResponse.

package protocol

// GetMinOffsetRequest asks for the first offset still stored (Java:
// GetMinOffsetRequestHeader).
type GetMinOffsetRequest struct {
	TopicBase

	Topic   string
	QueueID int32
}

func (h *GetMinOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
}
