package mq

import (
	"fmt"
	"strings"
)

// Prefixes and system names (Java: MixAll, TopicValidator).
const (
	RetryPrefix        = "%RETRY%"
	DeadLetterPrefix   = "%DLQ%"
	AutoCreateTopic    = "TBW102"
	ScheduleTopic      = "SCHEDULE_TOPIC_XXXX"
	InnerProducerGroup = "CLIENT_INNER_PRODUCER"
	DefaultConsumer    = "DEFAULT_CONSUMER"

	// MasterID is the broker id of a master; any other id is a slave.
	MasterID = 0

	maxTopicLength = 127
	maxGroupLength = 255 // measured on 5.3.3; from 121 on %RETRY%group is too long for a send
)

// RetryTopic is where messages of group wait to be consumed again (Java: MixAll.getRetryTopic).
func RetryTopic(group string) string { return RetryPrefix + group }

// DeadLetterTopic is where messages of group end after their last retry (Java: MixAll.getDLQTopic).
func DeadLetterTopic(group string) string { return DeadLetterPrefix + group }

// IsRetryTopic tells whether topic is the retry topic of some group.
func IsRetryTopic(topic string) bool { return strings.HasPrefix(topic, RetryPrefix) }

// ValidateTopic tells why topic can not be subscribed or sent to: blank, over 127 bytes, or
// a character other than letters, digits and _ - % | (Java: TopicValidator.validateTopic).
func ValidateTopic(topic string) error { return validateName("topic", topic, maxTopicLength) }

// ValidateGroup tells why group can not be a consumer or producer group: blank, over 255
// bytes, a character other than letters, digits and _ - % |, or the reserved
// DEFAULT_CONSUMER (Java: Validators.checkGroup, DefaultMQPushConsumerImpl.checkConfig).
func ValidateGroup(group string) error {
	if group == DefaultConsumer {
		return fmt.Errorf("group %q is reserved: choose another name", group)
	}
	return validateName("group", group, maxGroupLength)
}

func validateName(kind, name string, limit int) error {
	if strings.TrimSpace(name) == "" {
		return fmt.Errorf("%s is blank: give a name of letters, digits and _ - %% |", kind)
	}
	if len(name) > limit {
		return fmt.Errorf("%s is %d bytes long: at most %d are allowed", kind, len(name), limit)
	}
	for _, r := range name {
		if !legalNameRune(r) {
			return fmt.Errorf("%s %q has the character %q: only letters, digits and _ - %% | are allowed", kind, name, r)
		}
	}
	return nil
}

func legalNameRune(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	}
	return r == '_' || r == '-' || r == '%' || r == '|'
}
