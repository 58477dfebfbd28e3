package ledger

import (
	"time"

	"mqscope/engine/mq"
)

// Entry is one record of the books.
type Entry interface{ enter(l *Ledger) }

// P entries, of producers.
type (
	// Intent says that a message is about to be sent.
	Intent struct{}
	// Acked says where a broker stored a message that was sent.
	Acked struct {
		Queue  mq.MessageQueue
		Offset int64
		Hash   uint64
		At     time.Time
	}
	// Unknown says that a send failed: its message may be stored or not.
	Unknown struct{}
)

// Stored is the B entry: a broker has a message. One with a delay is stored twice, first in
// the broker's delay topic.
type Stored struct {
	Queue     mq.MessageQueue
	Offset    int64
	Hash      uint64
	Attempt   int32  // how often it was sent back before: its reconsumeTimes
	RealTopic string // that it goes to, of a delayed one
	At        time.Time
}

// Handed is a message in a call of a listener.
type Handed struct {
	Offset  int64
	Hash    uint64
	Attempt int32
}

// C entries, of listeners.
type (
	// Start says that a member's listener is about to have messages, lowest offset first.
	Start struct {
		Member   string
		Queue    mq.MessageQueue
		Messages []Handed
		At       time.Time
	}
	// End says that it returned: the first Done messages succeeded, the others failed.
	End struct {
		Start Start
		Done  int
		At    time.Time
	}
)

// O entries, of offsets at brokers.
type (
	// Commit says that a broker was told an offset.
	Commit struct {
		Queue  mq.MessageQueue
		Offset int64
		At     time.Time
	}
	// Asked says that a client asked for the committed offset of a queue: a hand-over.
	Asked struct {
		Queue     mq.MessageQueue
		From      string // connection that asked
		Committed int64  // what the broker has, -1 for nothing
		At        time.Time
	}
	// Beat says which client a connection is of.
	Beat struct{ From, Client string }
)

// E entries, of what is done on purpose. They come before it is done.
type (
	// Begins says where a queue starts for the group.
	Begins struct {
		Queue  mq.MessageQueue
		Offset int64
	}
	// Reset says that the group's offset of a queue is set: what lies between is skipped, or
	// comes again.
	Reset struct {
		Queue mq.MessageQueue
		To    int64
	}
	// Skip says that the group does not get the messages from From up to, not including, To.
	Skip struct {
		Queue    mq.MessageQueue
		From, To int64
	}
	// Park says that a queue does not go on for now: check 6 leaves it out.
	Park struct{ Queue mq.MessageQueue }
	// Killed says that a member is no more: what its listeners do does not count from here on.
	Killed struct{ Member string }
	// LocksForgotten says that the queue locks of a broker are gone: for Lifetime two members
	// may both believe in theirs.
	LocksForgotten struct {
		Broker   string
		At       time.Time
		Lifetime time.Duration
	}
)

func (Intent) enter(l *Ledger)  { l.report.Intents++ }
func (Unknown) enter(l *Ledger) { l.report.Unknown++ }

func (e Acked) enter(l *Ledger) {
	l.report.Acked++
	a := l.account(e.Queue)
	if !a.stored.has(e.Offset) || a.hash[e.Offset] != uint32(e.Hash) {
		l.fault(AtLeastOnce, e.Queue, e.At, "the broker said that it stored a message at %d, it has another there or none", e.Offset)
	}
}

func (e Stored) enter(l *Ledger) {
	switch {
	case e.RealTopic == mq.RetryTopic(l.cfg.Group):
		l.sentBack(e, 1)
	case e.Queue.Topic == mq.DeadLetterTopic(l.cfg.Group):
		l.report.DeadLetters++
		l.sentBack(e, 0)
	case l.watched(e.Queue.Topic):
		l.store(e)
	}
}

func (l *Ledger) store(e Stored) {
	a := l.account(e.Queue)
	if a.given.has(e.Offset) && a.hash[e.Offset] != uint32(e.Hash) {
		l.fault(NothingInvented, e.Queue, e.At, "a listener had another message as %d than the one that is stored", e.Offset)
	}
	a.remember(e.Offset, e.Hash, e.Attempt)
	a.stored.set(e.Offset)
	a.end = max(a.end, e.Offset+1)
	if e.Queue.Topic != mq.RetryTopic(l.cfg.Group) {
		l.report.Messages++
		return
	}
	l.report.Copies++
	if m, ok := l.moved[e.Hash]; ok && m.waiting > 0 {
		m.waiting--
		l.moved[e.Hash] = m
	}
}

// sentBack resolves whatever is there of a message with fewer attempts than its new copy.
func (l *Ledger) sentBack(e Stored, waiting int) {
	m := l.moved[e.Hash]
	if e.Attempt > m.attempt {
		m.attempt, m.at = e.Attempt, e.At
	}
	m.waiting += waiting
	l.moved[e.Hash] = m
	for _, h := range append([]held(nil), l.open[e.Hash]...) {
		if h.attempt < m.attempt {
			l.resolve(h.a, h.offset, e.Hash)
		}
	}
}

func (e Commit) enter(l *Ledger) {
	l.report.Commits++
	a := l.account(e.Queue)
	if e.Offset > a.low {
		l.fault(CommitSafety, e.Queue, e.At, "%d was committed while %d was not resolved", e.Offset, a.low)
	}
	a.committed = e.Offset
}

func (e Beat) enter(l *Ledger)   { l.clients[e.From] = e.Client }
func (e Begins) enter(l *Ledger) { l.begins(l.account(e.Queue), e.Offset) }
func (e Park) enter(l *Ledger)   { l.account(e.Queue).parked = true }

func (e Skip) enter(l *Ledger) { l.skip(l.account(e.Queue), e.From, e.To) }

func (e Reset) enter(l *Ledger) {
	a := l.account(e.Queue)
	l.skip(a, a.low, e.To)
	l.report.Bound += max(0, a.high-e.To)
	a.turn.asked = min(a.turn.asked, e.To)
	a.lane.anew = true
}

func (e Killed) enter(l *Ledger) {
	l.dead[e.Member] = true
	for _, a := range l.order {
		a.lane.remove(e.Member)
	}
}

func (e LocksForgotten) enter(l *Ledger) {
	for _, a := range l.order {
		if a.id.BrokerName == e.Broker {
			a.lane.unlocked = e.At.Add(e.Lifetime)
		}
	}
}
