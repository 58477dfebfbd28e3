package consumer

import (
	"context"
	"slices"

	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
)

// Consumption is what a ConsumeHook is told (Java: ConsumeMessageContext).
type Consumption struct {
	Group    string
	Queue    mq.MessageQueue
	Messages []mq.Message // may be empty
	Success  bool
	Status   string // CONSUME_SUCCESS after the messages were handed over
}

// ConsumeHook is told of messages that are handed to the application. As in Java the two calls
// follow each other at once: what the application does with the messages comes after them.
type ConsumeHook interface {
	Before(c *Consumption)
	After(c *Consumption)
}

// Filtering is what a FilterHook may change: the messages of one pull.
type Filtering struct {
	Group    string
	Queue    mq.MessageQueue
	Messages []mq.Message
}

// FilterHook takes messages out before the application gets them (Java: FilterMessageHook).
type FilterHook func(f *Filtering)

// consumeSucceeded is Java's ConsumeConcurrentlyStatus.CONSUME_SUCCESS.
const consumeSucceeded = "CONSUME_SUCCESS"

// hooks are those of one consumer. What goes wrong in one is told and changes nothing.
type hooks struct {
	consume []ConsumeHook
	filter  []FilterHook
}

// filtered returns the messages that every hook lets through.
func (h *hooks) filtered(ctx context.Context, m *membership, q mq.MessageQueue, msgs []mq.Message) []mq.Message {
	for _, hook := range h.filter {
		f := Filtering{Group: m.group, Queue: q, Messages: slices.Clone(msgs)}
		if h.run(ctx, m, q, "filter hook", func() { hook(&f) }) {
			msgs = f.Messages
		}
	}
	return msgs
}

// handedOver tells of messages that the application gets now.
func (h *hooks) handedOver(ctx context.Context, m *membership, q mq.MessageQueue, msgs []mq.Message) {
	c := Consumption{Group: m.group, Queue: q, Messages: msgs}
	for _, hook := range h.consume {
		h.run(ctx, m, q, "consume hook", func() { hook.Before(&c) })
	}
	c.Success, c.Status = true, consumeSucceeded
	for _, hook := range h.consume {
		h.run(ctx, m, q, "consume hook", func() { hook.After(&c) })
	}
}

func (h *hooks) run(ctx context.Context, m *membership, q mq.MessageQueue, what string, fn func()) bool {
	err := lifecycle.Guard(ctx, what, func(context.Context) error { fn(); return nil })
	if err != nil {
		m.noteQueue(m.clock.Now(), event.Warn, "engine", q, err.Error())
	}
	return err == nil
}
