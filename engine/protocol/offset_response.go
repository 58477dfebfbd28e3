// Contract: the answer of 14, 29, 30 and 31: one offset.

package protocol

// OffsetResponse is the one offset asked for; also SearchOffset, GetMaxOffset and GetMinOffset
// answer so (Java: QueryConsumerOffsetResponseHeader).
type OffsetResponse struct {
	Offset int64
}

func (h *OffsetResponse) visit(v *visitor) {
	v.i64("offset", &h.Offset, required)
}
