package rebalance

import (
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Told is w for a screen; cached is how many messages of each queue may be delivered again where it
// moves.
func (w *WhatIf) Told(topic, strategy string, cached map[mq.MessageQueue]int) snapshot.Plan {
	p := snapshot.Plan{
		Topic: topic, Strategy: strategy, Queues: w.Queues, Moves: len(w.Moves), Percent: w.Percent,
		MinBefore: w.Before.Min, MaxBefore: w.Before.Max, MinAfter: w.After.Min, MaxAfter: w.After.Max,
		Orphans: w.After.Orphans, Doubles: w.After.Doubles, Idle: w.After.Idle,
	}
	for _, m := range w.Members {
		p.Members = append(p.Members, snapshot.PlanMember{ID: m.ClientID, Joins: m.Joins, Leaves: m.Leaves, Before: m.Before, After: m.After})
		for _, q := range m.Lost {
			p.MayRepeat += cached[q]
		}
	}
	return p
}
