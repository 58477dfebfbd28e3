package embedded

import (
	"mqscope/engine/embedded/store"
	"mqscope/engine/protocol"
)

const mostEntries = 2000 // of one answer to 321

// Contract: QUERY_CONSUME_QUEUE (321). Header topic, queueId, index, count, consumerGroup: 0
// and the bounds of the queue, at most 2,000 entries from index on, and with a group its
// subscription; 1 for a queue in which nothing was stored. filterData is the text null and no
// entry matches, as on a broker that has compiled no filter (seen).
func (b *Broker) queryConsumeQueue(r *Request) {
	var h protocol.QueryConsumeQueueRequest
	if !r.decode(&h) {
		return
	}
	q := b.Store.Lookup(h.Topic, h.QueueID)
	if q == nil {
		r.failf(protocol.SystemError, "%d@%s is not exist!", h.QueueID, h.Topic)
		return
	}
	lo, hi := store.Bounds(q)
	answer := protocol.ConsumeQueueSlice{MinQueueIndex: lo, MaxQueueIndex: hi, FilterData: "null"}
	if sub, ok := b.subscription(h.ConsumerGroup, h.Topic); ok {
		answer.Subscription = &sub
	}
	from := max(h.Index, lo)
	for at := from; at < hi && at-from < int64(min(h.Count, mostEntries)); at++ {
		physical, size, tag, _ := b.Store.Entry(q, at)
		answer.Entries = append(answer.Entries, protocol.ConsumeQueueEntry{PhysicOffset: physical, PhysicSize: size, TagsCode: tag})
	}
	r.ok(nil, answer.Encode())
}

// Contract: QUERY_CONSUME_TIME_SPAN (303). Header topic, group: 0 and for each write queue the
// store times of its first and last message, of the last consumed one (of the first, if none
// is), and how old the first that is not consumed is (0 if all are); 17 for an unknown topic.
func (b *Broker) consumeTimeSpan(r *Request) {
	var h protocol.QueryConsumeTimeSpanRequest
	if !r.decode(&h) {
		return
	}
	t := b.topics[h.Topic]
	if t == nil {
		r.failf(protocol.TopicNotExist, "topic[%s] not exist", h.Topic)
		return
	}
	var answer protocol.ConsumeTimeSpans
	for id := range t.WriteQueueNums {
		q := b.Store.Lookup(h.Topic, id)
		lo, hi := store.Bounds(q)
		span := protocol.QueueTimeSpan{Queue: b.queue(h.Topic, id)}
		span.MinTimestamp, _ = b.Store.StoreTime(q, lo)
		span.MaxTimestamp, _ = b.Store.StoreTime(q, hi-1)
		offset, _ := b.committed(h.Group, h.Topic, id)
		span.ConsumeTimestamp = span.MinTimestamp
		if ms, ok := b.Store.StoreTime(q, offset-1); ok {
			span.ConsumeTimestamp = ms
		}
		if ms, ok := b.Store.StoreTime(q, max(offset, lo)); ok {
			span.DelayTime = b.state.now.UnixMilli() - ms
		}
		answer.Queues = append(answer.Queues, span)
	}
	r.ok(nil, answer.Encode())
}

// Contract: UPDATE_AND_GET_GROUP_FORBIDDEN (353). Header group, topic, readable: 0 and whether
// the group may read the topic, after setting it when readable is there. A group that may
// not gets 16 with forbiddenType 5 when it pulls by its registered subscription.
func (b *Broker) groupForbidden(r *Request) {
	var h protocol.UpdateGroupForbiddenRequest
	if !r.decode(&h) {
		return
	}
	k := groupAndTopic{h.Group, h.Topic}
	if h.Readable.Set {
		if b.forbidden[k] = !h.Readable.Value; h.Readable.Value {
			delete(b.forbidden, k)
		}
	}
	r.ok(nil, protocol.GroupForbidden{Group: h.Group, Topic: h.Topic, Readable: !b.forbidden[k]}.Encode())
}

// Contract: GET_BROKER_CONSUME_STATS (317). Header isOrder (ignored): 0 and, for each group
// with a stored offset, its progress in the write queues of each topic, and the sum of what
// is behind. Topics that a live group does not subscribe to are left out.
func (b *Broker) brokerConsumeStats(r *Request) {
	answer := protocol.ConsumeStatsList{BrokerAddr: b.addr}
	byGroup := map[string][]protocol.ConsumeStats{}
	for _, pair := range b.Store.Commits.Pairs() {
		t := b.topics[pair.Topic]
		if _, ok := b.subscription(pair.Group, pair.Topic); t == nil || !ok && b.subscribes(pair.Group) {
			continue
		}
		stats := b.progressOf(pair.Group, t.TopicName, t.WriteQueueNums)
		for _, w := range stats.OffsetTable {
			answer.TotalDiff += w.BrokerOffset - w.ConsumerOffset
			answer.TotalInflightDiff += w.PullOffset - w.ConsumerOffset
		}
		byGroup[pair.Group] = append(byGroup[pair.Group], stats)
	}
	for _, group := range sortedKeys(byGroup) {
		answer.Groups = append(answer.Groups, map[string][]protocol.ConsumeStats{group: byGroup[group]})
	}
	r.ok(nil, answer.Encode())
}
