package embedded

import (
	"strconv"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Contract: CONSUMER_SEND_MSG_BACK (36). Header offset (of the commit log), group,
// delayLevel, maxReconsumeTimes. Checks: group 26; broker not writable 16; a group with no
// retry queues 0, and the message is dropped; retry topic not writable 16; no record there 1.
// As often retried as allowed, or a negative level: to %DLQ%group queue 0 at once; 1 if the
// header has no originTopic then (seen). Else to %RETRY%group through the delay queues, level
// 0 meaning 3 + retries so far. The new record has reconsumeTimes + 1 and RETRY_TOPIC,
// ORIGIN_MESSAGE_ID (both of the first time), WAIT=false and DELAY.
func (b *Broker) sendBack(r *Request) {
	var h protocol.ConsumerSendMsgBackRequest
	if !r.decode(&h) {
		return
	}
	g := b.findGroup(h.Group)
	switch {
	case g == nil:
		r.failf(protocol.SubscriptionGroupNotExist, "subscription group not exist, %s", h.Group)
		return
	case b.perm()&protocol.PermWrite == 0:
		r.failf(protocol.NoPermission, "the broker[%s] sending message is forbidden", b.host.Addr())
		return
	case g.RetryQueueNums <= 0:
		r.ok(nil, nil)
		return
	}
	retry := b.internalTopic(mq.RetryTopic(h.Group), g.RetryQueueNums)
	if retry.Perm&protocol.PermWrite == 0 {
		r.failf(protocol.NoPermission, "the topic[%s] sending message is forbidden", retry.TopicName)
		return
	}
	m, ok := message(b.Store.Record(h.Offset))
	if !ok {
		r.failf(protocol.SystemError, "look message by offset failed, %d", h.Offset)
		return
	}
	limit := g.RetryMaxTimes
	if r.Cmd.Version >= protocol.VersionMaxReconsumeTimes {
		limit = h.MaxReconsumeTimes.Or(limit)
	}
	target, queue, level := retry.TopicName, b.state.rand.Int32N(g.RetryQueueNums), h.DelayLevel
	switch {
	case m.ReconsumeTimes >= limit || h.DelayLevel < 0:
		if h.OriginTopic == "" {
			r.fail(protocol.SystemError, "java.lang.NullPointerException: originTopic is null")
			return
		}
		if len(mq.DeadLetterTopic(h.Group)) > maxTopicLength {
			r.fail(protocol.SystemError, "MESSAGE_ILLEGAL")
			return
		}
		target, queue, level = b.internalTopic(mq.DeadLetterTopic(h.Group), 1).TopicName, 0, 0
	case level == 0:
		level = 3 + m.ReconsumeTimes
	}
	m.Properties = sendBackProperties(&m, level)
	m.ReconsumeTimes++
	if len(m.Properties) > maxProperties {
		r.fail(protocol.SystemError, "MESSAGE_ILLEGAL")
		return
	}
	if _, err := b.put(target, queue, &m); err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	r.ok(nil, nil)
}

// sendBackProperties is what the copy of a message says of where it came from.
func sendBackProperties(m *protocol.StoredMessage, level int32) []byte {
	props := m.Properties
	if property(props, mq.PropertyRetryTopic) == "" {
		props = withProperty(props, mq.PropertyRetryTopic, m.Topic)
	}
	if property(props, mq.PropertyOriginMessageID) == "" {
		props = withProperty(props, mq.PropertyOriginMessageID, protocol.OffsetID(m.StoreHost, m.PhysicalOffset))
	}
	props = withProperty(props, mq.PropertyWaitStoreOK, "false")
	return withProperty(props, mq.PropertyDelayLevel, strconv.Itoa(int(level)))
}
