package capture

import (
	"bytes"
	"net/netip"
	"slices"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// pair names a connection by its two ends, the lower one first.
type pair struct{ a, b netip.AddrPort }

func pairOf(x, y netip.AddrPort) (p pair, fromA bool) {
	if x.Compare(y) <= 0 {
		return pair{x, y}, true
	}
	return pair{y, x}, false
}

// conn is one connection, while it is remembered.
type conn struct {
	r          *Reader
	id         int
	pair       pair
	since      time.Time
	handshake  bool
	known      bool // which end is the client
	clientIsA  bool
	opened     bool   // it was told of
	over       bool   // it ended, and is remembered to know late packets
	protocol   string // another one than remoting
	port       uint16 // of the server, for sights
	early      []Note // of before it was opened
	tlsLike    int
	synSeq     uint32 // of the client
	ends       [2]end // sent by a, sent by b
	info       Conn
	prev, next *conn // by last use
}

// end is one direction.
type end struct {
	stream
	c       *conn
	fromA   bool
	strays  int                // packets in a row that are far from all others
	waiting map[int32]*waiting // requests sent in this direction, by opaque

	earlies    map[int32]earlyAnswer // answers to requests of this direction that were not read yet, by opaque
	earlyBytes int
}

func newConn(r *Reader, id int, p pair, at time.Time) *conn {
	c := &conn{r: r, id: id, pair: p, since: at}
	for i := range c.ends {
		e := &c.ends[i]
		e.c, e.fromA = c, i == 0
		e.framer.to, e.framer.limits = e, &r.opts.Limits
	}
	return c
}

// fromServer tells whether e is what the server sent.
func (e *end) fromServer() bool { return e.fromA != e.c.clientIsA }

func (e *end) other() *end {
	if e.fromA {
		return &e.c.ends[1]
	}
	return &e.c.ends[0]
}

// orient decides which end is the client from the first frame, when no handshake was seen.
func (c *conn) orient(e *end, cmd *remoting.Command) {
	if c.known {
		return
	}
	c.known, c.info.Guessed = true, true
	a, b := c.r.servers[c.pair.a], c.r.servers[c.pair.b]
	switch {
	case a != b:
		c.clientIsA = b
	case !cmd.IsResponse() && toClient(cmd.Code):
		c.clientIsA = !e.fromA
	case !cmd.IsResponse() && !bothWays(cmd.Code):
		c.clientIsA = e.fromA
	case ephemeral(c.pair.a) != ephemeral(c.pair.b):
		c.clientIsA = ephemeral(c.pair.a)
	default: // brokers answer more than they ask
		c.clientIsA = e.fromA != cmd.IsResponse()
	}
}

// ephemeral tells whether the port is of those that systems give to clients.
func ephemeral(a netip.AddrPort) bool { return a.Port() >= 32768 }

// bothWays tells whether clients and brokers send requests of this code.
func bothWays(code int32) bool {
	switch protocol.RequestCode(code) {
	case protocol.GetConsumerRunningInfo, protocol.ConsumeMessageDirectly:
		return true
	}
	return false
}

// toClient tells whether only brokers send requests of this code.
func toClient(code int32) bool {
	switch protocol.RequestCode(code) {
	case protocol.CheckTransactionState, protocol.NotifyConsumerIDsChanged,
		protocol.ResetConsumerClientOffset, protocol.GetConsumerStatusFromClient,
		protocol.PushReplyMessageToClient:
		return true
	}
	return false
}

// open tells of the connection before the first thing on it.
func (c *conn) open() {
	if c.opened {
		return
	}
	c.opened = true
	g := c.info.Guessed
	c.info = Conn{ID: c.id, Since: c.since, Mid: !c.handshake, Guessed: g, Client: c.pair.a, Server: c.pair.b}
	if !c.clientIsA {
		c.info.Client, c.info.Server = c.pair.b, c.pair.a
	}
	c.r.learnServer(c.info.Server)
	c.r.emit(Item{Kind: Opened, Conn: c.info})
	if c.info.Mid {
		c.r.note(c, false, Note{Kind: NoteMid, Text: "the capture began inside the connection, or missed its handshake"})
	}
	for _, n := range c.early {
		if g { // which end is which was not known then: it says whether a sent it
			n.FromServer = n.FromServer != c.clientIsA
		}
		c.r.tell(c, n.FromServer, n)
	}
	c.early = nil
}

// trouble is part of framed.
func (e *end) trouble(kind NoteKind, n int64, text string) {
	e.c.r.note(e.c, e.fromServer(), Note{Kind: kind, Bytes: n, Text: text})
}

// foreign is part of framed: the stream is something else.
func (e *end) foreign(head []byte) { e.c.stop(e, protocolOf(head)) }

// stop ends the reading of a connection that speaks another protocol.
func (c *conn) stop(e *end, name string) {
	c.protocol = name
	kind, text := NoteProtocol, "the connection speaks "+name
	if name == protocolTLS {
		kind, text = NoteTLS, "the connection is encrypted: it can not be read"
	}
	c.r.seen.stopped(c, name)
	c.r.note(c, e.fromServer(), Note{Kind: kind, Text: text})
	for i := range c.ends {
		f := &c.ends[i].framer
		f.clear()
		f.mode = dead
	}
}

// room is part of framed.
func (e *end) room(n int) bool {
	r := e.c.r
	if n > 0 && r.unfinished+n > r.opts.FrameBytes {
		return false
	}
	r.unfinished += n
	return true
}

const protocolTLS = "TLS"

// protocolOf guesses from the first bytes of a connection what it speaks.
func protocolOf(head []byte) string {
	begins := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(head, []byte(w)) })
	}
	switch {
	case len(head) >= 2 && head[0] >= 20 && head[0] <= 23 && head[1] == 3:
		return protocolTLS
	case begins("PRI * HTTP/2"):
		return "HTTP/2 (gRPC?)"
	case begins("HTTP", "GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "CONN", "PATC"):
		return "HTTP"
	case begins("SSH-"):
		return "SSH"
	case begins("PROXY ", "\r\n\r\n\x00\r\nQUIT\n"):
		return "the PROXY protocol"
	}
	return "another protocol"
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
