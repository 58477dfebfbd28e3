package capture

import (
	"cmp"
	"net/netip"
	"slices"
	"time"
)

const (
	sweepEvery = 100 * time.Millisecond
	maxServers = 4096
)

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
	if p.size() == 0 || c.protocol != "" {
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
	return e.started && int32(seq-e.next) < 0
}

// settle closes the connection when both directions have ended.
func (c *conn) settle() {
	if !c.over && c.ends[0].finished && c.ends[1].finished {
		c.r.close(c, "the connection was closed")
	}
}

// open remembers a new connection.
func (r *Reader) open(key pair, s *segment) *conn {
	if old := r.conns[key]; old != nil {
		r.forget(old)
	}
	r.ids++
	r.stats.Conns++
	c := newConn(r, r.ids, key, s.at)
	r.conns[key] = c
	c.prev, c.next = c, c
	for len(r.conns) > r.opts.Conns {
		oldest := r.recent.prev
		if oldest == &r.recent {
			break
		}
		if !oldest.over {
			r.note(oldest, false, Note{Kind: NoteGivenUp, Text: "too many connections: the one that was silent for longest is given up"})
			r.close(oldest, "too many connections")
		}
		r.forget(oldest)
	}
	r.seen.conn(c, s)
	return c
}

// touch makes c the one used last.
func (r *Reader) touch(c *conn) {
	if r.last == c {
		return
	}
	r.last = c
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = &r.recent, r.recent.next
	c.prev.next, c.next.prev = c, c
}

func (r *Reader) forget(c *conn) {
	c.prev.next, c.next.prev = c.next, c.prev
	c.prev, c.next = c, c
	delete(r.conns, c.pair)
	if r.last == c {
		r.last = nil
	}
}

// close ends a connection; it stays remembered so that late packets of it are known.
func (r *Reader) close(c *conn, why string) {
	if c.over {
		return
	}
	c.over = true // first: what is flushed must not close it again
	for i := range c.ends {
		e := &c.ends[i]
		e.flush(e)
		delete(r.holed, e)
	}
	c.endAll(why)
	if c.opened {
		r.emit(Item{Kind: Closed, Conn: c.info, Note: Note{Text: why}})
	}
	for i := range c.ends {
		c.ends[i].waiting = nil
	}
}

// endAll closes all connections in the order in which they began.
func (r *Reader) endAll() {
	all := make([]*conn, 0, len(r.conns))
	for _, c := range r.conns {
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y *conn) int { return cmp.Compare(x.id, y.id) })
	for _, c := range all {
		r.close(c, "the capture ends")
	}
}

// sweep gives up packets that will not come any more. It looks at all streams that wait, so
// it is done at most once in as many packets.
func (r *Reader) sweep() {
	if r.sinceSweep++; r.sinceSweep < len(r.holed) {
		return
	}
	r.sinceSweep, r.sweepAt = 0, r.now.Add(sweepEvery)
	var due []*end
	for e := range r.holed {
		if e.overdue(r.now) {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(x, y *end) int {
		return cmp.Or(cmp.Compare(x.c.id, y.c.id), cmp.Compare(y.side(), x.side()))
	})
	for _, e := range due {
		for e.overdue(r.now) {
			e.giveUp(e)
		}
		if len(e.held) == 0 {
			delete(r.holed, e)
		}
		e.c.settle()
	}
}

func (e *end) side() int {
	if e.fromA {
		return 1
	}
	return 0
}

func (r *Reader) learnServer(a netip.AddrPort) {
	if len(r.servers) < maxServers {
		r.servers[a] = true
	}
}

// looksTLS tells whether data is made of TLS records: exactly, or more than once at its start.
func (c *conn) looksTLS(data []byte) bool {
	pos := 0
	for pos+5 <= len(data) {
		b := data[pos:]
		n := int(b[3])<<8 | int(b[4])
		if b[0] < 20 || b[0] > 23 || b[1] != 3 || b[2] > 4 || n == 0 || n > 16<<10+256 {
			return false
		}
		pos += 5 + n
	}
	if pos == 0 {
		return false
	}
	if c.tlsLike++; pos == len(data) {
		c.tlsLike++
	}
	return c.tlsLike >= 3
}

// hold is part of holder.
func (e *end) hold(n int) { e.c.r.held += n }

// lost is part of holder.
func (e *end) lost(s *stream, n int64) {
	text := "packets are missing from the capture"
	if s.ackSeen && int32(s.acked-s.next) >= 0 {
		text += ": the receiver had them"
	}
	e.trouble(NoteGap, n, text)
}

// differs is part of holder.
func (e *end) differs() {
	e.trouble(NoteDiffers, 0, "bytes were sent again with other values: the first ones count")
}

// stray is part of holder.
func (e *end) stray() {
	e.c.r.stats.Notes[NoteStray]++
}
