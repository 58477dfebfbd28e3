package client

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// QueryAssignment asks a broker of topic, a random one, which queues this client has in group
// (QUERY_ASSIGNMENT); the topic's route is read once when it is not known. Nil without an
// error means that the broker has no answer: it knows no member of the group, or not the
// route, or not the strategy. A broker that can not be reached is passed over; any other
// failure is told (Java: MQClientInstance.queryAssignment, which takes one broker in any case).
func (i *Instance) QueryAssignment(ctx context.Context, topic, group, strategy string, model mq.MessageModel, timeout time.Duration) ([]protocol.MessageQueueAssignment, error) {
	brokers, err := i.brokersOf(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("assignment of %s: %w", topic, err)
	}
	body := protocol.QueryAssignmentRequest{
		ClientID: i.cfg.ClientID, ConsumerGroup: group, MessageModel: model, StrategyName: strategy, Topic: topic,
	}.Encode()
	var errs []error
	for _, b := range brokers {
		cmd, err := i.ask(ctx, b.Addr, request(protocol.QueryAssignment, nil, body), timeout)
		if err == nil {
			answer, err := protocol.DecodeQueryAssignmentResponse(cmd.Body)
			if err != nil {
				return nil, fmt.Errorf("assignment of %s: %w", topic, badAnswer(b.Addr, err))
			}
			return answer.Assignments, nil
		}
		errs = append(errs, fmt.Errorf("assignment of %s from %s: %w", topic, b.BrokerName, err))
		if i.over(ctx) != nil || Classify(err) != Unreachable {
			break
		}
	}
	return nil, joined(errs)
}
