package embedded

import (
	"fmt"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// refusal is why a pull is not served.
type refusal struct {
	code      protocol.ResponseCode
	remark    string
	forbidden int32 // forbiddenType of code 16: 1 broker, 2 group, 3 topic, 4 broadcasting, 5 subscription
}

// header carries forbiddenType; no answer to a refused pull has offsets.
func (f refusal) header() protocol.Header {
	if f.forbidden == 0 {
		return nil
	}
	return &protocol.PullMessageResponse{ForbiddenType: protocol.Some(f.forbidden)}
}

func refuse(code protocol.ResponseCode, format string, args ...any) refusal {
	return refusal{code: code, remark: fmt.Sprintf(format, args...)}
}

func forbid(kind int32, format string, args ...any) refusal {
	return refusal{protocol.NoPermission, fmt.Sprintf(format, args...), kind}
}

// checkPull makes the checks of broker.md 4.1 in their order and returns the subscription
// that the pull is served with. It makes the group if there is none.
func (b *Broker) checkPull(h *protocol.PullMessageRequest) (protocol.SubscriptionData, refusal) {
	var none protocol.SubscriptionData
	if b.perm()&protocol.PermRead == 0 {
		return none, forbid(1, "the broker[%s] pulling message is forbidden", b.host.Addr())
	}
	g := b.findGroup(h.ConsumerGroup)
	if g == nil {
		return none, refuse(protocol.SubscriptionGroupNotExist, "subscription group [%s] does not exist, ", h.ConsumerGroup)
	}
	if !g.ConsumeEnable {
		return none, forbid(2, "subscription group no permission, %s", h.ConsumerGroup)
	}
	t := b.topics[h.Topic]
	if t == nil {
		return none, refuse(protocol.TopicNotExist, "topic[%s] not exist, apply first please!", h.Topic)
	}
	if t.Perm&protocol.PermRead == 0 {
		return none, forbid(3, "the topic[%s] pulling message is forbidden", h.Topic)
	}
	if h.QueueID < 0 || h.QueueID >= t.ReadQueueNums {
		return none, refuse(protocol.InvalidParameter, "queueId[%d] is illegal, topic:[%s] topicConfig.readQueueNums:[%d]", h.QueueID, h.Topic, t.ReadQueueNums)
	}
	sub, f := b.pullSubscription(g, h)
	if f.code != protocol.Success {
		return none, f
	}
	if sub.ExpressionType != protocol.ExpressionTAG {
		return none, refuse(protocol.SystemError, "The broker does not support consumer to filter message by %s", sub.ExpressionType)
	}
	return sub, refusal{}
}

// pullSubscription is the one in the header, or the one registered by heartbeats.
func (b *Broker) pullSubscription(g *group, h *protocol.PullMessageRequest) (protocol.SubscriptionData, refusal) {
	if h.SysFlag&protocol.PullSubscription != 0 {
		kind := h.ExpressionType
		if kind == "" {
			kind = protocol.ExpressionTAG
		}
		sub, err := protocol.ParseSubscriptionOfType(h.Topic, h.Subscription, kind, h.SubVersion)
		if err != nil {
			return sub, refuse(protocol.SubscriptionParseFailed, "parse the consumer's subscription failed")
		}
		b.supplied[groupAndTopic{h.ConsumerGroup, h.Topic}] = suppliedSubscription{sub, b.state.now}
		return sub, refusal{}
	}
	online := b.consumers[h.ConsumerGroup]
	if online == nil {
		return protocol.SubscriptionData{}, refuse(protocol.SubscriptionNotExist, "the consumer's group info not exist")
	}
	if online.model == mq.Broadcasting && !g.ConsumeBroadcastEnable {
		return protocol.SubscriptionData{}, forbid(4, " the consumer group[%s] can not consume by broadcast way", h.ConsumerGroup)
	}
	if b.forbidden[groupAndTopic{h.ConsumerGroup, h.Topic}] {
		return protocol.SubscriptionData{}, forbid(5, "the consumer group[%s] is forbidden for topic[%s]", h.ConsumerGroup, h.Topic)
	}
	sub, ok := online.subscriptions[h.Topic]
	if !ok {
		return sub, refuse(protocol.SubscriptionNotExist, "the consumer's subscription not exist")
	}
	if sub.SubVersion < h.SubVersion {
		return sub, refuse(protocol.SubscriptionNotLatest, "the consumer's subscription not latest")
	}
	if sub.ExpressionType != protocol.ExpressionTAG {
		// A filter that was never compiled: SQL92 is not served here.
		return sub, refuse(protocol.FilterDataNotExist, "the consumer's consumer filter data not exist!")
	}
	return sub, refusal{}
}
