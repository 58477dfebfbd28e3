package replay

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"mqscope/engine/snapshot"
)

const (
	// mostInterests is how many points of interest are kept to be shown. Those behind them are
	// looked for again each time that somebody wants to go to one.
	mostInterests = 10_000
	// tellEvery is how many slices of the search pass between two pictures.
	tellEvery = 50
)

// burst folds points of one kind that follow each other closely, as the queues of a rebalance do:
// the first of them stands for all.
type burst struct {
	last [snapshot.InterestGap + 1]time.Time
}

// burstGap is how far apart points of one kind are at least.
const burstGap = 100 * time.Millisecond

// begins tells whether a moment is a point of interest, and not one of those that another stands for.
func (b *burst) begins(m *snapshot.Moment) bool {
	k := m.Interest
	if k == snapshot.NoInterest || int(k) >= len(b.last) {
		return false
	}
	before := b.last[k]
	b.last[k] = m.At
	gap := m.At.Sub(before)
	return before.IsZero() || gap < 0 || gap >= burstGap
}

// search looks through the recording for points of interest, from its beginning on.
type search struct {
	found  []snapshot.Interest // by event
	to     uint64              // event that it has looked through up to
	known  uint64              // found has all of them up to this event
	at     burst               // there
	now    burst               // where it has looked through up to
	over   bool
	slices int
}

// scan looks at moments from event from on for a slice; visit returns false to end it. to is the
// last event looked at, over tells that there are no more.
func (p *Player) scan(from uint64, visit func(*snapshot.Moment) bool) (to uint64, over bool, err error) {
	begun, n := p.clock.Now(), 0
	to = from - 1
	for m, err := range p.track.Moments(from) {
		if err != nil {
			return to, true, err
		}
		to = m.Event
		if !visit(&m) {
			return to, false, nil
		}
		if n++; n >= sliceEvents || n%32 == 0 && (p.asked() || p.clock.Now().Sub(begun) >= slice) {
			return to, false, nil
		}
	}
	return to, true, nil
}

// searchOn looks through the recording for a slice.
func (p *Player) searchOn() {
	s, before := &p.search, len(p.search.found)
	var err error
	s.to, s.over, err = p.scan(s.to+1, func(m *snapshot.Moment) bool {
		if begins := s.now.begins(m); begins && len(s.found) < mostInterests {
			s.found = append(s.found, snapshot.Interest{Kind: m.Interest, Event: m.Event, At: m.At})
			s.known, s.at = m.Event, s.now
		}
		return true
	})
	full := len(s.found) >= mostInterests
	switch {
	case !full:
		s.known, s.at = s.to, s.now
	case before < mostInterests:
		p.say("there are 10,000 points of interest or more: the line shows the first of them, ] finds all")
	}
	s.slices++
	if s.over {
		if err != nil {
			p.info = p.track.Info() // it knows of the damage now
			if p.info.Damage == "" {
				p.info.Damage = err.Error()
			}
		}
		s.to = max(s.to, p.info.Total)
		if !full {
			s.known = s.to
		}
	}
	if s.over || full && before < mostInterests || s.slices%tellEvery == 0 {
		p.publish()
	}
}

// hunt looks for a point of interest that the search has not come to.
type hunt struct {
	back bool
	from uint64 // where the person stood
	to   uint64 // looked through up to here
	// last is, going back, the last one before from that was found; there says that there is one.
	last  uint64
	there bool
	burst burst
	// scout looks for breakpoints on this side of found, once that is known.
	scout Scout
	found uint64
}

// jump is where a hunt led, and when.
type jump struct {
	to   uint64
	wall time.Time
}

// again is how soon after a jump back another one, while it plays, means the one before that.
const again = time.Second

// toInterest goes to the next point of interest or bookmark, or to the one before.
func (p *Player) toInterest(back bool) {
	from := p.track.Event()
	if j := p.jumped; back && p.playing && j.to < from && p.clock.Now().Sub(j.wall) < again {
		from = j.to
	}
	h := hunt{back: back, from: from, to: max(p.search.known, from)}
	if h.to == p.search.known || back {
		h.burst = p.search.at
	} else {
		for i := range p.near.behind {
			h.burst.begins(&p.near.behind[i])
		}
	}
	if back {
		h.to = p.search.known
		h.last, h.there = p.before(from)
	} else if next, ok := p.after(from); ok && next <= p.search.known {
		p.arrive(&h, next)
		return
	}
	if back && (from == 0 || h.to >= from-1) || !back && h.to >= p.info.Total {
		p.arrive(&h, 0)
		return
	}
	p.hunt = &h
}

// huntOn looks on for a slice.
func (p *Player) huntOn() {
	h, found := p.hunt, uint64(0)
	if h.scout != nil {
		p.scoutOn()
		return
	}
	to, over, _ := p.scan(h.to+1, func(m *snapshot.Moment) bool {
		if h.back && m.Event >= h.from {
			return false
		}
		if !h.burst.begins(m) {
			return true
		}
		if h.back {
			h.last, h.there = max(h.last, m.Event), true
			return true
		}
		found = m.Event
		return false
	})
	h.to = to
	if mark, ok := p.markAfter(h.from); !h.back && ok && mark <= to && (found == 0 || mark < found) {
		found = mark
	}
	if found != 0 || over || h.back && to+1 >= h.from {
		p.arrive(h, found)
		p.publish()
	}
}

// arrive ends a hunt for points of interest; found is where going forward led, 0 for nowhere.
func (p *Player) arrive(h *hunt, found uint64) {
	p.hunt = nil
	if mark, ok := p.markAfter(h.from); !h.back && found == 0 && ok {
		found = mark
	}
	if h.back && h.there {
		found = h.last
	}
	if h.found = found; !p.scouts(h) {
		p.goTo(h, found)
	}
}

// goTo goes where a hunt led, 0 for nowhere.
func (p *Player) goTo(h *hunt, found uint64) {
	p.hunt = nil
	switch {
	case found != 0 || h.back && h.there:
		p.seek(found)
		p.jumped = jump{found, p.clock.Now()}
		return
	case h.back:
		p.say("no point of interest and no bookmark before this")
	default:
		p.say("no point of interest and no bookmark behind this")
	}
	p.rebase() // time has passed meanwhile
}

// after is the first point of interest or bookmark behind an event, of those that are known.
func (p *Player) after(event uint64) (uint64, bool) {
	next, ok := p.markAfter(event)
	found := p.search.found
	i := sort.Search(len(found), func(i int) bool { return found[i].Event > event })
	if i < len(found) && (!ok || found[i].Event < next) {
		return found[i].Event, true
	}
	return next, ok
}

// mostHits is how many events are remembered at which a breakpoint was reached.
const mostHits = 1000

// keepHit remembers an event at which a breakpoint stopped playing: decisions are not looked at by
// the search, which makes nothing again.
func (p *Player) keepHit(hit snapshot.Interest) {
	i := sort.Search(len(p.hits), func(i int) bool { return p.hits[i].Event >= hit.Event })
	if len(p.hits) < mostHits && (i == len(p.hits) || p.hits[i].Event != hit.Event) {
		p.hits = slices.Insert(slices.Clone(p.hits), i, hit)
	}
}

// interests are all points that are shown, by event.
func (p *Player) interests() []snapshot.Interest {
	if len(p.hits) == 0 {
		return slices.Clip(p.search.found)
	}
	all := slices.Concat(p.search.found, p.hits)
	slices.SortStableFunc(all, func(a, b snapshot.Interest) int { return cmp.Compare(a.Event, b.Event) })
	return all
}

// before is the last point of interest or bookmark before an event, of those that are known.
func (p *Player) before(event uint64) (last uint64, ok bool) {
	found := p.search.found
	if i := sort.Search(len(found), func(i int) bool { return found[i].Event >= event }); i > 0 {
		last, ok = found[i-1].Event, true
	}
	for _, b := range p.bookmarks() {
		if b.Event < event {
			last, ok = max(last, b.Event), true
		}
	}
	for _, hit := range p.hits {
		if hit.Event < event {
			last, ok = max(last, hit.Event), true
		}
	}
	return last, ok
}

func (p *Player) markAfter(event uint64) (uint64, bool) {
	list := p.bookmarks()
	next, ok := uint64(0), false
	if i := slices.IndexFunc(list, func(b snapshot.Bookmark) bool { return b.Event > event }); i >= 0 {
		next, ok = list[i].Event, true
	}
	i := slices.IndexFunc(p.hits, func(hit snapshot.Interest) bool { return hit.Event > event })
	if i >= 0 && (!ok || p.hits[i].Event < next) {
		return p.hits[i].Event, true
	}
	return next, ok
}

// bookmarks are those there are, by event.
func (p *Player) bookmarks() []snapshot.Bookmark {
	if p.marks == nil {
		return nil
	}
	return p.marks.List()
}
