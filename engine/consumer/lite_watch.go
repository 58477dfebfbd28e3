package consumer

import (
	"context"
	"maps"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// TopicQueueListener is told of all queues of a topic when they changed
// (Java: TopicMessageQueueChangeListener).
type TopicQueueListener func(ctx context.Context, topic string, queues []mq.MessageQueue)

// firstWatch is when the queues of watched topics are first compared.
const firstWatch = 10 * time.Second

// topicWatch is what is known of a topic that somebody watches.
type topicWatch struct {
	queues []mq.MessageQueue
	known  bool
	tell   TopicQueueListener
}

type (
	topicWatched struct {
		topic string
		tell  TopicQueueListener
	}
	topicSeen struct {
		topic  string
		queues []mq.MessageQueue
	}
)

// WatchTopic has l told when the queues of a topic change, whoever consumes them. They are
// compared every WatchInterval.
func (c *Lite) WatchTopic(topic string, l TopicQueueListener) error {
	topic = c.loop.topic(topic)
	if err := mq.ValidateTopic(topic); err != nil {
		return err
	}
	c.loop.inbox.post(topicWatched{topic, l})
	return nil
}

func (m *liteTasks) watchTopic(e topicWatched) {
	if e.tell == nil {
		delete(m.watches, e.topic)
		return
	}
	if len(m.watches) == 0 {
		m.watchAt = m.loop().startedAt.Add(firstWatch)
	}
	m.watches[e.topic] = &topicWatch{tell: e.tell}
	m.fetchTopic(e.topic)
}

// lookAtTopics fetches the queues of all watched topics when that is due.
func (m *liteTasks) lookAtTopics(now time.Time) {
	if len(m.watches) == 0 || m.watchAt.After(now) {
		return
	}
	m.watchAt = now.Add(m.lite.cfg.WatchInterval)
	for _, topic := range slices.Sorted(maps.Keys(m.watches)) {
		m.fetchTopic(topic)
	}
}

func (m *liteTasks) fetchTopic(topic string) {
	l := m.loop()
	l.call(groupLane, func(ctx context.Context) {
		if err := l.client.RefreshRoutes(ctx, topic); err != nil {
			l.note(l.clock.Now(), event.Warn, "engine", topic, "watch of its queues: "+err.Error())
			return
		}
		if queues, known := l.client.Queues(topic); known {
			l.inbox.post(topicSeen{topic, slices.Clone(queues)})
		}
	})
}

func (m *liteTasks) topicSeen(_ time.Time, e topicSeen) {
	w := m.watches[e.topic]
	if w == nil || w.known && slices.Equal(w.queues, e.queues) {
		return
	}
	first := !w.known
	w.queues, w.known = e.queues, true
	if first {
		return
	}
	tell, topic, queues := w.tell, m.loop().shown(e.topic), m.loop().shownQueues(e.queues)
	m.loop().crew.inOrder("topic queue listener", func(ctx context.Context) { tell(ctx, topic, queues) })
}
