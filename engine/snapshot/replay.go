package snapshot

import "time"

// Replay is where in a recording a snapshot stands.
type Replay struct {
	Known bool   // the source is a recording; all else is zero if not
	File  string // its path, as the person wrote it
	// Inferred says that it was seen from outside, on the wire: what the traffic does not tell is
	// unknown. If not, the snapshot is re-made by the code that made it the first time.
	Inferred bool
	Client   string // whose client an inferred picture is about, "" is all of the group

	From, To time.Time // of its first and last event
	// Event is how many of its events have happened, of Total; At is when the last of them did.
	Event, Total uint64
	At           time.Time
	// Told is the number of the first entry of Events that the last event told: it and those behind
	// it. 0: it told none, or that is not known here.
	Told      uint64
	Playing   bool
	Speed     float64 // how much faster than it was; 0 is as fast as it goes
	Bookmarks []Bookmark
	Interests []Interest // oldest first; those that were found so far
	Searched  uint64     // how many events were looked through for Interests
	Sought    uint64     // how far a search for breakpoints has come, 0 where none is under way
	Near      []Moment   // some events before and behind Event, oldest first
	Damage    string     // where the file is damaged, "" where it is not
	// Departed names the first event at which the re-made run was not the recorded one.
	Departed string
	Note     string // why the last wish could not be carried out, or why playing stopped
	Noted    uint64 // grows with each Note: the same may be said twice
}

// Bookmark is a place in a recording that a person marked.
type Bookmark struct {
	Number int // from 1, as the line shows it
	Event  uint64
	At     time.Time
	Note   string
}

// InterestKind says why one would want to look at a moment.
type InterestKind uint8

const (
	NoInterest InterestKind = iota
	InterestRebalance
	InterestFlow       // flow control set in
	InterestError      // an error, or a broker that was lost
	InterestLock       // a lock was lost or refused
	InterestOffset     // an offset jumped
	InterestBreakpoint // a breakpoint was hit
	InterestGap        // records or packets are missing
)

// String is a word for the screen.
func (k InterestKind) String() string {
	return [...]string{"", "rebalance", "flow control", "error", "lock", "offset", "breakpoint", "gap"}[k]
}

// Interest is a moment that one would want to look at.
type Interest struct {
	Kind  InterestKind
	Event uint64
	At    time.Time
}

// Moment is one event of a recording.
type Moment struct {
	// Event is its number, from 1 and rising, with holes where the file has what is no event.
	Event    uint64
	At       time.Time
	Kind     string // as in pull.found
	Level    Level
	Queue    MessageQueue // zero when it is about none
	Group    string
	Client   string // client id; of an engine's own recording its own
	Where    string // broker, topic or address when it is about no queue; untrusted
	Words    string // what happened, untrusted
	Interest InterestKind
}

// Recorder is the recording that is made of a source, if one is.
type Recorder struct {
	On    bool
	Box   bool   // it keeps the last so many bytes only
	File  string // that it is written to
	Bytes int64
	Limit int64 // 0: none
	// LeftOut is how many messages came faster than their rate, and are not in it.
	LeftOut int64
	Err     string // why it ended by itself, untrusted
	Saved   SavedBox
}

// SavedBox is the file that a black box was saved to last.
type SavedBox struct {
	File  string
	Why   string // what went wrong, untrusted; "" where somebody asked for it
	Times int    // how often it was saved
}
