package consume

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/snapshot"
)

func TestS2MessagesComeInChunksAndAreResolved(t *testing.T) {
	for _, chunk := range []int{1, 5, 32, 100} {
		synctest.Test(t, func(t *testing.T) {
			b, stop := start(t, Config{Batch: chunk, Threads: 4}, nil)
			defer stop()
			q := queueNo(0)
			for from := int64(0); from < 320; from += 32 {
				b.put(q, from, from+32)
			}
			synctest.Wait()
			if diff := cmp.Diff(seq(0, 320), b.offsets()); diff != "" {
				t.Errorf("chunk %d: consumed (-want +got):\n%s", chunk, diff)
			}
			for _, c := range b.calls {
				if len(c.Offsets) > chunk || !slices.IsSorted(c.Offsets) {
					t.Errorf("chunk %d: a call got %v", chunk, c.Offsets)
				}
			}
			if !empty(q) || q.Committable() != 320 {
				t.Errorf("chunk %d: committable %d", chunk, q.Committable())
			}
			if s := b.c.Stats(); s.Consumed != 320 || s.Failed != 0 || s.Threads.Busy != 0 || s.Threads.Max != 4 {
				t.Errorf("chunk %d: %+v", chunk, s)
			}
		})
	}
}

func TestS3SlowListenersUseAllThreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{}, func(context.Context, []mq.Message, *Context) Status {
			time.Sleep(time.Second)
			return Success
		})
		defer stop()
		q := queueNo(3)
		b.put(q, 100, 150)
		after(500 * time.Millisecond)
		want := snapshot.Threads{Busy: 20, Max: 20, Oldest: 500 * time.Millisecond, OldestAt: 100, OldestOn: q.ID, TasksQueue: 1}
		got := b.c.Stats().Threads
		if got.OldestAt < 100 || got.OldestAt > 119 {
			t.Errorf("oldest call at %d", got.OldestAt)
		}
		got.OldestAt = 100
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("threads (-want +got):\n%s", diff)
		}
		if q.Running() != 20 {
			t.Errorf("%d messages in listeners", q.Running())
		}
		after(2500 * time.Millisecond)
		if b.most != 20 || len(b.offsets()) != 50 || !empty(q) {
			t.Errorf("%d at once, %d consumed after 3 s", b.most, len(b.offsets()))
		}
	})
}

func TestSlotsFreedByOneQueueAreUsedByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 2}, func(_ context.Context, _ []mq.Message, c *Context) Status {
			if c.Queue.QueueID == 0 {
				time.Sleep(time.Hour)
			}
			return Success
		})
		defer stop()
		b.put(queueNo(0), 0, 1)
		synctest.Wait()
		q := queueNo(1)
		b.put(q, 0, 100)
		synctest.Wait()
		if !empty(q) {
			t.Error("a hanging call of one queue stops the other")
		}
		after(time.Hour)
	})
}

func TestFailedMessagesAreSentBack(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    Config
		on     func([]mq.Message, *Context) Status
		sent   []sending
		failed uint64
	}{
		{
			name: "later sends the whole chunk back",
			cfg:  Config{Batch: 3},
			on:   func([]mq.Message, *Context) Status { return ReconsumeLater },
			sent: []sending{{0, 0, 16}, {1, 0, 16}, {2, 0, 16}}, failed: 3,
		},
		{
			name: "the ack index divides a chunk",
			cfg:  Config{Batch: 3, MaxReconsume: 5},
			on:   func(_ []mq.Message, c *Context) Status { c.AckIndex = 0; return Success },
			sent: []sending{{1, 0, 5}, {2, 0, 5}}, failed: 2,
		},
		{
			name: "the listener chooses the delay level, and -1 stands for 16 attempts",
			cfg:  Config{Batch: 1, MaxReconsume: -1, Threads: 1},
			on: func(m []mq.Message, c *Context) Status {
				c.DelayLevel = int32(m[0].QueueOffset()) - 1
				return ReconsumeLater
			},
			sent: []sending{{0, -1, 16}, {1, 0, 16}, {2, 1, 16}}, failed: 3,
		},
		{
			name: "what a listener sets does not outlive its call",
			cfg:  Config{Batch: 1, Threads: 1},
			on: func(m []mq.Message, c *Context) Status {
				if m[0].QueueOffset() == 0 {
					c.DelayLevel = 9
				}
				return ReconsumeLater
			},
			sent: []sending{{0, 9, 16}, {1, 0, 16}, {2, 0, 16}}, failed: 3,
		},
		{
			name: "a listener that scrambles its slice changes nothing",
			cfg:  Config{Batch: 3},
			on: func(m []mq.Message, c *Context) Status {
				m[0], m[2] = m[2], mq.Message{}
				c.AckIndex = 1
				return Success
			},
			sent: []sending{{2, 0, 16}}, failed: 1,
		},
		{
			name:   "broadcasting gives up what fails",
			cfg:    Config{Batch: 3, Model: mq.Broadcasting},
			on:     func([]mq.Message, *Context) Status { return ReconsumeLater },
			sent:   nil,
			failed: 3,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := start(t, c.cfg, func(_ context.Context, m []mq.Message, ctx *Context) Status { return c.on(m, ctx) })
				defer stop()
				q := queueNo(0)
				b.put(q, 0, 3)
				synctest.Wait()
				if diff := cmp.Diff(c.sent, b.sendings()); diff != "" {
					t.Errorf("sent back (-want +got):\n%s", diff)
				}
				s := b.c.Stats()
				if s.Failed != c.failed || s.Consumed != 3-c.failed || s.SentBack != uint64(len(c.sent)) {
					t.Errorf("stats %+v", s)
				}
				if !empty(q) || q.Committable() != 3 {
					t.Errorf("committable %d, want 3", q.Committable())
				}
			})
		})
	}
}

func TestUnreadableBodyCountsAsFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Batch: 4}, func(_ context.Context, _ []mq.Message, c *Context) Status {
			c.DelayLevel = 9
			return Success
		})
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 5, 1, 4)
		synctest.Wait()
		if diff := cmp.Diff([]int64{0, 2, 3}, b.offsets()); diff != "" {
			t.Errorf("the listener got (-want +got):\n%s", diff)
		}
		got := b.sendings() // of two threads, in either order
		slices.SortFunc(got, func(x, y sending) int { return int(x.Offset - y.Offset) })
		if diff := cmp.Diff([]sending{{1, 0, 16}, {4, 0, 16}}, got); diff != "" {
			t.Errorf("sent back (-want +got):\n%s", diff)
		}
		if b.told("no such codec") != 2 || !empty(q) {
			t.Errorf("entries %+v", b.entries)
		}
	})
}

func TestDroppedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 2}, func(context.Context, []mq.Message, *Context) Status {
			time.Sleep(time.Second)
			return ReconsumeLater
		})
		defer stop()
		q := queueNo(0)
		var freed atomic.Int64
		batch := batchOf(releases{&freed}, 0, 32)
		q.Put(batch, nil)
		b.c.Submit(q, batch, nil)
		batch.Release(1)
		after(100 * time.Millisecond)
		q.Drop()
		q.Clear()
		after(time.Minute)
		if got := b.offsets(); len(got) != 2 {
			t.Errorf("the listener got %v, want nothing after the drop", got)
		}
		if got := b.sendings(); len(got) != 0 {
			t.Errorf("sent back %v from a dropped queue", got)
		}
		if q.Committable() != processqueue.None || freed.Load() != 1 || q.Running() != 0 {
			t.Errorf("committable %d, freed %d times", q.Committable(), freed.Load())
		}
		if s := b.c.Stats(); s.Failed != 0 || s.Consumed != 0 || s.Threads.TasksQueue != 0 {
			t.Errorf("results of a dropped queue are counted: %+v", s)
		}
	})
}

type releases struct{ n *atomic.Int64 }

func (r releases) Release() { r.n.Add(1) }

func TestDrainLetsRunningListenersFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 3}, func(context.Context, []mq.Message, *Context) Status {
			time.Sleep(10 * time.Second)
			return Success
		})
		q := queueNo(0)
		b.put(q, 0, 10)
		after(time.Second)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.c.Drain(ctx); err != nil {
			t.Errorf("Drain: %v", err)
		}
		if took := time.Since(began); took != 9*time.Second {
			t.Errorf("drained after %v", took)
		}
		if q.Committable() != 3 || len(b.offsets()) != 3 {
			t.Errorf("committable %d after %v", q.Committable(), b.offsets())
		}
		b.put(q, 10, 20)
		after(time.Hour)
		if len(b.offsets()) != 3 {
			t.Errorf("consumed %v after Drain", b.offsets())
		}
		stop()
	})
}

func TestDrainGivesUpAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := start(t, Config{Threads: 2}, func(ctx context.Context, m []mq.Message, _ *Context) Status {
			if m[0].QueueOffset() == 0 {
				<-release
			}
			return Success
		})
		q := queueNo(0)
		b.put(q, 0, 1)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		err := b.c.Drain(ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Drain: %v", err)
		}
		b.put(q, 1, 9)
		close(release)
		synctest.Wait()
		if got := b.offsets(); len(got) != 1 {
			t.Errorf("the listener got %v", got)
		}
		stop()
	})
}

func TestRunEndsTheListenersContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 4}, func(ctx context.Context, _ []mq.Message, _ *Context) Status {
			<-ctx.Done()
			return ReconsumeLater
		})
		q := queueNo(0)
		b.refuse = func(sending, int) error { return errors.New("closed") }
		b.put(q, 0, 10)
		synctest.Wait()
		stop()
		if got := len(b.offsets()); got != 4 {
			t.Errorf("%d calls, want those of four threads and none after the end", got)
		}
		if q.Committable() != processqueue.None {
			t.Errorf("committable %d: unsettled messages must hold the offset", q.Committable())
		}
	})
}

// TestP27QueuesAreServedInTurn: 16 queues that never run dry, for a minute.
func TestP27QueuesAreServedInTurn(t *testing.T) {
	for _, takes := range []time.Duration{10 * time.Microsecond, 300 * time.Microsecond, 50 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			var served [16]atomic.Int64
			var next [16]int64
			queues := make([]*processqueue.Queue, 16)
			c := NewConcurrent(Config{Threads: 7, Listener: func(_ context.Context, m []mq.Message, c *Context) Status {
				time.Sleep(takes)
				served[c.Queue.QueueID].Add(1)
				return Success
			}})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); _ = c.Run(ctx) }()
			refill := func() {
				for i, q := range queues {
					// The first queues are pulled from eagerly, the last ones hardly.
					for count, _, _ := q.Load(); count < 3000/(i+1)+1000; count += 32 {
						batch := batchOf(nil, next[i], next[i]+32)
						q.Put(batch, nil)
						c.Submit(q, batch, nil)
						batch.Release(1)
						next[i] += 32
					}
				}
			}
			for i := range queues {
				queues[i] = queueNo(int32(i))
			}
			for range 10 {
				refill()
				time.Sleep(takes * 500)
			}
			least, most := served[0].Load(), served[0].Load()
			for i := range served {
				least, most = min(least, served[i].Load()), max(most, served[i].Load())
			}
			cancel()
			<-done
			if least == 0 || float64(most)/float64(least) > 1.5 {
				t.Errorf("calls of %v: served between %d and %d messages", takes, least, most)
			}
		})
	}
}

// TestSlowQueueKeepsNoThread: when a call takes longer than a turn may, the thread goes to
// the next queue after each call.
func TestSlowQueueKeepsNoThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Threads: 1}, func(context.Context, []mq.Message, *Context) Status {
			time.Sleep(100 * time.Millisecond)
			return Success
		})
		defer stop()
		b.put(queueNo(9), 0, 1) // keeps the thread busy while the others come
		synctest.Wait()
		queues := []*processqueue.Queue{queueNo(0), queueNo(1), queueNo(2)}
		for _, q := range queues {
			b.put(q, 0, 10)
		}
		after(time.Second)
		for i, c := range b.calls[1:] {
			if c.Queue != int32(i%3) {
				t.Errorf("call %d was for queue %d", i, c.Queue)
			}
		}
	})
}

// TestOneWakeUpAtATime: threads that have not woken yet are not woken again, and those that
// find work wake the next.
func TestOneWakeUpAtATime(t *testing.T) {
	c := NewConcurrent(Config{Threads: 3})
	c.idle = 3
	queues := []*processqueue.Queue{queueNo(0), queueNo(1), queueNo(2)}
	for _, q := range queues {
		batch := batchOf(nil, 0, 1)
		q.Put(batch, nil)
		c.Submit(q, batch, nil)
		c.Submit(q, batch, nil)
	}
	if len(c.wake) != 1 || c.ready.n != 3 {
		t.Fatalf("%d wake-ups for %d queues", len(c.wake), c.ready.n)
	}
	for i, want := range []int{1, 1, 0} {
		<-c.wake
		if q := c.pick(t.Context(), c.staff.list[0], woken); q != queues[i] {
			t.Fatalf("pick %d: %v", i, q)
		}
		if len(c.wake) != want {
			t.Fatalf("pick %d: %d further wake-ups, want %d", i, len(c.wake), want)
		}
	}
	if q := c.pick(t.Context(), c.staff.list[0], fromTurn); q != nil || c.busy != 2 || c.idle != 1 {
		t.Errorf("at the end: queue %v, %d busy, %d idle", q, c.busy, c.idle)
	}
}

func TestQueueListKeepsItsOrderAsItGrows(t *testing.T) {
	var l queueList
	next, served := int32(0), int32(0)
	for round := range 60 {
		for range 1 + round%7 {
			l.push(queueNo(next))
			next++
		}
		for range round % 5 {
			if got := l.pop().ID.QueueID; got != served {
				t.Fatalf("got %d, want %d", got, served)
			}
			served++
		}
	}
	for l.n > 0 {
		if got := l.pop().ID.QueueID; got != served {
			t.Fatalf("got %d, want %d", got, served)
		}
		served++
	}
	if served != next {
		t.Errorf("%d of %d came out", served, next)
	}
}

// TestP33SlowQueueDoesNotStopPulling: the listener needs a second for one queue; putting in
// never waits, and the other queue goes on.
func TestP33SlowQueueDoesNotStopPulling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{}, func(_ context.Context, _ []mq.Message, c *Context) Status {
			if c.Queue.QueueID == 0 {
				time.Sleep(time.Second)
			}
			return Success
		})
		defer stop()
		slow, quick := queueNo(0), queueNo(1)
		began := time.Now()
		for n := range int64(10) {
			b.put(slow, n*32, n*32+32)
			b.put(quick, n*32, n*32+32)
		}
		if took := time.Since(began); took != 0 {
			t.Fatalf("Submit waited %v", took)
		}
		after(2 * time.Second)
		if count, _, _ := quick.Load(); count != 0 {
			t.Errorf("%d messages of the quick queue are left", count)
		}
		after(20 * time.Second)
		if !empty(slow) {
			t.Error("the slow queue is stuck")
		}
	})
}
