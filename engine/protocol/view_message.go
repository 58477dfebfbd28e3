// Contract: VIEW_MESSAGE_BY_ID (33) reads the stored message at a commit-log offset, which an
// offset id names: the stored message as body, 1 when there is none.

package protocol

// ViewMessageRequest reads the message at a commit-log offset (Java:
// ViewMessageRequestHeader).
type ViewMessageRequest struct {
	Topic  string
	Offset int64 // commit-log offset
}

func (h *ViewMessageRequest) visit(v *visitor) {
	v.str("topic", &h.Topic, optional)
	v.i64("offset", &h.Offset, required)
}
