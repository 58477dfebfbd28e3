package picture

import (
	"errors"
	"fmt"
	"slices"

	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// planner answers what-if questions about the group as p shows it. Who has which queue was seen; by
// which strategy was not: it is taken to be the first that comes to what was seen.
func planner(p *snapshot.Snapshot) snapshot.Planner {
	return func(r snapshot.PlanRequest) snapshot.Plan {
		plan, err := plan(p, r)
		if err != nil {
			return snapshot.Plan{Topic: r.Topic, Strategy: r.Strategy, Err: err.Error()}
		}
		return plan
	}
}

func plan(p *snapshot.Snapshot, r snapshot.PlanRequest) (snapshot.Plan, error) {
	if err := askable(p, r.Topic); err != nil {
		return snapshot.Plan{}, err
	}
	seen := seenOf(p, r.Topic)
	after, err := seen.strategy(r.Strategy)
	if err != nil {
		return snapshot.Plan{}, err
	}
	w, err := rebalance.Plan(seen.situation(), rebalance.Situation{Strategy: after, Members: r.Members, Queues: seen.queues, EachOnce: true})
	if err != nil {
		return snapshot.Plan{}, err
	}
	return w.Told(r.Topic, after.Name(), seen.cached), nil
}

// askable says what has to be known for a question, and is not.
func askable(p *snapshot.Snapshot, topic string) error {
	switch {
	case p.MembersKnown.State == snapshot.Unknown:
		return fmt.Errorf("unknown who the members are: %s", p.MembersKnown.Reason)
	case len(p.Members) == 0:
		return errors.New("unknown who the members are: none was seen")
	}
	for i := range p.Group.Subscriptions {
		if s := &p.Group.Subscriptions[i]; s.Topic == topic {
			if !s.Queues.OK() {
				return fmt.Errorf("unknown how many queues there are: %s", s.Queues.Reason)
			}
			return nil
		}
	}
	return errors.New("unknown whether the members subscribe to it")
}

// seen is who was seen to have the queues of a topic.
type seen struct {
	members []string
	queues  []mq.MessageQueue
	held    map[string][]mq.MessageQueue
	cached  map[mq.MessageQueue]int
	whole   bool // each queue has one owner, who is a member
}

func seenOf(p *snapshot.Snapshot, topic string) *seen {
	s := &seen{held: map[string][]mq.MessageQueue{}, cached: map[mq.MessageQueue]int{}, whole: true}
	for i := range p.Members {
		s.members = append(s.members, p.Members[i].ID)
	}
	for i := range p.Queues {
		q := &p.Queues[i]
		if q.ID.Topic != topic || q.ID.QueueID < 0 {
			continue
		}
		s.queues = append(s.queues, q.ID)
		s.cached[q.ID] = q.Count.V
		owners := slices.Clone(q.Lock.Believers)
		if q.Owner.OK() && q.Owner.V != "" && !slices.Contains(owners, q.Owner.V) {
			owners = append(owners, q.Owner.V)
		}
		s.whole = s.whole && len(owners) == 1 && slices.Contains(s.members, owners[0])
		for _, id := range owners {
			s.held[id] = append(s.held[id], q.ID)
		}
	}
	return s
}

// situation is what was seen, whatever strategy led to it.
func (s *seen) situation() rebalance.Situation {
	out := rebalance.Situation{Members: slices.Clone(s.members), Queues: s.queues, EachOnce: true}
	for id := range s.held {
		if !slices.Contains(out.Members, id) {
			out.Members = append(out.Members, id)
		}
	}
	for _, id := range out.Members {
		out.Deviations = append(out.Deviations, rebalance.Deviation{Strategy: rebalance.ByConfig{Queues: s.held[id]}, Members: []string{id}})
	}
	return out
}

// strategy is the one of a name, or the one that comes to what was seen.
func (s *seen) strategy(name string) (rebalance.Strategy, error) {
	if name != "" {
		return rebalance.StrategyByName(name, rebalance.StrategyOptions{})
	}
	if !s.whole {
		return nil, errors.New("unknown strategy: not each queue has one owner, pick one")
	}
	for _, name := range rebalance.StrategyNames() {
		by, err := rebalance.StrategyByName(name, rebalance.StrategyOptions{})
		if err != nil {
			continue // it needs to be told more than its name
		}
		w, err := rebalance.Plan(s.situation(), rebalance.Situation{Strategy: by, Members: s.members, Queues: s.queues, EachOnce: true})
		if err == nil && len(w.Moves) == 0 && len(w.After.Orphans) == 0 && len(w.After.Doubles) == 0 {
			return by, nil
		}
	}
	return nil, errors.New("unknown strategy: none of those known here leads to what was seen, pick one")
}
