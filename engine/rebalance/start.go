package rebalance

import (
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/internal/plant"
	"mqscope/engine/mq"
)

// ask begins to resolve the start offset of q, under a new epoch: answers to earlier
// questions count no more.
func (r *Rebalance) ask(now time.Time, q mq.MessageQueue, s *slot) {
	r.epoch++
	s.epoch, s.state, s.attempted = r.epoch, resolving, now
	r.question(q, s, event.CommittedOffset)
}

func (r *Rebalance) question(q mq.MessageQueue, s *slot, source event.OffsetSource) {
	s.source = source
	read := ReadOffset{Queue: q, Epoch: s.epoch, Source: source}
	if source == event.OffsetByTime {
		read.Time = r.cfg.Timestamp
	}
	r.do(read)
}

// offsetRead takes an answer on the start offset of a queue that is still ours. Only an
// offset that the broker surely has starts a queue; a failure is asked again.
func (r *Rebalance) offsetRead(now time.Time, e event.OffsetRead) {
	s := r.slots[e.Queue]
	if s == nil || s.epoch != e.Epoch || s.state != resolving || s.source != e.Source {
		return
	}
	switch {
	case e.Err != nil && plant.OffsetErrorIsZero:
		r.assign(now, e.Queue, s, 0)
	case e.Err != nil:
		r.unresolved(now, e.Queue, s, e.Err.Error())
	case e.Source == event.CommittedOffset && !e.Found:
		r.byPolicy(now, e.Queue, s)
	case e.Offset < 0:
		r.unresolved(now, e.Queue, s, fmt.Sprintf("the broker answered %d", e.Offset))
	default:
		r.assign(now, e.Queue, s, e.Offset)
	}
}

// byPolicy starts a queue of which the group has no offset yet
// (Java: RebalancePushImpl.computePullFromWhereWithException).
func (r *Rebalance) byPolicy(now time.Time, q mq.MessageQueue, s *slot) {
	retryTopic := mq.IsRetryTopic(q.Topic)
	switch r.cfg.From {
	case mq.FromFirstOffset:
		r.assign(now, q, s, 0)
	case mq.FromTimestamp:
		if retryTopic {
			r.question(q, s, event.MaxOffset)
			return
		}
		r.question(q, s, event.OffsetByTime)
	default:
		if retryTopic {
			r.assign(now, q, s, 0)
			return
		}
		r.question(q, s, event.MaxOffset)
	}
}

func (r *Rebalance) assign(now time.Time, q mq.MessageQueue, s *slot, start int64) {
	if r.ordered() && !r.trusted(now, &s.lock) { // it became too old meanwhile
		r.askLocked(now, q, s)
		return
	}
	s.state, s.attempted, s.trouble = assigned, now, ""
	r.do(Assign{Queue: q, Epoch: s.epoch, Start: start, Delay: s.delay})
}

// unresolved leaves a queue without a start offset: it is not pulled, nothing is committed
// for it, and the next pass asks again.
func (r *Rebalance) unresolved(now time.Time, q mq.MessageQueue, s *slot, why string) {
	s.state = unknown
	what := fmt.Sprintf("start offset unknown (%v): %s", s.source, why)
	if s.trouble != what {
		s.trouble = what
		r.tellQueue(now, event.Warn, q, what+": not pulled, asked again")
	}
	r.retry(now)
}
