// Contract: NOTIFY_CONSUMER_IDS_CHANGED (40), broker to client and one-way: the members of a
// group changed, rebalance now.

package protocol

// NotifyConsumerIDsChangedRequest says that the members of a group changed (Java:
// NotifyConsumerIdsChangedRequestHeader).
type NotifyConsumerIDsChangedRequest struct {
	Base

	ConsumerGroup string
}

func (h *NotifyConsumerIDsChangedRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
}
