// Contract: GET_CONSUMER_CONNECTION_LIST (203) asks a broker who is connected for a group:
// ConsumerConnection as body, 206 when nobody is online.

package protocol

import (
	"mqscope/engine/mq"
)

// GetConsumerConnectionListRequest asks for the connections of a consumer group (Java:
// GetConsumerConnectionListRequestHeader).
type GetConsumerConnectionListRequest struct {
	Base

	ConsumerGroup string
}

func (h *GetConsumerConnectionListRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
}

// ConsumerConnection is who is connected for a consumer group, as its last heartbeat said
// (Java: ConsumerConnection).
type ConsumerConnection struct {
	Connections       []Connection
	ConsumeFromWhere  mq.ConsumeFromWhere
	ConsumeType       mq.ConsumeType
	MessageModel      mq.MessageModel
	SubscriptionTable map[string]SubscriptionData // by topic
}

// Connection is one connected client (Java: Connection).
type Connection struct {
	ClientAddr string
	ClientID   string
	Language   string // JAVA, GO, ...
	Version    int32  // see VersionName
}

func (b *ConsumerConnection) members(c *codec) {
	if !c.writing { // Java leaves an absent constant null
		b.ConsumeFromWhere, b.ConsumeType = mq.UnknownFromWhere, mq.UnknownConsumeType
		b.MessageModel = mq.UnknownModel
	}
	objects(c, "connectionSet", &b.Connections)
	consumeFromWhere(c, &b.ConsumeFromWhere)
	consumeType(c, &b.ConsumeType)
	messageModel(c, &b.MessageModel)
	textTable(c, "subscriptionTable", &b.SubscriptionTable, objectValue)
}

func (b *Connection) members(c *codec) {
	c.str("clientAddr", &b.ClientAddr)
	c.str("clientId", &b.ClientID)
	c.str("language", &b.Language)
	c.i32("version", &b.Version)
}

// Encode writes b as JSON.
func (b ConsumerConnection) Encode() []byte { return encodeBody(&b) }

// DecodeConsumerConnection reads the answer to GetConsumerConnectionList.
func DecodeConsumerConnection(data []byte) (ConsumerConnection, error) {
	return decodeBody[ConsumerConnection](data)
}
