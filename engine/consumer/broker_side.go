package consumer

import (
	"context"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
)

// membersPatience is how long an assignment waits for the member list that is shown beside it.
const membersPatience = time.Second

// queryAssignment asks a broker which queues of a topic are ours.
func (m *membership) queryAssignment(a rebalance.QueryAssignment) {
	m.call(groupLane, func(ctx context.Context) {
		list, err := m.client.QueryAssignment(ctx, a.Topic, m.group, m.strategy.Name(), mq.Clustering, a.Timeout)
		e := event.AssignmentRead{Topic: a.Topic, Known: list != nil, Err: err, Failure: assignmentFailure(err)}
		for _, q := range list {
			if q.Mode == protocol.ModePop {
				e.Pop = true
			} else {
				e.Queues = append(e.Queues, q.Queue)
			}
		}
		if err == nil {
			short, cancel := clock.WithTimeout(ctx, m.clock, membersPatience)
			e.Members, _ = m.client.ConsumerList(short, a.Topic, m.group) // it decides nothing
			cancel()
		}
		m.inbox.post(e)
	})
}

// assignmentFailure says what an error tells of the broker.
func assignmentFailure(err error) event.AssignmentFailure {
	switch client.Classify(err) {
	case client.Lost:
		return event.AssignmentTimeout
	case client.Unreachable, client.Missing, client.Canceled, client.Stopped:
		return event.AssignmentUnreached
	}
	return event.AssignmentRefused
}

// drainPopRetry subscribes to what comes back of a topic that the group popped once, if there
// is such a topic (Java: RebalanceImpl.updateMessageQueueAssignment, which subscribes in any
// case). Where there is none, members that let the broker allot and members that do not would
// tell it different subscriptions for nothing.
func (m *membership) drainPopRetry(topic string) {
	retry := mq.PopRetryTopic(topic, m.group)
	if m.subs.has(retry) {
		return
	}
	m.call(groupLane, func(ctx context.Context) {
		if m.client.RefreshRoutes(ctx, retry) != nil {
			return // asked again with the next assignment
		}
		if queues, ok := m.client.Queues(retry); ok && len(queues) > 0 {
			m.inbox.post(popRetryFound{topic: topic, retry: retry})
		}
	})
}

// popRetryFound says that there is a topic with what came back of another one that was popped.
type popRetryFound struct{ topic, retry string }

func (l *loop) popRetryFound(now time.Time, e popRetryFound) {
	if !l.subs.has(e.topic) || l.subs.has(e.retry) {
		return
	}
	d, err := protocol.ParseSubscription(e.retry, "*", now.UnixMilli())
	if err != nil {
		l.note(now, event.Warn, "rebalance", e.retry, "can not be subscribed to: "+err.Error())
		return
	}
	l.note(now, event.Info, "rebalance", e.topic, "was popped by this group once: what came back, in "+e.retry+", is consumed as well")
	l.subscribe(now, d)
}
