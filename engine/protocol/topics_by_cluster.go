// Contract: GET_TOPICS_BY_CLUSTER (224) of a name server; answered by TopicList. The lists of
// 206, 304 and 305 have no request fields.

package protocol

// GetTopicsByClusterRequest asks for the topics of a cluster (Java:
// GetTopicsByClusterRequestHeader).
type GetTopicsByClusterRequest struct {
	Cluster string
}

func (h *GetTopicsByClusterRequest) visit(v *visitor) {
	v.str("cluster", &h.Cluster, required)
}

// TopicList is a list of topics, or of clusters and brokers in the answer to
// GetSystemTopicListFromNS (Java: TopicList).
type TopicList struct {
	BrokerAddr string
	Topics     []string
}

func (b *TopicList) members(c *codec) {
	c.str("brokerAddr", &b.BrokerAddr)
	list(c, "topicList", &b.Topics, strValue)
}

// Encode writes b as JSON.
func (b TopicList) Encode() []byte { return encodeBody(&b) }

// DecodeTopicList reads a list of topics.
func DecodeTopicList(data []byte) (TopicList, error) { return decodeBody[TopicList](data) }
