package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// ErrNoMessage: no broker that was asked has the message.
var ErrNoMessage = errors.New("no broker has such a message")

// EarliestStoreTime asks the master of q when its first message was stored
// (GET_EARLIEST_MSG_STORETIME). A queue without messages is an error of the broker.
func (i *Instance) EarliestStoreTime(ctx context.Context, q mq.MessageQueue) (time.Time, error) {
	what := func(err error) error { return fmt.Errorf("earliest store time of %s: %w", q.Path(), err) }
	b, err := i.locate(ctx, q, mq.MasterID, true)
	if err != nil {
		return time.Time{}, what(err)
	}
	h := &protocol.GetEarliestMsgStoreTimeRequest{Topic: q.Topic, QueueID: q.QueueID}
	h.BName = q.BrokerName
	cmd, err := i.ask(ctx, b.Addr, request(protocol.GetEarliestMsgStoreTime, h, nil), adminTimeout)
	if err != nil {
		return time.Time{}, what(err)
	}
	var r protocol.GetEarliestMsgStoreTimeResponse
	if err := protocol.Decode(cmd.Fields, &r); err != nil {
		return time.Time{}, what(badAnswer(b.Addr, err))
	}
	if r.Timestamp < 0 {
		return time.Time{}, what(fmt.Errorf("%w: the queue is empty", ErrNoMessage))
	}
	return time.UnixMilli(r.Timestamp), nil
}

// ViewMessage finds a message of topic by its id: an offset id, which names its broker and
// place (VIEW_MESSAGE_BY_ID), or else the unique id that its producer gave it (QUERY_MESSAGE).
// Only brokers that a route names are asked. ErrNoMessage means that none has it
// (Java: MQAdminImpl.viewMessage).
func (i *Instance) ViewMessage(ctx context.Context, topic, id string) (mq.Message, error) {
	host, at, err := protocol.ParseOffsetID(id)
	if err == nil && i.knowsAddr(ctx, topic, host) {
		return i.viewAt(ctx, topic, host.String(), at)
	}
	found, err := i.query(ctx, &protocol.QueryMessageRequest{
		Topic: topic, Key: id, MaxNum: maxQueried, EndTimestamp: farFuture, UniqueKeyQuery: protocol.Some(true),
	})
	if err != nil {
		return mq.Message{}, fmt.Errorf("message %s of %s: %w", id, topic, err)
	}
	for _, m := range found {
		if v, _ := m.Property(mq.PropertyUniqueKey); v == id && m.StoredTopic() == topic {
			return m, nil
		}
	}
	return mq.Message{}, fmt.Errorf("message %s of %s: %w", id, topic, ErrNoMessage)
}

const (
	maxQueried = 32
	farFuture  = 1<<63 - 1
)

// knowsAddr tells whether host is an address of a broker, after reading the topic's route if it
// is not known to be one.
func (i *Instance) knowsAddr(ctx context.Context, topic string, host netip.AddrPort) bool {
	known := func() bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		_, ok := i.table.NameOf(host.String())
		return ok
	}
	if known() {
		return true
	}
	return i.await(ctx) == nil && i.learn(ctx, topic) == nil && known()
}

func (i *Instance) viewAt(ctx context.Context, topic, addr string, at int64) (mq.Message, error) {
	what := fmt.Sprintf("message of %s at %d of %s", topic, at, addr)
	req := request(protocol.ViewMessageByID, &protocol.ViewMessageRequest{Topic: topic, Offset: at}, nil)
	cmd, err := i.ask(ctx, addr, req, adminTimeout)
	if err != nil {
		return mq.Message{}, fmt.Errorf("%s: %w", what, err)
	}
	msgs, err := messagesIn(cmd.Body, i.brokerAt(addr))
	switch {
	case err != nil:
		return mq.Message{}, fmt.Errorf("%s: %w", what, badAnswer(addr, err))
	case len(msgs) != 1 || msgs[0].PhysicalOffset() != at:
		return mq.Message{}, fmt.Errorf("%s: %w: it is another message", what, ErrBadAnswer)
	}
	return msgs[0], nil
}

func (i *Instance) brokerAt(addr string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	f, _ := i.table.NameOf(addr)
	return f.BrokerName
}

// QueryMessages finds up to n messages of topic that have key among their keys and were stored
// from begin to end, both included to the millisecond, newest last (QUERY_MESSAGE). Every broker
// of the topic is asked; one that fails does not keep the others from answering.
func (i *Instance) QueryMessages(ctx context.Context, topic, key string, n int, begin, end time.Time) ([]mq.Message, error) {
	found, err := i.query(ctx, &protocol.QueryMessageRequest{
		Topic: topic, Key: key, MaxNum: int32(min(max(n, 1), 1<<16)),
		BeginTimestamp: begin.UnixMilli(), EndTimestamp: end.UnixMilli(),
	})
	if err != nil {
		return nil, fmt.Errorf("messages of %s with key %s: %w", topic, key, err)
	}
	// Brokers compare hashes of keys, and times by the second.
	first, last := begin.UnixMilli(), end.UnixMilli()
	found = slices.DeleteFunc(found, func(m mq.Message) bool {
		at := m.StoreTime().UnixMilli()
		return m.StoredTopic() != topic || !hasKey(m, key) || at < first || at > last
	})
	slices.SortFunc(found, func(a, b mq.Message) int { return a.StoreTime().Compare(b.StoreTime()) })
	if over := len(found) - n; over > 0 {
		found = found[over:]
	}
	return found, nil
}

func hasKey(m mq.Message, key string) bool {
	return slices.Contains(strings.Split(m.Keys(), " "), key)
}

// query asks every broker of the topic at once; QUERY_NOT_FOUND is no failure.
func (i *Instance) query(ctx context.Context, h *protocol.QueryMessageRequest) ([]mq.Message, error) {
	brokers, err := i.brokersOf(ctx, h.Topic)
	if err != nil {
		return nil, err
	}
	type answer struct {
		msgs []mq.Message
		err  error
	}
	answers, arrived := make(chan answer, len(brokers)), make(chan struct{}, len(brokers))
	for _, b := range brokers {
		sent := *h
		sent.BName = b.BrokerName
		i.net.Go(i.lane(b.Addr), request(protocol.QueryMessage, &sent, nil), adminTimeout, func(a remoting.Answer) {
			msgs, err := i.queried(b, &a)
			answers <- answer{msgs, err}
			arrived <- struct{}{}
		})
	}
	var found []mq.Message
	var errs []error
	for range brokers {
		if clock.Wait(ctx, i.clock, clock.Waits{First: arrived}) == clock.Ended {
			return nil, ctx.Err()
		}
		a := <-answers
		found = append(found, a.msgs...)
		if a.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", h.Topic, a.err))
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, joined(errs)
}

func (i *Instance) queried(b route.Found, a *remoting.Answer) ([]mq.Message, error) {
	if a.Err != nil {
		return nil, i.closedWhy(b.Addr, a.Err)
	}
	if err := answered(a.Cmd, b.Addr); err != nil {
		if code, _ := codeOf(err); code == protocol.QueryNotFound {
			return nil, nil
		}
		return nil, err
	}
	msgs, err := messagesIn(bytes.Clone(a.Cmd.Body), b.BrokerName)
	if err != nil {
		return nil, badAnswer(b.Addr, err)
	}
	return msgs, nil
}

// messagesIn are the stored messages that body consists of. They may be kept: nobody else uses
// their bytes.
func messagesIn(body []byte, broker string) ([]mq.Message, error) {
	b := new(mq.Batch)
	b.Reset(body, nil)
	b.BrokerName = broker
	if err := protocol.IndexMessages(b, 0); err != nil {
		return nil, err
	}
	new(protocol.Inflater).InflateBatch(b)
	msgs := make([]mq.Message, b.Len())
	for n := range msgs {
		msgs[n] = b.At(n)
	}
	return msgs, nil
}
