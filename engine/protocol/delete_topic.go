// Contract: DELETE_TOPIC_IN_BROKER (215), DELETE_TOPIC_IN_NAMESRV (216) and
// REGISTER_TOPIC_IN_NAMESRV (217, with a TopicRouteData of which only the queues count).

package protocol

// DeleteTopicRequest removes a topic from a broker (Java: DeleteTopicRequestHeader).
type DeleteTopicRequest struct {
	TopicBase

	Topic string
}

func (h *DeleteTopicRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
}

// DeleteTopicFromNamesrvRequest removes a topic from a name server (Java:
// DeleteTopicFromNamesrvRequestHeader).
type DeleteTopicFromNamesrvRequest struct {
	TopicBase

	Topic       string
	ClusterName string // empty: all clusters
}

func (h *DeleteTopicFromNamesrvRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.str("clusterName", &h.ClusterName, optional)
}

// RegisterTopicRequest registers a topic's queues at a name server (Java:
// RegisterTopicRequestHeader).
type RegisterTopicRequest struct {
	TopicBase

	Topic string
}

func (h *RegisterTopicRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
}
