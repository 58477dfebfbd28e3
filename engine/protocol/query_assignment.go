// Contract: QUERY_ASSIGNMENT (400) lets the broker divide the queues, SET_MESSAGE_REQUEST_MODE
// (401) chooses pull or pop for a group and topic. Bodies only, no header fields. In pop mode
// queue id -1 stands for a whole broker.

package protocol

import "mqscope/engine/mq"

// Modes of an assignment (Java: MessageRequestMode).
const (
	ModePull = "PULL"
	ModePop  = "POP"
)

// QueryAssignmentRequest asks for a member's queues (Java: QueryAssignmentRequestBody).
type QueryAssignmentRequest struct {
	ClientID      string
	ConsumerGroup string
	MessageModel  mq.MessageModel
	StrategyName  string // AVG, ...
	Topic         string
}

func (b *QueryAssignmentRequest) members(c *codec) {
	if !c.writing {
		b.MessageModel = mq.UnknownModel
	}
	c.str("clientId", &b.ClientID)
	c.str("consumerGroup", &b.ConsumerGroup)
	messageModel(c, &b.MessageModel)
	c.str("strategyName", &b.StrategyName)
	c.str("topic", &b.Topic)
}

// Encode writes b as JSON.
func (b QueryAssignmentRequest) Encode() []byte { return encodeBody(&b) }

// DecodeQueryAssignmentRequest reads the body of QueryAssignment.
func DecodeQueryAssignmentRequest(data []byte) (QueryAssignmentRequest, error) {
	return decodeBody[QueryAssignmentRequest](data)
}

// QueryAssignmentResponse is the queues of a member (Java: QueryAssignmentResponseBody). Nil
// means that the broker has no answer, which is not the same as no queues.
type QueryAssignmentResponse struct{ Assignments []MessageQueueAssignment }

// MessageQueueAssignment is one queue and how to read it (Java: MessageQueueAssignment).
type MessageQueueAssignment struct {
	Attachments map[string]string
	Queue       mq.MessageQueue
	Mode        string // ModePull or ModePop; empty when it was neither
}

func (b *QueryAssignmentResponse) members(c *codec) {
	if c.writing && b.Assignments == nil || !c.at("messageQueueAssignments") {
		return
	}
	listValue(c, &b.Assignments, objectValue[MessageQueueAssignment])
	if b.Assignments == nil {
		b.Assignments = []MessageQueueAssignment{}
	}
}

func (a *MessageQueueAssignment) members(c *codec) {
	if !c.writing { // what Java's constructor sets
		a.Mode = ModePull
	}
	if !c.writing || len(a.Attachments) > 0 {
		textTable(c, "attachments", &a.Attachments, strValue)
	}
	object(c, "messageQueue", (*queueBody)(&a.Queue))
	requestMode(c, &a.Mode)
}

func requestMode(c *codec, p *string) {
	enum(c, "mode", p, "", []string{ModePull, ModePop}, func(s string) string { return s })
}

// Encode writes b as JSON.
func (b QueryAssignmentResponse) Encode() []byte { return encodeBody(&b) }

// DecodeQueryAssignmentResponse reads the answer to QueryAssignment.
func DecodeQueryAssignmentResponse(data []byte) (QueryAssignmentResponse, error) {
	return decodeBody[QueryAssignmentResponse](data)
}

// SetMessageRequestModeRequest is the body of the code of that name (Java:
// SetMessageRequestModeRequestBody).
type SetMessageRequestModeRequest struct {
	ConsumerGroup    string
	Mode             string // ModePull or ModePop
	PopShareQueueNum int32
	Topic            string
}

func (b *SetMessageRequestModeRequest) members(c *codec) {
	if !c.writing { // what Java's constructor sets
		b.Mode = ModePull
	}
	c.str("consumerGroup", &b.ConsumerGroup)
	requestMode(c, &b.Mode)
	c.i32("popShareQueueNum", &b.PopShareQueueNum)
	c.str("topic", &b.Topic)
}

// Encode writes b as JSON.
func (b SetMessageRequestModeRequest) Encode() []byte { return encodeBody(&b) }

// DecodeSetMessageRequestModeRequest reads the body of SetMessageRequestMode.
func DecodeSetMessageRequestModeRequest(data []byte) (SetMessageRequestModeRequest, error) {
	return decodeBody[SetMessageRequestModeRequest](data)
}
