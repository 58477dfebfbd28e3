package consumer_test

import (
	"slices"
	"testing"
	"time"

	"mqscope/engine/snapshot"
)

func TestPassesThatMoveQueuesAreRemembered(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a := w.join("192.0.2.10@a", nil)
		a.after(5 * time.Second)
		b := w.join("192.0.2.11@b", nil)
		s := a.after(5 * time.Second)
		var of []snapshot.Rebalance
		for _, r := range s.Rebalances {
			if r.Topic == topic {
				of = append(of, r)
			}
		}
		if len(of) != 2 {
			t.Fatalf("%d passes are remembered, want the first one and the one after b joined: %+v", len(of), of)
		}
		last := of[1]
		if !slices.Equal(last.Before, []string{a.id, a.id, a.id, a.id}) || !slices.Equal(last.After, []string{a.id, a.id, b.id, b.id}) {
			t.Errorf("before %v, after %v", last.Before, last.After)
		}
		plan := s.WhatIf(snapshot.PlanRequest{Topic: topic, Members: []string{a.id, b.id, "192.0.2.12@c"}})
		if plan.Err != "" || plan.Moves != 1 || len(plan.Members) != 3 || plan.MaxAfter != 2 || plan.MinAfter != 1 {
			t.Errorf("plan for a third member: %+v", plan)
		}
		if bad := s.WhatIf(snapshot.PlanRequest{Topic: topic, Strategy: "COIN", Members: []string{a.id}}); bad.Err == "" {
			t.Error("a plan by a strategy that does not exist has no error")
		}
		a.stop()
		b.stop()
	})
}
