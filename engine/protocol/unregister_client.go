// Contract: UNREGISTER_CLIENT (35) takes a client out of a group. The key is clientID with a
// capital ID; no body, no answer fields.

package protocol

// UnregisterClientRequest takes a client out of its groups (Java:
// UnregisterClientRequestHeader).
type UnregisterClientRequest struct {
	Base

	ClientID      string
	ProducerGroup string
	ConsumerGroup string
}

func (h *UnregisterClientRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("clientID", &h.ClientID, required)
	v.str("producerGroup", &h.ProducerGroup, optional)
	v.str("consumerGroup", &h.ConsumerGroup, optional)
}
