// Contract: WIPE_WRITE_PERM_OF_BROKER (205) and ADD_WRITE_PERM_OF_BROKER (327) of a name
// server: take all topics of a broker out of or back into writing.

package protocol

// WipeWritePermRequest takes a broker's topics out of writing (Java:
// WipeWritePermOfBrokerRequestHeader).
type WipeWritePermRequest struct {
	BrokerName string
}

func (h *WipeWritePermRequest) visit(v *visitor) {
	v.str("brokerName", &h.BrokerName, required)
}

// WipeWritePermResponse counts them (Java: WipeWritePermOfBrokerResponseHeader).
type WipeWritePermResponse struct {
	WipeTopicCount int32
}

func (h *WipeWritePermResponse) visit(v *visitor) {
	v.i32("wipeTopicCount", &h.WipeTopicCount, required)
}

// AddWritePermRequest puts a broker's topics back into writing (Java:
// AddWritePermOfBrokerRequestHeader).
type AddWritePermRequest struct {
	BrokerName string
}

func (h *AddWritePermRequest) visit(v *visitor) {
	v.str("brokerName", &h.BrokerName, required)
}

// AddWritePermResponse counts them (Java: AddWritePermOfBrokerResponseHeader).
type AddWritePermResponse struct {
	AddTopicCount int32
}

func (h *AddWritePermResponse) visit(v *visitor) {
	v.i32("addTopicCount", &h.AddTopicCount, required)
}
