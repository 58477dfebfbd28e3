package snapshot

import "time"

// LockWord is what the broker last said about our request for a queue's lock.
type LockWord uint8

const (
	LockUnknown LockWord = iota // not asked yet, or no answer
	LockMine
	LockRefused // somebody else has it; who, the broker does not say
	LockHeld    // seen from outside: it was granted to the one believer
	LockFree    // seen from outside: it was given back, and nobody was seen to take it
)

// String is the word on screen.
func (w LockWord) String() string {
	return [...]string{"unknown", "mine", "refused", "held", "free"}[w]
}

// Lock is the broker lock of one queue of an orderly consumer (Java: ProcessQueue.locked and
// RebalanceLockManager). The zero Lock is that of a consumer that uses none.
type Lock struct {
	Used       bool // orderly clustering consumers only
	BrokerSays LockWord
	GrantedAt  time.Time // last time that the broker granted it, zero when it never did
	// ClientLease is how long after a grant the client may still consume (30 s), BrokerLease
	// how long the broker keeps the lock for it (60 s); 0 where that is not known.
	ClientLease, BrokerLease time.Duration
	RenewAt                  time.Time // next renewal, zero when none is planned
	TryUnlock                int       // failed attempts to give the queue up
	// Since is when its holder got it and Renewals how often it was granted again, where that was
	// seen from outside.
	Since    time.Time
	Renewals int
	// Believers are the client ids known to take themselves for the owner, sorted: of this
	// member what it does, of others what they last said, at most ClientLease ago. More than
	// one means that messages are consumed twice, and out of order.
	Believers []string
}
