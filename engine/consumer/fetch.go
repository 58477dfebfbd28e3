package consumer

import (
	"time"

	"mqscope/engine/client"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// fetched is how one pull ended: what there is to learn, and the messages if it brought some.
type fetched struct {
	done  event.PullDone
	batch *mq.Batch // nil without messages; whoever gets it has its one reference
	keep  []int     // indexes of the messages that are wanted, nil for all
}

// messages are those that are wanted.
func (f *fetched) messages() []mq.Message {
	if f.batch == nil {
		return nil
	}
	msgs := make([]mq.Message, 0, f.batch.Len())
	if f.keep == nil {
		for i := range f.batch.Len() {
			msgs = append(msgs, f.batch.At(i))
		}
		return msgs
	}
	for _, i := range f.keep {
		msgs = append(msgs, f.batch.At(i))
	}
	return msgs
}

// fetch makes one pull, off the loop or on it. done gets the outcome exactly once, on a
// goroutine of the connection, and must not block.
func (m *membership) fetch(q mq.MessageQueue, epoch uint64, brokerID int64, tags map[string]struct{},
	h *protocol.PullMessageRequest, timeout time.Duration, done func(fetched)) {
	d := decoding{membership: m, queue: q, offset: h.QueueOffset, tags: tags}
	m.client.Pull(q, brokerID, h, timeout, func(a client.PullAnswer) {
		f := fetched{done: event.PullDone{
			Queue: q, Epoch: epoch, Status: a.Status, Offset: d.offset, Next: a.Next, Min: a.Min, Max: a.Max,
			Suggest: a.Suggest, Slave: a.Broker.Slave(), Took: a.Took, Code: a.Code, Err: a.Err,
		}}
		if a.Status == mq.Found {
			f.batch, f.keep = d.decode(a, &f.done)
		} else if a.Owner != nil {
			a.Owner.Release()
		}
		if f.batch != nil {
			f.done.Count = f.batch.Len() - f.done.Filtered
		}
		done(f)
	})
}

// pullHeader is what the pulls of consumers have in common that are asked for messages: they
// carry their selection and no offset to commit, as Java's do. Tags have no version, so that a
// broker never compares it with that of a heartbeat.
func (l *onDemand) pullHeader(q mq.MessageQueue, d protocol.SubscriptionData, offset int64, n, maxBytes int, flags int32) *protocol.PullMessageRequest {
	h := &protocol.PullMessageRequest{
		ConsumerGroup: l.group, Topic: q.Topic, QueueID: q.QueueID, QueueOffset: offset,
		MaxMsgNums: int32(n), MaxMsgBytes: protocol.Some(int32(maxBytes)), SysFlag: flags | protocol.PullSubscription,
		SuspendTimeoutMillis: l.cfg.Hold.Milliseconds(), Subscription: d.SubString, ExpressionType: d.ExpressionType,
	}
	if d.ExpressionType != protocol.ExpressionTAG {
		h.SubVersion = d.SubVersion
	}
	return h
}
