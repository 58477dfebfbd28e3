// Contract: GET_CONSUMER_LIST_BY_GROUP (38) asks a broker for the client ids of a group:
// ConsumerList as body, 1 when nobody is online.

package protocol

// GetConsumerListByGroupRequest asks who is in a group (Java:
// GetConsumerListByGroupRequestHeader).
type GetConsumerListByGroupRequest struct {
	Base

	ConsumerGroup string
}

func (h *GetConsumerListByGroupRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
}
