package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"mqscope/engine/client"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// Join says what joining a group would change.
type Join struct {
	Members []string // that the group has now, sorted
	Queues  int      // of the subscribed topics
	Moves   int      // queues that would change their owner
	Gains   int      // of these, how many would come to us
	// Differs is where the members subscribe otherwise than we would, by topic.
	Differs []snapshot.Difference
}

// Preview is Config.Preview for this consumer.
func (l *Live) Preview(ctx context.Context) (Join, error) { return l.cfg.Preview(ctx) }

// Preview asks the cluster who is in the group and computes, with the consumer's own
// strategy, how many queues joining would move. It joins nothing and changes nothing. The
// other members are taken to use the same strategy.
func (c *Config) Preview(ctx context.Context) (Join, error) {
	instance, err := c.Instance()
	if err != nil {
		return Join{}, err
	}
	var j Join
	err = instance.RunAround(ctx, func(ctx context.Context) error {
		j, err = c.preview(ctx, instance)
		return err
	})
	if err != nil {
		return Join{}, fmt.Errorf("look at %s: %w", c.describe(), err)
	}
	return j, nil
}

func (c *Config) preview(ctx context.Context, instance *client.Instance) (Join, error) {
	var j Join
	var topics []string
	for _, s := range c.Consumer.Subscriptions {
		topics = append(topics, s.Topic)
	}
	if err := instance.RefreshRoutes(ctx, topics...); err != nil {
		return j, err
	}
	strategy := c.Consumer.Strategy
	if strategy == nil {
		strategy = rebalance.Averagely{}
	}
	seen := map[string]bool{}
	for _, topic := range topics {
		queues, ok := instance.Queues(topic)
		if !ok {
			continue
		}
		members, err := instance.ConsumerList(ctx, topic, c.Consumer.Group)
		if err != nil && !nobodyOnline(err) {
			return j, err
		}
		for _, id := range members {
			seen[id] = true
		}
		j.Queues += len(queues)
		if c.Consumer.Model == mq.Broadcasting {
			continue // every member has all queues
		}
		moves, gains, err := movesOf(strategy, instance.ClientID(), queues, members)
		if err != nil {
			return j, err
		}
		j.Moves, j.Gains = j.Moves+moves, j.Gains+gains
	}
	j.Differs = c.differs(ctx, instance)
	for id := range seen {
		j.Members = append(j.Members, id)
	}
	slices.Sort(j.Members)
	return j, nil
}

// differs compares what brokers keep of the group, which its members have said, with what we
// would subscribe to. A broker that does not tell, as when nobody is online, knows of none.
func (c *Config) differs(ctx context.Context, instance *client.Instance) []snapshot.Difference {
	var ours []protocol.SubscriptionData
	for _, s := range c.Consumer.Subscriptions {
		if d, err := protocol.ParseSubscriptionOfType(s.Topic, s.Expression, cmp.Or(s.Type, protocol.ExpressionTAG), 0); err == nil {
			ours = append(ours, d)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	group, err := instance.GroupConnection(ctx, ours[0].Topic, c.Consumer.Group)
	if err != nil || len(group.Connections) == 0 {
		return nil
	}
	return rebalance.Differences(ours, slices.Collect(maps.Values(group.SubscriptionTable)))
}

// movesOf counts the queues of one topic whose owner changes when me joins members, and how
// many of them me gets from others.
func movesOf(s rebalance.Strategy, me string, queues []mq.MessageQueue, members []string) (moves, gains int, err error) {
	joined := members
	if !slices.Contains(members, me) {
		joined = append(slices.Clone(members), me)
	}
	plan, err := rebalance.Plan(
		rebalance.Situation{Strategy: s, Members: members, Queues: queues, EachOnce: true},
		rebalance.Situation{Strategy: s, Members: joined, Queues: queues, EachOnce: true},
	)
	for _, m := range plan.Moves {
		if m.To == me {
			gains++
		}
	}
	return len(plan.Moves), gains, err
}

// nobodyOnline tells whether err is a broker's way to say that the group has no member.
func nobodyOnline(err error) bool {
	be, ok := errors.AsType[*protocol.BrokerError](err)
	return ok && be.Code == protocol.SystemError
}
