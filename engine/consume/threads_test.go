package consume

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// slow is a listener that takes d.
func slow(d time.Duration) func(context.Context, []mq.Message, *Context) Status {
	return func(context.Context, []mq.Message, *Context) Status {
		time.Sleep(d)
		return Success
	}
}

func TestMoreThreadsTakeWorkAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 2}, slow(time.Second))
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 100)
		after(500 * time.Millisecond)
		b.c.SetThreads(10)
		synctest.Wait()
		if s := b.c.Stats().Threads; s.Busy != 10 || s.Max != 10 {
			t.Errorf("threads %+v, want 10 busy", s)
		}
		after(10 * time.Second)
		if diff := cmp.Diff(seq(0, 100), b.offsets()); diff != "" || !empty(q) {
			t.Errorf("consumed (-want +got):\n%s", diff)
		}
	})
}

func TestFewerThreadsFinishWhatTheyHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 10}, slow(time.Second))
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 50)
		after(500 * time.Millisecond)
		b.c.SetThreads(3)
		synctest.Wait()
		if s := b.c.Stats().Threads; s.Busy != 10 || s.Max != 3 {
			t.Errorf("threads %+v, want 10 still busy of 3", s)
		}
		after(time.Second)
		if s := b.c.Stats(); s.Threads.Busy != 3 || s.Consumed != 10 {
			t.Errorf("a second later: %+v, want 3 busy and 10 consumed", s)
		}
		if n := len(b.c.present()); n != 3 {
			t.Errorf("%d workers are left, want 3", n)
		}
		after(14 * time.Second)
		if diff := cmp.Diff(seq(0, 50), b.offsets()); diff != "" || !empty(q) || q.Committable() != 50 {
			t.Errorf("committable %d, consumed (-want +got):\n%s", q.Committable(), diff)
		}
		if s := b.c.Stats(); s.Consumed != 50 {
			t.Errorf("consumed %d, want all 50: what threads did that are gone counts too", s.Consumed)
		}
	})
}

func TestIdleThreadsAreTheFirstToGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 20}, slow(time.Hour))
		defer stop()
		b.put(queueNo(0), 0, 4)
		synctest.Wait()
		b.c.SetThreads(4)
		synctest.Wait()
		workers := b.c.present()
		for _, w := range workers {
			if w.started.Load() == 0 || w.dismissed {
				t.Error("an idle thread was kept and a busy one dismissed")
			}
		}
		if len(workers) != 4 {
			t.Errorf("%d workers are left, want 4", len(workers))
		}
		after(time.Hour)
	})
}

func TestAThreadThatHangsIsReplacedByMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := start(t, Config{Threads: 1}, func(_ context.Context, m []mq.Message, _ *Context) Status {
			if m[0].QueueOffset() == 0 {
				<-release
			}
			return Success
		})
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 10)
		after(time.Second)
		if n := len(b.offsets()); n != 1 {
			t.Fatalf("%d messages were handed over, want the one that hangs", n)
		}
		b.c.SetThreads(2)
		synctest.Wait()
		if n := len(b.offsets()); n != 10 {
			t.Errorf("%d messages were handed over, want all", n)
		}
		b.c.SetThreads(1) // one of the two goes: the one without work
		synctest.Wait()
		b.put(q, 10, 20)
		synctest.Wait()
		if n := len(b.offsets()); n != 10 {
			t.Errorf("%d messages were handed over, want 10: the only thread hangs", n)
		}
		close(release)
		synctest.Wait()
		if n := len(b.offsets()); n != 20 || !empty(q) {
			t.Errorf("%d messages were handed over, want all 20", n)
		}
	})
}

// TestNoWorkIsLostWhileThreadsComeAndGo changes the number of threads at random while
// messages come, some listeners fail, and one ends its goroutine.
func TestNoWorkIsLostWhileThreadsComeAndGo(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			b, stop := start(t, Config{Threads: 5}, func(_ context.Context, m []mq.Message, _ *Context) Status {
				off := m[0].QueueOffset()
				if off%3 == 0 {
					time.Sleep(time.Duration(off%7) * time.Millisecond)
				}
				switch {
				case off%41 == 40:
					runtime.Goexit()
				case off%17 == 16:
					return ReconsumeLater
				}
				return Success
			})
			defer stop()
			var queues []*processqueue.Queue
			for id := range int32(4) {
				queues = append(queues, queueNo(id))
			}
			b.churn(rng, queues, 400, 12, 3)
			if got := len(b.c.present()); got != 3 {
				t.Errorf("seed %d: %d workers", seed, got)
			}
		})
	}
}

func TestThreadsAreNotChangedOnceAllIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 2}, nil)
		synctest.Wait()
		stop()
		b.c.SetThreads(50)
		if n := len(b.c.present()); n != 2 {
			t.Errorf("%d workers after the end, want 2", n)
		}
	})
}

func TestThreadsMayBeSetBeforeTheyRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewConcurrent(Config{Threads: 8, Listener: slow(time.Second)})
		c.SetThreads(2)
		c.SetThreads(0) // means 1
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		if s := c.Stats().Threads; s.Max != 1 || len(c.present()) != 1 {
			t.Errorf("threads %+v, %d workers, want 1", s, len(c.present()))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestCallsAreTalliedByQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Batch: 2, Threads: 1}, func(_ context.Context, m []mq.Message, c *Context) Status {
			time.Sleep(10 * time.Millisecond)
			if c.Queue.QueueID == 1 {
				return ReconsumeLater
			}
			c.AckIndex = 0
			return Success
		})
		defer stop()
		good, bad := queueNo(0), queueNo(1)
		b.put(good, 0, 10)
		b.put(bad, 0, 5)
		after(time.Second)
		if d := cmp.Diff(processqueue.Tally{Calls: 5, Busy: 50 * time.Millisecond, OK: 5, Failed: 5}, good.Tally()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(processqueue.Tally{Calls: 3, Busy: 30 * time.Millisecond, Failed: 5}, bad.Tally()); d != "" {
			t.Error(d)
		}
	})
}

func TestOrderlyCallsAreTalliedByQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		b, stop := startOrderly(t, OrderlyConfig{}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			time.Sleep(10 * time.Millisecond)
			if calls++; calls == 2 {
				return SuspendCurrentQueueAMoment
			}
			return OrderlySuccess
		})
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 3)
		after(2 * time.Second)
		if d := cmp.Diff(processqueue.Tally{Calls: 4, Busy: 40 * time.Millisecond, OK: 3, Failed: 1}, q.Tally()); d != "" {
			t.Error(d)
		}
	})
}

func TestOrderlyThreadsComeAndGoWithoutLossOrDisorder(t *testing.T) {
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 2))
			b, stop := startOrderly(t, OrderlyConfig{Threads: 4, Suspend: 10 * time.Millisecond}, func(_ context.Context, m []mq.Message, c *OrderlyContext) OrderlyStatus {
				off := m[0].QueueOffset()
				if off%3 == 0 {
					time.Sleep(time.Duration(off%5) * time.Millisecond)
				}
				switch {
				case off%41 == 40 && c.Times[0] == 0:
					runtime.Goexit()
				case off%17 == 16 && c.Times[0] == 0:
					return SuspendCurrentQueueAMoment
				}
				return OrderlySuccess
			})
			defer stop()
			var queues []*processqueue.Queue
			for id := range int32(6) {
				queues = append(queues, lockedQueue(id))
			}
			b.churn(rng, queues, 200, 8, 2)
			for _, q := range queues {
				if got := b.offsets(q.ID.QueueID); !slices.IsSorted(got) {
					t.Errorf("seed %d queue %d: out of order: %v", seed, q.ID.QueueID, got)
				}
			}
			if s := b.c.Stats(); s.Consumed != 6*200 || len(b.c.present()) != 2 {
				t.Errorf("seed %d: %+v with %d workers", seed, s, len(b.c.present()))
			}
		})
	}
}
