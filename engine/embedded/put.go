package embedded

import (
	"bytes"
	"strconv"
	"time"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Limits of a message (Java: MessageStoreConfig.maxMessageSize, Short.MAX_VALUE).
const (
	maxBody       = 4 << 20
	maxProperties = 32767
)

// put stores a message for a topic and queue: at once, or in the queue of its delay level
// when it has the property DELAY (broker.md 8.4). Waiting pulls are told at the end of the
// step. m.Properties may be written to.
func (b *Broker) put(topic string, queue int32, m *protocol.StoredMessage) (store.Place, error) {
	level, err := strconv.Atoi(property(m.Properties, mq.PropertyDelayLevel))
	if err != nil || level <= 0 {
		return b.append(b.Store.Queue(topic, queue), m, protocol.TagCode(property(m.Properties, mq.PropertyTags)))
	}
	q, used := b.Store.Delays.Queue(level)
	if used != level {
		m.Properties = withProperty(m.Properties, mq.PropertyDelayLevel, strconv.Itoa(used))
	}
	m.Properties = withProperty(m.Properties, mq.PropertyRealTopic, topic)
	m.Properties = withProperty(m.Properties, mq.PropertyRealQueueID, strconv.Itoa(int(queue)))
	return b.append(q, m, b.Store.Delays.DueAt(used, b.state.now.UnixMilli()))
}

// append stores a message at the end of a queue, now and on this broker.
func (b *Broker) append(q *store.Queue, m *protocol.StoredMessage, tag int64) (store.Place, error) {
	m.StoreTime, m.StoreHost = b.state.now.UnixMilli(), b.host
	p, err := b.Store.Append(q, m, tag)
	if err == nil {
		b.stats.put++
		b.stats.putBytes += int64(p.Size)
		b.arrived(q, tag)
		for _, fn := range b.state.onStore {
			fn(b.Name, m)
		}
	}
	return p, err
}

// message reads a stored record back; false if it is none.
func message(record []byte) (protocol.StoredMessage, bool) {
	var batch mq.Batch
	batch.Reset(record, nil)
	if record == nil || protocol.IndexMessages(&batch, 0) != nil || batch.Len() != 1 {
		return protocol.StoredMessage{}, false
	}
	m := batch.At(0)
	return protocol.StoredMessage{
		QueueID: m.QueueID(), Flag: m.Flag(), QueueOffset: m.QueueOffset(), PhysicalOffset: m.PhysicalOffset(),
		SysFlag: m.SysFlag(), BornTime: m.BornTime().UnixMilli(), BornHost: m.BornHost(),
		StoreTime: m.StoreTime().UnixMilli(), StoreHost: m.StoreHost(), ReconsumeTimes: m.ReconsumeTimes(),
		PreparedTransactionOffset: m.PreparedTransactionOffset(), Body: m.StoredBody(), Topic: m.StoredTopic(),
		Properties: bytes.Clone(m.PropertiesText()),
	}, true
}

// deliverDelayed stores again, under their own topic, the messages whose delay is over. They
// keep DELAY, REAL_TOPIC and REAL_QID in their properties, as consumers of a real broker see
// them too.
func (b *Broker) deliverDelayed(now time.Time) {
	for {
		record, ok := b.Store.Delays.Due(now.UnixMilli())
		if !ok {
			return
		}
		m, ok := message(record)
		queue, err := strconv.ParseInt(property(m.Properties, mq.PropertyRealQueueID), 10, 32)
		topic := property(m.Properties, mq.PropertyRealTopic)
		if !ok || err != nil || topic == "" {
			b.state.log.Error("delayed message without a target", "broker", b.Name)
			continue
		}
		q := b.Store.Queue(topic, int32(queue))
		if _, err := b.append(q, &m, protocol.TagCode(property(m.Properties, mq.PropertyTags))); err != nil {
			b.state.log.Error("delayed message is lost", "broker", b.Name, "topic", topic, "err", err)
		}
	}
}
