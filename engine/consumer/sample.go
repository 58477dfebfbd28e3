package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/snapshot"
)

const (
	// The tail of a queue that is not pulled now (flow control, pause) is asked for when it is
	// older than tailAfter, of at most tailsAtOnce queues a second.
	tailAfter   = 3 * time.Second
	tailsAtOnce = 64
)

// sample takes the once-a-second readings: rates, histories, tails of queues not pulled.
func (m *membership) sample(now time.Time) {
	m.samples++
	point := m.samples%historyEvery == 0
	lags := map[string]float64{}
	asked := 0
	for _, q := range m.order {
		o := m.queues[q]
		m.kind.advance(now, o)
		if lasted, ended := o.flow.over(now); ended {
			m.noteQueue(now, event.Info, "flow", q, fmt.Sprintf("flow control is over: %d put-backs in %v", o.flow.putBacks, lasted.Round(time.Millisecond)))
		}
		if o.max.OK() {
			o.rates.add(now, o.max.V, max(m.offsets.Read(q), o.committed.V))
		}
		if lag := o.lag(); lag.OK() {
			lags[q.Topic] += float64(lag.V)
		}
		if point {
			count, _, _ := o.pq.Load()
			_, out := o.rates.perSecond()
			o.history.add(count, o.lag(), out, &o.roundTrip)
		}
		if asked < tailsAtOnce && m.askTail(now, o) {
			asked++
		}
	}
	if point {
		for topic, lag := range lags {
			if m.topics[topic] == nil {
				m.topics[topic] = &topicTrend{}
			}
			m.topics[topic].add(lag)
		}
	}
	m.dirty = m.dirty || len(m.order) > 0
}

// askTail asks the broker for the max offset of a queue whose pulls do not tell it now: none
// is out, or the first one is held.
func (m *membership) askTail(now time.Time, o *owned) bool {
	task := m.kind.task(o.id).State
	out := task == snapshot.TaskParked || task == snapshot.TaskRunning
	if o.asksMax || !m.running || out && o.max.OK() ||
		now.Sub(o.max.At) < tailAfter || now.Sub(o.failedAt) < tailAfter {
		return false
	}
	o.asksMax, o.askedMaxAt = true, now
	queue, epoch := o.id, o.epoch
	m.call(queue.BrokerName, func(ctx context.Context) {
		at, err := m.client.MaxOffset(ctx, queue)
		m.inbox.post(event.OffsetRead{Queue: queue, Epoch: epoch, Source: event.MaxOffset, Offset: at, Found: err == nil, Err: err})
	})
	return true
}
