package client

import (
	"context"
	"fmt"

	"mqscope/engine/protocol"
)

// ConsumerList asks a broker of topic, a random one, which client ids the group has
// (GET_CONSUMER_LIST_BY_GROUP). A broker that does not answer is passed over for the next.
// An empty list is what the broker said, not an error; a broker that knows nobody of the
// group may also answer SYSTEM_ERROR. Neither is a reason to give queues up.
func (i *Instance) ConsumerList(ctx context.Context, topic, group string) ([]string, error) {
	brokers, err := i.brokersOf(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("members of %s: %w", group, err)
	}
	var errs []error
	for _, b := range brokers {
		req := request(protocol.GetConsumerListByGroup, &protocol.GetConsumerListByGroupRequest{
			Base: protocol.Base{BName: b.BrokerName}, ConsumerGroup: group,
		}, nil)
		cmd, err := i.ask(ctx, b.Addr, req, i.cfg.CallTimeout)
		if err == nil {
			list, err := protocol.DecodeConsumerList(cmd.Body)
			if err != nil {
				return nil, fmt.Errorf("members of %s: %w", group, badAnswer(b.Addr, err))
			}
			return list.ConsumerIDs, nil
		}
		errs = append(errs, fmt.Errorf("members of %s from %s: %w", group, b.BrokerName, err))
		if c := Classify(err); i.over(ctx) != nil || c != Unreachable && c != Lost && c != Busy {
			break
		}
	}
	return nil, joined(errs)
}

// SubscriptionCheck has a broker of the subscription's topic compile its expression
// (CHECK_CLIENT_CONFIG). Tag expressions pass always; SQL92 fails with SYSTEM_ERROR where it
// is switched off and with SUBSCRIPTION_PARSE_FAILED when it is wrong.
func (i *Instance) SubscriptionCheck(ctx context.Context, group string, s protocol.SubscriptionData) error {
	brokers, err := i.brokersOf(ctx, s.Topic)
	if err != nil {
		return fmt.Errorf("check subscription of %s: %w", s.Topic, err)
	}
	body := protocol.CheckClientRequestBody{ClientID: i.cfg.ClientID, Group: group, Subscription: s}
	req := request(protocol.CheckClientConfig, nil, body.Encode())
	if _, err := i.ask(ctx, brokers[0].Addr, req, i.cfg.CallTimeout); err != nil {
		return fmt.Errorf("check subscription of %s at %s: %w", s.Topic, brokers[0].BrokerName, err)
	}
	return nil
}
