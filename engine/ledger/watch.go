package ledger

import (
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Watch writes the B and O books of an embedded cluster: what it has stored, what it stores
// from now on, and what it is told and asked of offsets. To see every request it comes before
// other interceptors.
func (l *Ledger) Watch(c *embedded.Cluster) {
	var state *embedded.State // of the loop, on which all below run
	c.Inspect(func(s *embedded.State) {
		state = s
		for _, b := range s.Brokers() {
			l.scan(b)
		}
		s.OnStore(func(broker string, m *protocol.StoredMessage) { l.stored(s.Now(), broker, m) })
	})
	for _, code := range []protocol.RequestCode{
		protocol.UpdateConsumerOffset, protocol.PullMessage, protocol.QueryConsumerOffset, protocol.HeartBeat,
	} {
		c.Intercept(int32(code), func(r *embedded.Request) embedded.Verdict {
			if !r.Outgoing {
				l.request(state, r)
			}
			return embedded.Pass
		})
	}
}

// scan enters what a broker has stored already.
func (l *Ledger) scan(b *embedded.Broker) {
	for _, topic := range l.cfg.Topics {
		for _, q := range b.Store.Queues(topic) {
			lo, hi := store.Bounds(q)
			for offset := lo; offset < hi; offset++ {
				m, ok := b.Message(topic, q.ID, offset)
				if !ok {
					continue
				}
				l.Record(Stored{
					Queue:  mq.MessageQueue{Topic: topic, BrokerName: b.Name, QueueID: q.ID},
					Offset: offset, Hash: l.Hash(m.StoredBody()), Attempt: m.ReconsumeTimes(), At: m.StoreTime(),
				})
			}
		}
	}
}

func (l *Ledger) stored(now time.Time, broker string, m *protocol.StoredMessage) {
	e := Stored{
		Queue:  mq.MessageQueue{Topic: m.Topic, BrokerName: broker, QueueID: m.QueueID},
		Offset: m.QueueOffset, Hash: l.Hash(m.Body), Attempt: m.ReconsumeTimes, At: now,
	}
	if m.Topic == mq.ScheduleTopic {
		for _, p := range protocol.ParseProperties(m.Properties) {
			if p.Name == mq.PropertyRealTopic {
				e.RealTopic = p.Value
			}
		}
	}
	l.Record(e)
}

// request enters what a request says of offsets. One that can not be decoded says nothing.
func (l *Ledger) request(s *embedded.State, r *embedded.Request) {
	switch protocol.RequestCode(r.Cmd.Code) {
	case protocol.HeartBeat:
		if h, err := protocol.DecodeHeartbeatData(r.Cmd.Body); err == nil {
			l.Record(Beat{From: r.From, Client: h.ClientID})
		}
	case protocol.PullMessage:
		var h protocol.PullMessageRequest
		if protocol.Decode(r.Cmd.Fields, &h) == nil && h.SysFlag&protocol.PullCommitOffset != 0 {
			l.commit(r, h.ConsumerGroup, h.Topic, h.QueueID, h.CommitOffset)
		}
	case protocol.UpdateConsumerOffset:
		var h protocol.UpdateConsumerOffsetRequest
		if protocol.Decode(r.Cmd.Fields, &h) == nil {
			l.commit(r, h.ConsumerGroup, h.Topic, h.QueueID, h.CommitOffset)
		}
	case protocol.QueryConsumerOffset:
		var h protocol.QueryConsumerOffsetRequest
		if protocol.Decode(r.Cmd.Fields, &h) != nil || h.ConsumerGroup != l.cfg.Group {
			return
		}
		at, ok := s.Broker(r.Broker).Committed(h.ConsumerGroup, h.Topic, h.QueueID)
		if !ok {
			at = -1
		}
		l.Record(Asked{queue(r, h.Topic, h.QueueID), r.From, at, r.At})
	}
}

func (l *Ledger) commit(r *embedded.Request, group, topic string, id int32, offset int64) {
	if group == l.cfg.Group && offset >= 0 {
		l.Record(Commit{queue(r, topic, id), offset, r.At})
	}
}

func queue(r *embedded.Request, topic string, id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: topic, BrokerName: r.Broker, QueueID: id}
}
