package replay

import (
	"math"
	"slices"

	"mqscope/engine/snapshot"
)

const (
	keepBehind = 64      // moments kept before the position, at least
	mostBehind = 1 << 16 // moments kept there for a step back, at most
	lookAhead  = 256     // moments read at once behind it, at first
	mostAhead  = 1 << 14 // where it plays on and on: to begin to read costs more than a moment
	farthest   = 1 << 18 // records that are looked through for moments before the position
)

// window is the moments around the position.
type window struct {
	behind, ahead []snapshot.Moment // oldest first
	keep          int               // of behind, at least
	end           bool              // nothing more can be read ahead
	reads         int               // how often it was read ahead since it was moved
}

// around are some moments on both sides of the position, oldest first, never changed after.
func (w *window) around(each int) []snapshot.Moment {
	b := w.behind[max(len(w.behind)-each, 0):]
	return slices.Concat(b, w.ahead[:min(each, len(w.ahead))])
}

// passed takes a moment that has happened.
func (w *window) passed(m snapshot.Moment) {
	if n := max(w.keep, keepBehind); len(w.behind) >= 2*n {
		w.behind = slices.Delete(w.behind, 0, n)
	}
	w.behind = append(w.behind, m)
	n := 0
	for n < len(w.ahead) && w.ahead[n].Event <= m.Event {
		n++
	}
	w.ahead = w.ahead[n:]
}

// here reads the moments around where the track stands, after it was moved.
func (p *Player) here() { p.lookAround(nearEach) }

// lookAround reads moments until there are so many before the position, if there are.
func (p *Player) lookAround(before int) {
	p.changed = true
	at := p.track.Event()
	for back := uint64(4 * nearEach); ; back *= 8 {
		from := uint64(1)
		if at > back {
			from = at - back
		}
		p.near = window{keep: before}
		for m, err := range p.track.Moments(from) {
			if err != nil {
				break // it is met again, and told, where playing gets there
			}
			if m.Event <= at {
				p.near.passed(m)
			} else if p.near.ahead = append(p.near.ahead, m); len(p.near.ahead) >= nearEach {
				break
			}
		}
		if len(p.near.behind) >= before || from <= max(p.info.Header.First, 1) || back >= farthest {
			return
		}
	}
}

// peek is the moment that happens next; ok is false where none is known.
func (p *Player) peek() (m snapshot.Moment, ok bool) {
	if len(p.near.ahead) == 0 {
		p.readAhead()
	}
	if len(p.near.ahead) == 0 {
		return m, false
	}
	return p.near.ahead[0], true
}

// readAhead reads more moments behind those there are.
func (p *Player) readAhead() {
	at := p.track.Event()
	if n := len(p.near.ahead); n > 0 {
		at = p.near.ahead[n-1].Event
	}
	if at == math.MaxUint64 {
		return
	}
	n, most := 0, min(lookAhead<<min(p.near.reads, 16), mostAhead)
	p.near.reads++
	for m, err := range p.track.Moments(at + 1) {
		if err != nil {
			break // as in lookAround
		}
		p.near.ahead = append(p.near.ahead, m)
		if n++; n >= most {
			return
		}
	}
	p.near.end = true
}
