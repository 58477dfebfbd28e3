package rebalance

import (
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/snapshot"
)

// groupWatch is what brokers say of the group as a whole.
type groupWatch struct {
	asking      bool
	at          time.Time // of the last question
	due         time.Time // of the next one
	hits, equal int       // answers that differed, and did not in a row
	differs     bool      // believed and told
}

// next is when the watch wants a Tick.
func (g *groupWatch) next() time.Time {
	if g.asking {
		return g.at.Add(listPatience)
	}
	return g.due
}

// soon has a broker asked now, or as soon as may be: a pass may have come of a heartbeat that
// took a topic away, and the next heartbeat brings it back.
func (g *groupWatch) soon(now time.Time) {
	switch soon := g.at.Add(groupPace); {
	case g.due.IsZero():
		g.due = now.Add(peerFirst)
	case soon.Before(now):
		g.due = now
	case soon.Before(g.due):
		g.due = soon
	}
}

func (p *Peers) askGroup(now time.Time) {
	if g := &p.group; len(p.peers) > 0 && !g.due.IsZero() && !g.next().After(now) {
		p.askGroupNow(now)
	}
}

func (p *Peers) askGroupNow(now time.Time) {
	g := &p.group
	g.asking, g.at, g.due = true, now, now.Add(groupEvery)
	p.out = append(p.out, AskGroup{})
}

// groupMoved has a broker asked at once, also by a member that knows of no others yet.
func (p *Peers) groupMoved(now time.Time) {
	if g := &p.group; !g.asking && now.Sub(g.at) >= peerPace {
		p.askGroupNow(now)
	}
}

// foreign tells whether a difference can only be that of another member: what we subscribed to
// ourselves a moment ago is not newer than what we know of.
func foreign(list []snapshot.Difference) bool {
	return slices.ContainsFunc(list, func(d snapshot.Difference) bool { return d.Ours != "" && d.TheirsIsNewer })
}

// groupTold takes in what a broker keeps of the group: a subscription that differs from ours
// is that of another member.
func (p *Peers) groupTold(now time.Time, e GroupTold) {
	g := &p.group
	g.asking = false
	if e.Err != nil {
		return
	}
	list := Differences(e.Ours, e.Theirs)
	if len(list) == 0 {
		if g.equal++; g.equal == groupEquals {
			p.over(now)
		}
		return
	}
	g.equal = 0
	if g.hits++; foreign(list) {
		g.hits = groupHits
	}
	if g.hits < groupHits || g.differs {
		return
	}
	g.differs = true
	p.tell(now, event.Error, "", differText(list))
	for _, id := range p.ids() {
		p.want(now.Add(p.turn), id)
	}
}

// over has those asked again that differed: brokers have known no difference for a while.
func (p *Peers) over(now time.Time) {
	p.group.hits, p.group.differs = 0, false
	for _, id := range p.ids() {
		if len(p.peers[id].differs) > 0 {
			p.want(now, id)
		}
	}
}
