// Contract: CONSUME_MESSAGE_DIRECTLY (309), tool to broker and on to the client, with the
// stored message as body on the second way: the member handles it now and answers with
// ConsumeMessageDirectlyResult. The tool names the message by its offset id.

package protocol

// ConsumeMessageDirectlyRequest makes a member handle one message now (Java:
// ConsumeMessageDirectlyResultRequestHeader).
type ConsumeMessageDirectlyRequest struct {
	TopicBase

	ConsumerGroup string
	ClientID      string
	MsgID         string // offset id
	BrokerName    string
	Topic         string
	TopicSysFlag  Opt[int32]
	GroupSysFlag  Opt[int32]
}

func (h *ConsumeMessageDirectlyRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("clientId", &h.ClientID, optional)
	v.str("msgId", &h.MsgID, optional)
	v.str("brokerName", &h.BrokerName, optional)
	v.str("topic", &h.Topic, optional)
	v.optI32("topicSysFlag", &h.TopicSysFlag)
	v.optI32("groupSysFlag", &h.GroupSysFlag)
}

// What became of a message that was consumed directly (Java: CMResult).
const (
	ResultSuccess        = "CR_SUCCESS"
	ResultLater          = "CR_LATER"
	ResultRollback       = "CR_ROLLBACK"
	ResultCommit         = "CR_COMMIT"
	ResultThrowException = "CR_THROW_EXCEPTION"
	ResultReturnNull     = "CR_RETURN_NULL"
)

// ConsumeMessageDirectlyResult is what the listener made of the message (Java:
// ConsumeMessageDirectlyResult).
type ConsumeMessageDirectlyResult struct {
	AutoCommit    bool
	ConsumeResult string // ResultSuccess and so on; empty when it was none of them
	Order         bool   // an orderly listener
	Remark        string
	SpentMillis   int64
}

func (b *ConsumeMessageDirectlyResult) members(c *codec) {
	if !c.writing { // what Java's constructor sets
		b.AutoCommit = true
	}
	c.boolean("autoCommit", &b.AutoCommit)
	enum(c, "consumeResult", &b.ConsumeResult, "", []string{ResultSuccess, ResultLater,
		ResultRollback, ResultCommit, ResultThrowException, ResultReturnNull},
		func(s string) string { return s })
	c.boolean("order", &b.Order)
	c.str("remark", &b.Remark)
	c.i64("spentTimeMills", &b.SpentMillis)
}

// Encode writes b as JSON.
func (b ConsumeMessageDirectlyResult) Encode() []byte { return encodeBody(&b) }

// DecodeConsumeMessageDirectlyResult reads the answer to ConsumeMessageDirectly.
func DecodeConsumeMessageDirectlyResult(data []byte) (ConsumeMessageDirectlyResult, error) {
	return decodeBody[ConsumeMessageDirectlyResult](data)
}
