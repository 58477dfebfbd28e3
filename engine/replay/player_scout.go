package replay

import (
	"math"

	"mqscope/engine/snapshot"
)

// scouts looks on for breakpoints between where the person stands and what a hunt has found. It is
// false where there are none.
func (p *Player) scouts(h *hunt) bool {
	d, ok := p.track.(Decider)
	if !ok {
		return false
	}
	to := h.found
	if to == 0 && !h.back {
		to = math.MaxUint64
	}
	scout, err := d.Scout(h.from, to, h.back)
	if err != nil {
		p.say(err.Error())
	}
	if scout == nil {
		return false
	}
	h.scout, p.hunt, p.slices = scout, h, 0
	return true
}

// scoutOn looks for breakpoints for a slice.
func (p *Player) scoutOn() {
	h, begun := p.hunt, p.clock.Now()
	for {
		hit, over := h.scout.Look()
		switch {
		case over && hit.Event != 0:
			p.keepHit(snapshot.Interest{Kind: snapshot.InterestBreakpoint, Event: hit.Event, At: hit.At})
			p.goTo(h, hit.Event)
			p.say(hit.Why)
		case over:
			p.goTo(h, h.found)
		case !p.asked() && p.clock.Now().Sub(begun) < slice:
			continue
		}
		break
	}
	if p.slices++; p.hunt == nil || p.slices%tellEvery == 1 {
		p.publish()
	}
}

// endHunt has a hunt lead nowhere: something else is asked for.
func (p *Player) endHunt() {
	if p.hunt != nil {
		p.hunt = nil
		p.rebase()
	}
}

// sought is how far a search for breakpoints has come, 0 where none is under way.
func (p *Player) sought() uint64 {
	if p.hunt == nil || p.hunt.scout == nil {
		return 0
	}
	return max(p.hunt.scout.Reached(), 1)
}
