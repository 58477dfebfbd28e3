package consumer

import (
	"maps"
	"slices"
	"strings"

	"mqscope/engine/protocol"
)

// newSubscriptionsOf returns the subscriptions of a consumer that is asked for messages: it has
// no retry topic, and its versions stay as they are.
func newSubscriptionsOf(list []protocol.SubscriptionData) *subscriptions {
	s := &subscriptions{
		steady: true, data: map[string]protocol.SubscriptionData{}, tags: map[string]map[string]struct{}{},
		known: map[string]int64{}, quiet: map[string]bool{},
	}
	for _, d := range list {
		s.put(d, false)
	}
	return s
}

// put adds a subscription, or replaces that of its topic. A quiet one is for rebalancing
// alone: heartbeats do not tell of it.
func (s *subscriptions) put(d protocol.SubscriptionData, quiet bool) {
	s.toChange()
	defer s.mu.Unlock()
	s.data[d.Topic], s.tags[d.Topic] = d, d.Tags()
	s.known[d.Topic] = max(s.known[d.Topic], d.SubVersion)
	if quiet {
		s.quiet[d.Topic] = true
	} else {
		delete(s.quiet, d.Topic)
	}
}

// putIfNew adds a quiet subscription unless there is one of its topic.
func (s *subscriptions) putIfNew(d protocol.SubscriptionData) (added bool) {
	if s.has(d.Topic) {
		return false
	}
	s.put(d, true)
	return true
}

func (s *subscriptions) remove(topic string) {
	s.toChange()
	defer s.mu.Unlock()
	delete(s.data, topic)
	delete(s.tags, topic)
	delete(s.known, topic)
	delete(s.quiet, topic)
}

func (s *subscriptions) has(topic string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.data[topic]
	return ok
}

// wanted returns the subscription of a topic with the exact tags to filter by.
func (s *subscriptions) wanted(topic string) (d protocol.SubscriptionData, tags map[string]struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok = s.data[topic]
	return d, s.tags[topic], ok
}

// told returns the subscriptions that heartbeats tell of, by topic.
func (s *subscriptions) told() []protocol.SubscriptionData {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]protocol.SubscriptionData, 0, len(s.data))
	for topic, d := range s.data {
		if !s.quiet[topic] {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b protocol.SubscriptionData) int { return strings.Compare(a.Topic, b.Topic) })
	return out
}

// quietTopics returns the topics of quiet subscriptions, sorted.
func (s *subscriptions) quietTopics() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.quiet))
}
