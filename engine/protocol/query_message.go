// Contract: QUERY_MESSAGE (12) finds messages of a topic by key or unique key: stored messages
// as body, 22 for none. The index compares hashes only: check topic and key again. With
// _UNIQUE_KEY_QUERY the broker takes its own limit of 32 for maxNum.

package protocol

// QueryMessageRequest finds messages by key (Java: QueryMessageRequestHeader).
type QueryMessageRequest struct {
	TopicBase

	Topic          string
	Key            string
	MaxNum         int32
	BeginTimestamp int64     // ms, store time
	EndTimestamp   int64     // ms, store time
	UniqueKeyQuery Opt[bool] // key is a unique key, not one of KEYS
}

func (h *QueryMessageRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.str("key", &h.Key, required)
	v.i32("maxNum", &h.MaxNum, required)
	v.i64("beginTimestamp", &h.BeginTimestamp, required)
	v.i64("endTimestamp", &h.EndTimestamp, required)
	v.optBool("_UNIQUE_KEY_QUERY", &h.UniqueKeyQuery)
}

// QueryMessageResponse says how far the index reaches (Java: QueryMessageResponseHeader).
type QueryMessageResponse struct {
	IndexLastUpdateTimestamp      int64 // ms
	IndexLastUpdatePhysicalOffset int64 // commit-log offset
}

func (h *QueryMessageResponse) visit(v *visitor) {
	v.i64("indexLastUpdateTimestamp", &h.IndexLastUpdateTimestamp, required)
	v.i64("indexLastUpdatePhyoffset", &h.IndexLastUpdatePhysicalOffset, required)
}
