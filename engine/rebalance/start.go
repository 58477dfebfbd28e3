package rebalance

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
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
	if r.Decisions.On() {
		r.Decisions.Fact(decision.RebalanceOffsetAsked, q, source.String(), [6]int64{int64(s.epoch)})
	}
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
	switch known := r.Decisions.Is(decision.RebalanceOffsetKnown, e.Queue, e.Err == nil, [6]int64{}); {
	case !known && plant.OffsetErrorIsZero:
		r.begin(now, e.Queue, s, 0, "plant")
	case !known:
		r.unresolved(now, e.Queue, s, e.Err.Error())
	case e.Source == event.CommittedOffset && !r.Decisions.Is(decision.RebalanceCommitted, e.Queue, e.Found, [6]int64{}):
		r.byPolicy(now, e.Queue, s)
	case e.Offset < 0:
		r.unresolved(now, e.Queue, s, fmt.Sprintf("the broker answered %d", e.Offset))
	default:
		r.begin(now, e.Queue, s, e.Offset, e.Source.String())
	}
}

// byPolicy starts a queue of which the group has no offset yet
// (Java: RebalancePushImpl.computePullFromWhereWithException).
func (r *Rebalance) byPolicy(now time.Time, q mq.MessageQueue, s *slot) {
	retryTopic := mq.IsRetryTopic(q.Topic)
	if r.Decisions.On() {
		r.Decisions.Fact(decision.RebalancePolicy, q, r.cfg.From.String(), [6]int64{decision.Bool(retryTopic)})
	}
	switch r.cfg.From {
	case mq.FromFirstOffset:
		r.begin(now, q, s, 0, "the first one")
	case mq.FromTimestamp:
		if retryTopic {
			r.question(q, s, event.MaxOffset)
			return
		}
		r.question(q, s, event.OffsetByTime)
	default:
		if retryTopic {
			r.begin(now, q, s, 0, "the first one")
			return
		}
		r.question(q, s, event.MaxOffset)
	}
}

// begin assigns q, whose start offset is known now.
func (r *Rebalance) begin(now time.Time, q mq.MessageQueue, s *slot, start int64, source string) {
	r.Decisions.Fact(decision.RebalanceStartOffset, q, source, [6]int64{start})
	if r.ordered() && !r.trusted(now, q, &s.lock) { // it became too old meanwhile
		r.askLocked(now, q, s)
		return
	}
	s.state, s.attempted, s.trouble = assigned, now, ""
	r.Decisions.Fact(decision.RebalanceAdded, q, "", [6]int64{start, int64(s.epoch), int64(s.delay)})
	r.do(Assign{Queue: q, Epoch: s.epoch, Start: start, Delay: s.delay})
}

// unresolved leaves a queue without a start offset: it is not pulled, nothing is committed
// for it, and the next pass asks again.
func (r *Rebalance) unresolved(now time.Time, q mq.MessageQueue, s *slot, why string) {
	s.state = unknown
	r.Decisions.Fact(decision.RebalanceUnresolved, q, why, [6]int64{})
	what := fmt.Sprintf("start offset unknown (%v): %s", s.source, why)
	if s.trouble != what {
		s.trouble = what
		r.tellQueue(now, event.Warn, q, what+": not pulled, asked again")
	}
	r.retry(now)
}
