// Package replay plays recordings: it opens a file of any source as a Track, and a Player moves
// along it as a person asks, publishing pictures as a live consumer does. Nothing of it speaks to
// a network; beside the file only its bookmarks are written.
//
// A Track knows how to be at any event of its recording. There are two: package replay/remade
// lets the consumer's own code take the recorded events once more, package replay/inferred folds
// events that were seen on the wire. There is no Java counterpart.
package replay

import (
	"iter"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// Info is what a recording says of itself.
type Info struct {
	Header   recording.Header
	From, To time.Time // of its first and last event
	// Total is the number of the last event: records of the container are counted, also those that
	// are no events.
	Total  uint64
	Damage string // where the file is damaged, "" where it is not
}

// Decider is a Track whose decisions are made again by the code that made them.
type Decider interface {
	Track
	// Decision goes one decision on within the last event, or back; false where there is none.
	Decision(back bool) bool
	// FirstDecision shows no more of the last event than its first decision.
	FirstDecision()
	// Break carries out SetBreakpoint, Toggle or Delete of package step/command.
	Break(cmd any) error
	// Hit is the breakpoint that the last event reached, "" for none. Playing stops there.
	Hit() string
	// Scout looks for breakpoints beside the track: for the first event behind from, and before to,
	// at which playing would stop; with back for the last one before from, and behind to, at which a
	// breakpoint is reached. It is nil where there are none. A new one ends the one before.
	Scout(from, to uint64, back bool) (Scout, error)
}

// Scout looks ahead, or back.
type Scout interface {
	// Look goes on for a few milliseconds. When it is over the hit is what was looked for, that of
	// event 0 for none.
	Look() (hit Hit, over bool)
	// Reached is how far it has come.
	Reached() uint64
}

// Hit is an event at which a breakpoint is reached.
type Hit struct {
	Event uint64
	At    time.Time
	Why   string
}

// Aimer is a Decider that goes on to a decision.
type Aimer interface {
	Decider
	// Aim says what Toward goes on to: Until or Task of package step/command. It is false for any other
	// command.
	Aim(cmd any) (bool, error)
	// Toward goes on by some decisions, and stops at the one that was aimed at, or at a breakpoint: why
	// says at which, or is empty where there is no more to say. The error is as of Next.
	Toward() (there bool, why string, err error)
}

// Teller is a Track that knows which entries of the event stream were told. Its pictures have
// Replay.Told.
type Teller interface {
	Track
	// Told is the number of the newest entry.
	Told() uint64
}

// Filler is a Track whose event stream may lack older lines behind a jump.
type Filler interface {
	Track
	Lacks() bool
	// Fill reads some of those lines, a few milliseconds long.
	Fill()
}

// Spanner is a Track that can be played through, headless: without pictures, and without places that
// are kept to go back to. After a Span it is used for other Spans only.
type Spanner interface {
	Track
	// Span begins anew at the checkpoint that is record number from, and has all happen up to record
	// number to. The error, a *recording.Damage where the file is damaged, is why it did not get there;
	// what it returns is up to there.
	Span(from, to uint64) (Span, error)
}

// Span is what came of a part of a recording.
type Span struct {
	Events      uint64 // that happened
	Checkpoints int    // that were compared with what came of them: all but the one it began at
	// Departed says what was not as it was recorded, for the first time, and At at which record; it is
	// empty where all was.
	Departed string
	At       uint64
}

// Track is a recording that stands at one of its events. One goroutine owns it.
type Track interface {
	Info() Info
	// Event is how many events have happened, At when the last of them did.
	Event() uint64
	At() time.Time
	// Seek goes to where n events have happened, SeekTime behind the last event up to at. Both
	// stop at the ends of the recording.
	Seek(n uint64) error
	SeekTime(at time.Time) error
	// Next has the next event happen. The error is io.EOF behind the last; a *recording.Damage
	// ends the track where it is.
	Next() (snapshot.Moment, error)
	// Picture is the snapshot of where it stands. Its Replay has what the track knows of itself
	// (Inferred, Client, Departed); a Player fills in the rest. It changes nothing.
	Picture() *snapshot.Snapshot
	// Watch names the queues that pictures show in detail.
	Watch(queues []mq.MessageQueue)
	// Moments lists events from number from on, without moving: it may be broken off, and a later
	// call goes on where an earlier one ended. It is cheaper than Next.
	Moments(from uint64) iter.Seq2[snapshot.Moment, error]
	Close() error
}
