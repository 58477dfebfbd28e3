// Contract: PULL_MESSAGE (11) and LITE_PULL_MESSAGE (361, same fields, chosen when sysFlag has
// PullLite). The broker answers 0 with stored messages as body, 19 when nothing is there yet
// (after holding the request when PullSuspend is set), 20 when nothing matched, 21 when the
// offset is outside the queue. Any other code may come without the header values. maxMsgBytes
// is accepted by brokers and not used.

package protocol

// PullMessageRequest asks for messages of one queue from an offset on (Java:
// PullMessageRequestHeader).
type PullMessageRequest struct {
	TopicBase

	ConsumerGroup        string
	Topic                string
	QueueID              int32  // below the topic's readQueueNums
	QueueOffset          int64  // first wanted logical offset
	MaxMsgNums           int32  // at most so many messages; Java default 32
	SysFlag              int32  // PullCommitOffset and so on
	CommitOffset         int64  // committed by the broker when PullCommitOffset is set, else 0
	SuspendTimeoutMillis int64  // how long the broker may hold the request, ms
	Subscription         string // with PullSubscription
	SubVersion           int64  // ms; a newer one than registered is answered with 25
	ExpressionType       string // TAG or SQL92, empty is TAG
	MaxMsgBytes          Opt[int32]
	RequestSource        Opt[int32] // -1 SDK, 0 proxy order, 1 proxy broadcast, 2 proxy stream
	ProxyForwardClientID string     // spelled so on the wire
}

func (h *PullMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.i64("queueOffset", &h.QueueOffset, required)
	v.i32("maxMsgNums", &h.MaxMsgNums, required)
	v.i32("sysFlag", &h.SysFlag, required)
	v.i64("commitOffset", &h.CommitOffset, required)
	v.i64("suspendTimeoutMillis", &h.SuspendTimeoutMillis, required)
	v.str("subscription", &h.Subscription, optional)
	v.i64("subVersion", &h.SubVersion, required)
	v.str("expressionType", &h.ExpressionType, optional)
	v.optI32("maxMsgBytes", &h.MaxMsgBytes)
	v.optI32("requestSource", &h.RequestSource)
	v.str("proxyFrowardClientId", &h.ProxyForwardClientID, optional)
}

// PullMessageResponse says where to go on pulling (Java: PullMessageResponseHeader).
type PullMessageResponse struct {
	SuggestWhichBrokerID int64 // broker id for the next pull of this queue
	NextBeginOffset      int64 // offset of the next pull, whatever the code
	MinOffset            int64
	MaxOffset            int64
	OffsetDelta          Opt[int64] // static topics: to be added to each queueOffset
	TopicSysFlag         Opt[int32]
	GroupSysFlag         Opt[int32]
	ForbiddenType        Opt[int32] // with code 16: 1 broker, 2 group, 3 topic, 4 broadcasting, 5 subscription
}

func (h *PullMessageResponse) visit(v *visitor) {
	v.i64("suggestWhichBrokerId", &h.SuggestWhichBrokerID, required)
	v.i64("nextBeginOffset", &h.NextBeginOffset, required)
	v.i64("minOffset", &h.MinOffset, required)
	v.i64("maxOffset", &h.MaxOffset, required)
	v.optI64("offsetDelta", &h.OffsetDelta)
	v.optI32("topicSysFlag", &h.TopicSysFlag)
	v.optI32("groupSysFlag", &h.GroupSysFlag)
	v.optI32("forbiddenType", &h.ForbiddenType)
}
