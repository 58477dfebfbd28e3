package client

import (
	"context"
	"fmt"
	"strconv"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// SendBack gives a message that could not be consumed back to its broker, which delivers it
// again later through the group's retry topic (CONSUMER_SEND_MSG_BACK). delayLevel 0 lets
// the broker choose 3 plus the times so far, above 0 names the delay, -1 sends it to the
// dead-letter topic; so does reaching maxReconsume times.
//
// Any failure, a refusal of the broker as well as a lost answer, is followed by a send of
// the same message to the retry topic, at any broker. Nil means that a broker has the
// message; it may have it twice. With an error the message is still only here.
// (Java: DefaultMQPushConsumerImpl.sendMessageBack.)
func (i *Instance) SendBack(ctx context.Context, group string, m mq.Message, delayLevel, maxReconsume int32) error {
	first := i.sendBack(ctx, group, m, delayLevel, maxReconsume)
	if first == nil {
		return nil
	}
	what := fmt.Sprintf("send back %s of %s", m.ID(), m.Topic())
	if i.over(ctx) != nil {
		return fmt.Errorf("%s: %w", what, first)
	}
	if i.decisions.On() {
		q := mq.MessageQueue{Topic: m.StoredTopic(), BrokerName: m.Batch().BrokerName, QueueID: m.QueueID()}
		i.decisions.Fact(decision.InstanceFallback, q, first.Error(), [6]int64{m.QueueOffset()})
	}
	i.log.Warn("send-back refused, sending to the retry topic", "group", group, "topic", m.Topic(), "offset", m.QueueOffset(), "err", first)
	if _, err := i.send(ctx, i.retryMessage(group, m, delayLevel, maxReconsume)); err != nil {
		return fmt.Errorf("%s: %w; then %w", what, first, err)
	}
	return nil
}

func (i *Instance) sendBack(ctx context.Context, group string, m mq.Message, delayLevel, maxReconsume int32) error {
	broker := m.Batch().BrokerName
	q := mq.MessageQueue{Topic: m.StoredTopic(), BrokerName: broker, QueueID: m.QueueID()}
	b, err := i.locate(ctx, q, mq.MasterID, true)
	if err != nil {
		return err
	}
	req := request(protocol.ConsumerSendMsgBack, &protocol.ConsumerSendMsgBackRequest{
		Base: protocol.Base{BName: broker}, Offset: m.PhysicalOffset(), Group: group, DelayLevel: delayLevel,
		OriginMsgID: m.ID(), OriginTopic: m.OriginTopic(), MaxReconsumeTimes: protocol.Some(maxReconsume),
	}, nil)
	_, err = i.ask(ctx, b.Addr, req, sendBackTimeout)
	return err
}

// retryMessage is m as a new message for the retry topic. The body is passed on as it is
// stored, compressed or not.
func (i *Instance) retryMessage(group string, m mq.Message, delayLevel, maxReconsume int32) *outgoing {
	times := m.ReconsumeTimes()
	next := times + 1
	if delayLevel < 0 {
		// No delay level means "dead letter" in a send, but more times than allowed do.
		next = max(next, maxReconsume+1)
	}
	origin, ok := m.Property(mq.PropertyOriginMessageID)
	if !ok {
		origin = m.ID()
	}
	set := []protocol.Property{
		{Name: mq.PropertyOriginMessageID, Value: origin},
		{Name: mq.PropertyRetryTopic, Value: m.OriginTopic()},
		{Name: mq.PropertyDelayLevel, Value: strconv.Itoa(int(3 + times))},
	}
	// The request's header carries the times; a transaction ended before it was consumed.
	drop := []string{mq.PropertyReconsumeTime, mq.PropertyMaxReconsumeTimes, mq.PropertyTransaction}
	id, _ := m.Property(mq.PropertyUniqueKey)
	home := m.Batch().BrokerName
	return &outgoing{
		topic: mq.RetryTopic(group), group: mq.InnerProducerGroup,
		body: m.StoredBody(), sysFlag: m.SysFlag() & (mq.CompressedFlag | mq.CompressionTypeMask), flag: m.Flag(),
		properties: replaceProperties(m.PropertiesText(), set, drop), uniqueID: id,
		fallback:       func() []string { return i.homes(m.StoredTopic(), home) },
		reconsumeTimes: protocol.Some(next), maxReconsume: protocol.Some(maxReconsume),
		timeout: sendBackTimeout,
	}
}

// homes returns the names of brokers that have a topic, home among them.
func (i *Instance) homes(topic, home string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	names := []string{home}
	for _, b := range i.table.BrokersOf(topic, func(int) int { return 0 }) {
		if b.BrokerName != home {
			names = append(names, b.BrokerName)
		}
	}
	return names
}

// replaceProperties returns a properties text with some set and others left out.
func replaceProperties(text []byte, set []protocol.Property, drop []string) string {
	replaced := map[string]bool{}
	for _, p := range set {
		replaced[p.Name] = true
	}
	for _, name := range drop {
		replaced[name] = true
	}
	var kept []protocol.Property
	for _, p := range protocol.ParseProperties(text) {
		if !replaced[p.Name] {
			kept = append(kept, p)
		}
	}
	return string(protocol.AppendProperties(nil, append(kept, set...)))
}
