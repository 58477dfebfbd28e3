package rebalance

import (
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

// flushLocks makes actions of what came up in the step: one for each broker.
func (r *Rebalance) flushLocks(answered time.Time) {
	k := &r.locks
	for _, part := range byBroker(k.freed) {
		for _, q := range part {
			r.Decisions.Fact(decision.LockFreed, q, "", [6]int64{})
		}
		r.do(UnlockQueues{Broker: part[0].BrokerName, Queues: part})
	}
	for _, part := range byBroker(k.wanted) {
		r.do(LockQueues{Broker: part[0].BrokerName, Queues: part})
	}
	if len(k.held) > 0 {
		r.do(LocksHeld{Queues: k.held, At: answered})
	}
	if len(k.lost) > 0 {
		r.do(LocksLost{Queues: k.lost})
	}
	k.freed, k.wanted, k.held, k.lost = nil, nil, nil, nil
}

// byBroker divides queues by broker, in order of the names.
func byBroker(queues []mq.MessageQueue) [][]mq.MessageQueue {
	slices.SortFunc(queues, func(a, b mq.MessageQueue) int {
		if c := mq.CompareJava(a.BrokerName, b.BrokerName); c != 0 {
			return c
		}
		return a.Compare(b)
	})
	var parts [][]mq.MessageQueue
	for from := 0; from < len(queues); {
		to := from + 1
		for to < len(queues) && queues[to].BrokerName == queues[from].BrokerName {
			to++
		}
		parts = append(parts, queues[from:to:to])
		from = to
	}
	return parts
}
