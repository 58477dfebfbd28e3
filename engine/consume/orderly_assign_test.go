package consume

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

func taking(d time.Duration) func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
	return func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
		time.Sleep(d)
		return OrderlySuccess
	}
}

func TestAQueueThatIsGivenUpWaitsForItsListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, taking(10*time.Second))
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 5)
		after(12 * time.Second) // the second message is with the listener
		var idle atomic.Bool
		q.Retire(func() { idle.Store(true) })
		after(7 * time.Second)
		if idle.Load() {
			t.Error("idle while the listener runs")
		}
		after(time.Minute)
		if !idle.Load() || q.Committable() != 2 || len(b.got()) != 2 {
			t.Errorf("idle %t, committable %d, calls %v: want what the listener did committed, and no further call", idle.Load(), q.Committable(), b.got())
		}
		q.Drop()
		q.Clear()
		b.c.Forget(q)
		if b.lanes() != 0 || b.c.Stats().Threads.Busy != 0 {
			t.Errorf("%d queues remembered", b.lanes())
		}
	})
}

func TestARetiredQueueWithoutLockCommitsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, taking(10*time.Second))
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 5)
		after(time.Second)
		q.Unlock()
		var idle atomic.Bool
		q.Retire(func() { idle.Store(true) })
		after(time.Minute)
		if !idle.Load() || q.Committable() != processqueue.None {
			t.Errorf("idle %t, committable %d", idle.Load(), q.Committable())
		}
	})
}

func TestResultsOfADroppedQueueAreDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, taking(time.Second))
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 5)
		synctest.Wait()
		q.Drop()
		q.Clear()
		b.c.Forget(q)
		after(time.Minute)
		if len(b.got()) != 1 || q.Committable() != processqueue.None || q.Running() != 0 {
			t.Errorf("calls %v, committable %d", b.got(), q.Committable())
		}
		if s := b.c.Stats(); s.Consumed != 0 || b.lanes() != 0 {
			t.Errorf("stats %+v, %d queues remembered", s, b.lanes())
		}
	})
}

func TestANewAssignmentWaitsForTheListenerOfTheOldOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, taking(10*time.Second))
		defer stop()
		old := lockedQueue(0)
		b.put(old, 0, 5)
		after(time.Second)
		old.Drop()
		b.c.Forget(old)
		again := processqueue.New(old.ID, 2)
		again.Lock(time.Now())
		b.put(again, 0, 2)
		b.put(old, 5, 6) // a late answer of the old assignment
		after(time.Minute)
		want := []orderlyCall{{0, []int64{0}, 0}, {0, []int64{0}, 10 * time.Second}, {0, []int64{1}, 20 * time.Second}}
		if diff := cmp.Diff(want, b.got()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if again.Committable() != 2 || old.Committable() != processqueue.None {
			t.Errorf("committable %d and %d", again.Committable(), old.Committable())
		}
	})
}

func TestANewAssignmentDoesNotInheritWhatTheOldOneWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		b, stop := startOrderly(t, OrderlyConfig{Suspend: 20 * time.Second}, func(context.Context, []mq.Message, *OrderlyContext) OrderlyStatus {
			if fail {
				return SuspendCurrentQueueAMoment
			}
			return OrderlySuccess
		})
		defer stop()
		suspended, lockless := lockedQueue(0), queueNo(1)
		b.put(suspended, 0, 1)
		b.put(lockless, 0, 1)
		synctest.Wait()
		fail = false
		for _, old := range []*processqueue.Queue{suspended, lockless} {
			old.Drop()
			q := processqueue.New(old.ID, 2)
			q.Lock(time.Now())
			b.put(q, 0, 1)
			synctest.Wait()
			if q.Committable() != 1 {
				t.Errorf("queue %d: not consumed at once", old.ID.QueueID)
			}
			b.c.Forget(old)
		}
		if b.lanes() != 2 {
			t.Errorf("%d queues remembered, want those assigned now", b.lanes())
		}
	})
}

// TestP17ADroppedQueueEndsItsLoop drops queues in every state: nothing may go on for them.
func TestP17ADroppedQueueEndsItsLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := &countingClock{}
		b, stop := startOrderly(t, OrderlyConfig{Threads: 1, Clock: ticks}, func(_ context.Context, _ []mq.Message, c *OrderlyContext) OrderlyStatus {
			switch c.Queue.QueueID {
			case 0:
				time.Sleep(time.Second)
			case 1:
				return SuspendCurrentQueueAMoment
			}
			return OrderlySuccess
		})
		defer stop()
		queues := []*processqueue.Queue{lockedQueue(0), lockedQueue(1), queueNo(2), lockedQueue(3), lockedQueue(4)}
		b.put(queues[1], 0, 1) // suspended
		b.put(queues[2], 0, 1) // without lock
		b.put(queues[3], 0, 1) // idle
		synctest.Wait()
		b.put(queues[0], 0, 9) // with the listener
		synctest.Wait()
		b.put(queues[4], 0, 1) // waits for the thread
		for _, q := range queues {
			q.Drop()
			b.c.Forget(q)
		}
		after(10 * time.Second)
		if b.lanes() != 0 || len(b.c.asleep) != 0 || b.c.ready.n != 0 {
			t.Errorf("%d queues remembered, %d suspended, %d ready", b.lanes(), len(b.c.asleep), b.c.ready.n)
		}
		calls, looks := len(b.got()), ticks.n.Load()
		after(10 * time.Minute)
		if got := ticks.n.Load(); got != looks || len(b.got()) != calls {
			t.Errorf("the clock was read %d times in ten minutes after all queues were dropped", got-looks)
		}
	})
}

// TestP18RebalancesOfAnEmptyTopicLeaveNothing joins and leaves 500 times.
func TestP18RebalancesOfAnEmptyTopicLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, nil)
		defer stop()
		synctest.Wait()
		before := runtime.NumGoroutine()
		for round := range uint64(500) {
			for id := range int32(8) {
				q := processqueue.New(queueNo(id).ID, round)
				q.Lock(time.Now())
				b.c.Submit(q, nil, nil)
				b.c.Wake(q)
				synctest.Wait()
				q.Retire(func() {})
				q.Drop()
				b.c.Forget(q)
			}
		}
		synctest.Wait()
		if got := runtime.NumGoroutine(); got > before+5 || b.lanes() != 0 { // those of the runtime come and go
			t.Errorf("%d goroutines, %d before; %d queues remembered", got, before, b.lanes())
		}
	})
}

// countingClock counts who looks at it.
type countingClock struct {
	clock.System
	n atomic.Int64
}

func (c *countingClock) Now() time.Time {
	c.n.Add(1)
	return c.System.Now()
}

func TestIdleQueuesCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := &countingClock{}
		b, stop := startOrderly(t, OrderlyConfig{Clock: ticks, Timeout: 24 * time.Hour}, nil)
		defer stop()
		var queues []*processqueue.Queue
		for id := range int32(1024) {
			q := lockedQueue(id)
			b.put(q, 0, 1)
			queues = append(queues, q)
		}
		synctest.Wait()
		for _, q := range queues {
			if q.Committable() != 1 {
				t.Fatal("not consumed")
			}
		}
		looks := ticks.n.Load()
		after(10 * time.Hour)
		if got := ticks.n.Load() - looks; got > 20 {
			t.Errorf("the clock was read %d times in ten hours without traffic", got)
		}
	})
}

func TestDrainWaitsForListenersAndSettlesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, taking(time.Second))
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 5)
		after(500 * time.Millisecond)
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := b.c.Drain(short); err == nil {
			t.Error("drained while a listener runs")
		}
		if err := b.c.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		if q.Committable() != 1 || len(b.got()) != 1 {
			t.Errorf("committable %d, calls %v", q.Committable(), b.got())
		}
		b.put(lockedQueue(1), 0, 1)
		after(time.Minute)
		if len(b.got()) != 1 {
			t.Error("a listener is called after the drain")
		}
	})
}

// TestOrderlySoak has everything at once: queues that lose and get their lock, listeners that
// fail, panic, take time and roll back, assignments that end and begin again. Of each
// assignment the listener must see the offsets in order, without a gap, and nothing may be
// committed that it did not answer with success.
func TestOrderlySoak(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) { orderlySoak(t, seed) })
	}
}

type soakLane struct {
	q        *processqueue.Queue
	next     int64 // offset that is put in next
	due      int64 // offset that the listener must get next
	good     int64 // everything before it was answered with success
	released atomic.Int64
	batches  int64
}

func orderlySoak(t *testing.T, seed uint64) {
	const queues, minutes = 12, 10
	rng := rand.New(rand.NewPCG(seed, 5))
	var mu sync.Mutex // of rng and lanes
	lanes := make([]*soakLane, queues)
	b, stop := startOrderly(t, OrderlyConfig{Threads: 5, Batch: 3, Continuous: 2 * time.Second}, func(ctx context.Context, m []mq.Message, c *OrderlyContext) OrderlyStatus {
		mu.Lock()
		l := lanes[c.Queue.QueueID]
		for i := range m {
			if at := m[i].QueueOffset(); at != l.due+int64(i) {
				t.Errorf("queue %d: got offset %d, want %d", c.Queue.QueueID, at, l.due+int64(i))
			}
		}
		answer, nap := rng.IntN(12), time.Duration(rng.IntN(400))*time.Millisecond
		mu.Unlock()
		time.Sleep(nap)
		c.Suspend = nap
		mu.Lock()
		defer mu.Unlock()
		switch {
		case l != lanes[c.Queue.QueueID]: // assigned anew meanwhile
			return OrderlySuccess
		case answer == 0:
			panic("now and then")
		case answer < 3:
			return SuspendCurrentQueueAMoment
		}
		l.due += int64(len(m))
		l.good = l.due
		return OrderlySuccess
	})
	assign := func(id int32, epoch uint64, at int64) {
		l := &soakLane{q: processqueue.New(queueNo(id).ID, epoch), next: at, due: at, good: at}
		l.q.Lock(time.Now())
		lanes[id] = l
	}
	for id := range int32(queues) {
		assign(id, 1, 0)
	}
	for range minutes * 60 * 4 {
		after(250 * time.Millisecond)
		mu.Lock()
		l := lanes[rng.IntN(queues)]
		what, n := rng.IntN(20), int64(1+rng.IntN(20))
		mu.Unlock()
		switch {
		case what == 0:
			l.q.Unlock()
		case what == 1:
			mu.Lock()
			l.q.Drop()
			at := max(l.q.Committable(), 0)
			assign(l.q.ID.QueueID, l.q.Epoch+1, at)
			mu.Unlock()
			l.q.Clear()
			b.c.Forget(l.q)
		case what < 6:
			for _, l := range lanes {
				b.grant(l.q)
			}
		default:
			if count, _, _ := l.q.Load(); count < 100 {
				batch := batchOf(atomicReleaser{&l.released}, l.next, l.next+n)
				l.batches++
				l.next += n
				l.q.Put(batch, nil)
				b.c.Submit(l.q, batch, nil)
				batch.Release(1)
			}
		}
		mu.Lock()
		for id, l := range lanes {
			if at := l.q.Committable(); at > l.good {
				t.Fatalf("queue %d: committable %d, only what is before %d succeeded", id, at, l.good)
			}
		}
		mu.Unlock()
	}
	for range 30 { // until all is done
		for _, l := range lanes {
			b.grant(l.q)
		}
		after(10 * time.Second)
	}
	stop()
	for id, l := range lanes {
		if !empty(l.q) || l.next > 0 && l.batches > 0 && l.q.Committable() != l.next || l.released.Load() != l.batches {
			t.Errorf("queue %d: committable %d of %d, %d of %d batches released", id, l.q.Committable(), l.next, l.released.Load(), l.batches)
		}
	}
}

type atomicReleaser struct{ n *atomic.Int64 }

func (r atomicReleaser) Release() { r.n.Add(1) }
