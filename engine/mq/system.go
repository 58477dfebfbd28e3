package mq

import "strings"

const (
	systemTopicPrefix = "rmq_sys_"
	systemGroupPrefix = "CID_RMQ_SYS_"
	replyTopicSuffix  = "_REPLY_TOPIC"
	namespaceMark     = "%"
)

// ReplyTopic is where answers of request-reply messaging go in a cluster (Java:
// MixAll.getReplyTopic).
func ReplyTopic(cluster string) string { return cluster + replyTopicSuffix }

// PopRetryTopic is where messages of topic wait to be popped again by group (Java:
// KeyBuilder.buildPopRetryTopicV1).
func PopRetryTopic(topic, group string) string { return RetryPrefix + group + "_" + topic }

// PopRetryTopicV2 is the same where the broker has enableRetryTopicV2; the plus can not stand
// in a name that a person gave (Java: KeyBuilder.buildPopRetryTopicV2).
func PopRetryTopicV2(topic, group string) string { return RetryPrefix + group + "+" + topic }

// IsSystemTopic tells whether topic belongs to RocketMQ itself. A broker also counts the names
// of its cluster and of itself, which are not known here (Java: TopicValidator.isSystemTopic).
func IsSystemTopic(topic string) bool {
	switch topic {
	case AutoCreateTopic, ScheduleTopic, "BenchmarkTest", "RMQ_SYS_TRANS_HALF_TOPIC",
		"RMQ_SYS_TRANS_OP_HALF_TOPIC", "RMQ_SYS_TRACE_TOPIC", "TRANS_CHECK_MAX_TIME_TOPIC",
		"SELF_TEST_TOPIC", "OFFSET_MOVED_EVENT", "CHECKPOINT_TOPIC":
		return true
	}
	return strings.HasPrefix(topic, systemTopicPrefix)
}

// IsSendForbidden tells whether clients may not send to topic (Java:
// TopicValidator.isNotAllowedSendTopic).
func IsSendForbidden(topic string) bool {
	switch topic {
	case ScheduleTopic, "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
		"TRANS_CHECK_MAX_TIME_TOPIC", "SELF_TEST_TOPIC", "OFFSET_MOVED_EVENT":
		return true
	}
	return false
}

// IsSystemGroup tells whether group belongs to a broker itself (Java:
// MixAll.isSysConsumerGroup).
func IsSystemGroup(group string) bool { return strings.HasPrefix(group, systemGroupPrefix) }

// WithNamespace puts a topic or group into a namespace, inside its retry or dead-letter
// prefix. System names and names that are in it already stay as they are (Java:
// NamespaceUtil.wrapNamespace).
func WithNamespace(namespace, name string) string {
	prefix, rest := cutDerivedPrefix(name)
	if namespace == "" || name == "" || isSystemName(name) || strings.HasPrefix(rest, namespace+namespaceMark) {
		return name
	}
	return prefix + namespace + namespaceMark + rest
}

// WithoutNamespace takes a topic or group out of its namespace. With a namespace given only
// out of that one (Java: NamespaceUtil.withoutNamespace).
func WithoutNamespace(namespace, name string) string {
	prefix, rest := cutDerivedPrefix(name)
	if isSystemName(name) || namespace != "" && !strings.HasPrefix(rest, namespace+namespaceMark) {
		return name
	}
	if i := strings.Index(rest, namespaceMark); i > 0 {
		return prefix + rest[i+1:]
	}
	return name
}

// NamespaceOf is the namespace of a topic or group, empty for none (Java:
// NamespaceUtil.getNamespaceFromResource).
func NamespaceOf(name string) string {
	_, rest := cutDerivedPrefix(name)
	if i := strings.Index(rest, namespaceMark); i > 0 && !isSystemName(name) {
		return rest[:i]
	}
	return ""
}

func isSystemName(name string) bool { return IsSystemTopic(name) || IsSystemGroup(name) }

// cutDerivedPrefix splits off what makes a retry or dead-letter topic of a group.
func cutDerivedPrefix(name string) (prefix, rest string) {
	for _, p := range []string{RetryPrefix, DeadLetterPrefix} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return p, rest
		}
	}
	return "", name
}
