package consumer_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"mqscope/engine/clock"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// TestFB3BrokerPausedFor45Seconds: a broker that is stopped and goes on (SIGSTOP, SIGCONT) keeps
// its connections; what was sent meanwhile arrives late. Nothing is lost or skipped, and in
// order nothing is handed over once the lock is too old.
func TestFB3BrokerPausedFor45Seconds(t *testing.T) {
	inMode(t, 2, func(w *mode) {
		w.createTopic(topic, 2)
		m := w.member("192.0.2.10@me", 300*time.Millisecond)
		other := queueOf("broker-b", 0)
		m.after(3 * time.Second)
		w.put(first, 300, "", 0)
		w.put(other, 300, "", 0)
		m.after(2 * time.Second)
		w.net.Blackhole(addrOf("broker-a"), true)
		paused := time.Now()
		m.after(45 * time.Second)
		w.net.Blackhole(addrOf("broker-a"), false)
		resumed := time.Now()
		if w.orderly() {
			for _, c := range w.list {
				if c.Queue == first && c.At.After(paused.Add(31*time.Second)) {
					w.errorf("%d was handed over %v after the pause began", c.Offset, c.At.Sub(paused))
				}
			}
			if n := len(w.of("", other)); n < 140 {
				w.errorf("the other broker's queue came to %d only", n)
			}
		}
		s := m.after(2 * time.Minute)
		w.caughtUp(m, other, 0)
		w.caughtUp(m, first, 0)
		if n := w.twice(m, other); n != 0 {
			w.errorf("%d messages of the broker that was not paused came twice", n)
		}
		if len(owned(s)) != 4 {
			w.errorf("it owns %v", owned(s))
		}
		w.put(first, 1, "", 0)
		m.after(time.Second)
		if list := w.missing(m.id, first, 300, 301); len(list) != 0 {
			w.errorf("the queue is not pulled %v after the end of the pause", time.Since(resumed))
		}
	})
}

// jumpingClock is a clock whose wall clock is set while its monotonic clock goes on, as when a
// person or a time server sets a computer's clock.
type jumpingClock struct {
	clock.System
	by func() time.Duration
}

// outside is a time with a monotonic reading: those of a bubble have none.
var outside = time.Now()

func (c jumpingClock) Now() time.Time {
	now := c.System.Now()
	began := time.Unix(outside.Unix(), 0)
	return jumped(outside.Add(now.Sub(began)), c.by()) // the same wall clock as the bubble's
}

// jumped moves the wall clock's seconds inside t. A time that has a monotonic reading keeps them
// in the 33 bits above the nanoseconds.
func jumped(t time.Time, by time.Duration) time.Time {
	word := (*uint64)(unsafe.Pointer(&t))
	*word += uint64(by/time.Second) << 30
	return t
}

func TestJumpedMovesTheWallClockOnly(t *testing.T) {
	then := jumped(outside, -time.Hour)
	if then.Sub(outside) != 0 || then.Round(0).Sub(outside.Round(0)) != -time.Hour {
		t.Fatalf("%v became %v", outside, then)
	}
	synctest.Test(t, func(t *testing.T) {
		c := jumpingClock{by: func() time.Duration { return 0 }}
		first := c.Now()
		time.Sleep(time.Minute)
		second := c.Now()
		if second.Sub(first) != time.Minute || second.Round(0).Sub(first.Round(0)) != time.Minute || time.Since(second.Round(0)).Abs() > time.Second {
			t.Errorf("a minute from %v is %v", first, second)
		}
	})
}

// TestFC1TheWallClockJumps: an hour ahead, then two hours back. What goes by intervals goes on as
// if nothing were: no queue expires, offsets and heartbeats come at their times.
func TestFC1TheWallClockJumps(t *testing.T) {
	inMode(t, 1, func(w *mode) {
		w.createTopic(topic, 2)
		by := make(chan time.Duration, 1)
		by <- 0
		jump := jumpingClock{by: func() time.Duration { d := <-by; by <- d; return d }}
		set := func(d time.Duration) { <-by; by <- d }
		m := w.member("192.0.2.10@me", 20*time.Millisecond, func(c *consumer.Config) { c.Clock = jump })
		stop := w.trickle(200*time.Millisecond, first, queueOf("broker-a", 1))
		m.after(30 * time.Second)
		for _, d := range []time.Duration{time.Hour, -time.Hour, 0} {
			set(d)
			before := w.stored(m, first)
			s := m.after(6 * time.Second) // one interval of offsets
			if at := w.stored(m, first); at <= before {
				w.errorf("clock set by %v: offset %d is stored after a persist interval, %d before", d, at, before)
			}
			if off := jump.Now().Round(0).Sub(s.Wall.Round(0)); off.Abs() > 5*time.Second {
				w.errorf("clock set by %v: its snapshot is from %v ago by the clock on the wall", d, off)
			}
			m.after(25 * time.Second)
			if len(owned(s)) != 2 {
				w.errorf("clock set by %v: it owns %v", d, owned(s))
			}
			for _, what := range []string{"not pulled for", "taken for lost", "expired"} {
				if len(told(s, what)) != 0 {
					w.errorf("clock set by %v: told %q\n%s", d, what, texts(s))
				}
			}
		}
		stop()
		m.after(8 * time.Second)
		for id := range int32(2) {
			w.caughtUp(m, queueOf("broker-a", id), 0)
		}
	})
}

// TestFB5OffsetsIllegalInAllFourWays: below what the broker still has, beyond its end, of a queue
// that is empty, and reset by the broker: each is corrected at once and told of, and nothing
// that the queue has from there on is missed.
func TestFB5OffsetsIllegalInAllFourWays(t *testing.T) {
	for _, c := range []struct {
		name         string
		stored, trim int64
		before, next int64
		reset        bool // by the broker, while it is consumed
	}{
		{"too small", 100, 40, 10, 40, false},
		{"too large", 100, 0, 500, 100, false},
		{"of an empty queue", 0, 0, 50, 0, false},
		{"reset by the broker", 100, 0, 100, 30, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMode(t, 1, func(w *mode) {
				w.createTopic(topic, 1)
				w.put(first, int(c.stored), "", 0)
				w.on("broker-a", func(b *embedded.Broker) { b.Trim(topic, 0, c.trim) })
				w.begin(c.before)
				m := w.member("192.0.2.10@me", 0)
				if c.reset {
					m.after(4 * time.Second)
					w.on("broker-a", func(b *embedded.Broker) { b.ResetOffset(group, topic, 0, c.next) })
					w.put(first, 1, "", 0) // ends the pull that is held
				}
				s := m.after(7 * time.Second)
				if got := told(s, fmt.Sprintf("offset %d is illegal", c.before), fmt.Sprint("continues at ", c.next)); len(got) != 1 || got[0].Level < event.Warn {
					w.errorf("told %v:\n%s", got, texts(s))
				}
				if q := queue(s, first); q.Illegal != 1 {
					w.errorf("%d corrections are counted", q.Illegal)
				}
				w.put(first, 3, "", 0)
				m.after(7 * time.Second)
				for _, off := range w.of(m.id, first) {
					if off < c.next {
						w.errorf("%d was handed over", off)
					}
				}
				w.caughtUp(m, first, c.next)
			})
		})
	}
}

// begin gives the group an offset of the first queue where the mode keeps it.
func (w *mode) begin(at int64) {
	w.t.Helper()
	if !w.broadcast() {
		w.commit(first, at)
		return
	}
	writeOffsets(w.t, w.dir, "192.0.2.10@me", fmt.Sprintf(`{"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"orders"}:%d}}`, at))
}

// TestResetsToAnOffsetOutOfRange: a broker orders an offset that the queue does not have, below
// and above. The next pull says so, and the queue goes on at the nearest one that there is.
func TestResetsToAnOffsetOutOfRange(t *testing.T) {
	for _, c := range []struct {
		name         string
		target, next int64
	}{{"below", 3, 40}, {"above", 1 << 40, 100}} {
		t.Run(c.name, func(t *testing.T) {
			inMode(t, 1, func(w *mode) {
				w.createTopic(topic, 1)
				w.put(first, 100, "", 0)
				m := w.member("192.0.2.10@me", 0)
				m.after(8 * time.Second)
				w.caughtUp(m, first, 0)
				w.on("broker-a", func(b *embedded.Broker) { b.Trim(topic, 0, 40) })
				w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: c.target})
				m.after(20 * time.Second)
				w.put(first, 5, "", 0)
				s := m.after(20 * time.Second)
				again := w.of(m.id, first)[100:]
				want := seq(c.next, 105)
				if fmt.Sprint(again) != fmt.Sprint(want) && !(w.name != "orderly" && len(again) == len(want) && len(w.missing(m.id, first, c.next, 105)) == 0) {
					w.errorf("after the reset it got %d messages, from %d on; want those from %d on:\n%s", len(again), again[0], c.next, texts(s))
				}
				if len(told(s, "is illegal", fmt.Sprint("continues at ", c.next))) != 1 {
					w.errorf("not told:\n%s", texts(s))
				}
				if at := w.stored(m, first); at != 105 {
					w.errorf("offset %d is stored, want 105", at)
				}
			})
		})
	}
}

// TestFL3AQueueIsTakenAwayWhileAListenerHasIt: of what the listener has nothing is committed by
// anybody before it is done; whoever has the queue then goes on behind it, or has it again.
func TestFL3AQueueIsTakenAwayWhileAListenerHasIt(t *testing.T) {
	inMode(t, 1, func(w *mode) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		a := w.member("192.0.2.10@a", 6*time.Second)
		a.after(2 * time.Second)
		w.put(second, 4, "", 0)
		commits := w.record(protocol.UpdateConsumerOffset, protocol.PullMessage)
		a.after(time.Second)
		began := w.list[0].At
		taker := a
		if w.broadcast() { // nobody else can have it: the topic shrinks, and grows again
			w.on("broker-a", func(b *embedded.Broker) { b.SetQueues(topic, 1, 1) })
			a.after(32 * time.Second)
			w.on("broker-a", func(b *embedded.Broker) { b.SetQueues(topic, 2, 2) })
			a.after(32 * time.Second)
		} else {
			taker = w.member("192.0.2.11@b", 6*time.Second)
			taker.after(10 * time.Second)
		}
		taker.after(40 * time.Second)
		for _, c := range commits.commits(second) {
			if c.Commit > 0 && c.At.Sub(began) < 6*time.Second {
				w.errorf("%d was committed %v after the first call began", c.Commit, c.At.Sub(began))
			}
		}
		if list := w.missing("", second, 0, 4); len(list) != 0 {
			w.errorf("%v were not delivered", list)
		}
		if at := w.stored(taker, second); at != 4 {
			w.errorf("offset %d is stored, want 4", at)
		}
		if got := w.of("", second); w.orderly() && fmt.Sprint(got) != "[0 1 2 3]" || len(got) > 8 {
			w.errorf("handed over %v", got)
		}
	})
}

// TestFL3AnUnlockThatIsLost: the new owner has to wait for the lock to expire at the broker; until
// then nobody works on the queue, and it says what it waits for.
func TestFL3AnUnlockThatIsLost(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, nil)
		w.put(second, 10, "", 0)
		a.after(30 * time.Second)
		lost := 0
		w.onCode(protocol.UnlockBatchMQ, func(*embedded.Request) embedded.Verdict {
			lost++
			return embedded.Drop
		})
		renewed := a.push.Snapshot().At
		b := w.joinInOrder("192.0.2.11@b", book, nil)
		b.after(5 * time.Second)
		w.put(second, 10, "", 0)
		s := b.after(20 * time.Second)
		if q := queue(s, second); q.Note != "waits for lock, owner unknown" || lost == 0 {
			t.Errorf("b shows %v %q, %d unlocks were lost", q.State, q.Note, lost)
		}
		if n := len(book.got(second)); n != 10 {
			t.Errorf("%d messages were handed over while nobody has the lock, want the first 10", n)
		}
		if s := a.after(0); len(told(s, "unlock")) == 0 {
			t.Errorf("a does not tell that its unlock was lost:\n%s", texts(s))
		}
		b.after(60 * time.Second)
		calls := book.callsOf(second)
		if len(calls) != 20 || calls[10].Member != b.id || calls[10].At.Sub(renewed) > 65*time.Second {
			t.Errorf("calls %v", calls)
		}
		if n := book.check(); n != 0 {
			t.Errorf("%d messages came twice", n)
		}
	})
}

// TestFL2LockAnswersThatComeAfterTheExpiry count for nothing: the lock is as old as the question,
// and what is too old is not handed over however often such answers come.
func TestFL2LockAnswersThatComeAfterTheExpiry(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(500*time.Millisecond))
		m.after(3 * time.Second) // granted last at 1 s
		w.put(first, 300, "", 0)
		mend := w.onCode(protocol.LockBatchMQ, func(*embedded.Request) embedded.Verdict { return embedded.DelayReply(31 * time.Second) })
		m.after(28 * time.Second)
		n := len(book.got(first))
		m.after(60 * time.Second)
		if got := len(book.got(first)); got > n+4 || got < 50 {
			t.Errorf("%d messages were handed over by late answers, %d until the lock was 30 s old", got-n, n)
		}
		mend()
		s := m.after(3 * time.Minute)
		m.caughtUp(s, 1)
		book.check()
	})
}

// TestFR1ListsThatOmitAnOrderlyMember: once it keeps its queues, again it gives them up one by
// one with their locks, and takes them again when lists have it; nothing comes twice.
func TestFR1ListsThatOmitAnOrderlyMember(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(20*time.Millisecond))
		stop := w.trickle(100*time.Millisecond, w.eight()[:4]...)
		m.after(10 * time.Second)
		unlocks := w.record(protocol.UnlockBatchMQ)
		back := w.lists(func() []string { return []string{"192.0.2.8@x", "192.0.2.9@y"} })
		s := m.after(30 * time.Second)
		if len(owned(s)) != 0 || len(told(s, "go on omitting this client")) == 0 || len(unlocks.all(everything)) == 0 {
			t.Errorf("it owns %v, %d unlocks:\n%s", owned(s), len(unlocks.all(everything)), texts(s))
		}
		back()
		m.after(10 * time.Second)
		stop()
		m.caughtUp(m.after(10*time.Second), 4)
		if n := book.check(); n != 0 {
			t.Errorf("%d messages came twice", n)
		}
	})
}

// TestP30ClientIDThatTwoOrderlyOrBroadcastingMembersUse: brokers give both the lock, since it is
// the id that has it, and both want one file. The first is told loudly; the second file is refused.
func TestP30ClientIDThatTwoOrderlyOrBroadcastingMembersUse(t *testing.T) {
	const same = "192.0.2.10@same"
	inMode(t, 1, func(w *mode) {
		w.createTopic(topic, 4)
		a := w.member(same, 0)
		a.after(10 * time.Second)
		b := w.member(same, 0)
		s := b.after(15 * time.Second)
		if w.broadcast() {
			if err := b.end(); err == nil || !strings.Contains(err.Error(), "in use") {
				w.errorf("the second member ended with %v, want that its file is in use", err)
			}
			w.members = without(w.members, b)
			w.put(first, 10, "", 0)
			a.after(7 * time.Second)
			w.caughtUp(a, first, 0)
			return
		}
		for _, s := range []string{texts(s), texts(a.after(0))} {
			if !strings.Contains(s, `client id "192.0.2.10@same" is 2 times in the member list`) {
				w.errorf("not told:\n%s", s)
			}
		}
	})
}
