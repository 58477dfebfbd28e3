package consumer

import (
	"slices"
	"strings"
	"sync"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// subscriptions is what heartbeats announce. The loop changes versions, the client instance
// reads at each heartbeat.
type subscriptions struct {
	// tags are the exact ones to filter by again, by topic. A push consumer's are its loop's; of
	// others they belong to mu.
	tags   map[string]map[string]struct{}
	steady bool // versions stay as they are

	mu    sync.Mutex
	data  map[string]protocol.SubscriptionData
	quiet map[string]bool // topics that heartbeats do not tell of
	// known are the versions, by topic, that all brokers had with a heartbeat: they refuse
	// pulls that carry a newer one.
	known map[string]int64           `pack:"-"` // pulls are sent with what was read of it
	asked *protocol.SubscriptionData `pack:"-"` // what get returned last, nil where that may have changed
}

func newSubscriptions(cfg *Config, now time.Time) (*subscriptions, error) {
	s := &subscriptions{
		data: map[string]protocol.SubscriptionData{}, tags: map[string]map[string]struct{}{}, known: map[string]int64{},
	}
	list := cfg.Subscriptions
	if cfg.Model == mq.Clustering {
		list = append(slices.Clone(list), Subscription{Topic: mq.RetryTopic(cfg.Group), Expression: "*"})
	}
	for _, sub := range list {
		d, err := sub.data(now.UnixMilli())
		if err != nil {
			return nil, err
		}
		s.data[sub.Topic] = d
		s.tags[sub.Topic] = d.Tags()
		s.known[sub.Topic] = d.SubVersion
	}
	return s, nil
}

// list returns the subscriptions by topic, for a heartbeat.
func (s *subscriptions) list() []protocol.SubscriptionData {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]protocol.SubscriptionData, 0, len(s.data))
	for _, d := range s.data {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b protocol.SubscriptionData) int { return strings.Compare(a.Topic, b.Topic) })
	return out
}

func (s *subscriptions) topics() []string {
	var out []string
	for _, d := range s.list() {
		out = append(out, d.Topic)
	}
	return out
}

// get returns the subscription of a topic as pulls carry it.
func (s *subscriptions) get(topic string) (protocol.SubscriptionData, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != nil && s.asked.Topic == topic {
		return *s.asked, true
	}
	d, ok := s.data[topic]
	if d.SubVersion = s.known[topic]; ok && d.Topic == topic {
		s.asked = &d
	}
	return d, ok
}

// toChange locks s for what changes it.
func (s *subscriptions) toChange() {
	s.mu.Lock()
	s.asked = nil
}

// versions are those that a heartbeat carries which is written now.
func (s *subscriptions) versions() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := make(map[string]int64, len(s.data))
	for topic, d := range s.data {
		v[topic] = d.SubVersion
	}
	return v
}

// announced says that every broker has these versions, or newer ones.
func (s *subscriptions) announced(versions map[string]int64) {
	s.toChange()
	defer s.mu.Unlock()
	for topic, v := range versions {
		s.known[topic] = max(s.known[topic], v)
	}
}

// touch gives topic a new version. It never goes back, whatever the clock does.
func (s *subscriptions) touch(topic string, now time.Time) {
	s.toChange()
	defer s.mu.Unlock()
	if d, ok := s.data[topic]; ok && !s.steady {
		d.SubVersion = max(d.SubVersion+1, now.UnixMilli())
		s.data[topic] = d
	}
}

// change adds the subscription of a topic, or replaces it under a newer version. Pulls carry
// the version that brokers know until they have had the new one.
func (s *subscriptions) change(d protocol.SubscriptionData) (isNew bool) {
	s.toChange()
	defer s.mu.Unlock()
	was, there := s.data[d.Topic]
	if there {
		d.SubVersion = max(d.SubVersion, was.SubVersion+1)
	} else {
		s.known[d.Topic] = d.SubVersion
	}
	s.data[d.Topic], s.tags[d.Topic] = d, d.Tags()
	return !there
}
