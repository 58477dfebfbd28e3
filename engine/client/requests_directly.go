package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// ConsumeDirectly is a message that a tool wants consumed here and now.
type ConsumeDirectly struct {
	From    string     // address of the broker that passed it on
	Message mq.Message // may be kept; its body is decompressed
	MsgID   string     // how the tool named it
}

// directlyWithin is less than the 10 s that brokers wait for an answer.
const directlyWithin = 9 * time.Second

// consumeDirectly has a message consumed apart from all others (CONSUME_MESSAGE_DIRECTLY).
func (i *Instance) consumeDirectly(ctx context.Context, addr string, req *remoting.Command) *remoting.Command {
	var h protocol.ConsumeMessageDirectlyRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	g, ok := i.group(h.ConsumerGroup)
	switch {
	case !ok:
		return nobody(h.ConsumerGroup)
	case g.ConsumeDirectly == nil:
		return refuse("the consumer of group %q does not consume a message on request", h.ConsumerGroup)
	}
	m, err := readOne(req.Body, h.BrokerName, h.ConsumerGroup)
	if err != nil {
		return refuse("the message can not be read: %v", err)
	}
	ctx, cancel := i.within(ctx, directlyWithin)
	defer cancel()
	result, err := g.ConsumeDirectly(ctx, ConsumeDirectly{From: addr, Message: m, MsgID: h.MsgID})
	if err != nil {
		return refusal(err)
	}
	return &remoting.Command{Body: result.Encode()}
}

// readOne reads the one stored message that body is to be. A message of the group's retry
// topic shows the topic that it came from.
func readOne(body []byte, broker, group string) (mq.Message, error) {
	if len(body) == 0 {
		return mq.Message{}, errors.New("there is none")
	}
	b := new(mq.Batch)
	b.Reset(body, nil)
	b.BrokerName, b.RetryTopic = broker, mq.RetryTopic(group)
	if err := protocol.IndexMessages(b, 0); err != nil {
		return mq.Message{}, err
	}
	if n := b.Len(); n != 1 {
		return mq.Message{}, fmt.Errorf("there are %d of them", n)
	}
	new(protocol.Inflater).InflateBatch(b)
	return b.At(0), nil
}
