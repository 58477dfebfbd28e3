// Contract: SEARCH_OFFSET_BY_TIMESTAMP (29) finds the offset of a store time; answered by
// OffsetResponse.

package protocol

// SearchOffsetRequest asks for the offset at a store time (Java: SearchOffsetRequestHeader).
type SearchOffsetRequest struct {
	TopicBase

	Topic        string
	QueueID      int32
	Timestamp    int64  // ms
	BoundaryType string // LOWER (default) or UPPER, any case
}

func (h *SearchOffsetRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.i64("timestamp", &h.Timestamp, required)
	v.str("boundaryType", &h.BoundaryType, optional)
}
