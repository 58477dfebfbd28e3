package capture

import (
	"cmp"
	"net/netip"
	"slices"
)

// captureEnds is why connections are closed that outlive the capture.
const captureEnds = "the capture ends"

// maxServers is how many addresses are remembered as those of servers.
const maxServers = 4096

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
	for i := range c.ends {
		c.ends[i].unaskedAll()
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
		r.close(c, captureEnds)
	}
}

func (r *Reader) learnServer(a netip.AddrPort) {
	if len(r.servers) < maxServers {
		r.servers[a] = true
	}
}
