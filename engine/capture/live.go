package capture

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"time"
)

// Live reads connections whose bytes somebody carries from one end to the other, instead of
// packets: what it finds is told by the same items. Like a Reader it belongs to one goroutine
// and holds a bounded number of bytes; how many connections there are is up to who carries them.
//
// Its frames are lent: what an Exchange has of the body of an answer, or of a one-way request, is
// good until the next call of any method but Next.
type Live struct {
	r     Reader
	links map[*Link]struct{}
	spare spare
}

// Link is one connection of a Live.
type Link struct{ c *conn }

// NewLive returns a Live without connections. Conns, StreamBytes and HeldBytes of the options
// mean nothing to it.
func NewLive(opts Options) *Live {
	l := &Live{links: make(map[*Link]struct{})}
	l.r.prepare(opts)
	return l
}

// Open begins a connection; addresses that are not known are zero.
func (l *Live) Open(client, server netip.AddrPort, at time.Time) *Link {
	l.clock(at)
	r := &l.r
	r.ids++
	r.stats.Conns++
	p, fromA := pairOf(client, server)
	c := newConn(r, r.ids, p, at)
	c.handshake, c.known, c.clientIsA, c.port = true, true, fromA, server.Port()
	for i := range c.ends {
		c.ends[i].started = true
		c.ends[i].framer.begin()
		c.ends[i].framer.spare = &l.spare
	}
	r.learnServer(server)
	r.seen.at("tcp", c.port).Count++
	k := &Link{c}
	l.links[k] = struct{}{}
	return k
}

// end is one direction of a link.
func (k *Link) end(fromServer bool) *end {
	if e := &k.c.ends[0]; e.fromServer() == fromServer {
		return e
	}
	return &k.c.ends[1]
}

// Data takes the next bytes of one direction. It keeps nothing of b.
func (l *Live) Data(k *Link, fromServer bool, b []byte, at time.Time) {
	l.clock(at)
	l.r.stats.Bytes += int64(len(b))
	if !k.c.over {
		k.end(fromServer).framer.write(b, at)
	}
}

// Gap says that the next n bytes of one direction were carried but not looked at.
func (l *Live) Gap(k *Link, fromServer bool, n int, at time.Time) {
	l.clock(at)
	if k.c.over || k.c.protocol != "" {
		return
	}
	e := k.end(fromServer)
	e.trouble(NoteGap, int64(n), "bytes were passed on without being looked at: there were too many at once")
	e.framer.gap(n, at)
}

// Note tells of something about a link, or about none when k is nil.
func (l *Live) Note(k *Link, n Note, at time.Time) {
	l.clock(at)
	var c *conn
	if k != nil {
		c = k.c
	}
	l.r.note(c, n.FromServer, n)
}

// Refused tells of a client that came while its server could not be reached. However often, it leaves
// the notes that Options allow for to others.
func (l *Live) Refused(client, server netip.AddrPort, why string, at time.Time) {
	l.clock(at)
	r := &l.r
	r.ids++
	r.stats.Notes[NoteRefused]++
	r.emit(Item{Kind: Noted, Conn: Conn{ID: r.ids, Since: at, Client: client, Server: server}, Note: Note{Kind: NoteRefused, Text: why}})
}

// Close ends a connection.
func (l *Live) Close(k *Link, why string, at time.Time) {
	l.clock(at)
	delete(l.links, k)
	l.r.close(k.c, why)
}

// End ends all connections, as the end of a capture does: what they were doing goes on unseen.
func (l *Live) End(at time.Time) {
	l.clock(at)
	left := make([]*Link, 0, len(l.links))
	for k := range l.links {
		left = append(left, k)
	}
	slices.SortFunc(left, func(a, b *Link) int { return cmp.Compare(a.c.id, b.c.id) })
	for _, k := range left {
		l.r.close(k.c, captureEnds)
	}
	clear(l.links)
}

// Next returns the next thing found; false when more bytes are needed.
func (l *Live) Next() (Item, bool) {
	r := &l.r
	if r.at == len(r.queue) {
		r.queue, r.at = r.queue[:0], 0
		return Item{}, false
	}
	it := r.queue[r.at]
	r.queue[r.at] = Item{}
	r.at++
	return it, true
}

// Stats is what was counted so far; its Packets are pieces of data and other calls.
func (l *Live) Stats() Stats { return l.r.Stats() }

func (l *Live) clock(at time.Time) {
	l.spare.reclaim()
	l.r.stats.Packets++
	l.r.clock(at)
}

// AddrOf is the address of a connection's end as Open wants it, zero where it is none of TCP.
func AddrOf(a net.Addr) netip.AddrPort {
	if t, ok := a.(*net.TCPAddr); ok {
		ap := t.AddrPort()
		return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
	}
	ap, _ := netip.ParseAddrPort(a.String()) // of package memnet, or none
	return ap
}
