// Contract: what a group wants of a topic, as in heartbeats, connection lists and running
// info, and how a tag expression is read. SQL92 expressions are passed on, not parsed: only
// brokers compile them. The legacy class filter is carried but never set.

package protocol

import (
	"fmt"
	"strings"

	"mqscope/engine/mq"
)

// Expression types (Java: ExpressionType). Case matters.
const (
	ExpressionTAG   = "TAG"
	ExpressionSQL92 = "SQL92"

	// SubscribeAll is the expression for every message.
	SubscribeAll = "*"
)

// SubscriptionData is one subscription of a group (Java: SubscriptionData).
type SubscriptionData struct {
	ClassFilterMode bool
	CodeSet         []int32 // Java hashes of the tags: what brokers filter by
	ExpressionType  string
	SubString       string // the expression as written, "*" for all
	SubVersion      int64  // ms when the subscription was made; never goes back
	TagsSet         []string
	Topic           string
}

func (s *SubscriptionData) members(c *codec) {
	c.boolean("classFilterMode", &s.ClassFilterMode)
	list(c, "codeSet", &s.CodeSet, i32Value)
	c.str("expressionType", &s.ExpressionType)
	c.str("subString", &s.SubString)
	c.i64("subVersion", &s.SubVersion)
	list(c, "tagsSet", &s.TagsSet, strValue)
	c.str("topic", &s.Topic)
	if !c.writing && s.ExpressionType == "" {
		s.ExpressionType = ExpressionTAG // so is an empty one taken by Java
	}
}

// Encode writes s as JSON.
func (s SubscriptionData) Encode() []byte { return encodeBody(&s) }

// DecodeSubscriptionData reads one subscription.
func DecodeSubscriptionData(data []byte) (SubscriptionData, error) {
	return decodeBody[SubscriptionData](data)
}

// Tags returns the tags to filter by again on the client, as brokers only compare hashes; nil
// when every message is wanted (Java: PullAPIWrapper.processPullResult).
func (s *SubscriptionData) Tags() map[string]struct{} {
	if len(s.TagsSet) == 0 || s.ClassFilterMode {
		return nil
	}
	tags := make(map[string]struct{}, len(s.TagsSet))
	for _, t := range s.TagsSet {
		tags[t] = struct{}{}
	}
	return tags
}

// MatchesCode tells whether a broker lets a message through whose tag has this code (Java:
// ExpressionMessageFilter).
func (s *SubscriptionData) MatchesCode(tagCode int64) bool {
	if s.ExpressionType != ExpressionTAG && s.ExpressionType != "" || s.SubString == SubscribeAll {
		return true
	}
	for _, c := range s.CodeSet {
		if int64(c) == tagCode {
			return true
		}
	}
	return false
}

// ParseSubscription reads a tag expression: empty or "*" is everything, else tags joined by
// "||", blanks around them dropped. Only separators is an error. version is the subVersion,
// in ms (Java: FilterAPI.buildSubscriptionData).
func ParseSubscription(topic, expression string, version int64) (SubscriptionData, error) {
	s := SubscriptionData{ExpressionType: ExpressionTAG, SubString: expression, SubVersion: version, Topic: topic}
	if expression == "" || expression == SubscribeAll {
		s.SubString = SubscribeAll
		return s, nil
	}
	parts := strings.Split(expression, "||")
	if strings.Join(parts, "") == "" {
		return SubscriptionData{}, fmt.Errorf("subscription expression %s of topic %s has only separators: "+
			"write tags joined by ||, or *", clipped(expression), clipped(topic))
	}
	seen := make(map[string]struct{}, len(parts))
	codes := make(map[int32]struct{}, len(parts))
	for _, part := range parts {
		tag := trimJava(part)
		if tag == "" {
			continue
		}
		if _, twice := seen[tag]; twice {
			continue
		}
		seen[tag] = struct{}{}
		s.TagsSet = append(s.TagsSet, tag)
		code := mq.HashJava(tag)
		if _, twice := codes[code]; !twice { // two tags may have one hash
			codes[code] = struct{}{}
			s.CodeSet = append(s.CodeSet, code)
		}
	}
	return s, nil
}

// ParseSubscriptionOfType reads an expression of a given type: TAG as ParseSubscription does,
// any other as it stands, but not empty (Java: FilterAPI.build).
func ParseSubscriptionOfType(topic, expression, expressionType string, version int64) (SubscriptionData, error) {
	if expressionType == ExpressionTAG {
		return ParseSubscription(topic, expression, version)
	}
	if expression == "" {
		return SubscriptionData{}, fmt.Errorf("subscription expression of topic %s and type %s is empty",
			clipped(topic), clipped(expressionType))
	}
	return SubscriptionData{ExpressionType: expressionType, SubString: expression, SubVersion: version, Topic: topic}, nil
}

// trimJava drops characters up to U+0020 from both ends (Java: String.trim).
func trimJava(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// TagCode is what a broker keeps of a message's TAGS in the consume queue: the Java hash with
// its sign, 0 for none (Java: MessageExtBrokerInner.tagsString2tagsCode).
func TagCode(tags string) int64 {
	if tags == "" {
		return 0
	}
	return int64(mq.HashJava(tags))
}
