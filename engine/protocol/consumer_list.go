// Contract: the answer to GetConsumerListByGroup.

package protocol

// ConsumerList is the client ids of a group (Java: GetConsumerListByGroupResponseBody).
type ConsumerList struct{ ConsumerIDs []string }

func (l *ConsumerList) members(c *codec) { list(c, "consumerIdList", &l.ConsumerIDs, strValue) }

// Encode writes l as JSON.
func (l ConsumerList) Encode() []byte { return encodeBody(&l) }

// DecodeConsumerList reads the members of a group.
func DecodeConsumerList(data []byte) (ConsumerList, error) { return decodeBody[ConsumerList](data) }
