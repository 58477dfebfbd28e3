package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
)

// Allow says whether something may be done. Its zero value leaves that to the consumer.
type Allow uint8

// The three answers.
const (
	AllowDefault Allow = iota
	Allowed
	Refused
)

// AllowBrokerRequests is what brokers may have a consumer do, on their own behalf or for a
// tool. A push consumer allows everything by default, as Java's does. Each such request is
// told as an event, done or refused.
type AllowBrokerRequests struct {
	Reset    Allow // RESET_CONSUMER_CLIENT_OFFSET (220): go on at other offsets
	Directly Allow // CONSUME_MESSAGE_DIRECTLY (309): give the listener a message of their choice
	Stacks   Allow // a dump of all goroutines in GET_CONSUMER_RUNNING_INFO (307)
}

// answerRequests completes the registration of a push consumer with what it does on request.
func (l *loop) answerRequests(r *client.Registration) {
	r.Offsets = l.offsetsInMemory
	r.RunningInfo = func(ctx context.Context) (protocol.ConsumerRunningInfo, error) {
		return ask(ctx, l.clock, l.inbox, askedInfo{}, l.tellOfMyself)
	}
	r.AllowStacks = l.allowStacks(l.cfg.AllowBrokerRequests)
	r.ResetOffsets = l.resetRequested
	r.ConsumeDirectly = l.consumeDirectly
}

// allowStacks is the answer to brokers that want a dump of all goroutines.
func (m *membership) allowStacks(a AllowBrokerRequests) func(from string) bool {
	return func(from string) bool {
		allowed := a.Stacks != Refused
		m.inbox.post(requestNote(from, "running info with a dump of goroutines", allowed))
		return allowed
	}
}

// requestNote tells that a broker asked for something.
func requestNote(from, what string, allowed bool) event.Entry {
	e := event.Entry{Level: event.Info, Source: "remote", Where: from, What: "asked for " + what}
	if !allowed {
		e.Level, e.What = event.Warn, e.What+": refused by configuration"
	}
	return e
}

// notAllowed is the answer to what the configuration refuses.
func notAllowed(what string) error {
	return &client.Refusal{Code: protocol.NoPermission, Why: fmt.Sprintf("the configuration of this consumer does not allow %s", what)}
}

// offsetsInMemory are the offsets of a topic that are, or are about to be, committed
// (Java: OffsetStore.cloneOffsetTable).
func (m *membership) offsetsInMemory(ctx context.Context, topic string) (map[mq.MessageQueue]int64, error) {
	return ask(ctx, m.clock, m.inbox, askedOffsets{topic}, func(now time.Time) map[mq.MessageQueue]int64 {
		return m.offsetsOf(now, topic)
	})
}

func (m *membership) offsetsOf(now time.Time, topic string) map[mq.MessageQueue]int64 {
	out := map[mq.MessageQueue]int64{}
	for _, q := range m.order {
		if q.Topic != topic {
			continue
		}
		m.kind.advance(now, m.queues[q])
		if at := m.offsets.Read(q); at != offset.None {
			out[q] = at
		}
	}
	return out
}
