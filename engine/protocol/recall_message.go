// Contract: RECALL_MESSAGE (370) takes back a timer message: 16 when switched off, 604 for a
// bad handle, topic or time. A handle is URL-safe Base64 of "v1 topic broker deliverTimestamp
// uniqueKey".

package protocol

// RecallMessageRequest takes back a timer message (Java: RecallMessageRequestHeader).
type RecallMessageRequest struct {
	TopicBase

	ProducerGroup string
	Topic         string
	RecallHandle  string
}

func (h *RecallMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("producerGroup", &h.ProducerGroup, optional)
	v.str("topic", &h.Topic, required)
	v.str("recallHandle", &h.RecallHandle, required)
}

// RecallMessageResponse names the message taken back (Java: RecallMessageResponseHeader).
type RecallMessageResponse struct {
	MsgID  string
	Region string
}

func (h *RecallMessageResponse) visit(v *visitor) {
	v.str("msgId", &h.MsgID, required)
	v.str("MSG_REGION", &h.Region, optional)
}
