// Contract: GET_TOPIC_CONFIG (351) asks for one topic's settings, GET_ALL_TOPIC_CONFIG (21)
// for all: TopicConfig or TopicConfigTable as body. The paging fields of 21 came after 5.3.3;
// a request without them asks for everything.

package protocol

// GetTopicConfigRequest asks for one topic's settings; Java sets lo (Java:
// GetTopicConfigRequestHeader).
type GetTopicConfigRequest struct {
	TopicBase

	Topic string
}

func (h *GetTopicConfigRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
}

// GetAllTopicConfigRequest asks for the settings of all topics (Java:
// GetAllTopicConfigRequestHeader).
type GetAllTopicConfigRequest struct {
	TopicSeq    Opt[int32]
	DataVersion string // DataVersion as JSON
	MaxTopicNum Opt[int32]
}

func (h *GetAllTopicConfigRequest) visit(v *visitor) {
	v.optI32("topicSeq", &h.TopicSeq)
	v.str("dataVersion", &h.DataVersion, optional)
	v.optI32("maxTopicNum", &h.MaxTopicNum)
}

// GetAllTopicConfigResponse says how many topics there are (Java:
// GetAllTopicConfigResponseHeader).
type GetAllTopicConfigResponse struct {
	TotalTopics Opt[int32] // absent from old brokers
}

func (h *GetAllTopicConfigResponse) visit(v *visitor) {
	v.optI32("totalTopicNum", &h.TotalTopics)
}

// TopicConfig is the settings of one topic on one broker (Java: TopicConfig).
type TopicConfig struct {
	Attributes      map[string]string
	Order           bool
	Perm            int32 // PermRead and so on
	ReadQueueNums   int32
	TopicFilterType string // SINGLE_TAG or MULTI_TAG
	TopicName       string
	TopicSysFlag    int32 // 1 unit, 2 has a unit subscription
	WriteQueueNums  int32
}

func (t *TopicConfig) members(c *codec) {
	if !c.writing { // what Java's constructor sets
		t.Perm, t.ReadQueueNums, t.WriteQueueNums = PermRead|PermWrite, 16, 16
	}
	textTable(c, "attributes", &t.Attributes, strValue)
	c.boolean("order", &t.Order)
	c.i32("perm", &t.Perm)
	c.i32("readQueueNums", &t.ReadQueueNums)
	c.str("topicFilterType", &t.TopicFilterType)
	c.str("topicName", &t.TopicName)
	c.i32("topicSysFlag", &t.TopicSysFlag)
	c.i32("writeQueueNums", &t.WriteQueueNums)
	if !c.writing && t.TopicFilterType == "" {
		t.TopicFilterType = "SINGLE_TAG"
	}
}

// Encode writes t as JSON.
func (t TopicConfig) Encode() []byte { return encodeBody(&t) }

// DecodeTopicConfig reads the answer to GetTopicConfig; its mapping detail is left out.
func DecodeTopicConfig(data []byte) (TopicConfig, error) { return decodeBody[TopicConfig](data) }

// TopicConfigTable is the settings of all topics of a broker (Java:
// TopicConfigSerializeWrapper, TopicConfigAndMappingSerializeWrapper).
type TopicConfigTable struct {
	DataVersion        DataVersion
	MappingDataVersion *DataVersion // nil from brokers of 4.x
	Topics             map[string]TopicConfig
}

func (t *TopicConfigTable) members(c *codec) {
	object(c, "dataVersion", &t.DataVersion)
	pointer(c, "mappingDataVersion", &t.MappingDataVersion)
	textTable(c, "topicConfigTable", &t.Topics, objectValue)
	if c.writing && t.MappingDataVersion != nil {
		// Brokers of 5.x walk over both maps; static topics are not served here.
		var none map[string]string
		textTable(c, "topicQueueMappingDetailMap", &none, strValue)
		textTable(c, "topicQueueMappingInfoMap", &none, strValue)
	}
}

// Encode writes t as JSON.
func (t TopicConfigTable) Encode() []byte { return encodeBody(&t) }

// DecodeTopicConfigTable reads the answer to GetAllTopicConfig.
func DecodeTopicConfigTable(data []byte) (TopicConfigTable, error) {
	return decodeBody[TopicConfigTable](data)
}
