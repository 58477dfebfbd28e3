package snapshot

import "time"

// LockAnswer is what a broker last said about its lock of one queue.
type LockAnswer uint8

const (
	LockUnknown LockAnswer = iota // not asked, or not answered
	LockMine
	LockRefused // another member has it; which one the broker does not tell
)

// String is a word for the screen.
func (a LockAnswer) String() string { return [...]string{"unknown", "mine", "refused"}[a] }

// Lock is what an orderly consumer knows of the broker's lock of a queue.
type Lock struct {
	Broker LockAnswer
	// LockedAt is when the lock that was granted last was asked for, zero when none was.
	LockedAt time.Time
	// ClientUntil is until when we trust it, BrokerUntil until when the broker keeps it at
	// least. Zero when the lock is not held.
	ClientUntil, BrokerUntil time.Time
	RenewAt                  time.Time // when it is asked for again, in the past when late
	UnlockTries              int       // to give the queue up, held up by its listener
	Waits                    bool      // the queue is allotted to us, only the lock is missing
}
