// Contract: POP_MESSAGE (200050), PEEK_MESSAGE (200052), NOTIFICATION (200054) and
// POLLING_INFO (200055). JSON headers only: the binary header cuts such codes. Pop answers 0
// with stored messages, 209 when too many wait, 210 when nothing came in time.

package protocol

// PopMessageRequest takes messages of a topic for a while (Java: PopMessageRequestHeader).
type PopMessageRequest struct {
	TopicBase

	ConsumerGroup  string
	Topic          string
	QueueID        int32 // -1: any
	MaxMsgNums     int32 // at most 32
	InvisibleTime  int64 // ms
	PollTime       int64 // ms to wait for messages
	BornTime       int64 // ms when the request was made
	InitMode       int32 // for a new group: 0 from the start, 1 from the end
	ExpressionType string
	Expression     string
	Order          Opt[bool]
	AttemptID      string
}

func (h *PopMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.i32("maxMsgNums", &h.MaxMsgNums, required)
	v.i64("invisibleTime", &h.InvisibleTime, required)
	v.i64("pollTime", &h.PollTime, required)
	v.i64("bornTime", &h.BornTime, required)
	v.i32("initMode", &h.InitMode, required)
	v.str("expType", &h.ExpressionType, optional)
	v.str("exp", &h.Expression, optional)
	v.optBool("order", &h.Order)
	v.str("attemptId", &h.AttemptID, optional)
}

// PopMessageResponse says what was taken; the three texts are entries joined by ; (Java:
// PopMessageResponseHeader).
type PopMessageResponse struct {
	PopTime         int64 // ms
	InvisibleTime   int64 // ms
	ReviveQueueID   int32
	RestNum         int64 // messages left
	StartOffsetInfo string
	MsgOffsetInfo   string
	OrderCountInfo  string
}

func (h *PopMessageResponse) visit(v *visitor) {
	v.i64("popTime", &h.PopTime, required)
	v.i64("invisibleTime", &h.InvisibleTime, required)
	v.i32("reviveQid", &h.ReviveQueueID, required)
	v.i64("restNum", &h.RestNum, required)
	v.str("startOffsetInfo", &h.StartOffsetInfo, optional)
	v.str("msgOffsetInfo", &h.MsgOffsetInfo, optional)
	v.str("orderCountInfo", &h.OrderCountInfo, optional)
}

// PeekMessageRequest looks at messages without taking them (Java: PeekMessageRequestHeader).
type PeekMessageRequest struct {
	TopicBase

	Topic         string
	QueueID       int32
	MaxMsgNums    int32
	ConsumerGroup string
}

func (h *PeekMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.i32("maxMsgNums", &h.MaxMsgNums, required)
	v.str("consumerGroup", &h.ConsumerGroup, required)
}

// NotificationRequest waits until there is something to pop (Java: NotificationRequestHeader).
type NotificationRequest struct {
	TopicBase

	ConsumerGroup string
	Topic         string
	QueueID       int32
	PollTime      int64 // ms
	BornTime      int64 // ms
	Order         Opt[bool]
	AttemptID     string
}

func (h *NotificationRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
	v.i64("pollTime", &h.PollTime, required)
	v.i64("bornTime", &h.BornTime, required)
	v.optBool("order", &h.Order)
	v.str("attemptId", &h.AttemptID, optional)
}

// NotificationResponse says whether there is (Java: NotificationResponseHeader).
type NotificationResponse struct {
	HasMsg      bool
	PollingFull bool
}

func (h *NotificationResponse) visit(v *visitor) {
	v.boolean("hasMsg", &h.HasMsg, required)
	v.boolean("pollingFull", &h.PollingFull, always)
}

// PollingInfoRequest asks how many wait (Java: PollingInfoRequestHeader).
type PollingInfoRequest struct {
	TopicBase

	ConsumerGroup string
	Topic         string
	QueueID       int32
}

func (h *PollingInfoRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, required)
	v.i32("queueId", &h.QueueID, required)
}

// PollingInfoResponse says how many wait (Java: PollingInfoResponseHeader).
type PollingInfoResponse struct {
	PollingNum int32
}

func (h *PollingInfoResponse) visit(v *visitor) {
	v.i32("pollingNum", &h.PollingNum, required)
}
