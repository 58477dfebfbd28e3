package rebalance

import (
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Subscribe adds a topic while the consumer runs; one that is there already is left alone.
// Its queues come with the first pass after its route is known.
func (r *Rebalance) Subscribe(name string) {
	if r.topics[name] != nil || r.stopped {
		return
	}
	at, _ := slices.BinarySearchFunc(r.cfg.Topics, name, mq.CompareJava)
	r.cfg.Topics = slices.Insert(r.cfg.Topics, at, name)
	r.topics[name], r.queues = r.newTopic(name), nil
	r.Decisions.Fact(decision.RebalanceSubscribed, nowhere, name, [6]int64{})
}

// Unsubscribe takes a topic away and gives its queues up (Java: truncateMessageQueueNotMyTopic,
// which does so in the next pass).
func (r *Rebalance) Unsubscribe(now time.Time, name string) []Action {
	t := r.topics[name]
	if t == nil || r.stopped {
		return nil
	}
	r.out = nil
	r.Decisions.Fact(decision.RebalanceUnsubscribed, nowhere, name, [6]int64{int64(len(t.held))})
	if t.asked {
		r.answered(t)
	}
	for _, q := range t.held {
		r.drop(now, q, event.RevokedUnsubscribed)
	}
	delete(r.topics, name)
	r.cfg.Topics = slices.DeleteFunc(r.cfg.Topics, func(s string) bool { return s == name })
	r.queues = nil
	r.endIfDone(now)
	return r.out
}
