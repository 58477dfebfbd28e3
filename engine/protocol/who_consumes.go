// Contract: QUERY_TOPIC_CONSUME_BY_WHO (300, GroupList), QUERY_TOPICS_BY_CONSUMER (343,
// TopicList), QUERY_SUBSCRIPTION_BY_CONSUMER (345, QuerySubscriptionResult) and
// QUERY_CONSUME_TIME_SPAN (303, ConsumeTimeSpans).

package protocol

import (
	"mqscope/engine/mq"
)

// QueryTopicConsumeByWhoRequest asks which groups have offsets in a topic (Java:
// QueryTopicConsumeByWhoRequestHeader).
type QueryTopicConsumeByWhoRequest struct {
	TopicBase

	Topic string
}

func (h *QueryTopicConsumeByWhoRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
}

// QueryTopicsByConsumerRequest asks which topics a group has offsets in (Java:
// QueryTopicsByConsumerRequestHeader).
type QueryTopicsByConsumerRequest struct {
	Base

	Group string
}

func (h *QueryTopicsByConsumerRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("group", &h.Group, required)
}

// QuerySubscriptionByConsumerRequest asks what a group subscribed to (Java:
// QuerySubscriptionByConsumerRequestHeader).
type QuerySubscriptionByConsumerRequest struct {
	TopicBase

	Group string
	Topic string
}

func (h *QuerySubscriptionByConsumerRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("group", &h.Group, required)
	v.str("topic", &h.Topic, optional)
}

// QueryConsumeTimeSpanRequest asks for the age of what a group has not consumed (Java:
// QueryConsumeTimeSpanRequestHeader).
type QueryConsumeTimeSpanRequest struct {
	TopicBase

	Topic string
	Group string
}

func (h *QueryConsumeTimeSpanRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.str("group", &h.Group, required)
}

// GroupList is a list of groups (Java: GroupList).
type GroupList struct{ Groups []string }

func (l *GroupList) members(c *codec) { list(c, "groupList", &l.Groups, strValue) }

// Encode writes l as JSON.
func (l GroupList) Encode() []byte { return encodeBody(&l) }

// DecodeGroupList reads the answer to QueryTopicConsumeByWho.
func DecodeGroupList(data []byte) (GroupList, error) { return decodeBody[GroupList](data) }

// QuerySubscriptionResult is what a group subscribed to (Java: QuerySubscriptionResponseBody).
type QuerySubscriptionResult struct {
	Group        string
	Subscription *SubscriptionData // nil when there is none
	Topic        string
}

func (r *QuerySubscriptionResult) members(c *codec) {
	c.str("group", &r.Group)
	pointer(c, "subscriptionData", &r.Subscription)
	c.str("topic", &r.Topic)
}

// Encode writes r as JSON.
func (r QuerySubscriptionResult) Encode() []byte { return encodeBody(&r) }

// DecodeQuerySubscriptionResult reads the answer to QuerySubscriptionByConsumer.
func DecodeQuerySubscriptionResult(data []byte) (QuerySubscriptionResult, error) {
	return decodeBody[QuerySubscriptionResult](data)
}

// ConsumeTimeSpans is the age of what a group has not consumed (Java: QueryConsumeTimeSpanBody).
type ConsumeTimeSpans struct{ Queues []QueueTimeSpan }

// QueueTimeSpan is the times of one queue, all in ms (Java: QueueTimeSpan). Java also writes
// each time as local text, which is left out here.
type QueueTimeSpan struct {
	ConsumeTimestamp int64 // of the last consumed message
	DelayTime        int64
	MaxTimestamp     int64 // of the last message
	Queue            mq.MessageQueue
	MinTimestamp     int64 // of the first message
}

func (b *ConsumeTimeSpans) members(c *codec) { objects(c, "consumeTimeSpanSet", &b.Queues) }

func (s *QueueTimeSpan) members(c *codec) {
	c.i64("consumeTimeStamp", &s.ConsumeTimestamp)
	c.i64("delayTime", &s.DelayTime)
	c.i64("maxTimeStamp", &s.MaxTimestamp)
	object(c, "messageQueue", (*queueBody)(&s.Queue))
	c.i64("minTimeStamp", &s.MinTimestamp)
}

// Encode writes b as JSON.
func (b ConsumeTimeSpans) Encode() []byte { return encodeBody(&b) }

// DecodeConsumeTimeSpans reads the answer to QueryConsumeTimeSpan.
func DecodeConsumeTimeSpans(data []byte) (ConsumeTimeSpans, error) {
	return decodeBody[ConsumeTimeSpans](data)
}
