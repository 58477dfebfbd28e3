package consumer

import "mqscope/engine/protocol"

// Selector says which messages of a topic are wanted (Java: MessageSelector). The zero
// Selector wants all.
type Selector struct {
	Expression string // tags joined by "||", "*" or empty for all; or SQL92
	Type       string // protocol.ExpressionTAG, which is the default, or ExpressionSQL92
}

// ByTag selects by tags joined by "||".
func ByTag(expression string) Selector { return Selector{Expression: expression} }

// BySQL selects by an SQL92 expression over the properties, which only brokers compile.
func BySQL(expression string) Selector {
	return Selector{Expression: expression, Type: protocol.ExpressionSQL92}
}

// of is the subscription to a topic that s makes.
func (s Selector) of(topic string, version int64) (protocol.SubscriptionData, error) {
	kind := s.Type
	if kind == "" {
		kind = protocol.ExpressionTAG
	}
	return protocol.ParseSubscriptionOfType(topic, s.Expression, kind, version)
}

// isTag tells whether s selects by tags.
func (s Selector) isTag() bool { return s.Type == "" || s.Type == protocol.ExpressionTAG }
