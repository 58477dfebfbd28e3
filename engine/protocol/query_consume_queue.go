// Contract: QUERY_CONSUME_QUEUE (321) reads entries of a consume queue: ConsumeQueueSlice as
// body.

package protocol

// QueryConsumeQueueRequest reads entries of a consume queue (Java:
// QueryConsumeQueueRequestHeader).
type QueryConsumeQueueRequest struct {
	TopicBase

	Topic         string
	QueueID       int32
	Index         int64 // first entry
	Count         int32
	ConsumerGroup string // whose filter to try on them
}

func (h *QueryConsumeQueueRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, optional)
	v.i32("queueId", &h.QueueID, always)
	v.i64("index", &h.Index, always)
	v.i32("count", &h.Count, always)
	v.str("consumerGroup", &h.ConsumerGroup, optional)
}

// ConsumeQueueSlice is entries of a consume queue (Java: QueryConsumeQueueResponseBody).
type ConsumeQueueSlice struct {
	FilterData    string
	MaxQueueIndex int64
	MinQueueIndex int64
	Entries       []ConsumeQueueEntry
	Subscription  *SubscriptionData
}

// ConsumeQueueEntry is one entry (Java: ConsumeQueueData).
type ConsumeQueueEntry struct {
	BitMap         string
	Matches        bool // the group's filter lets the message through
	ExtendDataJSON string
	Message        string
	PhysicOffset   int64 // commit-log offset
	PhysicSize     int32
	TagsCode       int64
}

func (b *ConsumeQueueSlice) members(c *codec) {
	c.str("filterData", &b.FilterData)
	c.i64("maxQueueIndex", &b.MaxQueueIndex)
	c.i64("minQueueIndex", &b.MinQueueIndex)
	objects(c, "queueData", &b.Entries)
	pointer(c, "subscriptionData", &b.Subscription)
}

func (e *ConsumeQueueEntry) members(c *codec) {
	c.str("bitMap", &e.BitMap)
	c.boolean("eval", &e.Matches)
	c.str("extendDataJson", &e.ExtendDataJSON)
	c.str("msg", &e.Message)
	c.i64("physicOffset", &e.PhysicOffset)
	c.i32("physicSize", &e.PhysicSize)
	c.i64("tagsCode", &e.TagsCode)
}

// Encode writes b as JSON.
func (b ConsumeQueueSlice) Encode() []byte { return encodeBody(&b) }

// DecodeConsumeQueueSlice reads the answer to QueryConsumeQueue.
func DecodeConsumeQueueSlice(data []byte) (ConsumeQueueSlice, error) {
	return decodeBody[ConsumeQueueSlice](data)
}
