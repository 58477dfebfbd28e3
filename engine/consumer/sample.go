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
func (l *loop) sample(now time.Time) {
	l.samples++
	point := l.samples%historyEvery == 0
	lags := map[string]float64{}
	asked := 0
	for _, q := range l.order {
		o := l.queues[q]
		l.advance(now, o)
		if lasted, ended := o.flow.over(now); ended {
			l.noteQueue(now, event.Info, "flow", q, fmt.Sprintf("flow control is over: %d put-backs in %v", o.flow.putBacks, lasted.Round(time.Millisecond)))
		}
		if o.max.OK() {
			o.rates.add(now, o.max.V, max(l.offsets.Read(q), o.committed.V))
		}
		if lag := o.lag(); lag.OK() {
			lags[q.Topic] += float64(lag.V)
		}
		if point {
			count, _, _ := o.pq.Load()
			_, out := o.rates.perSecond()
			o.history.add(count, o.lag(), out, &o.roundTrip)
		}
		if asked < tailsAtOnce && l.askTail(now, o) {
			asked++
		}
	}
	if point {
		for topic, lag := range lags {
			if l.topics[topic] == nil {
				l.topics[topic] = &topicTrend{}
			}
			l.topics[topic].add(lag)
		}
	}
	l.dirty = l.dirty || len(l.order) > 0
}

// askTail asks the broker for the max offset of a queue whose pulls do not tell it now: none
// is out, or the first one is held.
func (l *loop) askTail(now time.Time, o *owned) bool {
	task := l.schedule.Task(o.id).State
	out := task == snapshot.TaskParked || task == snapshot.TaskRunning
	if o.asksMax || !l.running || out && o.max.OK() ||
		now.Sub(o.max.At) < tailAfter || now.Sub(o.failedAt) < tailAfter {
		return false
	}
	o.asksMax, o.askedMaxAt = true, now
	queue, epoch := o.id, o.epoch
	l.calls.do(queue.BrokerName, func(ctx context.Context) {
		at, err := l.client.MaxOffset(ctx, queue)
		l.inbox.post(event.OffsetRead{Queue: queue, Epoch: epoch, Source: event.MaxOffset, Offset: at, Found: err == nil, Err: err})
	})
	return true
}
