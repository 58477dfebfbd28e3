package embedded

import (
	"strings"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// System topics (broker.md 2.2, remoting.md 8.2).
const (
	halfTopic        = "RMQ_SYS_TRANS_HALF_TOPIC"
	opHalfTopic      = "RMQ_SYS_TRANS_OP_HALF_TOPIC"
	checkMaxTopic    = "TRANS_CHECK_MAX_TIME_TOPIC"
	selfTestTopic    = "SELF_TEST_TOPIC"
	offsetMovedTopic = "OFFSET_MOVED_EVENT"
	systemPrefix     = "rmq_sys_"

	maxTopicLength = 127
	autoQueues     = 8 // of TBW102
	permRW         = protocol.PermRead | protocol.PermWrite
	permAll        = permRW | protocol.PermInherit
)

// topic is the configuration of a topic on one broker.
type topic = protocol.TopicConfig

func (b *Broker) addSystemTopics() {
	c := b.cfg.ClusterName
	list := []*topic{
		newTopic(mq.ScheduleTopic, int32(b.Store.Delays.Levels()), permRW),
		newTopic("BenchmarkTest", 1024, permRW),
		newTopic(c, 16, permAll),
		newTopic(b.Name, 1, permAll),
		newTopic(c+"_REPLY_TOPIC", 1, permRW),
		newTopic("rmq_sys_REVIVE_LOG_"+c, 8, permRW),
		newTopic("rmq_sys_SYNC_BROKER_MEMBER_"+b.Name, 1, protocol.PermInherit),
		newTopic("rmq_sys_wheel_timer", 1, permRW),
		newTopic(selfTestTopic, 1, permRW),
		newTopic(offsetMovedTopic, 1, permRW),
		newTopic(halfTopic, 1, permRW),
		newTopic(opHalfTopic, 1, permRW),
	}
	if !b.cfg.NoAutoCreateTopic {
		list = append(list, newTopic(mq.AutoCreateTopic, autoQueues, permAll))
	}
	for _, t := range list {
		b.topics[t.TopicName] = t
	}
	b.version.changed(b.state.now)
}

const singleTag = "SINGLE_TAG"

func newTopic(name string, queues, perm int32) *topic {
	return &topic{
		TopicName: name, ReadQueueNums: queues, WriteQueueNums: queues, Perm: perm,
		TopicFilterType: singleTag, Attributes: map[string]string{},
	}
}

// putTopic stores a topic's configuration and makes it known before anyone is answered.
func (b *Broker) putTopic(t *topic) {
	b.topics[t.TopicName] = t
	b.version.changed(b.state.now)
	if b.Running {
		b.state.NameServer.registerTopic(b, t)
	}
}

// isSystemTopic tells whether the topic belongs to the broker or the cluster.
func (b *Broker) isSystemTopic(name string) bool {
	switch name {
	case mq.AutoCreateTopic, mq.ScheduleTopic, "BenchmarkTest", halfTopic, opHalfTopic, "RMQ_SYS_TRACE_TOPIC",
		checkMaxTopic, selfTestTopic, offsetMovedTopic, "CHECKPOINT_TOPIC",
		b.cfg.ClusterName, b.Name, b.cfg.ClusterName + "_REPLY_TOPIC":
		return true
	}
	return strings.HasPrefix(name, systemPrefix)
}

// closedTopic tells whether clients may not send to the topic.
func closedTopic(name string) bool {
	switch name {
	case mq.ScheduleTopic, halfTopic, opHalfTopic, checkMaxTopic, selfTestTopic, offsetMovedTopic:
		return true
	}
	return false
}

// topicFault says what is wrong with a topic's name, empty if nothing is (Java:
// TopicValidator.validateTopic of 5.3.3).
func topicFault(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "The specified topic is blank."
	case !legalName(name):
		return "The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$"
	case len(name) > maxTopicLength:
		return "The specified topic is longer than topic max length."
	}
	return ""
}

// legalName tells whether all characters of a topic or group may be used; "" passes.
func legalName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '%', c == '|':
		default:
			return false
		}
	}
	return true
}

// topicForSend returns the topic of a send and makes it if the rules allow: after the
// default topic that the producer names, or as a retry topic (broker.md 8.2).
func (b *Broker) topicForSend(h *protocol.SendMessageRequest) *topic {
	if t := b.topics[h.Topic]; t != nil {
		return t
	}
	if def := b.topics[h.DefaultTopic]; def != nil && def.Perm&protocol.PermInherit != 0 {
		n := max(min(h.DefaultTopicQueueNums, def.WriteQueueNums), 0)
		t := newTopic(h.Topic, n, def.Perm&^protocol.PermInherit)
		t.TopicSysFlag = def.TopicSysFlag
		b.putTopic(t)
		return t
	}
	if mq.IsRetryTopic(h.Topic) {
		return b.internalTopic(h.Topic, 1)
	}
	return nil
}

// internalTopic returns a retry or dead-letter topic, made if missing.
func (b *Broker) internalTopic(name string, queues int32) *topic {
	t := b.topics[name]
	if t == nil {
		t = newTopic(name, queues, permRW)
		b.putTopic(t)
	}
	return t
}
