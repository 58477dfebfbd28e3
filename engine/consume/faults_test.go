package consume

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/snapshot"
)

var errSystem = errors.New("SYSTEM_ERROR")

// TestP04FailedMessageHoldsTheOffset: of two messages the first fails twice and can not be
// sent back, the second succeeds at once; the offset does not pass the first.
func TestP04FailedMessageHoldsTheOffset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		var mu sync.Mutex
		b, stop := start(t, Config{Threads: 1}, func(_ context.Context, m []mq.Message, _ *Context) Status {
			mu.Lock()
			defer mu.Unlock()
			if m[0].QueueOffset() == 0 {
				attempts++
				if attempts <= 2 {
					return ReconsumeLater
				}
			}
			return Success
		})
		defer stop()
		b.refuse = func(sending, int) error { return errSystem }
		q := queueNo(0)
		b.put(q, 0, 2)
		for range 2 {
			synctest.Wait()
			if q.Committable() != 0 {
				t.Fatalf("committable %d while offset 0 is not resolved", q.Committable())
			}
			after(5 * time.Second)
		}
		if attempts != 3 || q.Committable() != 2 || !empty(q) {
			t.Errorf("%d attempts, committable %d", attempts, q.Committable())
		}
	})
}

// TestP05FailuresDoNotGrowTheCount: each of ten messages fails three times here.
func TestP05FailuresDoNotGrowTheCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Batch: 4}, func(context.Context, []mq.Message, *Context) Status { return ReconsumeLater })
		defer stop()
		b.refuse = func(_ sending, attempt int) error {
			if attempt < 3 {
				return errSystem
			}
			return nil
		}
		q := queueNo(0)
		b.put(q, 0, 10)
		for range 3 {
			synctest.Wait()
			count, bytes, _ := q.Load()
			if count != 10 || bytes != 10 {
				t.Errorf("count %d, bytes %d, want the ten that are there", count, bytes)
			}
			after(5 * time.Second)
		}
		if !empty(q) || len(b.offsets()) != 40 || q.Committable() != 10 {
			t.Errorf("left something after %d deliveries, committable %d", len(b.offsets()), q.Committable())
		}
		if s := b.c.Stats(); s.SendBackFailed != 30 || s.SentBack != 10 || s.Failed != 40 {
			t.Errorf("stats %+v", s)
		}
	})
}

// TestP06RefusedSendBackIsConsumedAgain: the broker answers an error three times.
func TestP06RefusedSendBackIsConsumedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Duration
		began := time.Now()
		b, stop := start(t, Config{Threads: 1}, func(context.Context, []mq.Message, *Context) Status {
			times = append(times, time.Since(began))
			return ReconsumeLater
		})
		defer stop()
		b.refuse = func(_ sending, attempt int) error {
			if attempt < 3 {
				return errSystem
			}
			return nil
		}
		q := queueNo(0)
		b.put(q, 7, 8)
		after(4 * time.Second)
		w := q.Window(64)
		if diff := cmp.Diff([]snapshot.Run{{From: 7, To: 7, State: snapshot.Retry}}, w.Runs); diff != "" {
			t.Errorf("window (-want +got):\n%s", diff)
		}
		if q.Committable() > 7 {
			t.Errorf("committable %d", q.Committable())
		}
		after(time.Minute)
		want := []time.Duration{0, 5 * time.Second, 10 * time.Second, 15 * time.Second}
		if !slices.Equal(times, want) {
			t.Errorf("consumed at %v, want %v", times, want)
		}
		if !empty(q) || q.Committable() != 8 || b.told("SYSTEM_ERROR") != 3 {
			t.Errorf("committable %d, entries %+v", q.Committable(), b.entries)
		}
	})
}

// TestP07FailedSendBackHoldsTheOffset: ten messages, number 3 fails and its send-back times
// out (FB9: it may have arrived nevertheless, so that a duplicate is right).
func TestP07FailedSendBackHoldsTheOffset(t *testing.T) {
	for _, chunk := range []int{1, 10} {
		synctest.Test(t, func(t *testing.T) {
			b, stop := start(t, Config{Batch: chunk}, func(_ context.Context, m []mq.Message, c *Context) Status {
				if at := slices.Index(offsetsOf(m), 3); at >= 0 {
					c.AckIndex = at - 1
				}
				return Success
			})
			defer stop()
			b.refuse = func(s sending, attempt int) error {
				if s.Offset == 3 && attempt < 2 {
					return context.DeadlineExceeded
				}
				return nil
			}
			q := queueNo(0)
			b.put(q, 0, 10)
			after(9 * time.Second)
			if count, _, _ := q.Load(); q.Committable() != 3 || count != 1 {
				t.Errorf("chunk %d: committable %d, %d left, want to stay at 3", chunk, q.Committable(), count)
			}
			after(time.Minute)
			if q.Committable() != 10 || !empty(q) {
				t.Errorf("chunk %d: committable %d at the end", chunk, q.Committable())
			}
		})
	}
}

// TestP25SweepGoesOnAfterAPanic: sending back panics the first time.
func TestP25SweepGoesOnAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := start(t, Config{Timeout: time.Minute}, func(context.Context, []mq.Message, *Context) Status {
			<-release
			return Success
		})
		defer stop()
		b.refuse = func(_ sending, attempt int) error {
			if attempt == 0 {
				panic("broken pipe in the sweep")
			}
			return nil
		}
		q := queueNo(0)
		b.put(q, 0, 1)
		after(time.Minute)
		if b.told("broken pipe in the sweep") != 1 || q.Committable() > 0 {
			t.Errorf("committable %d, entries %+v", q.Committable(), b.entries)
		}
		after(5 * time.Second)
		if q.Committable() != 1 || len(b.sendings()) != 2 {
			t.Errorf("committable %d after the next sweep", q.Committable())
		}
		close(release)
	})
}

// TestP25GuardedSweepTellsItsOwnPanic: nothing in a sweep may end the sweeping.
func TestP25GuardedSweepTellsItsOwnPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{}, nil)
		defer stop()
		synctest.Wait()
		c := NewConcurrent(b.c.cfg)
		c.staff.list = append(c.staff.list, nil) // a sweep over it panics
		if wait := c.guardedSweep(t.Context()); wait != 5*time.Second {
			t.Errorf("next sweep after %v", wait)
		}
		if b.told("sweep panicked") != 1 {
			t.Errorf("entries %+v", b.entries)
		}
	})
}

// TestP26LeakedSlotIsNamed (FH1): the listener never returns for one message. Its offset and
// age are shown, the other messages go on, and at the timeout it is sent back once.
func TestP26LeakedSlotIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := start(t, Config{Threads: 3}, func(_ context.Context, m []mq.Message, _ *Context) Status {
			if m[0].QueueOffset() == 5 {
				<-release
				return ReconsumeLater
			}
			return Success
		})
		defer stop()
		q := queueNo(4)
		began := time.Now()
		b.put(q, 5, 100)
		after(14*time.Minute + 59*time.Second)
		if q.Committable() > 5 {
			t.Fatalf("committable %d", q.Committable())
		}
		s := b.c.Stats().Threads
		want := snapshot.Threads{Busy: 1, Max: 3, Oldest: 14*time.Minute + 59*time.Second, OldestAt: 5, OldestOn: q.ID}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Errorf("threads (-want +got):\n%s", diff)
		}
		w := q.Window(64)
		if len(w.Meta) != 1 || w.Meta[0].Offset != 5 || !w.Meta[0].Started.Equal(began) {
			t.Errorf("details %+v", w.Meta)
		}
		after(time.Second)
		if diff := cmp.Diff([]sending{{5, 3, 16}}, b.sendings()); diff != "" {
			t.Errorf("sent back at the timeout (-want +got):\n%s", diff)
		}
		if q.Committable() != 100 || b.told("offset 5 for over 15m0s") != 1 {
			t.Errorf("committable %d, entries %+v", q.Committable(), b.entries)
		}
		after(time.Hour)
		close(release)
		synctest.Wait()
		if len(b.sendings()) != 1 || !empty(q) {
			t.Errorf("the late answer counted: sent back %v", b.sendings())
		}
		if s := b.c.Stats(); s.TimedOut != 1 || s.SentBack != 1 || s.Threads.Busy != 0 {
			t.Errorf("stats %+v", s)
		}
	})
}

// TestS4EachCallHasItsOwnTimeout: calls that began at different times are overdue at
// different times, to the second.
func TestS4EachCallHasItsOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := start(t, Config{Timeout: time.Minute}, func(context.Context, []mq.Message, *Context) Status {
			<-release
			return Success
		})
		defer stop()
		queues := []*processqueue.Queue{queueNo(0), queueNo(1), queueNo(2)}
		for i, q := range queues {
			b.put(q, int64(i), int64(i)+1)
			after(17 * time.Second)
		}
		after(9 * time.Second) // the first began a minute ago
		for i := range queues {
			if got := b.sendings(); len(got) != i+1 || got[i].Offset != int64(i) {
				t.Errorf("%v sent back when call %d became overdue", got, i)
			}
			after(17*time.Second - time.Millisecond)
			if got := b.sendings(); len(got) != i+1 {
				t.Errorf("%v sent back a millisecond early", got)
			}
			after(time.Millisecond)
		}
		close(release)
	})
}

// TestSweepThatFails: the broker refuses the swept message; what the listener says then
// counts, and nothing is sent back twice.
func TestSweepThatFails(t *testing.T) {
	for _, answer := range []Status{Success, ReconsumeLater} {
		synctest.Test(t, func(t *testing.T) {
			b, stop := start(t, Config{Timeout: time.Minute}, func(context.Context, []mq.Message, *Context) Status {
				time.Sleep(62 * time.Second)
				return answer
			})
			defer stop()
			b.refuse = func(_ sending, attempt int) error {
				if attempt == 0 {
					return errSystem
				}
				return nil
			}
			q := queueNo(0)
			b.put(q, 0, 1)
			after(61 * time.Second)
			if q.Committable() > 0 {
				t.Errorf("committable %d", q.Committable())
			}
			after(time.Minute)
			want := []sending{{0, 3, 16}}
			if answer == ReconsumeLater {
				want = append(want, sending{0, 0, 16})
			}
			if diff := cmp.Diff(want, b.sendings()); diff != "" {
				t.Errorf("answer %d: sent back (-want +got):\n%s", answer, diff)
			}
			if q.Committable() != 1 || !empty(q) {
				t.Errorf("answer %d: committable %d", answer, q.Committable())
			}
		})
	}
}

// TestListenerFailsWhileItsMessageIsSwept: the send-back takes long and then fails, the
// listener has failed meanwhile: the message is consumed again here.
func TestListenerFailsWhileItsMessageIsSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Timeout: time.Minute, Threads: 1}, func(context.Context, []mq.Message, *Context) Status {
			time.Sleep(61 * time.Second)
			return ReconsumeLater
		})
		defer stop()
		b.c.cfg.SendBack = slowly{b}
		b.refuse = func(_ sending, attempt int) error {
			if attempt == 0 {
				return errSystem
			}
			return nil
		}
		q := queueNo(0)
		b.put(q, 0, 1)
		after(64 * time.Second)
		if w := q.Window(0); len(w.Runs) != 1 || w.Runs[0].State != snapshot.Retry {
			t.Errorf("runs %v", w.Runs)
		}
		after(10 * time.Minute)
		if got := b.offsets(); !slices.Equal(got, []int64{0, 0}) {
			t.Errorf("consumed %v, want twice", got)
		}
		if len(b.sendings()) != 2 || !empty(q) {
			t.Errorf("sent back %v", b.sendings())
		}
	})
}

// slowly needs three seconds to send back.
type slowly struct{ to SendBacker }

func (s slowly) SendBack(ctx context.Context, m mq.Message, level, most int32) error {
	time.Sleep(3 * time.Second)
	return s.to.SendBack(ctx, m, level, most)
}

func TestBroadcastingGivesUpWhatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b, stop := start(t, Config{Model: mq.Broadcasting}, func(context.Context, []mq.Message, *Context) Status {
			<-release
			return Success
		})
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 1)
		after(15 * time.Minute)
		if q.Committable() != 1 || len(b.sendings()) != 0 || b.told("given up") != 1 {
			t.Errorf("committable %d, sent back %v", q.Committable(), b.sendings())
		}
		close(release)
	})
}

// TestP54PanicIsAFailedAttempt (FH2): every third call panics, or ends its goroutine, for
// as long as there are more threads than calls left to survive on.
func TestP54PanicIsAFailedAttempt(t *testing.T) {
	for _, end := range []struct {
		name string
		do   func()
		text string
	}{
		{"a panic", func() { panic("boom") }, "listener panicked at offset"},
		{"a panic with nil", func() { panic(nil) }, "listener panicked at offset"}, //nolint:govet // what users do
		{"a division by zero", func() { zero := 0; _ = 1 / zero }, "divide by zero"},
		{"the end of the goroutine", runtime.Goexit, "ended its goroutine"},
	} {
		t.Run(end.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				var mu sync.Mutex
				b, stop := start(t, Config{Threads: 2, Batch: 2}, func(context.Context, []mq.Message, *Context) Status {
					mu.Lock()
					calls++
					bad := calls%3 == 0
					mu.Unlock()
					if bad {
						end.do()
					}
					return Success
				})
				defer stop()
				b.refuse = func(_ sending, attempt int) error {
					if attempt == 0 {
						return errSystem // so that each comes here once more
					}
					return nil
				}
				q := queueNo(0)
				b.put(q, 0, 120)
				after(time.Minute)
				if !empty(q) || q.Committable() != 120 {
					t.Errorf("committable %d, window %v", q.Committable(), q.Window(0).Runs)
				}
				if got := slices.Compact(b.offsets()); len(got) != 120 {
					t.Errorf("%d offsets were delivered", len(got))
				}
				s := b.c.Stats()
				if s.Panics < 20 || b.told(end.text) != int(s.Panics) {
					t.Errorf("%d panics, %d told", s.Panics, b.told(end.text))
				}
				if end.text != "ended its goroutine" && b.told("faults_test.go") != int(s.Panics) {
					t.Error("the stack does not name the place")
				}
				if s.Threads.Busy != 0 || b.c.idle != 2 {
					t.Errorf("%d threads idle, want both", b.c.idle)
				}
			})
		})
	}
}

// TestFH3BytesAreNotReusedWhileAListenerHasThem: the owner of the bytes destroys them on
// release; swept, dropped and plain messages are compared right before the listener returns.
func TestFH3BytesAreNotReusedWhileAListenerHasThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := start(t, Config{Timeout: time.Second, Threads: 4}, func(_ context.Context, m []mq.Message, c *Context) Status {
			off := m[0].QueueOffset()
			time.Sleep(time.Duration(off%5) * time.Second)
			if body := m[0].Body(); len(body) != 1 || body[0] != byte(off) {
				t.Errorf("queue %d offset %d: body %v", c.Queue.QueueID, off, body)
			}
			return Status(off % 2)
		})
		defer stop()
		plain, dropped := queueNo(0), queueNo(1)
		for from := int64(0); from < 64; from += 8 {
			batch := batchOf(nil, from, from+8)
			batch.Reset(batch.Data, destroyer{batch.Data})
			batch.Records = batchOf(nil, from, from+8).Records
			plain.Put(batch, nil)
			dropped.Put(batch, nil)
			b.c.Submit(plain, batch, nil)
			b.c.Submit(dropped, batch, nil)
			batch.Release(1)
		}
		after(1500 * time.Millisecond)
		dropped.Drop()
		dropped.Clear()
		after(time.Hour)
		if !empty(plain) || dropped.Running() != 0 {
			t.Error("messages are left")
		}
	})
}

type destroyer struct{ data []byte }

func (d destroyer) Release() { clear(d.data) }

func TestPanicEntryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var deep func(n int)
		deep = func(n int) {
			if n == 0 {
				panic("deep")
			}
			deep(n - 1)
		}
		b, stop := start(t, Config{}, func(context.Context, []mq.Message, *Context) Status { deep(500); return Success })
		defer stop()
		b.put(queueNo(0), 0, 1)
		synctest.Wait()
		for _, e := range b.entries {
			if strings.Contains(e.What, "deep") && len(e.What) > 5000 {
				t.Errorf("an entry of %d bytes", len(e.What))
			}
		}
		if b.told("deep") != 1 {
			t.Error("not told")
		}
	})
}
