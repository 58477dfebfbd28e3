// Contract: END_TRANSACTION (37, normally one-way) and CHECK_TRANSACTION_STATE (39, broker to
// producer, one-way, one stored message as body, answered later by 37).
// RESUME_CHECK_HALF_MESSAGE (323) makes a broker ask again.

package protocol

// EndTransactionRequest commits or rolls back a half message (Java:
// EndTransactionRequestHeader).
type EndTransactionRequest struct {
	Base

	Topic                string
	ProducerGroup        string
	TranStateTableOffset int64
	CommitLogOffset      int64
	CommitOrRollback     int32 // 8 commit, 12 roll back, 0 not known
	FromTransactionCheck bool
	MsgID                string
	TransactionID        string
}

func (h *EndTransactionRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("topic", &h.Topic, optional)
	v.str("producerGroup", &h.ProducerGroup, required)
	v.i64("tranStateTableOffset", &h.TranStateTableOffset, required)
	v.i64("commitLogOffset", &h.CommitLogOffset, required)
	v.i32("commitOrRollback", &h.CommitOrRollback, required)
	v.boolean("fromTransactionCheck", &h.FromTransactionCheck, always)
	v.str("msgId", &h.MsgID, required)
	v.str("transactionId", &h.TransactionID, optional)
}

// CheckTransactionStateRequest asks a producer what became of a half message (Java:
// CheckTransactionStateRequestHeader).
type CheckTransactionStateRequest struct {
	Base

	Topic                string
	TranStateTableOffset int64
	CommitLogOffset      int64
	MsgID                string
	TransactionID        string
	OffsetMsgID          string
}

func (h *CheckTransactionStateRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("topic", &h.Topic, optional)
	v.i64("tranStateTableOffset", &h.TranStateTableOffset, required)
	v.i64("commitLogOffset", &h.CommitLogOffset, required)
	v.str("msgId", &h.MsgID, optional)
	v.str("transactionId", &h.TransactionID, optional)
	v.str("offsetMsgId", &h.OffsetMsgID, optional)
}

// CheckTransactionStateResponse is a form of the answer that 5.x does not send (Java:
// CheckTransactionStateResponseHeader).
type CheckTransactionStateResponse struct {
	ProducerGroup        string
	TranStateTableOffset int64
	CommitLogOffset      int64
	CommitOrRollback     int32
}

func (h *CheckTransactionStateResponse) visit(v *visitor) {
	v.str("producerGroup", &h.ProducerGroup, required)
	v.i64("tranStateTableOffset", &h.TranStateTableOffset, required)
	v.i64("commitLogOffset", &h.CommitLogOffset, required)
	v.i32("commitOrRollback", &h.CommitOrRollback, required)
}

// ResumeCheckHalfMessageRequest makes a broker ask about a half message again (Java:
// ResumeCheckHalfMessageRequestHeader).
type ResumeCheckHalfMessageRequest struct {
	Topic string
	MsgID string
}

func (h *ResumeCheckHalfMessageRequest) visit(v *visitor) {
	v.str("topic", &h.Topic, optional)
	v.str("msgId", &h.MsgID, optional)
}
