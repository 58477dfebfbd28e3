package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// ResetOffsets is what a broker wants when it has a group's offsets of a topic reset. Every
// member of the group gets the same.
type ResetOffsets struct {
	From    string // address of the broker
	Topic   string
	Targets map[mq.MessageQueue]int64 // where each queue of the topic is to go on, 0 or more
	Skipped int                       // entries that were no such thing
}

// resetOffsets hands a reset to the consumer (RESET_CONSUMER_CLIENT_OFFSET). Brokers send it
// one-way; one that wants an answer learns whether it will be done.
func (i *Instance) resetOffsets(ctx context.Context, addr string, req *remoting.Command) *remoting.Command {
	var h protocol.ResetOffsetRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	g, ok := i.group(h.Group)
	if !ok {
		return nobody(h.Group)
	}
	r, err := readReset(addr, &h, req.Body)
	switch {
	case err != nil:
		err = fmt.Errorf("reset of offsets of topic %q can not be read: %w", h.Topic, err)
	case g.ResetOffsets == nil:
		err = fmt.Errorf("the consumer of group %q does not reset offsets on request", h.Group)
	default:
		ctx, cancel := i.within(ctx, statusWithin)
		defer cancel()
		if err = g.ResetOffsets(ctx, r); err == nil {
			return &remoting.Command{}
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return refusal(err) // the consumer has told it
		}
	}
	i.tellGroup(h.Group, i.entry(event.Warn, addr, err.Error()))
	return refusal(err)
}

// readReset reads the body in any of its forms.
func readReset(addr string, h *protocol.ResetOffsetRequest, body []byte) (ResetOffsets, error) {
	b, err := protocol.DecodeResetOffsetBody(body)
	if err != nil {
		return ResetOffsets{}, err
	}
	r := ResetOffsets{From: addr, Topic: h.Topic, Targets: map[mq.MessageQueue]int64{}, Skipped: b.Unresolved}
	for q, at := range b.OffsetTable {
		if q.Topic != h.Topic || at < 0 {
			r.Skipped++
			continue
		}
		r.Targets[q] = at
	}
	return r, nil
}

// statusWithin is less than the 5 s that brokers wait for a status.
const statusWithin = 4 * time.Second

// consumerStatus answers with the offsets in memory.
func (i *Instance) consumerStatus(ctx context.Context, req *remoting.Command) *remoting.Command {
	var h protocol.GetConsumerStatusRequest
	if err := protocol.Decode(req.Fields, &h); err != nil {
		return refuse("%v", err)
	}
	g, ok := i.group(h.Group)
	switch {
	case !ok:
		return nobody(h.Group)
	case g.Offsets == nil:
		return refuse("the consumer of group %q does not tell its offsets", h.Group)
	}
	ctx, cancel := i.within(ctx, statusWithin)
	defer cancel()
	offsets, err := g.Offsets(ctx, h.Topic)
	if err != nil {
		return refusal(err)
	}
	body := protocol.ConsumerStatus{MessageQueueTable: offsets}
	return &remoting.Command{Body: body.Encode()}
}
