package embedded

import (
	"fmt"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// What follows looks into a broker or changes it from inside; use it from Inspect.

// Put stores a message as if a producer on the broker's own host had sent it, with just
// these properties, and wakes pulls that wait for it. The topic must exist.
func (b *Broker) Put(topic string, queue int32, body []byte, props ...protocol.Property) (store.Place, error) {
	t := b.topics[topic]
	if t == nil || queue < 0 || queue >= max(t.ReadQueueNums, t.WriteQueueNums) {
		return store.Place{}, fmt.Errorf("put: topic %s of broker %s has no queue %d", topic, b.Name, queue)
	}
	m := protocol.StoredMessage{
		BornTime: b.state.now.UnixMilli(), BornHost: b.host, Body: body, Properties: protocol.AppendProperties(nil, props),
	}
	p, err := b.put(topic, queue, &m)
	b.wakeArrivals()
	return p, err
}

// Message reads a stored message, without reading its bytes again on each call: it may be
// kept. False when the queue has no such offset.
func (b *Broker) Message(topic string, queue int32, offset int64) (mq.Message, bool) {
	var batch mq.Batch
	batch.Reset(b.Store.RecordAt(b.Store.Lookup(topic, queue), offset), nil)
	if batch.Data == nil || protocol.IndexMessages(&batch, 0) != nil || batch.Len() != 1 {
		return mq.Message{}, false
	}
	return batch.At(0), true
}
