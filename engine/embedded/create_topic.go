package embedded

import (
	"fmt"

	"mqscope/engine/mq"
)

// CreateTopic makes a topic on all brokers, or changes how many queues it has there: more
// are empty at first, and queues beyond the new number can not be pulled but keep their
// messages. 0 means Config.QueuesPerTopic. Clients see it when they next ask for the route.
func (c *Cluster) CreateTopic(name string, queues int) error {
	if err := mq.ValidateTopic(name); err != nil {
		return fmt.Errorf("create topic: %w", err)
	}
	if queues == 0 {
		queues = c.cfg.QueuesPerTopic
	}
	if queues < 0 || queues > maxQueues {
		return fmt.Errorf("create topic %s with %d queues: give 1 to %d", name, queues, maxQueues)
	}
	var fault error
	c.Inspect(func(s *State) {
		for _, b := range s.brokers {
			if b.isSystemTopic(name) {
				fault = fmt.Errorf("create topic %s: the broker needs that name itself", name)
				return
			}
		}
		s.now = c.clock.Now()
		for _, b := range s.brokers {
			b.SetQueues(name, int32(queues), int32(queues))
		}
	})
	return fault
}

// SetQueues makes a topic with so many queues to read from and write to, or changes the
// numbers. Use it from Inspect.
func (b *Broker) SetQueues(topic string, read, write int32) {
	t := newTopic(topic, read, permRW)
	if old := b.topics[topic]; old != nil {
		*t = *old
	}
	t.ReadQueueNums, t.WriteQueueNums = read, write
	b.putTopic(t)
}

// SetPerm changes the permission bits of a topic, of the whole broker if topic is empty. It
// tells whether there is such a topic. Use it from Inspect.
func (b *Broker) SetPerm(topic string, perm int32) bool {
	if topic == "" {
		b.permission = perm
		if b.Running {
			b.state.NameServer.registerOwn(b)
		}
		return true
	}
	old := b.topics[topic]
	if old == nil {
		return false
	}
	t := *old
	t.Perm = perm
	b.putTopic(&t)
	return true
}
