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
	// Status is what a push consumer's listener answered, by Java's name; of other consumers it
	// is CONSUME_SUCCESS once the messages were handed over.
	Status string
	// Type is how a listener's call ended, empty where there is no listener (Java: the property
	// ConsumeContextType).
	Type ReturnType
}

// ConsumeHook is told of messages that are handed to the application. A push consumer's hooks
// stand around the call of its listener. Of other consumers, as in Java, the two calls follow
// each other at once: what the application does with the messages comes after them.
type ConsumeHook interface {
	Before(c *Consumption)
	After(c *Consumption)
}

// Filtering is what a FilterHook may change: the messages of one pull
// (Java: FilterMessageContext).
type Filtering struct {
	Group    string
	Queue    mq.MessageQueue
	UnitMode bool
	Messages []mq.Message
}

// FilterHook takes messages out before the application gets them (Java: FilterMessageHook).
type FilterHook func(f *Filtering)

// consumeSucceeded is Java's ConsumeConcurrentlyStatus.CONSUME_SUCCESS.
const consumeSucceeded = "CONSUME_SUCCESS"

// hooks are those of one consumer. What goes wrong in one is told and changes nothing.
type hooks struct {
	consume  []ConsumeHook
	filter   []FilterHook
	unitMode bool
}

// filtered returns the messages that every hook lets through.
func (h *hooks) filtered(ctx context.Context, m *membership, q mq.MessageQueue, msgs []mq.Message) []mq.Message {
	for _, hook := range h.filter {
		f := Filtering{Group: m.group, Queue: q, UnitMode: h.unitMode, Messages: slices.Clone(msgs)}
		if h.run(ctx, m, q, "filter hook", func() { hook(&f) }) {
			msgs = f.Messages
		}
	}
	return msgs
}

// narrow has the hooks choose among the messages that a pull brought.
func (h *hooks) narrow(ctx context.Context, m *membership, f *fetched) {
	msgs := f.messages()
	keep := []int{}
	for _, msg := range h.filtered(ctx, m, f.done.Queue, msgs) {
		if msg.Batch() == f.batch { // not one that a hook has from elsewhere
			keep = append(keep, msg.Index())
		}
	}
	slices.Sort(keep)
	f.keep = slices.Compact(keep)
	f.done.Count = len(f.keep)
	f.done.Filtered += len(msgs) - f.done.Count
}

// handedOver tells of messages that the application gets now.
func (h *hooks) handedOver(ctx context.Context, m *membership, q mq.MessageQueue, msgs []mq.Message) {
	c := Consumption{Group: m.group, Queue: q, Messages: msgs}
	h.each(ctx, m, q, func(hook ConsumeHook) { hook.Before(&c) })
	c.Success, c.Status = true, consumeSucceeded
	h.each(ctx, m, q, func(hook ConsumeHook) { hook.After(&c) })
}

func (h *hooks) each(ctx context.Context, m *membership, q mq.MessageQueue, call func(ConsumeHook)) {
	for _, hook := range h.consume {
		h.run(ctx, m, q, "consume hook", func() { call(hook) })
	}
}

func (h *hooks) run(ctx context.Context, m *membership, q mq.MessageQueue, what string, fn func()) bool {
	err := lifecycle.Guard(ctx, what, func(context.Context) error { fn(); return nil })
	if err != nil {
		m.tell(event.Entry{Level: event.Warn, Source: "engine", Queue: q, What: err.Error()})
	}
	return err == nil
}
