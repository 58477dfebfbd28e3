package capture

import (
	"bytes"
	"slices"
	"time"
)

const (
	// holeAcked is how long a packet that the receiver has may still turn up late in the
	// capture, and holeSilent how long one of which that is not known.
	holeAcked  = 250 * time.Millisecond
	holeSilent = 5 * time.Second
	// farAway is a distance in sequence numbers that no window spans.
	farAway = 256 << 20
	// pieceCost is what a held packet costs beside its bytes.
	pieceCost = 128
)

// piece is a packet that waits for one before it.
type piece struct {
	at   time.Time
	seq  uint32
	data []byte
	cut  int
}

func (p *piece) size() int { return len(p.data) + p.cut }

// stream puts one direction of a connection in order.
type stream struct {
	framer    framer
	started   bool
	next      uint32 // sequence number of the next byte
	acked     uint32 // highest number that the receiver acknowledged
	ackSeen   bool
	held      []piece // by sequence number, without overlaps, all beyond next
	heldBytes int
	since     time.Time // when the packet before held was first missed
	ended     bool      // FIN came; finAt is its number
	finAt     uint32
	finished  bool // all before the FIN was read
}

// holder is who a stream asks about memory and tells of losses.
type holder interface {
	hold(n int) // n bytes more are held, fewer below zero
	lost(s *stream, bytes int64)
	differs()
}

// add takes the bytes of one segment, whose first has number seq.
func (s *stream) add(h holder, p piece, limit int) {
	if !s.started {
		if p.size() == 0 {
			return
		}
		s.started, s.next = true, p.seq
	}
	switch d := int32(p.seq - s.next); {
	case p.size() == 0:
		return
	case d <= 0:
		if !p.trim(int(-d)) {
			return // it was there already
		}
		s.deliver(p)
		s.drain(h)
	default:
		p.data = bytes.Clone(p.data)
		if len(s.held) == 0 {
			s.since = p.at
		}
		s.insert(h, p)
		for len(s.held) > 0 && s.heldBytes > limit {
			s.giveUp(h)
		}
	}
}

// trim drops the first n bytes and tells whether any are left.
func (p *piece) trim(n int) bool {
	if n >= p.size() {
		return false
	}
	p.seq += uint32(n)
	m := min(n, len(p.data))
	p.data, p.cut = p.data[m:], p.cut-(n-m)
	return true
}

// deliver hands p to the framer: it begins at next.
func (s *stream) deliver(p piece) {
	s.next += uint32(p.size())
	s.framer.write(p.data, p.at)
	if p.cut > 0 {
		s.framer.gap(p.cut, p.at)
	}
}

// drain delivers what waited and is in order now.
func (s *stream) drain(h holder) {
	n := 0
	for ; n < len(s.held); n++ {
		p := s.held[n]
		d := int32(p.seq - s.next)
		if d > 0 {
			break
		}
		s.heldBytes -= len(p.data) + pieceCost
		h.hold(-len(p.data) - pieceCost)
		if p.trim(int(-d)) {
			s.deliver(p)
		}
	}
	if n > 0 {
		s.held = slices.Delete(s.held, 0, n)
		if len(s.held) > 0 {
			s.since = s.held[0].at
		}
	}
	if len(s.held) == 0 {
		s.held = nil
	}
	s.finished = s.ended && int32(s.next-s.finAt) >= 0
}

// insert puts p among the held; what is held already counts more.
func (s *stream) insert(h holder, p piece) {
	i := len(s.held)
	for i > 0 && int32(s.held[i-1].seq-p.seq) > 0 {
		i--
	}
	if i > 0 {
		before := &s.held[i-1]
		if over := int(int32(before.seq + uint32(before.size()) - p.seq)); over > 0 {
			compare(h, before, &p)
			if !p.trim(over) {
				return
			}
		}
	}
	if i < len(s.held) {
		after := &s.held[i]
		if room := int(int32(after.seq - p.seq)); room < p.size() {
			compare(h, &p, after)
			rest := p
			more := rest.trim(room + after.size())
			p.cutTo(room)
			if more {
				defer s.insert(h, rest)
			}
			if room == 0 {
				return
			}
		}
	}
	s.heldBytes += len(p.data) + pieceCost
	h.hold(len(p.data) + pieceCost)
	s.held = slices.Insert(s.held, i, p)
}

// cutTo keeps the first n bytes.
func (p *piece) cutTo(n int) {
	p.cut = max(n-len(p.data), 0)
	p.data = p.data[:min(n, len(p.data))]
}

// compare notes when two packets have other bytes for the same numbers; a begins first.
func compare(h holder, a, b *piece) {
	from := int(int32(b.seq - a.seq))
	if from >= len(a.data) {
		return
	}
	n := min(len(a.data)-from, len(b.data))
	if !bytes.Equal(a.data[from:from+n], b.data[:n]) {
		h.differs()
	}
}

// overdue tells whether the packet before the held ones will not come any more.
func (s *stream) overdue(now time.Time) bool {
	if len(s.held) == 0 {
		return false
	}
	age := now.Sub(s.since)
	return age > holeSilent || age > holeAcked && s.ackSeen && int32(s.acked-s.held[0].seq) >= 0
}

// giveUp takes what is missing before the held packets for lost.
func (s *stream) giveUp(h holder) {
	first := &s.held[0]
	n := int(int32(first.seq - s.next))
	s.next = first.seq
	h.lost(s, int64(n))
	s.framer.gap(n, first.at)
	s.drain(h)
}

// flush reads all that is held: the stream ends.
func (s *stream) flush(h holder) {
	for len(s.held) > 0 {
		s.giveUp(h)
	}
	s.framer.close()
}
