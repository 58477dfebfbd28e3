package embedded

import (
	"slices"
	"strings"

	"mqscope/engine/protocol"
)

// Contract: UPDATE_AND_CREATE_TOPIC (17). Header CreateTopicRequest: 29 for a bad name or a
// system topic; 1 for an unknown topicFilterType or bad attributes; else the configuration is
// stored, routed, and 0 answered. Queue counts and perm are taken unchecked, but for counts
// over the 4,096 that a client would accept (29). Left out: MIXED types.
func (b *Broker) updateTopic(r *Request) {
	var h protocol.CreateTopicRequest
	if !r.decode(&h) {
		return
	}
	if fault := topicFault(h.Topic); fault != "" {
		r.fail(protocol.InvalidParameter, fault)
		return
	}
	if b.isSystemTopic(h.Topic) {
		r.failf(protocol.InvalidParameter, "The topic[%s] is conflict with system topic.", h.Topic)
		return
	}
	if max(h.ReadQueueNums, h.WriteQueueNums) > maxQueues {
		r.failf(protocol.InvalidParameter, "topic %s: more than %d queues are not kept here", h.Topic, maxQueues)
		return
	}
	if h.TopicFilterType != singleTag && h.TopicFilterType != "MULTI_TAG" {
		r.failf(protocol.SystemError, "unknown topicFilterType %s", h.TopicFilterType)
		return
	}
	t := newTopic(h.Topic, 0, h.Perm)
	if old := b.topics[h.Topic]; old != nil {
		t.Attributes = old.Attributes
	}
	attributes, ok := changeAttributes(t.Attributes, h.Attributes)
	if !ok {
		r.failf(protocol.SystemError, "attributes %s are not of the form +key=value,-key", h.Attributes)
		return
	}
	t.ReadQueueNums, t.WriteQueueNums, t.TopicFilterType = h.ReadQueueNums, h.WriteQueueNums, h.TopicFilterType
	t.TopicSysFlag, t.Order, t.Attributes = h.TopicSysFlag.Or(0), h.Order, attributes
	b.putTopic(t)
	r.ok(nil, nil)
}

// changeAttributes applies a text such as +cleanup.policy=DELETE,-message.type.
func changeAttributes(old map[string]string, text string) (map[string]string, bool) {
	m := map[string]string{}
	for k, v := range old {
		m[k] = v
	}
	if text == "" {
		return m, true
	}
	for _, part := range strings.Split(text, ",") {
		if name, ok := strings.CutPrefix(part, "-"); ok && name != "" {
			delete(m, name)
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(part, "+"), "=")
		if !ok || !strings.HasPrefix(part, "+") || name == "" {
			return nil, false
		}
		m[name] = value
	}
	return m, true
}

// Contract: DELETE_TOPIC_IN_BROKER (215). Header topic: 29 for a blank name or a system topic;
// else 0, and configuration, queues and all groups' offsets are gone. The route stays until
// the name server is told (216).
func (b *Broker) deleteTopic(r *Request) {
	var h protocol.DeleteTopicRequest
	if !r.decode(&h) {
		return
	}
	if strings.TrimSpace(h.Topic) == "" || b.isSystemTopic(h.Topic) {
		r.failf(protocol.InvalidParameter, "the topic[%s] can not be deleted", h.Topic)
		return
	}
	b.DeleteTopic(h.Topic)
	r.ok(nil, nil)
}

// DeleteTopic forgets a topic with its messages and offsets, but not its route. Use it from
// Inspect.
func (b *Broker) DeleteTopic(name string) {
	delete(b.topics, name)
	b.version.changed(b.state.now)
	b.Store.DeleteTopic(name)
	b.pulled.DeleteTopic(name)
	b.resets.DeleteTopic(name)
}

// Contract: GET_ALL_TOPIC_CONFIG (21). 0 and all topics with their data version; paging
// fields are ignored, as by 5.3.3.
func (b *Broker) allTopicConfig(r *Request) {
	table := protocol.TopicConfigTable{DataVersion: b.version.wire(), Topics: map[string]protocol.TopicConfig{}}
	table.MappingDataVersion = new(protocol.DataVersion)
	for name, t := range b.topics {
		table.Topics[name] = *t
	}
	r.ok(nil, table.Encode())
}

// Contract: GET_TOPIC_CONFIG (351). Header topic: 0 and its configuration, 17 if unknown.
func (b *Broker) topicConfig(r *Request) {
	var h protocol.GetTopicConfigRequest
	if !r.decode(&h) {
		return
	}
	t := b.topics[h.Topic]
	if t == nil {
		r.failf(protocol.TopicNotExist, "No topic in this broker. topic: %s", h.Topic)
		return
	}
	r.ok(nil, t.Encode())
}

// Contract: GET_SYSTEM_TOPIC_LIST_FROM_BROKER (305). 0 and the names of the system topics.
func (b *Broker) systemTopicList(r *Request) {
	var list protocol.TopicList
	for _, name := range sortedKeys(b.topics) {
		if b.isSystemTopic(name) {
			list.Topics = append(list.Topics, name)
		}
	}
	r.ok(nil, list.Encode())
}

// Contract: UPDATE_AND_CREATE_SUBSCRIPTIONGROUP (200). Body SubscriptionGroupConfig: 0, the
// whole configuration is replaced; the name is not checked, as by 5.3.3. More than 4,096 retry
// queues 29.
func (b *Broker) updateGroup(r *Request) {
	g, err := protocol.DecodeSubscriptionGroupConfig(r.Cmd.Body)
	if err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	if g.RetryQueueNums > maxQueues {
		r.failf(protocol.InvalidParameter, "group %s: more than %d retry queues are not kept here", g.GroupName, maxQueues)
		return
	}
	b.putGroup(&g)
	r.ok(nil, nil)
}

// Contract: GET_ALL_SUBSCRIPTIONGROUP_CONFIG (201). 0 and all groups with their data version;
// paging fields are ignored, as by 5.3.3.
func (b *Broker) allGroupConfig(r *Request) {
	table := protocol.SubscriptionGroupTable{
		DataVersion: b.gversion.wire(), Groups: map[string]group{}, ForbiddenTable: map[string]map[string]int32{},
	}
	for name, g := range b.groups {
		table.Groups[name] = *g
	}
	r.ok(nil, table.Encode())
}

// Contract: GET_SUBSCRIPTIONGROUP_CONFIG (352). Header group: 0 and its configuration; the
// group is made if there is none, 26 if that may not be.
func (b *Broker) groupConfig(r *Request) {
	var h protocol.GetSubscriptionGroupConfigRequest
	if !r.decode(&h) {
		return
	}
	g := b.findGroup(h.Group)
	if g == nil {
		r.failf(protocol.SubscriptionGroupNotExist, "No group in this broker. group: %s", h.Group)
		return
	}
	r.ok(nil, g.Encode())
}

// Contract: DELETE_SUBSCRIPTIONGROUP (207). Header groupName, cleanOffset: always 0; offsets
// go only with cleanOffset.
func (b *Broker) deleteGroup(r *Request) {
	var h protocol.DeleteSubscriptionGroupRequest
	if !r.decode(&h) {
		return
	}
	delete(b.groups, h.GroupName)
	b.gversion.changed(b.state.now)
	if h.CleanOffset {
		b.Store.Commits.DeleteGroup(h.GroupName)
		b.pulled.DeleteGroup(h.GroupName)
	}
	r.ok(nil, nil)
}

// Contract: QUERY_TOPIC_CONSUME_BY_WHO (300). Header topic: always 0, the groups with a stored
// offset; and, as by 5.3.3, the topic's own name when a live group subscribes to it.
func (b *Broker) whoConsumes(r *Request) {
	var h protocol.QueryTopicConsumeByWhoRequest
	if !r.decode(&h) {
		return
	}
	list := protocol.GroupList{Groups: b.Store.Commits.Groups(h.Topic)}
	for _, g := range b.consumers {
		if _, ok := g.subscriptions[h.Topic]; ok && !slices.Contains(list.Groups, h.Topic) {
			list.Groups = append(list.Groups, h.Topic)
		}
	}
	r.ok(nil, list.Encode())
}

// Contract: QUERY_TOPICS_BY_CONSUMER (343). Header group: always 0, the topics with a stored
// offset.
func (b *Broker) topicsOfGroup(r *Request) {
	var h protocol.QueryTopicsByConsumerRequest
	if r.decode(&h) {
		r.ok(nil, protocol.TopicList{Topics: b.Store.Commits.Topics(h.Group), BrokerAddr: b.addr}.Encode())
	}
}

// Contract: QUERY_SUBSCRIPTION_BY_CONSUMER (345). Header group, topic: always 0, the
// subscription of live members, else the one that came with a pull, else none.
func (b *Broker) subscriptionOfGroup(r *Request) {
	var h protocol.QuerySubscriptionByConsumerRequest
	if !r.decode(&h) {
		return
	}
	answer := protocol.QuerySubscriptionResult{Group: h.Group, Topic: h.Topic}
	if sub, ok := b.subscription(h.Group, h.Topic); ok {
		answer.Subscription = &sub
	}
	r.ok(nil, answer.Encode())
}

// subscription is what a group is known to want of a topic.
func (b *Broker) subscription(group, topic string) (protocol.SubscriptionData, bool) {
	if g := b.consumers[group]; g != nil {
		if sub, ok := g.subscriptions[topic]; ok {
			return sub, true
		}
	}
	s, ok := b.supplied[groupAndTopic{group, topic}]
	return s.sub, ok && b.state.now.Sub(s.at) <= suppliedFor
}
