package consumer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/ledger"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

func TestOrderlyMembersConsumeEverythingInOrder(t *testing.T) {
	for _, batch := range []int{1, 10} {
		inWorld(t, 2, func(w *world) {
			w.createTopic(topic, 4)
			book := w.orderBook()
			m := w.joinInOrder("192.0.2.10@me", book, nil, func(c *consumer.Config) { c.Batch = batch })
			w.send(1000, "a")
			s := m.after(10 * time.Second)
			m.caughtUp(s, 8)
			if book.succeeded() != 1000 || book.check() != 0 {
				t.Errorf("batch %d: %d of 1000 messages succeeded", batch, book.succeeded())
			}
			if s.Counters.Consumed != 1000 || s.Counters.SentBack != 0 {
				t.Errorf("batch %d: counters %+v", batch, s.Counters)
			}
		})
	}
}

// TestP22FirstMessageComesAtOnce has an orderly member wait for nothing but its calls: no
// dispatch delay, no first renewal.
func TestP22FirstMessageComesAtOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 16)
		w.send(32, "a")
		book := w.orderBook()
		w.net.Delay(addrOf("broker-a"), time.Millisecond) // a call takes 2 ms
		began := time.Now()
		w.joinInOrder("192.0.2.10@me", book, nil)
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		if book.succeeded() != 32 {
			t.Errorf("%d of 32 messages within 50 ms", book.succeeded())
		}
		t.Logf("first message after %v", book.calls()[0].At.Sub(began))
	})
}

func TestFL1AQueueWhoseLockIsRefusedIsWaitedFor(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		other := w.locker("192.0.2.66@other")
		w.take(other, first)
		w.send(20, "a")
		book := w.orderBook()
		pulls := w.record(protocol.PullMessage)
		m := w.joinInOrder("192.0.2.10@me", book, nil)
		s := m.after(10 * time.Second)
		if n := len(pulls.all(func(r request) bool { return r.Queue == first })); n != 0 || len(book.got(first)) != 0 {
			t.Errorf("%d pulls, messages %v of a queue that another member has", n, book.got(first))
		}
		q := queue(s, first)
		if q.State != snapshot.Resolving || q.Note != "waits for lock, owner unknown" || q.Lock.BrokerSays != snapshot.LockRefused || !q.Lock.Used {
			t.Errorf("shown as %v, %q, lock %+v", q.State, q.Note, q.Lock)
		}
		if until := q.Lock.RenewAt.Sub(s.At); until < 0 || until > time.Second {
			t.Errorf("asked for again in %v, want within a second", until)
		}
		if len(told(s, "waits for the lock")) != 1 {
			t.Errorf("want it told once:\n%s", texts(s))
		}
		if got := len(book.got(queueOf("broker-a", 1))); got != 10 {
			t.Errorf("%d messages of the other queue", got)
		}
		freed := time.Now()
		if err := other.UnlockBatch(w.ctx, group, "broker-a", []mq.MessageQueue{first}); err != nil {
			t.Fatal(err)
		}
		s = m.after(5 * time.Second)
		if calls := book.callsOf(first); len(calls) != 10 || calls[0].At.Sub(freed) > 1100*time.Millisecond {
			t.Errorf("calls %v, unlocked at %v", calls, freed)
		}
		if q := queue(s, first); q.Lock.BrokerSays != snapshot.LockMine || q.State != snapshot.Pulling || q.Mark != snapshot.MarkOK {
			t.Errorf("then: %v %v %q, lock %+v", q.State, q.Mark, q.Note, q.Lock)
		}
		book.check()
	})
}

// refuseLocks makes brokers grant no lock, or answer no question for one.
func (w *world) refuseLocks(answer bool) (remove func()) {
	return w.onCode(protocol.LockBatchMQ, func(*embedded.Request) embedded.Verdict {
		if !answer {
			return embedded.Drop
		}
		return embedded.Answer(command(protocol.LockBatchResponse{}.Encode()))
	})
}

func TestFL2ALockLostWhileTheListenerRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.send(5, "a")
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(12*time.Second))
		m.after(10 * time.Second) // the first message is with the listener
		allow := w.refuseLocks(true)
		s := m.after(20 * time.Second) // refused at 21 s; the second call runs from 12 to 24 s
		q := queue(s, first)
		if got := book.got(first); !slices.Equal(got, []int64{0, 1}) {
			t.Errorf("handed over %v, want nothing more after the lock was lost", got)
		}
		if at := w.committed(first); at != 1 {
			t.Errorf("committed %d, want 1: the second message succeeded without the lock", at)
		}
		if q.Mark != snapshot.MarkBad || q.Lock.BrokerSays != snapshot.LockRefused || len(q.Lock.Believers) != 0 {
			t.Errorf("shown as %v %q, lock %+v", q.Mark, q.Note, q.Lock)
		}
		if q.Task.Cause != "not locked" {
			t.Errorf("task %+v", q.Task)
		}
		allow()
		m.after(60 * time.Second)
		// Another member may have had the queue meanwhile: it begins anew from the commit.
		if got := book.got(first); !slices.Equal(got, []int64{0, 1, 1, 2, 3, 4}) {
			t.Errorf("handed over %v", got)
		}
		if at := w.committed(first); at != 5 {
			t.Errorf("committed %d, want 5", at)
		}
		book.check()
	})
}

func TestFL2ALockThatIsNotRenewedInTime(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(time.Second))
		w.put(first, 100, "", 0)
		m.after(10 * time.Second)
		allow := w.refuseLocks(false)
		s := m.after(30 * time.Second) // granted last at 1 s; 40 s now
		if n := len(book.got(first)); n < 29 || n > 32 {
			t.Errorf("%d messages handed over, want those of the 31 s that the lock was trusted", n)
		}
		q := queue(s, first)
		if q.Mark != snapshot.MarkBad || !strings.Contains(q.Note, "expired") || q.Lock.BrokerSays != snapshot.LockMine {
			t.Errorf("shown as %v %q, lock %+v", q.Mark, q.Note, q.Lock)
		}
		if len(told(s, "not renewed")) != 1 {
			t.Errorf("want it told once:\n%s", texts(s))
		}
		committed := w.committed(first)
		m.after(7 * time.Second) // the pull that was held comes back, and is not made again
		calls := w.record(protocol.LockBatchMQ, protocol.PullMessage)
		allow()
		m.after(5 * time.Second)
		if list := calls.all(func(r request) bool { return r.Code == protocol.LockBatchMQ || r.Queue == first }); len(list) < 2 ||
			list[0].Code != protocol.LockBatchMQ || list[1].At.Sub(list[0].At) > 10*time.Millisecond {
			t.Errorf("requests %v: want a pull as soon as the lock is granted", list)
		}
		// The broker kept the lock for us: nothing was lost, and nothing comes twice.
		m.after(2 * time.Minute)
		if diff := cmp.Diff(seq(0, 100), book.got(first)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		if committed < 29 || w.committed(first) != 100 {
			t.Errorf("committed %d, then %d", committed, w.committed(first))
		}
		book.check()
	})
}

func TestFL3AQueueIsGivenUpAfterItsListener(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, inOrder(9*time.Second))
		second := queueOf("broker-a", 1)
		w.put(second, 4, "", 0)
		a.after(2 * time.Second)
		b := w.joinInOrder("192.0.2.11@b", book, nil)
		s := b.after(4 * time.Second)
		if q := queue(s, second); q.Note != "waits for lock, owner unknown" {
			t.Errorf("b shows %v %q", q.State, q.Note)
		}
		s = a.after(0)
		if q := queue(s, second); q.State != snapshot.Dropped || q.InListener != 1 || q.Lock.TryUnlock == 0 || q.Note != "given up, waits for its listener" {
			t.Errorf("a shows %v %q, in listener %d, lock %+v", q.State, q.Note, q.InListener, q.Lock)
		}
		b.after(10 * time.Second)
		calls := book.callsOf(second)
		if diff := cmp.Diff(seq(0, 4), book.got(second)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		if calls[0].Member != a.id || calls[1].Member != b.id || calls[1].At.Sub(calls[0].At) < 9*time.Second || calls[1].At.Sub(calls[0].At) > 10100*time.Millisecond {
			t.Errorf("calls %v: want the first by a, the next by b as soon as a was through", calls)
		}
		book.once()
	})
}

func TestFL3AListenerThatDoesNotReturnIsWaitedForSoLong(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		second := queueOf("broker-a", 1)
		w.put(second, 4, "", 0)
		a := w.joinInOrder("192.0.2.10@a", book, inOrder(50*time.Second))
		a.after(2 * time.Second)
		joined := time.Now()
		b := w.joinInOrder("192.0.2.11@b", book, nil)
		b.after(18 * time.Second)
		if got := book.got(second); len(got) != 1 {
			t.Fatalf("handed over %v", got)
		}
		book.Record(ledger.Killed{Member: a.id}) // from here on two members overlap: that is what is told
		b.after(5 * time.Second)
		calls := book.callsOf(second)
		if len(calls) != 5 || calls[1].Offset != 0 || calls[1].At.Sub(joined) > 22*time.Second {
			t.Errorf("calls %v, b joined at %v", calls, joined)
		}
		if s := a.after(0); len(told(s, "another member may overlap")) != 1 {
			t.Errorf("not told:\n%s", texts(s))
		}
		a.after(time.Minute)
	})
}

func TestALeavingMemberHandsItsQueuesOverAtOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, inOrder(100*time.Millisecond))
		b := w.joinInOrder("192.0.2.11@b", book, inOrder(100*time.Millisecond))
		a.after(5 * time.Second)
		for id := range int32(8) {
			w.put(queueOf("broker-a", id), 100, "", 0)
		}
		a.after(2 * time.Second)
		left := time.Now()
		b.stop()
		a.after(time.Second)
		for id := int32(4); id < 8; id++ {
			calls := book.callsOf(queueOf("broker-a", id))
			i := slices.IndexFunc(calls, func(c orderCall) bool { return c.Member == a.id })
			if i <= 0 {
				t.Errorf("queue %d: a has no call", id)
				continue
			}
			if gap := calls[i].At.Sub(left); gap > 250*time.Millisecond || calls[i].Offset != calls[i-1].Offset+1 {
				t.Errorf("queue %d: a begins %v after b was told to leave, at %d after %d", id, gap, calls[i].Offset, calls[i-1].Offset)
			}
		}
		a.after(20 * time.Second)
		book.once()
	})
}

func TestP03ABrokerThatDiesBeforeTheFirstPullMovesNothingBack(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 1000, "", 0)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@a", book, func(_ context.Context, m []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
			if m[0].QueueOffset() >= 500 {
				return consume.SuspendCurrentQueueAMoment
			}
			return consume.OrderlySuccess
		})
		m.after(10 * time.Second)
		m.stop()
		if at := w.committed(first); at != 500 {
			t.Fatalf("committed %d, want 500", at)
		}
		// The question after the lock goes unanswered, and so does what follows for a while.
		asked := 0
		allow := w.onCode(protocol.QueryConsumerOffset, func(r *embedded.Request) embedded.Verdict {
			if requestOf(r).Queue != first {
				return embedded.Pass
			}
			if asked++; asked == 1 {
				return embedded.Pass
			}
			return embedded.CloseConn
		})
		again := w.joinInOrder("192.0.2.11@b", book, nil)
		s := again.after(30 * time.Second)
		allow()
		if asked != 2 {
			t.Errorf("the offset was asked for %d times, want at the assignment and at the first pull", asked)
		}
		if got := book.got(first); len(got) < 501 || got[len(got)-1] != 999 || !slices.Contains(got, 500) {
			t.Errorf("handed over %d messages", len(got))
		}
		for _, c := range book.callsOf(first) {
			if c.Member == again.id && c.Offset < 500 {
				t.Fatalf("the new member got %d", c.Offset)
			}
		}
		if len(told(s, "starts at 500 as assigned")) != 1 {
			t.Errorf("not told:\n%s", texts(s))
		}
		book.check()
	})
}

func TestS3TheOffsetThatCountsIsThatOfTheFirstLockedPull(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		book := w.orderBook()
		asked := 0
		w.onCode(protocol.QueryConsumerOffset, func(r *embedded.Request) embedded.Verdict {
			if requestOf(r).Queue != first {
				return embedded.Pass
			}
			// A commit of the last owner was still under way at the first question.
			at := []int64{40, 60}[min(asked, 1)]
			asked++
			return embedded.Answer(&remotingCommand{Fields: protocol.Encode(&protocol.OffsetResponse{Offset: at})})
		})
		book.Record(ledger.Begins{Queue: first, Offset: 60})
		m := w.joinInOrder("192.0.2.10@me", book, nil)
		s := m.after(10 * time.Second)
		if diff := cmp.Diff(seq(60, 100), book.got(first)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		if len(told(s, "starts at 60", "it was 40")) != 1 || w.committed(first) != 100 {
			t.Errorf("committed %d:\n%s", w.committed(first), texts(s))
		}
	})
}

func TestP04ASuspendedMessageBlocksItsQueueOnly(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		fails := 2
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, m []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if c.Queue == first && m[0].QueueOffset() == 0 && fails > 0 {
				fails--
				c.Suspend = 8 * time.Second
				return consume.SuspendCurrentQueueAMoment
			}
			return consume.OrderlySuccess
		})
		w.put(first, 2, "", 0)
		w.put(queueOf("broker-a", 1), 50, "", 0)
		s := m.after(7 * time.Second)
		if at := w.committed(first); at > 0 {
			t.Errorf("committed %d past a message that failed", at)
		}
		if q := queue(s, first); q.Mark != snapshot.MarkWatch || !strings.Contains(q.Note, "suspended after a failure") {
			t.Errorf("shown as %v %q", q.Mark, q.Note)
		}
		if got := len(book.got(queueOf("broker-a", 1))); got != 50 {
			t.Errorf("%d messages of the other queue", got)
		}
		m.after(20 * time.Second)
		if diff := cmp.Diff([]int64{0, 0, 0, 1}, book.got(first)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		book.check()
	})
}

func TestP05FailuresDoNotTripFlowControlForGood(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		book := w.orderBook()
		failed := map[int64]int{}
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, m []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if failed[m[0].QueueOffset()]++; failed[m[0].QueueOffset()] <= 3 {
				return consume.SuspendCurrentQueueAMoment
			}
			return consume.OrderlySuccess
		}, func(c *consumer.Config) { c.Pull.Limits.CountPerQueue, c.Pull.Batch = 4, 2 })
		s := m.after(40 * time.Second)
		if q := queue(s, first); q.Count.V != 0 || q.Bytes.V != 0 || q.Lag.V != 0 || len(book.got(first)) != 40 {
			t.Errorf("%d calls; %d cached with %d bytes, lag %d", len(book.got(first)), q.Count.V, q.Bytes.V, q.Lag.V)
		}
		book.check()
	})
}

func TestP23RenewalMustFitTheLockLifetime(t *testing.T) {
	cfg := consumer.Config{
		Group: group, Subscriptions: []consumer.Subscription{{Topic: topic}}, Orderly: true,
		OrderlyListener: func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
			return consume.OrderlySuccess
		},
		LockLifetime: 3 * time.Second, LockInterval: 20 * time.Second,
	}
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "LockLifetime is 3s and LockInterval 20s") {
		t.Errorf("error %v", err)
	}
	cfg.LockInterval = time.Second
	if err := cfg.Validate(); err != nil {
		t.Errorf("error %v", err)
	}
}

func TestS4ConfigOfAnOrderlyConsumer(t *testing.T) {
	good := func() consumer.Config {
		return consumer.Config{
			Group: group, Subscriptions: []consumer.Subscription{{Topic: topic}}, Orderly: true,
			OrderlyListener: func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
				return consume.OrderlySuccess
			},
		}
	}
	for _, c := range []struct {
		name, wrong string
		change      func(*consumer.Config)
	}{
		{"the defaults", "", func(*consumer.Config) {}},
		{"no listener", "no OrderlyListener", func(c *consumer.Config) { c.OrderlyListener = nil }},
		{"two listeners", "both Listener and Orderly", func(c *consumer.Config) { c.Listener = discard }},
		{"a listener that nobody calls", "without Orderly", func(c *consumer.Config) { c.Orderly, c.Listener = false, discard }},
		{"a pause that is too short", "SuspendTime is 1ms", func(c *consumer.Config) { c.SuspendTime = time.Millisecond }},
		{"a pause that is too long", "SuspendTime is 1m0s", func(c *consumer.Config) { c.SuspendTime = time.Minute }},
	} {
		cfg := good()
		c.change(&cfg)
		err := cfg.Validate()
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestP24SuspensionIsNotPullExpiry(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 2000, "", 0)
		book := w.orderBook()
		began := time.Now()
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, _ []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if time.Since(began) < 150*time.Second {
				c.Suspend = 30 * time.Second
				return consume.SuspendCurrentQueueAMoment
			}
			return consume.OrderlySuccess
		})
		s := m.after(149 * time.Second)
		if len(told(s, "given up")) != 0 || len(book.got(first)) != 5 {
			t.Errorf("calls %v:\n%s", book.got(first), texts(s))
		}
		m.after(2 * time.Second)
		if got := book.got(first); len(got) != 2005 {
			t.Errorf("%d calls when the suspension was over, want 2005", len(got))
		}
		book.check()
	})
}

// TestAMemberWithoutTheLockCommitsNothing has another member go on with a queue whose lock we
// lost: what we know of it is old, and must not take its offset back.
func TestAMemberWithoutTheLockCommitsNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		w.put(second, 100, "", 0)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, m []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
			if m[0].QueueOffset() < 50 {
				time.Sleep(400 * time.Millisecond)
				return consume.OrderlySuccess
			}
			return consume.SuspendCurrentQueueAMoment
		})
		m.after(19 * time.Second)
		w.refuseLocks(true) // from 21 s on the lock is another one's
		m.after(3 * time.Second)
		other := w.locker("192.0.2.66@other")
		if err := other.CommitOffsetSync(w.ctx, group, second, 80); err != nil {
			t.Fatal(err)
		}
		m.after(2 * time.Minute)
		if at := w.committed(second); at != 80 {
			t.Errorf("committed %d, want 80: that of the member with the lock", at)
		}
		w.joinInOrder("192.0.2.11@b", book, nil) // gets the queue
		m.after(30 * time.Second)
		if at := w.committed(second); at != 80 {
			t.Errorf("committed %d after the queue was given up, want 80", at)
		}
	})
}
