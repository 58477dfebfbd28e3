// Contract: GET_TOPIC_STATS_INFO (202) asks a broker for the offsets of a topic's queues:
// TopicStatsTable as body, 17 for an unknown topic.

package protocol

import (
	"mqscope/engine/mq"
)

// GetTopicStatsInfoRequest asks for the offsets of a topic's queues (Java:
// GetTopicStatsInfoRequestHeader).
type GetTopicStatsInfoRequest struct {
	TopicBase

	Topic string
}

func (h *GetTopicStatsInfoRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
}

// TopicStatsTable is the offsets of a topic's queues on one broker (Java: TopicStatsTable).
type TopicStatsTable struct {
	OffsetTable map[mq.MessageQueue]TopicOffset
	TopicPutTPS float64 // 0 from brokers of 4.x
	Unresolved  int     // entries of the body whose queue could not be read
}

// TopicOffset is the offsets of one queue (Java: TopicOffset).
type TopicOffset struct {
	LastUpdateTimestamp int64 // ms
	MaxOffset           int64 // next offset to be written
	MinOffset           int64
}

func (b *TopicStatsTable) members(c *codec) {
	queueTable(c, "offsetTable", &b.OffsetTable, &b.Unresolved, objectValue)
	c.f64("topicPutTps", &b.TopicPutTPS)
}

func (o *TopicOffset) members(c *codec) {
	c.i64("lastUpdateTimestamp", &o.LastUpdateTimestamp)
	c.i64("maxOffset", &o.MaxOffset)
	c.i64("minOffset", &o.MinOffset)
}

// Encode writes b as JSON.
func (b TopicStatsTable) Encode() []byte { return encodeBody(&b) }

// DecodeTopicStatsTable reads the answer to GetTopicStatsInfo.
func DecodeTopicStatsTable(data []byte) (TopicStatsTable, error) {
	return decodeBody[TopicStatsTable](data)
}
