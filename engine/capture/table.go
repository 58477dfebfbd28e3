package capture

// segment takes one TCP segment.
func (r *Reader) segment(s *segment) {
	key, fromA := pairOf(s.src, s.dst)
	c := r.last
	if c == nil || c.pair != key {
		c = r.conns[key]
	}
	p := piece{at: s.at, seq: s.seq, data: s.data, cut: s.cut}
	if s.flags&flagSYN != 0 {
		c = r.handshake(c, key, fromA, s)
		p.seq++
	}
	if c == nil || c.over {
		if p.size() == 0 || c != nil && c.late(fromA, p.seq) {
			return
		}
		c = r.open(key, s)
	}
	r.touch(c)
	e := &c.ends[1]
	if fromA {
		e = &c.ends[0]
	}
	if s.flags&flagACK != 0 {
		if o := &e.other().stream; !o.ackSeen || int32(s.ack-o.acked) > 0 {
			o.ackSeen, o.acked = true, s.ack
		}
	}
	if e.elsewhere(p) {
		if e.strays++; e.strays < manyStrays {
			r.stats.Notes[NoteStray]++
			return
		}
		r.note(c, false, Note{Kind: NoteReused, Text: "a new connection goes on between the same ports; its handshake was not captured"})
		r.close(c, "a new connection took its ports")
		c = r.open(key, s)
		r.touch(c)
		if e = &c.ends[1]; fromA {
			e = &c.ends[0]
		}
	}
	if p.size() > 0 {
		e.strays = 0
	}
	r.data(c, e, p)
	switch {
	case c.over:
	case s.flags&flagRST != 0:
		r.close(c, "the connection was reset")
	case s.flags&flagFIN != 0:
		e.ended, e.finAt = true, p.seq+uint32(p.size())
		e.finished = !e.started || int32(e.next-e.finAt) >= 0
		c.settle()
	}
}

// data adds the bytes of a segment to its stream.
func (r *Reader) data(c *conn, e *end, p piece) {
	if p.size() == 0 {
		return
	}
	if c.protocol != "" { // nothing of it is read; only where it has got to counts
		if end := p.seq + uint32(p.size()); !e.started || int32(end-e.next) > 0 {
			e.started, e.next = true, end
		}
		return
	}
	if !c.opened && !c.handshake && c.looksTLS(p.data) {
		c.stop(e, protocolTLS)
		return
	}
	e.add(e, p, r.opts.StreamBytes)
	for r.held > r.opts.HeldBytes && len(e.held) > 0 {
		e.giveUp(e)
	}
	if len(e.held) > 0 {
		if len(r.holed) == 0 {
			r.sweepAt = r.now.Add(sweepEvery)
		}
		r.holed[e] = true
	} else if len(r.holed) > 0 {
		delete(r.holed, e)
	}
	e.caughtUp()
	c.settle()
}

// handshake takes a SYN or its answer: a new connection, unless it is that of c.
func (r *Reader) handshake(c *conn, key pair, fromA bool, s *segment) *conn {
	answer := s.flags&flagACK != 0
	syn := s.seq
	if answer {
		syn = s.ack - 1
	}
	if c == nil || c.over || !c.handshake || c.synSeq != syn {
		if c != nil && !c.over {
			r.note(c, false, Note{Kind: NoteReused, Text: "a new connection begins between the same ports"})
			r.close(c, "a new connection took its ports")
		}
		c = r.open(key, s)
		c.handshake, c.synSeq = true, syn
		c.known, c.clientIsA = true, fromA != answer
		if answer {
			r.learnServer(s.src)
		} else {
			r.learnServer(s.dst)
		}
	}
	start := func(e *end, seq uint32) {
		if !e.started {
			e.started, e.next = true, seq
			e.framer.begin()
		}
	}
	a, b := &c.ends[0], &c.ends[1]
	if !fromA {
		a, b = b, a
	}
	start(a, s.seq+1)
	if answer {
		start(b, s.ack)
	}
	return c
}

// late tells whether a packet belongs to the connection that is over.
func (c *conn) late(fromA bool, seq uint32) bool {
	e := &c.ends[1]
	if fromA {
		e = &c.ends[0]
	}
	d := int32(seq - e.next)
	return e.started && d < 0 && d > -lateBytes
}

const (
	// lateBytes is how far before the end of a connection a packet that is sent again may be.
	lateBytes = 4 << 20
	// manyStrays is how many packets in a row, all of them far from those before, are
	// another connection and no accident.
	manyStrays = 8
)

// elsewhere tells whether p can not be of this stream, by its number.
func (e *end) elsewhere(p piece) bool {
	d := int32(p.seq - e.next)
	return e.started && p.size() > 0 && (d < -farAway || d > farAway)
}

// settle closes the connection when both directions have ended.
func (c *conn) settle() {
	if !c.over && c.ends[0].finished && c.ends[1].finished {
		c.r.close(c, "the connection was closed")
	}
}
