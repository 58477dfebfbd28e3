package capture

import (
	"errors"
	"io"
	"maps"
	"net/netip"
	"time"
)

// Stats counts what was read so far.
type Stats struct {
	Packets, Segments int64
	Cut               int64 // packets of which a snap length left only the beginning
	Bytes             int64 // of packets, as captured
	Conns             int   // TCP connections, of any protocol
	Frames            int64
	First, Last       time.Time // of the packets
	NotRead           map[string]int64
	Notes             map[NoteKind]int64
}

// Reader reads a capture from front to back.
type Reader struct {
	opts  Options
	in    *source
	stats Stats
	seen  sights

	queue      []Item
	at         int // of queue
	now        time.Time
	over       error
	conns      map[pair]*conn
	recent     conn // the ring of connections by last use
	last       *conn
	ids        int
	exchanges  uint64
	servers    map[netip.AddrPort]bool
	holed      map[*end]bool // streams that wait for a packet
	sweepAt    time.Time
	sinceSweep int // packets
	held       int
	waiting    []*waiting // requests without answers, oldest first, with some that have them
	requests   int        // that wait
	waitBytes  int        // of those requests
	unfinished int
	told       int
	damaged    bool
}

// Read opens a capture. The error is ErrNotACapture when it is none.
func Read(r io.Reader, opts Options) (*Reader, error) {
	in, err := openSource(r)
	if err != nil {
		return nil, err
	}
	c := &Reader{in: in}
	c.prepare(opts)
	return c, nil
}

// prepare makes what a Reader remembers.
func (r *Reader) prepare(opts Options) {
	r.opts = opts.withDefaults()
	r.conns, r.servers, r.holed = make(map[pair]*conn), make(map[netip.AddrPort]bool), make(map[*end]bool)
	r.stats = Stats{NotRead: make(map[string]int64), Notes: make(map[NoteKind]int64)}
	r.seen.init()
	r.recent.prev, r.recent.next = &r.recent, &r.recent
}

// Stats is what was counted so far.
func (r *Reader) Stats() Stats {
	s := r.stats
	s.NotRead, s.Notes = maps.Clone(s.NotRead), maps.Clone(s.Notes)
	return s
}

// Next returns the next thing found. The error is io.EOF at the end, and *NoTrafficError
// instead when there was no remoting frame in all of the capture.
func (r *Reader) Next() (Item, error) {
	for r.at == len(r.queue) {
		r.queue, r.at = r.queue[:0], 0
		if r.over != nil {
			return Item{}, r.over
		}
		r.step()
	}
	it := r.queue[r.at]
	r.queue[r.at] = Item{}
	r.at++
	return it, nil
}

// step reads one packet.
func (r *Reader) step() {
	var p packet
	err := r.in.next(&p)
	if err != nil {
		r.finish(err)
		return
	}
	r.stats.Packets++
	r.stats.Bytes += int64(len(p.data))
	if p.cut > 0 {
		r.stats.Cut++
	}
	r.clock(p.at)
	var s segment
	if v := dissect(&p, &s); v != isTCP {
		r.stats.NotRead[string(v)]++
		r.seen.other(v, &s)
		return
	}
	r.stats.Segments++
	r.segment(&s)
	if len(r.holed) > 0 && !r.now.Before(r.sweepAt) {
		r.sweep()
	}
}

// clock takes the time of a packet.
func (r *Reader) clock(at time.Time) {
	switch {
	case r.stats.Packets == 1:
		r.stats.First, r.now = at, at
	case at.Before(r.now):
		switch back := r.now.Sub(at); {
		case back <= time.Second: // several interfaces, not quite in order
		case r.stats.Notes[NoteTime] > 0:
			r.stats.Notes[NoteTime]++ // told once
		default:
			r.note(nil, false, Note{Kind: NoteTime, Text: "the time of packets runs back, here by " + back.String()})
		}
	default:
		r.now = at
	}
	r.stats.Last = r.now
}

// finish ends all connections when the input does.
func (r *Reader) finish(err error) {
	switch {
	case errors.Is(err, io.EOF):
	case errors.Is(err, io.ErrUnexpectedEOF):
		r.damaged = true
		r.note(nil, false, Note{Kind: NoteFile, Text: "the file ends inside a packet"})
	default:
		r.damaged = true
		r.note(nil, false, Note{Kind: NoteFile, Text: "the file can not be read beyond this packet: " + err.Error()})
	}
	r.endAll()
	r.over = io.EOF
	if r.stats.Frames == 0 {
		r.over = r.seen.nothing(r, err)
	}
}

func (r *Reader) emit(it Item) {
	it.At = r.now
	r.queue = append(r.queue, it)
}

// note tells of trouble, up to a limit, and counts it.
func (r *Reader) note(c *conn, fromServer bool, n Note) {
	r.stats.Notes[n.Kind]++
	r.tell(c, fromServer, n)
}

// maxEarly is how many notes are kept of a connection of which nothing is known yet.
const maxEarly = 8

func (r *Reader) tell(c *conn, fromServer bool, n Note) {
	if c != nil && !c.opened && aboutFrames(n.Kind) {
		if len(c.early) < maxEarly { // it may be any connection: told when it is found to carry frames
			n.FromServer = fromServer
			c.early = append(c.early, n)
		}
		return
	}
	if r.told++; r.told > r.opts.Notes {
		if r.told == r.opts.Notes+1 {
			r.emit(Item{Kind: Noted, Note: Note{Kind: NoteGivenUp, Text: "more notes are only counted"}})
		}
		return
	}
	n.FromServer = fromServer
	it := Item{Kind: Noted, Note: n}
	if c != nil {
		it.Conn = c.info
		if !c.opened {
			it.Conn = Conn{ID: c.id, Since: c.since, Mid: !c.handshake, Guessed: !c.known, Client: c.pair.a, Server: c.pair.b}
			if c.known && !c.clientIsA {
				it.Conn.Client, it.Conn.Server = c.pair.b, c.pair.a
			}
		}
	}
	r.emit(it)
}

// aboutFrames tells whether a note says something only of connections that carry frames.
func aboutFrames(k NoteKind) bool {
	switch k {
	case NoteGap, NoteSkipped, NoteLost, NoteBad, NoteDiffers, NoteReused:
		return true
	}
	return false
}
