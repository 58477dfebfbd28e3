// Contract: GET_CONSUME_STATS (208) asks a broker for the offsets of a group: ConsumeStats as
// body. GET_BROKER_CONSUME_STATS (317) asks for all groups: ConsumeStatsList.

package protocol

import (
	"mqscope/engine/mq"
)

// GetConsumeStatsRequest asks for the offsets of a group (Java: GetConsumeStatsRequestHeader).
type GetConsumeStatsRequest struct {
	TopicBase

	ConsumerGroup string
	Topic         string // empty: all topics of the group
	TopicList     string // topics, each followed by ;
}

func (h *GetConsumeStatsRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("topic", &h.Topic, optional)
	v.str("topicList", &h.TopicList, optional)
}

// GetBrokerConsumeStatsRequest asks for the offsets of all groups of a broker (Java:
// GetConsumeStatsInBrokerHeader).
type GetBrokerConsumeStatsRequest struct {
	Order bool
}

func (h *GetBrokerConsumeStatsRequest) visit(v *visitor) {
	v.boolean("isOrder", &h.Order, required)
}

// ConsumeStats is how far a group has come in each queue (Java: ConsumeStats).
type ConsumeStats struct {
	ConsumeTPS  float64 // messages a second
	OffsetTable map[mq.MessageQueue]OffsetWrapper
	Unresolved  int // entries of the body whose queue could not be read
}

// OffsetWrapper is the offsets of one queue (Java: OffsetWrapper).
type OffsetWrapper struct {
	BrokerOffset   int64 // next offset to be written
	ConsumerOffset int64 // committed
	LastTimestamp  int64 // ms, store time of the last consumed message
	PullOffset     int64 // 0 from brokers of 4.x
}

// Lag is how many messages the group has still to consume. Negative is evidence, not an error.
func (w OffsetWrapper) Lag() int64 { return w.BrokerOffset - w.ConsumerOffset }

func (b *ConsumeStats) members(c *codec) {
	c.f64("consumeTps", &b.ConsumeTPS)
	queueTable(c, "offsetTable", &b.OffsetTable, &b.Unresolved, objectValue)
}

func (w *OffsetWrapper) members(c *codec) {
	c.i64("brokerOffset", &w.BrokerOffset)
	c.i64("consumerOffset", &w.ConsumerOffset)
	c.i64("lastTimestamp", &w.LastTimestamp)
	c.i64("pullOffset", &w.PullOffset)
}

// Encode writes b as JSON.
func (b ConsumeStats) Encode() []byte { return encodeBody(&b) }

// DecodeConsumeStats reads the answer to GetConsumeStats.
func DecodeConsumeStats(data []byte) (ConsumeStats, error) { return decodeBody[ConsumeStats](data) }

// ConsumeStatsList is the stats of all groups of a broker (Java: ConsumeStatsList).
type ConsumeStatsList struct {
	BrokerAddr        string
	Groups            []map[string][]ConsumeStats // each map by group, a list of its topics' stats
	TotalDiff         int64
	TotalInflightDiff int64
}

func (b *ConsumeStatsList) members(c *codec) {
	c.str("brokerAddr", &b.BrokerAddr)
	list(c, "consumeStatsList", &b.Groups, func(c *codec, p *map[string][]ConsumeStats) {
		textTableValue(c, p, func(c *codec, p *[]ConsumeStats) { listValue(c, p, objectValue) })
	})
	c.i64("totalDiff", &b.TotalDiff)
	c.i64("totalInflightDiff", &b.TotalInflightDiff)
}

// Encode writes b as JSON.
func (b ConsumeStatsList) Encode() []byte { return encodeBody(&b) }

// DecodeConsumeStatsList reads the answer to GetBrokerConsumeStats.
func DecodeConsumeStatsList(data []byte) (ConsumeStatsList, error) {
	return decodeBody[ConsumeStatsList](data)
}
