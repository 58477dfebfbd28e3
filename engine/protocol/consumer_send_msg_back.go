// Contract: CONSUMER_SEND_MSG_BACK (36) puts a message into the group's retry topic, or its
// dead-letter topic when delayLevel is negative or the retries are used up. Level 0 means 3
// plus the retries so far. The offset is the commit-log offset, not the queue's. No body, no
// answer fields; 26, 16 and 1 refuse, and success may still drop the message when
// retryQueueNums is 0.

package protocol

// ConsumerSendMsgBackRequest sends a message back for a later retry (Java:
// ConsumerSendMsgBackRequestHeader).
type ConsumerSendMsgBackRequest struct {
	Base

	Offset            int64 // commit-log offset
	Group             string
	DelayLevel        int32
	OriginMsgID       string
	OriginTopic       string
	UnitMode          bool
	MaxReconsumeTimes Opt[int32]
}

func (h *ConsumerSendMsgBackRequest) visit(v *visitor) {
	h.visitBase(v)
	v.i64("offset", &h.Offset, required)
	v.str("group", &h.Group, required)
	v.i32("delayLevel", &h.DelayLevel, required)
	v.str("originMsgId", &h.OriginMsgID, optional)
	v.str("originTopic", &h.OriginTopic, optional)
	v.boolean("unitMode", &h.UnitMode, always)
	v.optI32("maxReconsumeTimes", &h.MaxReconsumeTimes)
}
