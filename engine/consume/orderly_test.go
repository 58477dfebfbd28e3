package consume

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/snapshot"
)

func TestS3QueuesGoAtOnceAndEachInOrder(t *testing.T) {
	for _, chunk := range []int{1, 7, 32} {
		synctest.Test(t, func(t *testing.T) {
			b, stop := startOrderly(t, OrderlyConfig{Batch: chunk, Threads: 4}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
				time.Sleep(time.Millisecond)
				return OrderlySuccess
			})
			defer stop()
			var queues []*processqueue.Queue
			for id := range int32(3) {
				q := lockedQueue(id)
				queues = append(queues, q)
				b.put(q, 0, 32)
				b.put(q, 32, 64)
			}
			after(time.Second)
			for _, q := range queues {
				if diff := cmp.Diff(seq(0, 64), b.offsets(q.ID.QueueID)); diff != "" {
					t.Errorf("chunk %d, queue %d (-want +got):\n%s", chunk, q.ID.QueueID, diff)
				}
				if !empty(q) || q.Committable() != 64 {
					t.Errorf("chunk %d: committable %d", chunk, q.Committable())
				}
			}
			if b.most != 3 {
				t.Errorf("chunk %d: %d listeners at once, want one for each queue", chunk, b.most)
			}
			if s := b.c.Stats(); s.Consumed != 192 || s.Threads != (snapshot.Threads{Max: 4}) {
				t.Errorf("chunk %d: %+v", chunk, s)
			}
		})
	}
}

func TestP04FailedMessageIsConsumedBeforeTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q *processqueue.Queue
		fails := 2
		b, stop := startOrderly(t, OrderlyConfig{}, func(_ context.Context, m []mq.Message, c *OrderlyContext) OrderlyStatus {
			if at := q.Committable(); m[0].QueueOffset() == 0 && at != processqueue.None {
				t.Errorf("committable %d before the first message succeeded", at)
			}
			if want := int32(2 - fails); m[0].QueueOffset() == 0 && c.Times[0] != want {
				t.Errorf("the listener is told of %d failures, want %d", c.Times[0], want)
			}
			if m[0].QueueOffset() == 0 && fails > 0 {
				fails--
				return SuspendCurrentQueueAMoment
			}
			return OrderlySuccess
		})
		defer stop()
		q = lockedQueue(0)
		b.put(q, 0, 2)
		after(10 * time.Second)
		if diff := cmp.Diff([]int64{0, 0, 0, 1}, b.offsets(0)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		if q.Committable() != 2 {
			t.Errorf("committable %d, want 2", q.Committable())
		}
	})
}

func TestP05FailuresDoNotStopTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := map[int64]int{}
		b, stop := startOrderly(t, OrderlyConfig{}, func(_ context.Context, m []mq.Message, _ *OrderlyContext) OrderlyStatus {
			off := m[0].QueueOffset()
			if failed[off]++; failed[off] <= 3 {
				return SuspendCurrentQueueAMoment
			}
			return OrderlySuccess
		})
		defer stop()
		const limit = 4
		q := lockedQueue(0)
		room := make(chan struct{}, 1)
		for off := range int64(10) {
			if count, _, _ := q.Load(); count >= limit {
				q.Watch(func(count int, _, _ int64) bool { return count < limit }, func() { room <- struct{}{} })
				<-room
			}
			b.grant(q)
			b.put(q, off, off+1)
			if count, _, _ := q.Load(); count > limit {
				t.Fatalf("%d cached at offset %d: failures are counted as new", count, off)
			}
		}
		after(20 * time.Second)
		b.grant(q)
		after(20 * time.Second)
		if !empty(q) || q.Committable() != 10 {
			t.Errorf("committable %d, %d in hand", q.Committable(), q.Running())
		}
	})
}

func TestS3NothingIsHandedOverWithoutTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, nil)
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 2)
		after(time.Minute)
		if got := b.got(); len(got) != 0 {
			t.Fatalf("handed over without a lock: %v", got)
		}
		b.grant(q)
		synctest.Wait()
		if diff := cmp.Diff([]orderlyCall{{0, []int64{0}, time.Minute}, {0, []int64{1}, time.Minute}}, b.got()); diff != "" {
			t.Errorf("when the lock was granted (-want +got):\n%s", diff)
		}
		after(30 * time.Second)
		b.put(q, 2, 3)
		synctest.Wait()
		if q.Committable() != 3 {
			t.Error("a lock of 30 s is not trusted")
		}
		after(time.Millisecond)
		b.put(q, 3, 4)
		synctest.Wait()
		if q.Committable() != 3 {
			t.Error("a lock older than 30 s is trusted")
		}
		// An answer that was on its way for too long says nothing about now.
		q.Lock(time.Now().Add(-31 * time.Second))
		b.c.Wake(q)
		synctest.Wait()
		if q.Committable() != 3 {
			t.Error("a lock that was asked for 31 s ago is trusted")
		}
		b.grant(q)
		synctest.Wait()
		if q.Committable() != 4 {
			t.Error("does not go on with the lock")
		}
	})
}

func TestResultIsCommittedOnlyWithTheLock(t *testing.T) {
	for _, c := range []struct {
		name   string
		manual bool
		lose   func(q *processqueue.Queue)
	}{
		{"the lock was refused", false, func(q *processqueue.Queue) { q.Unlock() }},
		{"the lock became too old", false, func(*processqueue.Queue) {}},
		{"the lock was refused, the listener commits itself", true, func(q *processqueue.Queue) { q.Unlock() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := startOrderly(t, OrderlyConfig{ManualCommit: c.manual}, func(_ context.Context, m []mq.Message, _ *OrderlyContext) OrderlyStatus {
					if m[0].QueueOffset() == 1 {
						time.Sleep(31 * time.Second)
					}
					if c.manual {
						return Commit
					}
					return OrderlySuccess
				})
				defer stop()
				q := lockedQueue(0)
				b.put(q, 0, 3)
				after(time.Second)
				c.lose(q)
				after(40 * time.Second)
				if q.Committable() != 1 || q.Kept() != 1 || q.Running() != 0 || b.told("lock lost") != 1 {
					t.Errorf("without lock: committable %d, kept %d, told %v", q.Committable(), q.Kept(), b.entries)
				}
				b.grant(q)
				synctest.Wait()
				if diff := cmp.Diff([]int64{0, 1, 2}, b.offsets(0)); diff != "" {
					t.Errorf("handed over (-want +got):\n%s", diff)
				}
				if q.Committable() != 3 || !empty(q) {
					t.Errorf("with the lock again: committable %d", q.Committable())
				}
			})
		})
	}
}

func TestFailuresNeedNoLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := 1
		b, stop := startOrderly(t, OrderlyConfig{Suspend: 5 * time.Second}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			time.Sleep(time.Second)
			if fails--; fails >= 0 {
				return SuspendCurrentQueueAMoment
			}
			return OrderlySuccess
		})
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 2)
		after(500 * time.Millisecond)
		q.Unlock()
		after(10 * time.Second) // the suspension is over, the lock is still missing
		if len(b.got()) != 1 || q.Waiting() != 2 {
			t.Fatalf("calls %v, %d waiting", b.got(), q.Waiting())
		}
		b.grant(q)
		after(3 * time.Second)
		if diff := cmp.Diff([]int64{0, 0, 1}, b.offsets(0)); diff != "" || q.Committable() != 2 {
			t.Errorf("committable %d, handed over (-want +got):\n%s", q.Committable(), diff)
		}
	})
}

func TestBroadcastingNeedsNoLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{Model: mq.Broadcasting}, nil)
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 40)
		synctest.Wait()
		if q.Committable() != 40 {
			t.Errorf("committable %d", q.Committable())
		}
	})
}

func TestAQueueGivesItsThreadUpAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{Threads: 1}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			time.Sleep(10 * time.Second)
			return OrderlySuccess
		})
		defer stop()
		one, two := lockedQueue(1), lockedQueue(2)
		b.put(one, 0, 20)
		synctest.Wait()
		b.put(two, 0, 20)
		for range 20 {
			after(10 * time.Second)
			b.grant(one)
			b.grant(two)
			synctest.Wait()
		}
		var turns []int32
		for _, c := range b.got() {
			if n := len(turns); n == 0 || turns[n-1] != c.Queue {
				turns = append(turns, c.Queue)
			}
		}
		if diff := cmp.Diff([]int32{1, 2, 1}, turns); diff != "" {
			t.Errorf("turns in 200 s (-want +got):\n%s", diff)
		}
		first := slices.IndexFunc(b.got(), func(c orderlyCall) bool { return c.Queue == 2 })
		if at := b.got()[first].At; at < time.Minute || at > 70*time.Second {
			t.Errorf("the second queue had its first turn after %v", at)
		}
	})
}

func TestTooManyFailuresGoToTheDeadLetters(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    OrderlyConfig
		answer func(off int64) OrderlyStatus
		calls  []int64
		sent   []sending
		commit int64
		kept   int
	}{
		{
			name:   "after exactly the allowed number of failures",
			cfg:    OrderlyConfig{MaxReconsume: 2},
			answer: func(off int64) OrderlyStatus { return OrderlyStatus(min(off, 1)) }, // 0 fails
			calls:  []int64{0, 0, 0, 1, 2},
			sent:   []sending{{0, -1, 2}},
			commit: 3,
		},
		{
			name:   "never without a limit",
			cfg:    OrderlyConfig{},
			answer: func(int64) OrderlyStatus { return SuspendCurrentQueueAMoment },
			calls:  []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
			commit: -1,
		},
		{
			name:   "uncommitted when the listener commits itself",
			cfg:    OrderlyConfig{MaxReconsume: 1, ManualCommit: true},
			answer: func(off int64) OrderlyStatus { return OrderlyStatus(min(off, 1)) },
			calls:  []int64{0, 0, 1, 2},
			sent:   []sending{{0, -1, 1}},
			commit: -1,
			kept:   3,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := startOrderly(t, c.cfg, func(_ context.Context, m []mq.Message, _ *OrderlyContext) OrderlyStatus {
					return c.answer(m[0].QueueOffset())
				})
				defer stop()
				q := lockedQueue(0)
				b.put(q, 0, 3)
				after(10*time.Second + time.Millisecond)
				if diff := cmp.Diff(c.calls, b.offsets(0)); diff != "" {
					t.Errorf("handed over (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.sent, b.sent); diff != "" {
					t.Errorf("dead letters (-want +got):\n%s", diff)
				}
				if q.Committable() != c.commit || q.Kept() != c.kept {
					t.Errorf("committable %d, kept %d", q.Committable(), q.Kept())
				}
				if s := b.c.Stats(); s.SentBack != uint64(len(c.sent)) {
					t.Errorf("stats %+v", s)
				}
			})
		})
	}
}

func TestP07ADeadLetterThatIsRefusedKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{MaxReconsume: 1}, func(_ context.Context, m []mq.Message, _ *OrderlyContext) OrderlyStatus {
			return OrderlyStatus(min(m[0].QueueOffset(), 1))
		})
		defer stop()
		b.refuse = func(sending, int) error {
			switch len(b.sent) {
			case 1:
				return errors.New("no such broker")
			case 2:
				panic("in the client")
			}
			return nil
		}
		q := lockedQueue(0)
		b.put(q, 0, 2)
		after(10 * time.Second)
		if diff := cmp.Diff([]int64{0, 0, 0, 0, 1}, b.offsets(0)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		s := b.c.Stats()
		if s.SendBackFailed != 2 || s.SentBack != 1 || q.Committable() != 2 || b.told("could not be sent") != 2 {
			t.Errorf("stats %+v, committable %d", s, q.Committable())
		}
	})
}

func TestOnlyTheMessagesThatMayComeAgainSuspendABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times [][]int32
		b, stop := startOrderly(t, OrderlyConfig{MaxReconsume: 2, Batch: 3}, func(_ context.Context, m []mq.Message, c *OrderlyContext) OrderlyStatus {
			times = append(times, slices.Clone(c.Times))
			if len(times) > 3 {
				return OrderlySuccess
			}
			return SuspendCurrentQueueAMoment
		})
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 1)
		after(1500 * time.Millisecond) // message 0 failed twice
		b.put(q, 1, 3)
		after(10 * time.Second)
		want := []orderlyCall{
			{0, []int64{0}, 0}, {0, []int64{0}, time.Second},
			{0, []int64{0, 1, 2}, 2 * time.Second}, // 0 goes to the dead letters
			{0, []int64{1, 2}, 3 * time.Second},
		}
		if diff := cmp.Diff(want, b.got()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]sending{{0, -1, 2}}, b.sent); diff != "" {
			t.Errorf("dead letters, each once (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([][]int32{{0}, {1}, {2, 0, 0}, {1, 1}}, times); diff != "" {
			t.Errorf("failures told to the listener (-want +got):\n%s", diff)
		}
		if q.Committable() != 3 || !empty(q) {
			t.Errorf("committable %d", q.Committable())
		}
	})
}

func TestListenersThatDoNotAnswerFail(t *testing.T) {
	for _, c := range []struct {
		name string
		on   func()
		told string
	}{
		{"a panic", func() { panic("boom") }, "listener panicked at offset 0: boom"},
		{"an ended goroutine", runtime.Goexit, "listener ended its goroutine at offset 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left := 3
				b, stop := startOrderly(t, OrderlyConfig{Threads: 1}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
					if left--; left >= 0 {
						c.on()
					}
					return OrderlySuccess
				})
				defer stop()
				q := lockedQueue(0)
				b.put(q, 0, 2)
				after(10 * time.Second)
				if diff := cmp.Diff([]int64{0, 0, 0, 0, 1}, b.offsets(0)); diff != "" {
					t.Errorf("handed over (-want +got):\n%s", diff)
				}
				if s := b.c.Stats(); s.Panics != 3 || s.Failed != 3 || b.told(c.told) != 3 || q.Committable() != 2 {
					t.Errorf("stats %+v, committable %d", s, q.Committable())
				}
			})
		})
	}
}

func TestABodyThatCanNotBeReadHoldsItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{Batch: 8, MaxReconsume: 4}, nil)
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 5, 2)
		after(3500 * time.Millisecond)
		if diff := cmp.Diff([]int64{0, 1}, b.offsets(0)); diff != "" || q.Committable() != 2 {
			t.Errorf("committable %d, handed over (-want +got):\n%s", q.Committable(), diff)
		}
		if n := b.told("no such codec"); n != 3 { // after 0, 1 and 2 failures, not after 3
			t.Errorf("told %d times", n)
		}
		after(time.Second)
		if diff := cmp.Diff([]int64{0, 1, 3, 4}, b.offsets(0)); diff != "" || q.Committable() != 5 {
			t.Errorf("committable %d, handed over (-want +got):\n%s", q.Committable(), diff)
		}
		if diff := cmp.Diff([]sending{{2, -1, 4}}, b.sent); diff != "" {
			t.Errorf("dead letters (-want +got):\n%s", diff)
		}
	})
}

func TestAHangingListenerBlocksItsQueueOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := startOrderly(t, OrderlyConfig{Threads: 2, Timeout: time.Minute}, func(_ context.Context, _ []mq.Message, c *OrderlyContext) OrderlyStatus {
			if c.Queue.QueueID == 0 {
				<-release
			}
			return OrderlySuccess
		})
		defer stop()
		hung, other := lockedQueue(0), lockedQueue(1)
		b.put(hung, 7, 9)
		synctest.Wait()
		b.put(other, 0, 100)
		synctest.Wait()
		if other.Committable() != 100 {
			t.Error("the other queue stands still")
		}
		after(59 * time.Second)
		if b.told("listener has offset") != 0 {
			t.Error("told too early")
		}
		after(5 * time.Minute)
		if b.told("listener has offset 7") != 1 || b.c.Stats().TimedOut != 1 {
			t.Errorf("told %d times", b.told("listener has offset 7"))
		}
		want := snapshot.Threads{Busy: 1, Max: 2, Oldest: 359 * time.Second, OldestAt: 7, OldestOn: hung.ID}
		if diff := cmp.Diff(want, b.c.Stats().Threads); diff != "" {
			t.Errorf("threads (-want +got):\n%s", diff)
		}
		b.grant(hung)
		close(release)
		synctest.Wait()
		if hung.Committable() != 9 {
			t.Errorf("committable %d after it returned", hung.Committable())
		}
	})
}
