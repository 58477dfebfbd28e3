package consumer

import (
	"maps"
	"slices"

	"mqscope/engine/mq"
)

// inNamespace gives group and topics the names that brokers know.
func (c *PullConfig) inNamespace() {
	c.Group = mq.WithNamespace(c.Namespace, c.Group)
	c.Topics = slices.Clone(c.Topics)
	for i, topic := range c.Topics {
		c.Topics[i] = mq.WithNamespace(c.Namespace, topic)
	}
	selectors := c.Selectors
	c.Selectors = make(map[string]Selector, len(selectors))
	for _, topic := range slices.Sorted(maps.Keys(selectors)) {
		c.Selectors[mq.WithNamespace(c.Namespace, topic)] = selectors[topic]
	}
}

// topic is the name of a topic as brokers know it; queue the same of a queue.
func (l *onDemand) topic(name string) string { return mq.WithNamespace(l.namespace, name) }

func (l *onDemand) queue(q mq.MessageQueue) mq.MessageQueue {
	q.Topic = l.topic(q.Topic)
	return q
}

func (l *onDemand) queuesOf(list []mq.MessageQueue) []mq.MessageQueue {
	out := slices.Clone(list)
	for i, q := range out {
		out[i] = l.queue(q)
	}
	return out
}

// shown is the name of a topic as the application knows it; shownQueue and shownQueues the same
// of queues.
func (l *onDemand) shown(topic string) string {
	if l.namespace == "" {
		return topic
	}
	return mq.WithoutNamespace(l.namespace, topic)
}

func (l *onDemand) shownQueue(q mq.MessageQueue) mq.MessageQueue {
	q.Topic = l.shown(q.Topic)
	return q
}

// shownQueues returns a list that is the caller's.
func (l *onDemand) shownQueues(list []mq.MessageQueue) []mq.MessageQueue {
	out := slices.Clone(list)
	for i, q := range out {
		out[i] = l.shownQueue(q)
	}
	return out
}
