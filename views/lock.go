package views

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// Limits of what is said about a lock.
const (
	// LeaseSoon is what a lease has left when it needs a look.
	LeaseSoon = 5 * time.Second
	skewed    = -time.Second // a grant that lies further ahead means that a clock is wrong
	lateBy    = time.Second  // a renewal counts as late from then on
)

// LockKind is the one thing to say about a lock, in the order of how much it needs a look.
type LockKind uint8

const (
	LockTwoOwners LockKind = iota
	LockRefused
	LockExpired // the client may not consume any more
	LockLate
	LockSkew
	LockUnlocking // giving the queue up was tried and failed
	LockUnknown
	LockFree // given back, and nobody was seen to take it
	LockMine
	LockHeld  // seen from outside: the believer has it
	LockOther // of a queue that another member has: the broker does not tell us of it
	LockKinds
)

// Lock is what the lock of a queue comes to at a moment. It is the one place that knows how
// snapshots keep locks.
type Lock struct {
	Used      bool // the consumer is an orderly one
	Kind      LockKind
	Says      snapshot.LockWord
	Granted   bool
	Age       time.Duration // since the broker granted it; negative when a clock is wrong
	Skewed    bool          // it was granted later than now
	Counted   bool          // Client and Broker mean something
	Client    time.Duration // until the client's lease ends; negative since it did
	Broker    time.Duration
	Planned   bool          // Renew means something
	Renew     time.Duration // until the next renewal; negative when that is late
	Tries     int           // to give the queue up
	Believers []string      // client ids that take themselves for the owner
	Renewals  int           // how often it was granted again, where that was seen from outside

	ClientLease, BrokerLease time.Duration // whole lengths
}

// LockAt reads the lock of q at a moment of the engine's clock.
func LockAt(q *snapshot.Queue, at time.Time) Lock {
	l := &q.Lock
	r := Lock{
		Used: l.Used, Says: l.BrokerSays, Granted: !l.GrantedAt.IsZero(), Planned: !l.RenewAt.IsZero(), Tries: l.TryUnlock,
		Believers: l.Believers, Renewals: l.Renewals, ClientLease: l.ClientLease, BrokerLease: l.BrokerLease,
	}
	if r.Granted {
		r.Age = at.Sub(l.GrantedAt)
		r.Client, r.Broker = l.ClientLease-r.Age, l.BrokerLease-r.Age
		r.Skewed = r.Age <= skewed
		r.Counted = !r.Skewed && l.ClientLease > 0
	}
	if r.Planned {
		r.Renew = l.RenewAt.Sub(at)
	}
	r.Kind = r.kind()
	if r.Kind == LockUnknown && q.State == snapshot.NotOwned && !q.Mine {
		r.Kind = LockOther
	}
	return r
}

func (r *Lock) kind() LockKind {
	switch {
	case len(r.Believers) > 1:
		return LockTwoOwners
	case r.Says == snapshot.LockRefused:
		return LockRefused
	case r.Over():
		return LockExpired
	case r.Skewed:
		return LockSkew
	case r.Late():
		return LockLate
	case r.Tries > 0:
		return LockUnlocking
	case r.Says == snapshot.LockFree:
		return LockFree
	case r.Says == snapshot.LockUnknown || !r.Granted:
		return LockUnknown
	case r.Says == snapshot.LockHeld:
		return LockHeld
	}
	return LockMine
}

// Over tells whether the client's lease has ended.
func (r *Lock) Over() bool { return r.Counted && r.Client <= 0 }

// Late tells whether the renewal is late.
func (r *Lock) Late() bool { return r.Planned && r.Renew <= -lateBy }

// Short says how the lock stands: its kind, what is left of the lease and when it is renewed.
func (r *Lock) Short(g *themes.Glyphs) Spans {
	out := Spans{{MarkToken(r.Kind.Mark()), Own(r.Kind.Word())}}
	add := func(name Lit, s Safe) { out = append(out, Say(themes.Muted, name), Span{themes.Text, s}) }
	switch {
	case r.Kind == LockTwoOwners:
		add(": ", Join(Exact(int64(len(r.Believers))), Own(" clients believe they own it")))
	case r.Over():
		add(" ", Join(Duration(-r.Client, g), Own(" ago")))
	case r.Counted:
		add(" lease ", Duration(r.Client, g))
	case r.Granted && !r.Skewed:
		add(" granted ", Join(Duration(max(r.Age, 0), g), Own(" ago")))
	}
	switch {
	case r.Late():
		add(" renewal late ", Duration(-r.Renew, g))
	case r.Planned && r.Kind != LockMine && r.Says != snapshot.LockMine:
		add(" asked again in ", Duration(max(r.Renew, 0), g))
	case r.Planned:
		add(" renewed in ", Duration(max(r.Renew, 0), g))
	}
	if r.Tries > 0 {
		add(" tries to unlock ", Exact(int64(r.Tries)))
	}
	return out
}

// Mark is how bad a lock of that kind is.
func (k LockKind) Mark() snapshot.Mark {
	switch k {
	case LockTwoOwners, LockRefused, LockExpired:
		return snapshot.MarkBad
	case LockLate, LockSkew, LockUnlocking, LockFree:
		return snapshot.MarkWatch
	case LockMine, LockHeld:
		return snapshot.MarkOK
	}
	return snapshot.MarkUnknown
}

// Word is the kind in sentences and filters.
func (k LockKind) Word() Lit {
	return [...]Lit{"two owners", "refused", "expired", "late", "clock skew", "unlocking", "unknown", "free", "mine", "held", "others"}[min(k, LockOther)]
}
