package ledger

import (
	"slices"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

var (
	began  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	orders = mq.MessageQueue{Topic: "orders", BrokerName: "a", QueueID: 0}
	retry  = mq.MessageQueue{Topic: mq.RetryTopic("g"), BrokerName: "a", QueueID: 0}
	delays = mq.MessageQueue{Topic: mq.ScheduleTopic, BrokerName: "a", QueueID: 2}
	buried = mq.MessageQueue{Topic: mq.DeadLetterTopic("g"), BrokerName: "a", QueueID: 0}
)

func at(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }

// stored are n messages of orders; the hash of each is its offset plus 100.
func stored(n int64) (list []Entry) {
	for i := range n {
		list = append(list, Stored{Queue: orders, Offset: i, Hash: uint64(100 + i), At: began})
	}
	return list
}

func start(member string, second int, offsets ...int64) Start {
	s := Start{Member: member, Queue: orders, At: at(second)}
	for _, offset := range offsets {
		s.Messages = append(s.Messages, Handed{Offset: offset, Hash: uint64(100 + offset)})
	}
	return s
}

// call is a START and the END a second later.
func call(member string, second, done int, offsets ...int64) []Entry {
	s := start(member, second, offsets...)
	return []Entry{s, End{s, done, at(second + 1)}}
}

func commit(offset int64) Entry { return Commit{Queue: orders, Offset: offset, At: at(50)} }

func asked(member string, committed int64) []Entry {
	return []Entry{Beat{member + ":1", member}, Asked{Queue: orders, From: member + ":1", Committed: committed, At: at(50)}}
}

// copyOf is what a broker stores of a message that was sent back: first in a delay queue.
func copyOf(hash uint64, attempt int32, second int) Entry {
	return Stored{Queue: delays, Hash: hash, Attempt: attempt, RealTopic: retry.Topic, At: at(second)}
}

func backAt(offset int64, hash uint64, attempt int32, second int) Entry {
	return Stored{Queue: retry, Offset: offset, Hash: hash, Attempt: attempt, At: at(second)}
}

func retryOf(offset int64, hash uint64, attempt int32, second, done int) []Entry {
	s := Start{Member: "m", Queue: retry, Messages: []Handed{{offset, hash, attempt}}, At: at(second)}
	return []Entry{s, End{s, done, at(second)}}
}

func one(e Entry) []Entry { return []Entry{e} }

// TestEachCheck has books that break one promise, and the nearest ones that keep it.
func TestEachCheck(t *testing.T) {
	ordered := func(c *Config) { c.Orderly = true }
	for _, c := range []struct {
		name    string
		change  func(*Config)
		entries [][]Entry
		want    []Check
	}{
		{"everything in its order", ordered, [][]Entry{stored(3), call("m", 0, 1, 0), call("m", 1, 1, 1), call("m", 2, 1, 2), one(commit(3))}, nil},
		{"a batch in order", ordered, [][]Entry{stored(3), call("m", 0, 3, 0, 1, 2), one(commit(3))}, nil},
		{"concurrently in any order", nil, [][]Entry{stored(2), call("m", 0, 1, 1), call("m", 0, 1, 0), one(commit(2))}, nil},

		{"a message that nobody gets", nil, [][]Entry{stored(2), call("m", 0, 1, 0), one(commit(1))}, []Check{AtLeastOnce}},
		{"a message that only failed", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(commit(0))}, []Check{AtLeastOnce}},
		{"a message that is skipped on purpose", nil, [][]Entry{stored(2), call("m", 0, 1, 0), one(Skip{orders, 1, 2}), one(commit(2))}, nil},
		{"a queue that is parked", nil, [][]Entry{stored(2), call("m", 0, 1, 0), one(Park{orders}), one(commit(1))}, nil},
		{"a queue that begins later", nil, [][]Entry{stored(2), one(Begins{orders, 1}), call("m", 0, 1, 1), one(commit(2))}, nil},
		{"an acknowledged message that is not stored", nil, [][]Entry{one(Acked{orders, 0, 100, began})}, []Check{AtLeastOnce}},
		{"an acknowledged message that is stored", nil, [][]Entry{stored(1), one(Acked{orders, 0, 100, began}), call("m", 0, 1, 0), one(commit(1))}, nil},
		{"a copy that does not come out of its delay", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(copyOf(100, 1, 1)), one(commit(1))}, []Check{AtLeastOnce}},
		{"a copy that nobody gets", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(copyOf(100, 1, 1)), one(backAt(0, 100, 1, 11)), one(commit(1))}, []Check{AtLeastOnce}},
		{"a copy that is consumed", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(copyOf(100, 1, 1)), one(backAt(0, 100, 1, 11)), one(commit(1)), retryOf(0, 100, 1, 12, 1)}, nil},
		{"a message that is sent back before its listener returns", nil, [][]Entry{stored(1), one(start("m", 0, 0)), one(copyOf(100, 1, 1)), one(commit(1)), one(backAt(0, 100, 1, 11)), retryOf(0, 100, 1, 12, 1)}, nil},
		{"a dead letter", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(Stored{Queue: buried, Hash: 100, Attempt: 1, At: at(2)}), one(commit(1))}, nil},

		{"another message than is stored", nil, [][]Entry{stored(1), one(Start{"m", orders, []Handed{{0, 7, 0}}, at(0)}), one(Skip{orders, 0, 1}), one(commit(1))}, []Check{NothingInvented}},
		{"a message that is not stored", nil, [][]Entry{call("m", 0, 1, 0), one(commit(1))}, []Check{NothingInvented}},
		{"books of the broker that come last", nil, [][]Entry{call("m", 0, 1, 0), one(commit(1)), stored(1)}, nil},
		{"such books of another message", nil, [][]Entry{one(Start{"m", orders, []Handed{{0, 7, 0}}, at(0)}), one(Skip{orders, 0, 1}), one(commit(1)), stored(1)}, []Check{NothingInvented}},

		{"a commit of what a listener has", nil, [][]Entry{stored(1), one(start("m", 0, 0)), one(commit(1)), one(End{start("m", 0, 0), 1, at(60)})}, []Check{CommitSafety}},
		{"a commit over a gap", nil, [][]Entry{stored(2), call("m", 0, 1, 1), one(commit(2)), call("m", 60, 1, 0)}, []Check{CommitSafety}},
		{"a commit of a failure that nobody took", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(commit(1)), one(copyOf(100, 1, 60)), one(backAt(0, 100, 1, 70)), retryOf(0, 100, 1, 71, 1)}, []Check{CommitSafety}},
		{"a commit in the retry topic", nil, [][]Entry{stored(1), call("m", 0, 0, 0), one(copyOf(100, 1, 1)), one(backAt(0, 100, 1, 11)), one(Commit{retry, 1, at(12)}), retryOf(0, 100, 1, 13, 1)}, []Check{CommitSafety}},
		{"a commit of what a reset skips", ordered, [][]Entry{stored(9), call("m", 0, 1, 0), one(start("m", 2, 1)), one(Reset{orders, 9}), one(commit(9))}, nil},
		{"a commit before the reset", ordered, [][]Entry{stored(9), call("m", 0, 1, 0), one(start("m", 2, 1)), one(commit(9)), one(Reset{orders, 9})}, []Check{CommitSafety}},
		{"no commit at all", nil, [][]Entry{stored(1), call("m", 0, 1, 0)}, []Check{CommitSafety}},

		{"a gap in the order", ordered, [][]Entry{stored(2), call("m", 0, 1, 1), call("m", 2, 1, 0), one(commit(2))}, []Check{Order}},
		{"the next one while a listener has one", ordered, [][]Entry{stored(2), one(start("m", 0, 0)), one(start("m", 1, 1)), one(End{start("m", 0, 0), 1, at(2)}), one(End{start("m", 1, 1), 1, at(2)}), one(commit(2))}, []Check{Order}},
		{"two owners at once", ordered, [][]Entry{stored(1), asked("n", -1), one(start("m", 0, 0)), one(start("n", 1, 0)), one(End{start("m", 0, 0), 1, at(2)}), one(End{start("n", 1, 0), 1, at(2)}), one(commit(1))}, []Check{Order}},
		{"two owners after the locks were forgotten", ordered, [][]Entry{stored(1), asked("n", -1), one(start("m", 0, 0)), one(LocksForgotten{"a", at(0), time.Minute}), one(start("n", 1, 0)), one(End{start("m", 0, 0), 1, at(2)}), one(End{start("n", 1, 0), 1, at(2)}), one(commit(1))}, nil},
		{"two owners long after that", ordered, [][]Entry{stored(1), asked("n", -1), one(LocksForgotten{"a", at(0), time.Minute}), one(start("m", 60, 0)), one(start("n", 61, 0)), one(End{start("m", 60, 0), 1, at(62)}), one(End{start("n", 61, 0), 1, at(62)}), one(commit(1))}, []Check{Order}},
		{"an owner after a dead one", ordered, [][]Entry{stored(1), one(start("m", 0, 0)), one(Killed{"m"}), asked("n", -1), call("n", 1, 1, 0), one(commit(1))}, nil},
		{"back without a reason", ordered, [][]Entry{stored(2), asked("m", -1), call("m", 0, 1, 0), call("m", 2, 1, 1), call("m", 4, 1, 0), one(commit(2))}, []Check{Order, Repetition}},
		{"back after the offset was asked for", ordered, [][]Entry{stored(2), asked("m", -1), call("m", 0, 1, 0), call("m", 2, 1, 1), asked("m", 0), call("m", 4, 1, 0), one(commit(2))}, nil},
		{"again after a failure", ordered, [][]Entry{stored(2), call("m", 0, 0, 0), call("m", 2, 1, 0), call("m", 4, 1, 1), one(commit(2))}, nil},

		{"again without a hand-over", nil, [][]Entry{stored(1), asked("m", -1), call("m", 0, 1, 0), call("m", 2, 1, 0), one(commit(1))}, []Check{Repetition}},
		{"again by the next owner", nil, [][]Entry{stored(1), asked("m", -1), call("m", 0, 1, 0), asked("n", -1), call("n", 2, 1, 0), one(commit(1))}, nil},
		{"again though it was committed", nil, [][]Entry{stored(2), asked("m", -1), call("m", 0, 2, 0, 1), one(commit(1)), asked("n", 1), call("n", 2, 1, 0), one(commit(2))}, []Check{Repetition}},
		{"again by one who had it before the next owner asked", nil, [][]Entry{stored(1), asked("m", -1), asked("n", -1), call("n", 0, 1, 0), call("m", 2, 1, 0), one(commit(1))}, nil},
		{"again after a reset", nil, [][]Entry{stored(1), asked("m", -1), call("m", 0, 1, 0), one(commit(1)), one(Reset{orders, 0}), asked("m", 0), call("m", 2, 1, 0), one(commit(1))}, nil},
		{"asking again without beginning is one hand-over", nil, [][]Entry{stored(1), asked("m", -1), call("m", 0, 1, 0), asked("n", -1), asked("n", -1), call("n", 2, 1, 0), call("n", 4, 1, 0), one(commit(1))}, []Check{Repetition}},

		{"an owner whose second question was not answered begins by the first", nil, [][]Entry{stored(2), asked("m", -1), call("m", 0, 1, 0), asked("n", 0), one(commit(1)), asked("n", 1), call("n", 2, 1, 0), call("n", 4, 1, 1), one(commit(2))}, nil},

		{"too many attempts", func(c *Config) { c.MaxReconsume = 1 }, [][]Entry{stored(1), call("m", 0, 1, 0), one(backAt(0, 200, 2, 1)), retryOf(0, 200, 2, 1, 1), one(commit(1))}, []Check{Retry}},
		{"back too soon", func(c *Config) { c.Delays = []time.Duration{1, 2, 10 * time.Second} }, [][]Entry{stored(1), call("m", 0, 0, 0), one(copyOf(100, 1, 1)), one(backAt(0, 100, 1, 8)), retryOf(0, 100, 1, 8, 1), one(commit(1))}, []Check{Retry}},
		{"back in time", func(c *Config) { c.Delays = []time.Duration{1, 2, 10 * time.Second} }, [][]Entry{stored(1), call("m", 0, 0, 0), one(copyOf(100, 1, 1)), one(backAt(0, 100, 1, 11)), retryOf(0, 100, 1, 11, 1), one(commit(1))}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{Group: "g", Topics: []string{"orders"}}
			if c.change != nil {
				c.change(&cfg)
			}
			l := New(cfg)
			for _, e := range slices.Concat(c.entries...) {
				l.Record(e)
			}
			faults, _ := l.Verdict(at(3600))
			var got []Check
			for _, f := range faults {
				got = append(got, f.Check)
			}
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("faults of %v, want of %v: %v", got, c.want, faults)
			}
		})
	}
}

func TestPulseFindsAQueueThatStandsStill(t *testing.T) {
	l := New(Config{Group: "g", Topics: []string{"orders"}})
	pulse := func(second int, want int) {
		t.Helper()
		l.Pulse(at(second))
		if got := len(l.Faults()); got != want {
			t.Errorf("at %d s: %d faults, want %d: %v", second, got, want, l.Faults())
		}
	}
	for _, e := range stored(3) {
		l.Record(e)
	}
	pulse(0, 0)
	s := start("m", 1, 1)
	l.Record(s)
	pulse(30, 0) // a listener got something
	l.Record(End{s, 1, at(31)})
	pulse(60, 1) // nothing began, and the lowest is the same
	l.Record(start("m", 61, 0))
	l.Record(End{start("m", 61, 0), 1, at(62)})
	pulse(90, 1)
	l.Record(Park{orders})
	pulse(120, 1)
	if got := l.Lag(); got != 1 {
		t.Errorf("lag %d, want 1", got)
	}
}

// TestSaidComparesPicturesWithTheBooks changes one thing at a time in a picture that is right.
func TestSaidComparesPicturesWithTheBooks(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *snapshot.Snapshot, q *snapshot.Queue)
		want   []Check
	}{
		{"all is right", func(*snapshot.Snapshot, *snapshot.Queue) {}, nil},
		{"fewer consumed, as some did not count", func(s *snapshot.Snapshot, _ *snapshot.Queue) { s.Counters.Consumed = 1 }, nil},
		{"more consumed", func(s *snapshot.Snapshot, _ *snapshot.Queue) { s.Counters.Consumed = 3 }, []Check{WhatTheScreenSays}},
		{"a lag", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Lag.V = 1 }, []Check{WhatTheScreenSays}},
		{"an unknown lag", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Lag = snapshot.Val[int64]{} }, []Check{WhatTheScreenSays}},
		{"another end", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Max.V = 3 }, []Check{WhatTheScreenSays}},
		{"another commit", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Committed.V = 1 }, []Check{WhatTheScreenSays}},
		{"no owner", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Mine = false }, []Check{WhatTheScreenSays}},
		{"no lock", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Lock.BrokerSays = snapshot.LockRefused }, []Check{WhatTheScreenSays}},
		{"bytes left", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Bytes.V = 7 }, []Check{Resource}},
		{"a message left", func(_ *snapshot.Snapshot, q *snapshot.Queue) { q.Count.V = 1 }, []Check{Resource}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := New(Config{Group: "g", Topics: []string{"orders"}, Orderly: true})
			for _, e := range slices.Concat(stored(2), call("m", 0, 2, 0, 1), one(commit(2))) {
				l.Record(e)
			}
			two := snapshot.Of(int64(2), began)
			s := &snapshot.Snapshot{Queues: []snapshot.Queue{{
				ID: orders, Mine: true, State: snapshot.Pulling, Max: two, Committed: two, Lag: snapshot.Of(int64(0), began),
				Lock: snapshot.Lock{BrokerSays: snapshot.LockMine},
			}}}
			s.Counters.Consumed = 2
			c.change(s, &s.Queues[0])
			l.Said(at(60), map[string]*snapshot.Snapshot{"m": s})
			var got []Check
			for _, f := range l.Faults() {
				got = append(got, f.Check)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("faults of %v, want of %v: %v", got, c.want, l.Faults())
			}
		})
	}
}

// TestAMillionMessagesTakeFewBytes has the books stay small however long a run is.
func TestAMillionMessagesTakeFewBytes(t *testing.T) {
	l := New(Config{Group: "g", Topics: []string{"orders"}})
	s := start("m", 0, 0)
	for offset := range int64(1_000_000) {
		hash := uint64(100 + offset)
		l.Record(Stored{Queue: orders, Offset: offset, Hash: hash, At: began})
		s.Messages[0] = Handed{Offset: offset, Hash: hash}
		l.Record(s)
		l.Record(End{s, 1, began})
	}
	a := l.accounts[orders]
	bytes := 4 * cap(a.hash)
	for _, b := range []bits{a.stored, a.given, a.failed, a.done} {
		bytes += 8 * cap(b)
	}
	if bytes > 8_000_000 || len(l.open)+len(l.moved) != 0 || a.low != 1_000_000 {
		t.Errorf("%d bytes, %d open, %d moved, low %d", bytes, len(l.open), len(l.moved), a.low)
	}
}

func TestABodyIsWholeOrNot(t *testing.T) {
	for _, size := range []int{0, 60, 300} {
		body := Body(7, "p", 12, size)
		if !Whole(body) || size > 60 && len(body) != size {
			t.Errorf("size %d: %q", size, body)
		}
		for i := range body {
			torn := slices.Clone(body)
			torn[i] ^= 1
			if Whole(torn) || Whole(body[:i]) {
				t.Errorf("size %d: torn at %d and taken for whole", size, i)
			}
		}
	}
}

func TestBackFindsWhatIsNotGivenBack(t *testing.T) {
	l := New(Config{Group: "g"})
	l.Back(began, "goroutines", 10, 12, 2)
	if len(l.Faults()) != 0 {
		t.Errorf("%v", l.Faults())
	}
	l.Back(began, "goroutines", 10, 13, 2)
	if f := l.Faults(); len(f) != 1 || f[0].Check != Resource {
		t.Errorf("%v", f)
	}
}
