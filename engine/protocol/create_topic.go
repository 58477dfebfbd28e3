// Contract: UPDATE_AND_CREATE_TOPIC (17) makes or changes a topic on one broker: 29 for a bad
// name or a system topic, 1 for bad attributes. UPDATE_AND_CREATE_TOPIC_LIST (18) takes
// TopicConfigList as body. The counts and perm are not checked by brokers.

package protocol

// CreateTopicRequest makes or changes a topic (Java: CreateTopicRequestHeader).
type CreateTopicRequest struct {
	TopicBase

	Topic           string
	DefaultTopic    string // TBW102
	ReadQueueNums   int32
	WriteQueueNums  int32
	Perm            int32
	TopicFilterType string // SINGLE_TAG or MULTI_TAG
	TopicSysFlag    Opt[int32]
	Order           bool
	Attributes      string // +key=value,-key
	Force           Opt[bool]
}

func (h *CreateTopicRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.str("defaultTopic", &h.DefaultTopic, required)
	v.i32("readQueueNums", &h.ReadQueueNums, required)
	v.i32("writeQueueNums", &h.WriteQueueNums, required)
	v.i32("perm", &h.Perm, required)
	v.str("topicFilterType", &h.TopicFilterType, required)
	v.optI32("topicSysFlag", &h.TopicSysFlag)
	v.boolean("order", &h.Order, required)
	v.str("attributes", &h.Attributes, optional)
	v.optBool("force", &h.Force)
}

// CreateTopicListRequest is the header of UPDATE_AND_CREATE_TOPIC_LIST (Java:
// CreateTopicListRequestHeader).
type CreateTopicListRequest struct {
	Base
}

func (h *CreateTopicListRequest) visit(v *visitor) {
	h.visitBase(v)
}

// TopicConfigList is the body of UpdateAndCreateTopicList (Java: CreateTopicListRequestBody).
type TopicConfigList struct{ Topics []TopicConfig }

func (b *TopicConfigList) members(c *codec) { objects(c, "topicConfigList", &b.Topics) }

// Encode writes b as JSON.
func (b TopicConfigList) Encode() []byte { return encodeBody(&b) }

// DecodeTopicConfigList reads a list of topics to make.
func DecodeTopicConfigList(data []byte) (TopicConfigList, error) {
	return decodeBody[TopicConfigList](data)
}
