// Contract: GET_EARLIEST_MSG_STORETIME (32) asks for the store time of the first message.

package protocol

// GetEarliestMsgStoreTimeRequest asks for the store time of a queue's first message (Java:
// GetEarliestMsgStoretimeRequestHeader).
type GetEarliestMsgStoreTimeRequest struct {
	TopicBase

	Topic   string
	QueueID int32
}

func (h *GetEarliestMsgStoreTimeRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
}

// GetEarliestMsgStoreTimeResponse is that store time (Java:
// GetEarliestMsgStoretimeResponseHeader).
type GetEarliestMsgStoreTimeResponse struct {
	Timestamp int64 // ms
}

func (h *GetEarliestMsgStoreTimeResponse) visit(v *visitor) {
	v.i64("timestamp", &h.Timestamp, required)
}
