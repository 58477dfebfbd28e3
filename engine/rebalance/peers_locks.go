package rebalance

import (
	"maps"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// claim is the time from the first to the last question, without one in between that it denied,
// to which a member answered that it holds the lock of a queue.
type claim struct {
	id          string
	since, last time.Time
}

// claims takes over which locks a member says that it holds.
func (p *Peers) claims(id string, m *peer, table map[mq.MessageQueue]protocol.ProcessQueueInfo) {
	now := map[mq.MessageQueue]claim{}
	for q, info := range table {
		if !info.Locked || info.Dropped {
			continue
		}
		c, before := m.locks[q]
		if !before {
			c = claim{id: id, since: p.askedAt}
		}
		c.last = p.askedAt
		now[q] = c
	}
	m.locks, p.claimed = now, nil
}

// Believers returns the client ids, sorted, that take themselves for the owner of the lock of
// q. Ours counts when since is not zero: so long this member holds it. What others said counts
// for as long as they would consume on it, trust, and only if it is of the same time as the
// newest word on the queue: one that handed it over meanwhile is no second owner.
func (p *Peers) Believers(now time.Time, q mq.MessageQueue, since time.Time, trust time.Duration) []string {
	if p.claimed == nil {
		p.claimed = map[mq.MessageQueue][]claim{}
		for _, id := range slices.Sorted(maps.Keys(p.peers)) {
			for q, c := range p.peers[id].locks {
				p.claimed[q] = append(p.claimed[q], c)
			}
		}
	}
	newest := claim{id: p.clientID, since: since, last: now}
	if since.IsZero() {
		newest = claim{}
	}
	for _, c := range p.claimed[q] {
		if now.Sub(c.last) < trust && c.last.After(newest.last) {
			newest = c
		}
	}
	if newest.id == "" {
		return nil
	}
	ids := []string{newest.id}
	for _, c := range p.claimed[q] {
		if c.id != newest.id && now.Sub(c.last) < trust && c.last.After(newest.since) {
			ids = append(ids, c.id)
		}
	}
	slices.SortFunc(ids, mq.CompareJava)
	return ids
}
