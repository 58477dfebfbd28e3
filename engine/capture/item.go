package capture

import (
	"fmt"
	"net/netip"
	"time"

	"mqscope/engine/remoting"
)

// Conn is one TCP connection that carries remoting frames.
type Conn struct {
	ID     int // counts connections in the order in which they were first seen, from 1
	Client netip.AddrPort
	Server netip.AddrPort
	Since  time.Time // its first packet
	// Mid is set when the capture began inside the connection.
	Mid bool
	// Guessed is set when which end is the client was concluded from who asks for what,
	// because the capture has no handshake of the connection.
	Guessed bool
}

// String names both ends.
func (c Conn) String() string { return fmt.Sprintf("%v>%v", c.Client, c.Server) }

// Exchange is a request with its answer. Its commands belong to whoever reads them.
type Exchange struct {
	Seq        uint64 // counts exchanges in the order of their first frame, from 1
	Conn       Conn
	Request    *remoting.Command // nil: the capture has only the answer
	Response   *remoting.Command // nil: none yet, or none at all, see Why
	SentAt     time.Time         // when the last byte of the request was captured, or zero
	AnsweredAt time.Time         // the same of the answer
	FromServer bool              // the server asked the client
	OneWay     bool              // no answer is wanted
	// RequestCut and ResponseCut are how many bytes at the end of the body were not
	// captured; Body has those before.
	RequestCut, ResponseCut int
	Why                     string // why Request, or Response, is missing for good
}

// RoundTrip is the time from request to answer, if both were captured.
func (x *Exchange) RoundTrip() (time.Duration, bool) {
	if x.SentAt.IsZero() || x.AnsweredAt.IsZero() {
		return 0, false
	}
	return x.AnsweredAt.Sub(x.SentAt), true
}

// ItemKind says what an Item tells.
type ItemKind uint8

const (
	Opened ItemKind = iota // Conn carries remoting frames
	Asked                  // Exchange has its request; Done follows, with the same pointer
	Done                   // Exchange is as whole as it will ever be
	Closed                 // Conn ended, or was given up
	Noted                  // Note
)

// String is the kind as a word.
func (k ItemKind) String() string {
	return [...]string{"opened", "asked", "done", "closed", "noted"}[k]
}

// Item is one thing that was found, in the order in which it was. At never runs back: it is
// the time of the packet that gave the thing away, which a missing packet before it can make
// later than the times in an Exchange.
type Item struct {
	At       time.Time
	Kind     ItemKind
	Conn     Conn // of the thing; zero for notes about the file
	Exchange *Exchange
	Note     Note
}

// NoteKind sorts notes.
type NoteKind string

// Kinds of notes.
const (
	NoteGap      NoteKind = "gap"        // bytes are missing that the capture should have
	NoteSkipped  NoteKind = "skipped"    // bytes passed over to find the next frame
	NoteLost     NoteKind = "lost frame" // a frame whose header was not captured whole
	NoteBad      NoteKind = "bad frame"  // bytes that are no frame
	NoteMid      NoteKind = "mid"        // the capture began inside the connection
	NoteTLS      NoteKind = "tls"        // encrypted traffic, which can not be read
	NoteProtocol NoteKind = "protocol"   // another protocol than remoting
	NoteReused   NoteKind = "reused"     // a new connection between the same ports
	NoteOpaque   NoteKind = "opaque"     // a request's number was used again before its answer
	NoteDiffers  NoteKind = "differs"    // of two packets that waited for one before them, both have other bytes: the first count
	NoteStray    NoteKind = "stray"      // packets far outside the window of their connection
	NoteGivenUp  NoteKind = "given up"   // over a limit of Options
	NoteRefused  NoteKind = "refused"    // a client was there, its server could not be reached
	NoteTime     NoteKind = "time"       // the times of packets run back
	NoteFile     NoteKind = "file"       // the file itself is cut or damaged
)

// Note is something a person should know about what was read.
type Note struct {
	Kind       NoteKind
	FromServer bool // which direction of the connection
	Bytes      int64
	Text       string `pack:"text"` // for people; it may hold text from the network
}
