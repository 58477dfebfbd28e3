package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/mq"
)

// sendable returns the queues that a message may go to.
func (i *Instance) sendable(ctx context.Context, o *outgoing) ([]mq.MessageQueue, error) {
	i.noteAsked([]string{o.topic})
	if o.on.BrokerName != "" {
		_, err := i.locate(ctx, o.on, mq.MasterID, true)
		return []mq.MessageQueue{o.on}, err
	}
	if q := i.writable(o.topic); len(q) > 0 {
		return q, nil
	}
	err := i.learn(ctx, o.topic)
	switch {
	case err == nil:
		if q := i.writable(o.topic); len(q) > 0 {
			return q, nil
		}
		return nil, fmt.Errorf("%w: it lacks write permission, or its masters are down", ErrNotWritable)
	case !errors.Is(err, ErrNoRoute):
		return nil, err
	case o.fallback != nil:
		var queues []mq.MessageQueue
		for _, name := range o.fallback() {
			// A negative queue id lets the broker choose.
			queues = append(queues, mq.MessageQueue{Topic: o.topic, BrokerName: name, QueueID: -1})
		}
		if len(queues) > 0 {
			return queues, nil
		}
		return nil, err
	}
	return i.creatable(ctx, o.topic, err)
}

// creatable returns the queues that a topic without a route will have on the brokers that
// create topics by themselves: those in the route of TBW102 (Java:
// MQClientInstance.updateTopicRouteInfoFromNameServer with isDefault).
func (i *Instance) creatable(ctx context.Context, topic string, missing error) ([]mq.MessageQueue, error) {
	if err := i.learn(ctx, mq.AutoCreateTopic); err != nil {
		if errors.Is(err, ErrNoRoute) {
			return nil, fmt.Errorf("%w; the cluster creates no topics by itself: create it first", missing)
		}
		return nil, err
	}
	var queues []mq.MessageQueue
	for _, q := range i.writable(mq.AutoCreateTopic) {
		if q.QueueID < newTopicQueues {
			q.Topic = topic
			queues = append(queues, q)
		}
	}
	if len(queues) == 0 {
		return nil, fmt.Errorf("%w: no broker that creates topics may be written", ErrNotWritable)
	}
	return queues, nil
}

func (i *Instance) writable(topic string) []mq.MessageQueue {
	i.mu.Lock()
	defer i.mu.Unlock()
	t, ok := i.table.Topic(topic)
	if !ok {
		return nil
	}
	return t.Writable()
}

// choose picks the next queue in turn: of a broker that is up and was not tried before if
// there is one, of a lost, busy or tried one otherwise. wait is how long a busy broker is to
// be left alone still.
func (i *Instance) choose(queues []mq.MessageQueue, tried map[string]bool) (q mq.MessageQueue, wait time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t := i.topic(queues[0].Topic)
	if t.sendSeq == 0 {
		t.sendSeq = 1 + i.rng.IntN(len(queues))
	}
	t.sendSeq++
	now := i.clock.Now()
	best := -1
	for n := range queues {
		one := queues[(t.sendSeq+n)%len(queues)]
		score, hold := i.sendScore(one.BrokerName, tried[one.BrokerName], now)
		if best < 0 || score < best {
			q, wait, best = one, hold, score
		}
		if best == 0 {
			break
		}
	}
	return q, wait
}

// sendScore is how much speaks against sending to a broker. i.mu is held.
func (i *Instance) sendScore(broker string, tried bool, now time.Time) (score int, hold time.Duration) {
	if tried {
		score = 3
	}
	f, ok := i.table.Find(broker, mq.MasterID, true)
	if !ok {
		return score + 4, 0
	}
	l := i.links[f.Addr]
	if l == nil {
		return score, 0
	}
	if l.lost {
		score++
	}
	if hold = l.holdSends.Sub(now); hold > 0 {
		return score + 2, hold
	}
	return score, 0
}

// leaveAlone notes that a broker said it is busy.
func (i *Instance) leaveAlone(broker string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if f, ok := i.table.Find(broker, mq.MasterID, true); ok {
		i.link(f.Addr).holdSends = i.clock.Now().Add(busyPause)
	}
}

func allTried(queues []mq.MessageQueue, tried map[string]bool) bool {
	for _, q := range queues {
		if !tried[q.BrokerName] {
			return false
		}
	}
	return true
}
