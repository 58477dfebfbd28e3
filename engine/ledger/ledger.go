package ledger

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"mqscope/engine/mq"
)

// Config says what the books are about.
type Config struct {
	Group  string
	Topics []string // subscribed; the retry topic of the group is added
	// Orderly has check 4 made.
	Orderly bool
	// MaxReconsume is how often a message may come back; 0 for no limit.
	MaxReconsume int32
	// Delays are those of the broker's levels, the first one is level 1. With them check 7
	// sees to it that a message comes back only after that of level 3 + times. nil: it does not.
	Delays []time.Duration
	// Bodies says that all bodies are made by Body: check 2 reads their checksums too.
	Bodies bool
	// Keep has every START kept, for Starts.
	Keep bool
}

// Ledger is the books of one group. Make it with New.
type Ledger struct {
	cfg  Config
	seed maphash.Seed

	mu       sync.Mutex
	accounts map[mq.MessageQueue]*account
	order    []*account // by queue
	open     map[uint64][]held
	moved    map[uint64]move
	clients  map[string]string // connection to client id
	dead     map[string]bool
	did      map[string]uint64 // messages that a member's listeners succeeded with
	faults   []Fault
	broken   [WhatTheScreenSays + 1]int
	report   Report
	starts   []Start
	pulses   int
}

// held is a message that a listener has or had, and that is not resolved.
type held struct {
	a       *account
	offset  int64
	attempt int32
}

// move is the newest copy of a message that was sent back.
type move struct {
	attempt int32 // of the copy
	at      time.Time
	waiting int // copies in the queues of the broker's delays
}

// New returns empty books of a group that starts at offset 0 of every queue.
func New(cfg Config) *Ledger {
	cfg.Topics = append(slices.Clone(cfg.Topics), mq.RetryTopic(cfg.Group))
	return &Ledger{
		cfg: cfg, seed: maphash.MakeSeed(),
		accounts: map[mq.MessageQueue]*account{}, open: map[uint64][]held{}, moved: map[uint64]move{},
		clients: map[string]string{}, dead: map[string]bool{}, did: map[string]uint64{},
	}
}

// Hash is how the books know a body.
func (l *Ledger) Hash(body []byte) uint64 { return maphash.Bytes(l.seed, body) }

// Record enters one entry.
func (l *Ledger) Record(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.enter(l)
}

// account is what is known of one queue.
type account struct {
	id     mq.MessageQueue
	hash   []uint32 // by offset
	times  []int32  // by offset, of the retry topic only: attempts before
	stored bits
	given  bits // to a listener
	failed bits // by the listener that had it last
	done   bits // resolved
	start  int64
	low    int64 // all before it are resolved
	end    int64 // one past the last that is stored
	high   int64 // one past the highest that was given to a listener
	starts int64
	parked bool

	committed int64 // -1 for never
	lane      lane
	turn      turn
	pulse     pulse
}

func (l *Ledger) account(q mq.MessageQueue) *account {
	a := l.accounts[q]
	if a == nil {
		a = &account{id: q, committed: -1}
		l.accounts[q] = a
		at, _ := slices.BinarySearchFunc(l.order, q, func(b *account, q mq.MessageQueue) int { return b.id.Compare(q) })
		l.order = slices.Insert(l.order, at, a)
	}
	return a
}

func (a *account) remember(offset int64, hash uint64, attempt int32) {
	for int64(len(a.hash)) <= offset {
		a.hash = append(a.hash, 0)
	}
	a.hash[offset] = uint32(hash)
	if !mq.IsRetryTopic(a.id.Topic) {
		return
	}
	for int64(len(a.times)) <= offset {
		a.times = append(a.times, 0)
	}
	a.times[offset] = attempt
}

// resolve says that the message at offset needs nothing more.
func (l *Ledger) resolve(a *account, offset int64, hash uint64) {
	a.done.set(offset)
	for a.done.has(a.low) {
		a.low++
	}
	if list := l.open[hash]; len(list) > 0 {
		list = slices.DeleteFunc(list, func(h held) bool { return h.a == a && h.offset == offset })
		if len(list) == 0 {
			delete(l.open, hash)
			return
		}
		l.open[hash] = list
	}
}

// skip resolves all offsets of a queue below to, from lowest on.
func (l *Ledger) skip(a *account, from, to int64) {
	for offset := max(from, a.low); offset < to; offset++ {
		if a.done.has(offset) {
			continue
		}
		l.report.Skipped++
		a.done.set(offset)
	}
	for a.done.has(a.low) {
		a.low++
	}
}

// begins makes a queue start at an offset: what is stored before it is not the group's.
func (l *Ledger) begins(a *account, offset int64) {
	a.start, a.low = offset, max(a.low, offset)
	for a.done.has(a.low) {
		a.low++
	}
}

// watched tells whether messages of a topic are the group's to consume.
func (l *Ledger) watched(topic string) bool { return slices.Contains(l.cfg.Topics, topic) }
