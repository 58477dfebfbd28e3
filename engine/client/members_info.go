package client

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/protocol"
)

const (
	// memberInfoWithin is a little more than a broker waits for the member that it asks.
	memberInfoWithin = 12 * time.Second
	// memberInfoBrokers is how many brokers are asked for a member before it counts as silent.
	memberInfoBrokers = 3
)

// MemberInfo asks a member of group, through a broker of topic, what it is doing, without a
// dump of its threads (GET_CONSUMER_RUNNING_INFO; Java: MQClientAPIImpl.getConsumerRunningInfo).
// A broker at which the member is not online is passed over for the next, up to three. One
// that did not answer in time is not asked again: Java's client of 5.x with one processor
// cannot answer while an offset of its own is on its way, and ends its connections over it.
func (i *Instance) MemberInfo(ctx context.Context, topic, group, clientID string) (protocol.ConsumerRunningInfo, error) {
	brokers, err := i.brokersOf(ctx, topic)
	if err != nil {
		return protocol.ConsumerRunningInfo{}, fmt.Errorf("running info of %s: %w", clientID, err)
	}
	var errs []error
	for _, b := range brokers[:min(len(brokers), memberInfoBrokers)] {
		req := request(protocol.GetConsumerRunningInfo, &protocol.GetConsumerRunningInfoRequest{
			Base: protocol.Base{BName: b.BrokerName}, ConsumerGroup: group, ClientID: clientID,
		}, nil)
		cmd, err := i.ask(ctx, b.Addr, req, memberInfoWithin)
		if err == nil {
			info, err := protocol.DecodeConsumerRunningInfo(cmd.Body)
			if err != nil {
				err = fmt.Errorf("running info of %s: %w", clientID, badAnswer(b.Addr, err))
			}
			return info, err
		}
		errs = append(errs, fmt.Errorf("running info of %s from %s: %w", clientID, b.BrokerName, err))
		code, _ := codeOf(err)
		if c := Classify(err); i.over(ctx) != nil || c == Lost || code == protocol.ConsumeMsgTimeout {
			break
		}
	}
	return protocol.ConsumerRunningInfo{}, joined(errs)
}

// GroupConnection asks a broker of topic, a random one, who is connected of group and what its
// last heartbeat subscribed to (GET_CONSUMER_CONNECTION_LIST). A broker that does not answer is
// passed over for the next; CONSUMER_NOT_ONLINE says that nobody is there.
func (i *Instance) GroupConnection(ctx context.Context, topic, group string) (protocol.ConsumerConnection, error) {
	brokers, err := i.brokersOf(ctx, topic)
	if err != nil {
		return protocol.ConsumerConnection{}, fmt.Errorf("connections of %s: %w", group, err)
	}
	var errs []error
	for _, b := range brokers {
		req := request(protocol.GetConsumerConnectionList, &protocol.GetConsumerConnectionListRequest{
			Base: protocol.Base{BName: b.BrokerName}, ConsumerGroup: group,
		}, nil)
		cmd, err := i.ask(ctx, b.Addr, req, i.cfg.CallTimeout)
		if err == nil {
			c, err := protocol.DecodeConsumerConnection(cmd.Body)
			if err != nil {
				err = fmt.Errorf("connections of %s: %w", group, badAnswer(b.Addr, err))
			}
			return c, err
		}
		errs = append(errs, fmt.Errorf("connections of %s from %s: %w", group, b.BrokerName, err))
		if c := Classify(err); i.over(ctx) != nil || c != Unreachable && c != Lost && c != Busy {
			break
		}
	}
	return protocol.ConsumerConnection{}, joined(errs)
}
