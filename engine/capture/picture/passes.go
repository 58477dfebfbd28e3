package picture

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const (
	passesKept  = 32
	passChanges = 4_096
	passMembers = 1_000
	// samePass is how long after the last change of a topic another one belongs to the same
	// rebalance: members pull what they got one after the other.
	samePass = 3 * time.Second
	// reasonFor is how long a member's coming or going explains changes: each member looks every
	// twenty seconds.
	reasonFor = 25 * time.Second
)

// pass is a rebalance as it shows from outside: queues of a topic that changed hands.
type pass struct {
	topic    string
	at, last time.Time // of its first and last change
	why      string
	members  []string
	changes  []change
}

// change is a queue that another client pulls than before; nobody is empty.
type change struct {
	queue         mq.MessageQueue
	before, after string
}

func (p *pass) rename(old, now string) {
	for i := range p.changes {
		c := &p.changes[i]
		if c.before == old {
			c.before = now
		}
		if c.after == old {
			c.after = now
		}
	}
}

// takes tells whether a change belongs to p. A queue that had somebody and goes on to somebody
// else does not: that is another rebalance.
func (p *pass) takes(at time.Time, c change) bool {
	return p.topic == c.queue.Topic && at.Sub(p.last) <= samePass && !slices.ContainsFunc(p.changes, func(o change) bool {
		return o.queue == c.queue && o.after != ""
	})
}

// hands compares who pulls a queue with who did.
func (m *Memory) hands(s *infer.State, e infer.Event, name string, id mq.MessageQueue) {
	g, sq, q := m.find(s, name, id)
	if q == nil || sq.Committed.State == snapshot.NotApplicable {
		return // of a broadcasting group each member has all queues
	}
	p, _ := sq.Owner()
	if p.Pop {
		g.pop = true
		return // any number of clients may pop a queue
	}
	before := q.owner
	if p.Client == before {
		return
	}
	q.owner = p.Client
	if len(p.Client) > 0 && p.Client[0] == '[' && len(m.unnamed) < maxConns {
		put(&m.unnamed, p.Client, true)
	}
	g.changedAt = e.At
	m.record(s.Groups[name], g, e, change{id, before, p.Client})
}

// explain says of the changes just before that a member that left is behind them: it gives its
// queues up first.
func (g *group) explain(client string, at time.Time) {
	for i := len(g.passes) - 1; i >= 0 && at.Sub(g.passes[i].last) <= samePass; i-- {
		p := &g.passes[i]
		if slices.ContainsFunc(p.changes, func(c change) bool { return c.before == client }) {
			p.why = g.why
			p.members = slices.DeleteFunc(slices.Clone(p.members), func(id string) bool { return id == client })
		}
	}
}

// record adds a change to the rebalance that goes on, or begins one.
func (m *Memory) record(sg *infer.Group, g *group, e infer.Event, c change) {
	i := len(g.passes) - 1
	for i >= 0 && !g.passes[i].takes(e.At, c) {
		i--
	}
	for m.changes >= maxChanges && len(g.passes) > 0 && i != 0 {
		m.changes -= len(g.passes[0].changes)
		g.passes = slices.Delete(g.passes, 0, 1)
		i--
	}
	if i < 0 {
		p := pass{topic: c.queue.Topic, at: e.At, why: "seen from who pulls"}
		if g.why != "" && e.At.Sub(g.whyAt) <= reasonFor {
			p.why = g.why
		}
		if len(g.passes) == passesKept {
			m.changes -= len(g.passes[0].changes)
			g.passes = slices.Delete(g.passes, 0, 1)
		}
		g.passes = append(g.passes, p)
		i = len(g.passes) - 1
	}
	p := &g.passes[i]
	p.last, p.members = e.At, membersOf(sg)
	at := slices.IndexFunc(p.changes, func(o change) bool { return o.queue == c.queue })
	switch {
	case at >= 0:
		p.changes[at].after = c.after
	case len(p.changes) < passChanges && m.changes < maxChanges:
		p.changes = append(p.changes, c)
		m.changes++
	}
}

// membersOf are the first members of a group, sorted.
func membersOf(g *infer.Group) []string {
	ids := make([]string, 0, len(g.Members))
	for id := range g.Members {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Clip(ids[:min(len(ids), passMembers)])
}

// rebalances are the passes as screens want them: with all queues of the topic, also those that
// stayed. Who had those follows from who has them now, going back pass by pass.
func (g *group) rebalances(queues []snapshot.Queue) []snapshot.Rebalance {
	type side struct {
		ids    []mq.MessageQueue
		owners []string
	}
	now := make(map[string]*side)
	for i := range queues {
		id := queues[i].ID
		if id.QueueID < 0 {
			continue
		}
		t := now[id.Topic]
		if t == nil {
			t = &side{}
			now[id.Topic] = t
		}
		owner := ""
		if q := g.queues[id]; q != nil {
			owner = q.owner
		}
		t.ids, t.owners = append(t.ids, id), append(t.owners, owner)
	}
	var out []snapshot.Rebalance
	for i := len(g.passes) - 1; i >= 0; i-- {
		p := &g.passes[i]
		t := now[p.topic]
		if t == nil {
			continue
		}
		before := slices.Clone(t.owners)
		for _, c := range p.changes {
			if j, ok := slices.BinarySearchFunc(t.ids, c.queue, mq.MessageQueue.Compare); ok {
				before[j] = c.before
			}
		}
		if !slices.Equal(before, t.owners) {
			out = append(out, snapshot.Rebalance{
				At: p.at, Topic: p.topic, Why: p.why, Members: p.members, Queues: t.ids, Before: before, After: t.owners,
			})
		}
		t.owners = before
	}
	slices.SortStableFunc(out, func(a, b snapshot.Rebalance) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Topic, b.Topic))
	})
	return out
}
