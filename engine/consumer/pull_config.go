package consumer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// PullConfig is how a pull consumer behaves. A field's zero means the default of
// DefaultMQPullConsumer.
type PullConfig struct {
	MemberConfig
	// Topics are registered: the group subscribes to all of their messages, and their queues
	// are shared among its members. Others may be pulled from all the same.
	Topics []string
	// Selectors narrow what heartbeats say of registered topics. What a pull brings is up to
	// the pull.
	Selectors map[string]Selector
	// Timeout is how long a pull may take that its broker does not hold; default 10 s:
	// consumerPullTimeoutMillis.
	Timeout time.Duration
	// MaxReconsume is how often a message may be sent back before the dead-letter topic takes
	// it; default 16.
	MaxReconsume int
	// NoRebalance leaves all queues to the application: none is given to this member.
	NoRebalance bool

	ConsumeHooks []ConsumeHook
	FilterHooks  []FilterHook
}

func (c *PullConfig) setDefaults() {
	c.MemberConfig.setDefaults()
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.MaxReconsume == 0 {
		c.MaxReconsume = 16
	}
}

// Validate reports all faults at once, each with field, value and what is allowed
// (Java: DefaultMQPullConsumerImpl.checkConfig, which stops at the first).
func (c *PullConfig) Validate() error {
	errs := c.MemberConfig.validate()
	errs = append(errs, notNegative([]namedDuration{{"Timeout", c.Timeout}})...)
	if c.MaxReconsume < -1 {
		errs = append(errs, fmt.Errorf("MaxReconsume is %d: -1 or more is allowed", c.MaxReconsume))
	}
	for _, topic := range c.Topics {
		if err := mq.ValidateTopic(topic); err != nil {
			errs = append(errs, err)
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(c.Selectors)) {
		if !slices.Contains(c.Topics, topic) {
			errs = append(errs, fmt.Errorf("topic %q of Selectors is not among Topics", topic))
			continue
		}
		if _, err := c.Selectors[topic].of(topic, 0); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// subscriptions are what heartbeats tell.
func (c *PullConfig) subscriptions(now time.Time) ([]protocol.SubscriptionData, error) {
	var out []protocol.SubscriptionData
	for _, topic := range slices.Compact(slices.Sorted(slices.Values(c.Topics))) {
		d, err := c.subscription(topic, now)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// subscription is that of a registered topic; without a selector it has version 0, as in Java.
func (c *PullConfig) subscription(topic string, now time.Time) (protocol.SubscriptionData, error) {
	s, given := c.Selectors[topic]
	if !given {
		return s.of(topic, 0)
	}
	return s.of(topic, now.UnixMilli())
}
