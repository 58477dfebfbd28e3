// Contract: HEART_BEAT (34): HeartbeatData as body. The answer says whether the broker knows
// heartbeats of version 2; its version field is the broker's version.

package protocol

// HeartbeatRequest is the header of a heartbeat, which has base fields only (Java:
// HeartbeatRequestHeader).
type HeartbeatRequest struct {
	Base
}

func (h *HeartbeatRequest) visit(v *visitor) {
	h.visitBase(v)
}

// HeartbeatResponse is what a broker says of version 2 heartbeats (Java:
// ext_fields_of_HEART_BEAT).
type HeartbeatResponse struct {
	SupportsV2          Opt[bool]
	SubscriptionChanged Opt[bool] // the heartbeat should be sent again in full
}

func (h *HeartbeatResponse) visit(v *visitor) {
	v.optBool("IS_SUPPORT_HEART_BEAT_V2", &h.SupportsV2)
	v.optBool("IS_SUB_CHANGE", &h.SubscriptionChanged)
}
