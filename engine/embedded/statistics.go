package embedded

import (
	"maps"
	"strings"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Contract: GET_TOPIC_STATS_INFO (202). Header topic: 0 and, for each queue up to the larger
// of both counts, its offsets and the store time of its last message (0 if empty); 17 for an
// unknown topic. topicPutTps is 0.
func (b *Broker) topicStats(r *Request) {
	var h protocol.GetTopicStatsInfoRequest
	if !r.decode(&h) {
		return
	}
	t := b.topics[h.Topic]
	if t == nil {
		r.failf(protocol.TopicNotExist, "topic[%s] not exist", h.Topic)
		return
	}
	table := protocol.TopicStatsTable{OffsetTable: map[mq.MessageQueue]protocol.TopicOffset{}}
	for id := range max(t.ReadQueueNums, t.WriteQueueNums) {
		q := b.Store.Lookup(h.Topic, id)
		lo, hi := store.Bounds(q)
		last, _ := b.Store.StoreTime(q, hi-1)
		table.OffsetTable[b.queue(h.Topic, id)] = protocol.TopicOffset{MinOffset: lo, MaxOffset: hi, LastUpdateTimestamp: last}
	}
	r.ok(nil, table.Encode())
}

func (b *Broker) queue(topic string, id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: topic, BrokerName: b.Name, QueueID: id}
}

// Contract: GET_CONSUME_STATS (208). Header consumerGroup, topic, topicList: 0 and, for each
// read queue of the topics listed, else of the topic, else of all with a stored offset: the
// broker's next offset, the consume offset (0 if none), the pull offset and the store time of
// the message before the consume offset. Unless listed, a topic is left out that a live group
// does not subscribe to; subscriptions that came with pulls count for 600 s. Unknown names
// give an empty table. consumeTps is 0.
func (b *Broker) consumeStats(r *Request) {
	var h protocol.GetConsumeStatsRequest
	if !r.decode(&h) {
		return
	}
	topics, listed := []string{h.Topic}, false
	switch {
	case h.TopicList != "":
		topics, listed = strings.Split(strings.TrimSuffix(h.TopicList, ";"), ";"), true
	case h.Topic == "":
		topics = b.Store.Commits.Topics(h.ConsumerGroup)
	}
	stats := protocol.ConsumeStats{OffsetTable: map[mq.MessageQueue]protocol.OffsetWrapper{}}
	for _, name := range topics {
		t := b.topics[name]
		if _, ok := b.subscription(h.ConsumerGroup, name); t == nil || !ok && !listed && b.subscribes(h.ConsumerGroup) {
			continue
		}
		maps.Copy(stats.OffsetTable, b.progressOf(h.ConsumerGroup, name, t.ReadQueueNums).OffsetTable)
	}
	r.ok(nil, stats.Encode())
}

// subscribes tells whether a subscription of any topic is known of the group.
func (b *Broker) subscribes(group string) bool {
	if g := b.consumers[group]; g != nil && len(g.subscriptions) > 0 {
		return true
	}
	for k, s := range b.supplied {
		if k.group == group && b.state.now.Sub(s.at) <= suppliedFor {
			return true
		}
	}
	return false
}

// progressOf is how far a group is in the queues of a topic.
func (b *Broker) progressOf(group, topic string, queues int32) protocol.ConsumeStats {
	stats := protocol.ConsumeStats{OffsetTable: map[mq.MessageQueue]protocol.OffsetWrapper{}}
	for id := range queues {
		stats.OffsetTable[b.queue(topic, id)] = b.progress(group, topic, id)
	}
	return stats
}

// progress is how far a group is in a queue.
func (b *Broker) progress(group, topic string, id int32) protocol.OffsetWrapper {
	q := b.Store.Lookup(topic, id)
	_, hi := store.Bounds(q)
	offset, _ := b.committed(group, topic, id)
	offset = max(offset, 0)
	w := protocol.OffsetWrapper{BrokerOffset: hi, ConsumerOffset: offset, PullOffset: offset}
	if pulled, ok := b.pulled.Get(group, topic, id); ok {
		w.PullOffset = max(offset, pulled)
	}
	w.LastTimestamp, _ = b.Store.StoreTime(q, offset-1)
	return w
}

// Contract: GET_CONSUMER_CONNECTION_LIST (203). Header consumerGroup: 0 and the group's
// members, subscriptions and attributes; 206 when nobody is online.
func (b *Broker) consumerConnections(r *Request) {
	var h protocol.GetConsumerConnectionListRequest
	if !r.decode(&h) {
		return
	}
	g := b.consumers[h.ConsumerGroup]
	if g == nil {
		r.failf(protocol.ConsumerNotOnline, "the consumer group[%s] not online", h.ConsumerGroup)
		return
	}
	r.ok(nil, protocol.ConsumerConnection{
		Connections: connections(g.members), SubscriptionTable: g.subscriptions,
		ConsumeType: g.consumeType, MessageModel: g.model, ConsumeFromWhere: g.from,
	}.Encode())
}

func connections(members []*member) []protocol.Connection {
	list := make([]protocol.Connection, 0, len(members))
	for _, m := range members {
		list = append(list, protocol.Connection{
			ClientAddr: m.peer.Addr(), ClientID: m.clientID, Language: m.language.String(), Version: m.version,
		})
	}
	return list
}

// Contract: GET_PRODUCER_CONNECTION_LIST (204). Header producerGroup: 0 and its connections, 1
// for a group that is not online.
func (b *Broker) producerConnections(r *Request) {
	var h protocol.GetProducerConnectionListRequest
	if !r.decode(&h) {
		return
	}
	g := b.producers[h.ProducerGroup]
	if g == nil {
		r.failf(protocol.SystemError, "the producer group[%s] not exist", h.ProducerGroup)
		return
	}
	r.ok(nil, protocol.ProducerConnection{Connections: connections(g.members)}.Encode())
}

// Contract: GET_ALL_PRODUCER_INFO (328). 0 and all producers by group.
func (b *Broker) allProducers(r *Request) {
	table := protocol.ProducerTable{Groups: map[string][]protocol.ProducerInfo{}}
	for name, g := range b.producers {
		for _, m := range g.members {
			table.Groups[name] = append(table.Groups[name], protocol.ProducerInfo{
				ClientID: m.clientID, Language: m.language.String(), LastUpdateTimestamp: m.seen.UnixMilli(),
				RemoteIP: m.peer.Addr(), Version: m.version,
			})
		}
	}
	r.ok(nil, table.Encode())
}
