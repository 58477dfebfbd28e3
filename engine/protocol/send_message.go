// Contract: SEND_MESSAGE (10), SEND_MESSAGE_V2 (310, the same fields under one-letter names,
// Java's default), SEND_BATCH_MESSAGE (320, V2 letters, batch true and batch records as
// body), SEND_REPLY_MESSAGE (324, 325). The body is the message body. Answer codes 0, 10, 11
// and 12 all mean "stored"; everything else is a failure. Brokers add MSG_REGION and TRACE_ON
// to the answer. The letter n and the base field bname are one field here; letters win.

package protocol

// SendMessageRequest stores a message (Java: SendMessageRequestHeader).
type SendMessageRequest struct {
	TopicBase

	ProducerGroup         string
	Topic                 string
	DefaultTopic          string // template for a topic that does not exist yet: TBW102
	DefaultTopicQueueNums int32
	QueueID               int32 // negative: the broker chooses
	SysFlag               int32 // mq.CompressedFlag and so on
	BornTimestamp         int64 // ms
	Flag                  int32
	Properties            string // properties text, see AppendProperties
	ReconsumeTimes        Opt[int32]
	UnitMode              Opt[bool]
	Batch                 Opt[bool]
	MaxReconsumeTimes     Opt[int32]
}

func (h *SendMessageRequest) visit(v *visitor) {
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
	v.optBool("unitMode", &h.UnitMode)
	v.optBool("batch", &h.Batch)
	v.optI32("maxReconsumeTimes", &h.MaxReconsumeTimes)
}

// SendMessageRequestV2 is SendMessageRequest under one-letter names; convert one into the
// other (Java: SendMessageRequestHeaderV2).
type SendMessageRequestV2 SendMessageRequest

func (h *SendMessageRequestV2) visit(v *visitor) {
	v.optBool("lo", &h.Logical)
	v.str("ns", &h.Namespace, optional)
	v.optBool("nsd", &h.Namespaced)
	v.optBool("oway", &h.OneWay)
	v.str("a", &h.ProducerGroup, required)
	v.str("b", &h.Topic, required)
	v.str("c", &h.DefaultTopic, required)
	v.i32("d", &h.DefaultTopicQueueNums, required)
	v.i32("e", &h.QueueID, required)
	v.i32("f", &h.SysFlag, required)
	v.i64("g", &h.BornTimestamp, required)
	v.i32("h", &h.Flag, required)
	v.str("i", &h.Properties, optional)
	v.optI32("j", &h.ReconsumeTimes)
	v.optBool("k", &h.UnitMode)
	v.optI32("l", &h.MaxReconsumeTimes)
	v.optBool("m", &h.Batch)
	if v.decoding {
		v.str("bname", &h.BName, optional)
	}
	v.str("n", &h.BName, optional)
}

// SendMessageResponse says where the message was stored (Java: SendMessageResponseHeader).
type SendMessageResponse struct {
	MsgID         string // offset id; of a batch, the ids joined by commas
	QueueID       int32
	QueueOffset   int64
	TransactionID string // the message's unique key
	BatchUniqueID string // only for an inner batch
	RecallHandle  string
	Region        string // MSG_REGION
	TraceOn       string // TRACE_ON: "true" or "false", empty when the broker did not say
}

func (h *SendMessageResponse) visit(v *visitor) {
	v.str("msgId", &h.MsgID, required)
	v.i32("queueId", &h.QueueID, required)
	v.i64("queueOffset", &h.QueueOffset, required)
	v.str("transactionId", &h.TransactionID, optional)
	v.str("batchUniqId", &h.BatchUniqueID, optional)
	v.str("recallHandle", &h.RecallHandle, optional)
	v.str("MSG_REGION", &h.Region, optional)
	v.str("TRACE_ON", &h.TraceOn, optional)
}

// Stored tells whether code is an answer to a send that means the message is stored.
func Stored(code ResponseCode) bool {
	switch code {
	case Success, FlushDiskTimeout, SlaveNotAvailable, FlushSlaveTimeout:
		return true
	}
	return false
}
