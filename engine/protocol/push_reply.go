// Contract: PUSH_REPLY_MESSAGE_TO_CLIENT (326), broker to requester: the answer in request-
// reply messaging. The body may be compressed as sysFlag says; the receiver answers 0 and
// finds its request by the property CORRELATION_ID.

package protocol

// ReplyMessageRequest delivers a reply (Java: ReplyMessageRequestHeader).
type ReplyMessageRequest struct {
	TopicBase

	ProducerGroup         string
	Topic                 string
	DefaultTopic          string
	DefaultTopicQueueNums int32
	QueueID               int32
	SysFlag               int32
	BornTimestamp         int64 // ms
	Flag                  int32
	Properties            string
	ReconsumeTimes        Opt[int32]
	UnitMode              bool
	BornHost              string // host:port
	StoreHost             string // host:port
	StoreTimestamp        int64  // ms
}

func (h *ReplyMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("producerGroup", &h.ProducerGroup, required)
	v.str("topic", &h.Topic, required)
	v.str("defaultTopic", &h.DefaultTopic, required)
	v.i32("defaultTopicQueueNums", &h.DefaultTopicQueueNums, required)
	v.i32("queueId", &h.QueueID, required)
	v.i32("sysFlag", &h.SysFlag, required)
	v.i64("bornTimestamp", &h.BornTimestamp, required)
	v.i32("flag", &h.Flag, required)
	v.str("properties", &h.Properties, optional)
	v.optI32("reconsumeTimes", &h.ReconsumeTimes)
	v.boolean("unitMode", &h.UnitMode, always)
	v.str("bornHost", &h.BornHost, required)
	v.str("storeHost", &h.StoreHost, required)
	v.i64("storeTimestamp", &h.StoreTimestamp, required)
}
