package consumer

import (
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// passesKept is how many passes that moved queues are remembered.
const passesKept = 32

// passes remembers who owned which queue before and after each pass that moved some.
type passes struct {
	seen   time.Time // end of the last pass looked at
	owners map[string]topicOwners
	log    []snapshot.Rebalance
}

type topicOwners struct {
	queues []mq.MessageQueue
	owners []string
}

// lookAtPass compares the owners after a pass with those before it.
func (m *membership) lookAtPass(now time.Time) {
	at, why := m.rebalance.LastPass()
	if !at.After(m.passes.seen) {
		return
	}
	m.passes.seen = at
	members, _ := m.rebalance.Members()
	m.peersStep(now, rebalance.PeersSeen{Members: members, Ours: m.subs.told()})
	for topic, is := range m.ownersByTopic() {
		was, known := m.passes.owners[topic]
		if known && slices.Equal(was.queues, is.queues) && slices.Equal(was.owners, is.owners) {
			continue
		}
		who, _ := m.rebalance.AllottedBy(topic)
		r := snapshot.Rebalance{
			At: at, Topic: topic, Why: why, Strategy: who, Members: slices.Clone(members),
			Queues: is.queues, After: is.owners, Before: make([]string, len(is.queues)),
		}
		for i, q := range is.queues {
			if j, ok := slices.BinarySearchFunc(was.queues, q, mq.MessageQueue.Compare); ok {
				r.Before[i] = was.owners[j]
			}
		}
		m.passes.log = append(m.passes.log, r)
		m.passes.owners[topic] = is
	}
	slices.SortStableFunc(m.passes.log, func(a, b snapshot.Rebalance) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return mq.CompareJava(a.Topic, b.Topic)
	})
	if over := len(m.passes.log) - passesKept; over > 0 {
		m.passes.log = slices.Clone(m.passes.log[over:])
	}
}

func (m *membership) ownersByTopic() map[string]topicOwners {
	out := map[string]topicOwners{}
	for _, q := range m.rebalance.Queues() {
		t := out[q.Topic]
		owner, _ := m.rebalance.Owner(q)
		t.queues, t.owners = append(t.queues, q), append(t.owners, owner)
		out[q.Topic] = t
	}
	return out
}

// planner answers what-if questions about the group as s shows it, with the code that allots
// queues in a real pass.
func planner(s *snapshot.Snapshot, now rebalance.Strategy) snapshot.Planner {
	return func(r snapshot.PlanRequest) snapshot.Plan {
		after, err := strategyNamed(r.Strategy, now)
		if err != nil {
			return snapshot.Plan{Topic: r.Topic, Strategy: r.Strategy, Err: err.Error()}
		}
		var queues []mq.MessageQueue
		cached := map[mq.MessageQueue]int{}
		for i := range s.Queues {
			if q := &s.Queues[i]; q.ID.Topic == r.Topic {
				queues = append(queues, q.ID)
				cached[q.ID] = q.Count.V
			}
		}
		var members []string
		for _, m := range s.Members {
			members = append(members, m.ID)
		}
		plan, err := rebalance.Plan(
			rebalance.Situation{Strategy: now, Members: members, Queues: queues, EachOnce: true},
			rebalance.Situation{Strategy: after, Members: r.Members, Queues: queues, EachOnce: true},
		)
		if err != nil {
			return snapshot.Plan{Topic: r.Topic, Strategy: r.Strategy, Err: err.Error()}
		}
		return plan.Told(r.Topic, after.Name(), cached)
	}
}

// strategyNamed is the strategy in force when it is asked for by its name: it may have
// settings that a name can not carry.
func strategyNamed(name string, now rebalance.Strategy) (rebalance.Strategy, error) {
	if name == "" || name == now.Name() {
		return now, nil
	}
	return rebalance.StrategyByName(name, rebalance.StrategyOptions{})
}
