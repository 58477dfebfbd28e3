package replay

import (
	"time"

	"mqscope/engine/mq"
)

// diffKey is what is compared in order.
type diffKey struct {
	aspect string
	queue  mq.MessageQueue
	topic  string // of what is about no queue, where members are asked for topic by topic
	group  int
	member int
}

// lane is where one key stands. What only one recording has so far waits.
type lane struct {
	of     int // whose events wait
	wait   []waits
	n      int // events that were the same
	parted bool
}

type waits struct {
	hash uint64
	what Happening
}

// take compares an event with the one of the other recording that is as far in the order of k.
func (d *diff) take(k diffKey, n int, w waits) {
	l := d.keys[k]
	if l == nil {
		if len(d.keys) >= maxKeys {
			d.tooMuch("queues and members")
			return
		}
		l = &lane{}
		d.keys[k] = l
	}
	switch {
	case l.parted:
	case len(l.wait) == 0 || l.of == n:
		if d.pending >= maxPending {
			d.tooMuch("events of one recording before those of the other")
			d.alone(k, l)
			return
		}
		l.of, l.wait = n, append(l.wait, w)
		d.pending++
	case l.wait[0].hash == w.hash:
		l.wait, l.n = l.wait[1:], l.n+1
		d.pending--
	default:
		both := [2]*Happening{}
		both[l.of], both[n] = &l.wait[0].what, &w.what
		d.part(k, l, both)
	}
}

// alone is for a key of which one recording has more events than the other.
func (d *diff) alone(k diffKey, l *lane) {
	if l.parted || len(l.wait) == 0 {
		return
	}
	both := [2]*Happening{}
	both[l.of] = &l.wait[0].what
	d.part(k, l, both)
}

// part notes where the recordings part in k; the earliest of an aspect is told.
func (d *diff) part(k diffKey, l *lane, both [2]*Happening) {
	l.parted = true
	d.pending -= len(l.wait)
	p := Part{Aspect: k.aspect, Queue: k.queue, Member: k.member, Nth: l.n + 1, A: both[0], B: both[1]}
	l.wait = nil
	if old, ok := d.first[k.aspect]; !ok || p.since() < old.since() {
		d.first[k.aspect] = p
	}
}

func (d *diff) tooMuch(of string) {
	if d.unread == "" {
		d.unread = "too many " + of + " to compare all of them"
	}
}

// since is how far into the recordings they part.
func (p *Part) since() time.Duration {
	switch {
	case p.A == nil:
		return p.B.Since
	case p.B == nil:
		return p.A.Since
	}
	return min(p.A.Since, p.B.Since)
}
