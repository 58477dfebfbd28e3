// Contract: LOCK_BATCH_MQ (41) and UNLOCK_BATCH_MQ (42, often one-way): queue locks of orderly
// consumption. Both take LockBatchRequest as body; 41 answers with the queues that are held,
// which may be fewer. The headers have base fields only.

package protocol

import (
	"mqscope/engine/mq"
)

// LockBatchMQRequest is the header of a lock request (Java: LockBatchMqRequestHeader).
type LockBatchMQRequest struct {
	Base
}

func (h *LockBatchMQRequest) visit(v *visitor) {
	h.visitBase(v)
}

// UnlockBatchMQRequest is the header of an unlock request (Java: UnlockBatchMqRequestHeader).
type UnlockBatchMQRequest struct {
	Base
}

func (h *UnlockBatchMQRequest) visit(v *visitor) {
	h.visitBase(v)
}

// LockBatchRequest names the queues to lock or unlock (Java: LockBatchRequestBody,
// UnlockBatchRequestBody).
type LockBatchRequest struct {
	ClientID       string
	ConsumerGroup  string
	Queues         []mq.MessageQueue
	OnlyThisBroker bool // do not ask other brokers of the name
}

func (b *LockBatchRequest) members(c *codec) {
	c.str("clientId", &b.ClientID)
	c.str("consumerGroup", &b.ConsumerGroup)
	queueSet(c, "mqSet", &b.Queues)
	c.boolean("onlyThisBroker", &b.OnlyThisBroker)
}

// Encode writes b as JSON.
func (b LockBatchRequest) Encode() []byte { return encodeBody(&b) }

// DecodeLockBatchRequest reads the body of a lock or unlock request.
func DecodeLockBatchRequest(data []byte) (LockBatchRequest, error) {
	return decodeBody[LockBatchRequest](data)
}

// LockBatchResponse is the queues that the client holds now (Java: LockBatchResponseBody).
type LockBatchResponse struct{ Locked []mq.MessageQueue }

func (b *LockBatchResponse) members(c *codec) { queueSet(c, "lockOKMQSet", &b.Locked) }

// Encode writes b as JSON.
func (b LockBatchResponse) Encode() []byte { return encodeBody(&b) }

// DecodeLockBatchResponse reads the answer to a lock request.
func DecodeLockBatchResponse(data []byte) (LockBatchResponse, error) {
	return decodeBody[LockBatchResponse](data)
}
