package picture

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// held is what one client has of the group's queues.
type held struct {
	queues, cached int
	lag            int64
	// Why one of them is not known.
	noQueues, noCount, noLag string
}

// holdings sums the queues of each client that pulls some.
func (d *drawing) holdings(queues []snapshot.Queue) map[string]*held {
	of := make(map[string]*held)
	for i := range queues {
		q := &queues[i]
		sq := d.sg.Queues[q.ID]
		if sq == nil {
			continue
		}
		for n, puller := range sq.Pullers {
			h := of[puller.Client]
			if h == nil {
				h = &held{}
				of[puller.Client] = h
			}
			h.queues++
			if puller.Pop {
				h.noQueues = "it pops: the broker chooses the queue"
			}
			if n < len(sq.Pullers)-1 && !d.broadcast {
				continue // the one who began last takes over
			}
			h.cached, h.lag = h.cached+q.Count.V, h.lag+q.Lag.V
			if !q.Count.OK() {
				h.noCount = cmp.Or(q.Count.Reason, whyOwn)
			}
			if !q.Lag.OK() {
				h.noLag = cmp.Or(q.Lag.Reason, whyOwn)
			}
		}
	}
	return of
}

// membersOf lists who sent heartbeats, and who a broker said to be there.
func (d *drawing) membersOf(p *snapshot.Snapshot) {
	told := d.sg.ListedAt
	ids := slices.Collect(maps.Keys(d.sg.Members))
	for _, id := range d.sg.Listed {
		if d.sg.Members[id] == nil && !d.g.left[id].After(told) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 && told.IsZero() {
		p.MembersKnown.Reason = "no heartbeat and no list of members was seen"
		return
	}
	of := d.holdings(p.Queues)
	for _, id := range ids {
		p.Members = append(p.Members, d.member(id, of[id]))
	}
	p.MembersKnown = snapshot.Of(len(ids), d.at)
}

// differences are the topics of which two members want other messages.
func differences(ours, theirs []protocol.SubscriptionData) []snapshot.Difference {
	byTopic := make(map[string][2]protocol.SubscriptionData)
	for i, side := range [2][]protocol.SubscriptionData{ours, theirs} {
		for _, sub := range side {
			both := byTopic[sub.Topic]
			both[i] = sub
			byTopic[sub.Topic] = both
		}
	}
	var out []snapshot.Difference
	for _, topic := range slices.Sorted(maps.Keys(byTopic)) {
		a, b := byTopic[topic][0], byTopic[topic][1]
		if a.SubString != b.SubString || a.ExpressionType != b.ExpressionType {
			out = append(out, snapshot.Difference{
				Topic: topic, Ours: a.SubString, Theirs: b.SubString,
				TheirsIsNewer: a.Topic != "" && b.Topic != "" && b.SubVersion > a.SubVersion,
			})
		}
	}
	return out
}

// member is one of them; h is nil when it pulls nothing.
func (d *drawing) member(id string, h *held) snapshot.Member {
	m := snapshot.Member{ID: id, Me: id == d.o.Client && id != "", Told: snapshot.NA[time.Time]()}
	sm := d.sg.Members[id]
	switch {
	case h == nil && sm == nil:
		const why = "a broker names it, but nothing of it was captured"
		m.Queues.Reason, m.Cached.Reason, m.Lag.Reason = why, why, why
		return m
	case h == nil:
		h = &held{}
	}
	if sm != nil {
		m.Told = snapshot.Of(sm.LastBeat, sm.LastBeat)
		if ours := d.sg.Members[d.o.Client]; ours != nil && ours != sm {
			m.Differs = differences(ours.Subscriptions, sm.Subscriptions)
		}
	}
	m.Queues, m.Cached, m.Lag = snapshot.Of(h.queues, d.at), snapshot.Of(h.cached, d.at), snapshot.Of(h.lag, d.at)
	if h.noQueues != "" {
		m.Queues = snapshot.UnknownBecause[int](h.noQueues)
	}
	if h.noCount != "" {
		m.Cached = snapshot.UnknownBecause[int](h.noCount)
	}
	if h.noLag != "" {
		m.Lag = snapshot.UnknownBecause[int64](h.noLag)
	}
	return m
}
