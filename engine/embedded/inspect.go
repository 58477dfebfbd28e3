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

// Topic returns a topic's configuration.
func (b *Broker) Topic(name string) (protocol.TopicConfig, bool) {
	t := b.topics[name]
	if t == nil {
		return protocol.TopicConfig{}, false
	}
	return *t, true
}

// Topics lists the names of all topics, sorted, system topics too.
func (b *Broker) Topics() []string { return sortedKeys(b.topics) }

// Group returns a group's configuration.
func (b *Broker) Group(name string) (protocol.SubscriptionGroupConfig, bool) {
	g := b.groups[name]
	if g == nil {
		return protocol.SubscriptionGroupConfig{}, false
	}
	return *g, true
}

// SetGroup stores a group's configuration as code 200 does.
func (b *Broker) SetGroup(g protocol.SubscriptionGroupConfig) { b.putGroup(&g) }

// EnsureGroup makes a group with default settings if there is none, as a pull does.
func (b *Broker) EnsureGroup(name string) { b.findGroup(name) }

// MinOffset is the smallest offset of a queue that can be read, 0 for an unknown one.
func (b *Broker) MinOffset(topic string, queue int32) int64 {
	lo, _ := store.Bounds(b.Store.Lookup(topic, queue))
	return lo
}

// MaxOffset is the next offset to be written to a queue, 0 for an unknown one.
func (b *Broker) MaxOffset(topic string, queue int32) int64 {
	_, hi := store.Bounds(b.Store.Lookup(topic, queue))
	return hi
}

// Trim moves the smallest offset of a queue up, as expiry of old files does: pulls below it
// are answered with 21.
func (b *Broker) Trim(topic string, queue int32, offset int64) {
	if q := b.Store.Lookup(topic, queue); q != nil {
		b.Store.Trim(q, offset)
	}
}

// Truncate moves the next offset of a queue down, as a machine's crash does that loses the
// newest messages: consumers that were ahead are answered with 21.
func (b *Broker) Truncate(topic string, queue int32, offset int64) {
	if q := b.Store.Lookup(topic, queue); q != nil {
		b.Store.Truncate(q, offset)
	}
}

// Committed is the offset that a group has stored for a queue, or is being reset to.
func (b *Broker) Committed(group, topic string, queue int32) (int64, bool) {
	return b.committed(group, topic, queue)
}

// SetCommitted stores a group's offset.
func (b *Broker) SetCommitted(group, topic string, queue int32, offset int64) {
	b.Store.Commits.Put(group, topic, queue, offset)
}

// Members lists the client ids of a group's connections in the order of their arrival.
func (b *Broker) Members(group string) []string {
	g := b.consumers[group]
	if g == nil {
		return nil
	}
	ids := make([]string, 0, len(g.members))
	for _, m := range g.members {
		ids = append(ids, m.clientID)
	}
	return ids
}

// LockOwner is the client that holds a queue of a group, empty when nobody does.
func (b *Broker) LockOwner(group string, q mq.MessageQueue) string {
	l := b.locks[group][q]
	if l.expired(b.state.now) {
		return ""
	}
	return l.client
}

// ExpireLock lets the lock of a queue run out, whoever holds it.
func (b *Broker) ExpireLock(group string, q mq.MessageQueue) { delete(b.locks[group], q) }

// Held is how many pulls are held.
func (b *Broker) Held() int { return b.heldCount }

// HeldOn is how many pulls are held on one queue.
func (b *Broker) HeldOn(topic string, queue int32) int { return len(b.held[heldKey{topic, queue}]) }

// TellMembers sends a one-way request to every member of a group.
func (b *Broker) TellMembers(group string, code protocol.RequestCode, h protocol.Header, body []byte) {
	if g := b.consumers[group]; g != nil {
		for _, m := range g.members {
			b.state.tell(b, m.peer, code, h, body)
		}
	}
}
