package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/embedded/store"
	"mqscope/engine/ledger"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// cable is the network of one member, which can be cut for good.
type cable struct {
	w   *world
	cut atomic.Bool

	mu    sync.Mutex
	conns []net.Conn
}

func (c *cable) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.cut.Load() {
		return nil, errors.New("cable cut")
	}
	conn, err := c.w.net.Dial(ctx, network, addr)
	if err == nil {
		c.mu.Lock()
		c.conns = append(c.conns, conn)
		c.mu.Unlock()
	}
	return conn, err
}

// pull cuts it: servers see the connections end.
func (c *cable) pull() {
	c.cut.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
}

// onCable starts a member on a cable of its own.
func (w *world) onCable(start func() *member) (*member, *cable) {
	c := &cable{w: w}
	shared := w.wire
	w.wire = &wire{dial: c.dial}
	m := start()
	w.wire = shared
	return m, c
}

// TestOrderlyHandOver has members join, leave, die and lose their network while messages
// come: nothing is handed over out of order, no queue has two owners at once, and at the end
// everything was consumed.
func TestOrderlyHandOver(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inWorld(t, 2, func(w *world) { orderlyHandOver(w, rand.New(rand.NewPCG(seed, 9))) })
		})
	}
}

func orderlyHandOver(w *world, rng *rand.Rand) {
	w.createTopic(topic, 8)
	book := w.orderBook()
	var mu sync.Mutex // of rng
	chance := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return rng.IntN(n)
	}
	answer := func(_ context.Context, _ []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
		time.Sleep(time.Duration(chance(40)) * time.Millisecond)
		switch chance(60) {
		case 0:
			c.Suspend = 200 * time.Millisecond
			return consume.SuspendCurrentQueueAMoment
		case 1:
			time.Sleep(3 * time.Second)
		}
		return consume.OrderlySuccess
	}
	var present []*member
	cables := map[*member]*cable{}
	join := func(n int) {
		m, c := w.onCable(func() *member {
			return w.joinInOrder(fmt.Sprintf("192.0.2.%d@%d", 10+n, n), book, answer, func(c *consumer.Config) { c.Batch = 4 })
		})
		present = append(present, m)
		cables[m] = c
	}
	join(0)
	join(1)
	stored := 0
	for n := 2; n < 22; n++ {
		for range 4 {
			q := queueOf(w.brokers[chance(2)], int32(chance(8)))
			count := chance(150)
			w.put(q, count, "", 0)
			stored += count
			time.Sleep(2 * time.Second)
		}
		m := present[chance(len(present))]
		switch what := chance(5); {
		case len(present) < 2 || what < 2:
			join(n)
		case what == 2: // leaves well
			m.stop()
			present = without(present, m)
		case what == 3: // its process dies
			cables[m].pull() // first: what it did up to here counts
			book.Record(ledger.Killed{Member: m.id})
			present = without(present, m)
		default: // its network is gone: it works on as long as it trusts its locks
			cables[m].pull()
			present = without(present, m)
		}
	}
	if len(present) == 0 {
		join(99)
	}
	time.Sleep(3 * time.Minute) // the locks of the dead expire, the last ones catch up
	if got := book.succeeded(); got != int64(stored) {
		for _, m := range present {
			w.t.Logf("%s:\n%s", m.id, texts(m.after(0)))
		}
		w.t.Errorf("%d of %d messages succeeded", got, stored)
	}
	w.t.Logf("%d messages, %d came more than once", stored, book.check())
}

func TestFR2TwoListsTwoOwnersOneLock(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, inOrder(10*time.Millisecond))
		a.after(3 * time.Second)
		// For 30 s each member is told that it is alone: both want all queues.
		var alone atomic.Bool
		alone.Store(true)
		w.onCode(protocol.GetConsumerListByGroup, func(r *embedded.Request) embedded.Verdict {
			if !alone.Load() {
				return embedded.Pass
			}
			return embedded.Edit(func(resp *remoting.Command) {
				list, err := protocol.DecodeConsumerList(resp.Body)
				if err == nil && len(list.ConsumerIDs) > 1 {
					resp.Body = protocol.ConsumerList{ConsumerIDs: list.ConsumerIDs[:1]}.Encode()
				}
			})
		})
		b := w.joinInOrder("192.0.2.9@b", book, inOrder(10*time.Millisecond))
		for range 10 {
			for id := range int32(4) {
				w.put(queueOf("broker-a", id), 20, "", 0)
			}
			a.after(3 * time.Second)
		}
		alone.Store(false)
		a.after(30 * time.Second)
		sa, sb := a.after(0), b.after(0)
		if len(owned(sa)) != 2 || len(owned(sb)) != 2 {
			t.Errorf("a owns %v, b %v: want two each", owned(sa), owned(sb))
		}
		if book.succeeded() != 800 {
			t.Errorf("%d of 800 messages succeeded", book.succeeded())
		}
		book.check()
	})
}

// TestP17TheTakeLoopEndsWithItsQueue gives queues up while their listener fails for ever.
func TestP17TheTakeLoopEndsWithItsQueue(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		for id := range int32(4) {
			w.put(queueOf("broker-a", id), 5, "", 0)
		}
		book := w.orderBook()
		fails := func(_ context.Context, _ []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			c.Suspend = 10 * time.Millisecond
			return consume.SuspendCurrentQueueAMoment
		}
		a := w.joinInOrder("192.0.2.10@a", book, fails)
		a.after(3 * time.Second)
		b := w.joinInOrder("192.0.2.11@b", book, fails)
		b.after(5 * time.Second)
		from := time.Now()
		b.after(5 * time.Second)
		var wrong []orderCall
		for _, c := range book.calls() {
			if c.At.After(from) && (c.Member == a.id) != (c.Queue.QueueID < 2) {
				wrong = append(wrong, c)
			}
		}
		if len(wrong) != 0 {
			t.Errorf("%d calls of queues that were given up, the first is %v", len(wrong), wrong[0])
		}
	})
}

// TestP18RebalancesOfAnEmptyTopicLeaveNoGoroutine has a second member come and go.
func TestP18RebalancesOfAnEmptyTopicLeaveNoGoroutine(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, nil)
		a.after(30 * time.Second)
		synctest.Wait()
		before := runtime.NumGoroutine()
		for n := range 100 {
			b := w.joinInOrder(fmt.Sprintf("192.0.2.11@b%d", n), book, nil)
			time.Sleep(1500 * time.Millisecond)
			b.stop()
			time.Sleep(1500 * time.Millisecond)
		}
		s := a.after(30 * time.Second)
		if got := runtime.NumGoroutine(); got > before+5 {
			t.Errorf("%d goroutines after 100 members came and went, %d before", got, before)
		}
		if len(owned(s)) != 8 {
			t.Errorf("owns %v", owned(s))
		}
	})
}

func TestFB2ABrokerThatForgetsItsLocks(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(50*time.Millisecond))
		w.put(first, 1000, "", 0)
		m.after(5 * time.Second)
		w.stopBroker("broker-a")
		m.after(10 * time.Second)
		w.startBroker("broker-a")
		s := m.after(70 * time.Second)
		m.caughtUp(s, 2)
		if q := queue(s, first); q.Lock.BrokerSays != snapshot.LockMine || s.At.Sub(q.Lock.GrantedAt) > 21*time.Second {
			t.Errorf("lock %+v", q.Lock)
		}
		book.once()
	})
}

func TestFB3ASilentBrokerEndsTheTrustInItsLock(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(time.Second))
		w.put(first, 200, "", 0)
		m.after(2 * time.Second)
		w.net.Blackhole(addrOf("broker-a"), true) // granted last at 1 s
		m.after(45 * time.Second)
		if n := len(book.got(first)); n > 33 {
			t.Errorf("%d messages handed over, the last %v after the lock was granted", n, book.callsOf(first)[n-1].At)
		}
		w.net.Blackhole(addrOf("broker-a"), false)
		w.net.CutAll(addrOf("broker-a"))
		m.after(4 * time.Minute)
		if got := book.got(first); got[len(got)-1] != 199 {
			t.Errorf("handed over up to %d", got[len(got)-1])
		}
		book.check()
	})
}

func TestWhatFailsTooOftenGoesToTheDeadLetters(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 5, "", 0)
		book := w.orderBook()
		var times []int32
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, m []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if m[0].QueueOffset() != 2 {
				return consume.OrderlySuccess
			}
			times = append(times, c.Times[0])
			return consume.SuspendCurrentQueueAMoment
		}, func(c *consumer.Config) { c.MaxReconsume = 3 })
		s := m.after(20 * time.Second)
		if diff := cmp.Diff([]int64{0, 1, 2, 2, 2, 2, 3, 4}, book.got(first)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int32{0, 1, 2, 3}, times); diff != "" {
			t.Errorf("failures told to the listener (-want +got):\n%s", diff)
		}
		dead := int64(0)
		w.on("broker-a", func(b *embedded.Broker) {
			for _, q := range b.Store.Queues(mq.DeadLetterTopic(group)) {
				_, end := store.Bounds(q)
				dead += end
			}
		})
		if dead != 1 || s.Counters.SentBack != 1 || queue(s, first).Lag.V != 0 {
			t.Errorf("%d dead letters, %d sent, lag %d", dead, s.Counters.SentBack, queue(s, first).Lag.V)
		}
		book.check()
	})
}

func TestManualCommit(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, m []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
			if m[0].QueueOffset() == 6 {
				return consume.Commit
			}
			return consume.OrderlySuccess
		}, func(c *consumer.Config) { c.ManualCommit = true })
		s := m.after(20 * time.Second)
		if at := w.committed(first); at != 7 {
			t.Errorf("committed %d, want 7", at)
		}
		if q := queue(s, first); q.Count.V != 3 {
			t.Errorf("%d messages kept for the next commit, want 3", q.Count.V)
		}
		m.stop()
		again := w.joinInOrder("192.0.2.11@again", book, nil)
		again.after(10 * time.Second)
		if diff := cmp.Diff(append(seq(0, 10), 7, 8, 9), book.got(first)); diff != "" {
			t.Errorf("handed over (-want +got):\n%s", diff)
		}
		book.check()
	})
}

func TestAHungListenerKeepsItsLockAtTheEnd(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		release := make(chan struct{})
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, _ []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if c.Queue == first {
				<-release
			}
			return consume.OrderlySuccess
		})
		w.put(first, 1, "", 0)
		w.put(queueOf("broker-a", 1), 1, "", 0)
		m.after(2 * time.Second)
		err := m.end()
		if hung, ok := errors.AsType[*consumer.HungError](err); !ok || hung.Queue != first {
			t.Errorf("ended with %v", err)
		}
		got := w.take(w.locker("192.0.2.66@other"), first, queueOf("broker-a", 1))
		if !slices.Equal(got, []mq.MessageQueue{queueOf("broker-a", 1)}) {
			t.Errorf("locks free for others: %v, want only that of the queue whose listener returned", got)
		}
		close(release)
	})
}

func TestAnOrderlyMemberTellsToolsAboutItsLocks(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, nil)
		s := m.after(30 * time.Second)
		q := queue(s, first)
		want := snapshot.Lock{
			Used: true, BrokerSays: snapshot.LockMine, GrantedAt: q.Lock.GrantedAt, ClientLease: 30 * time.Second,
			BrokerLease: time.Minute, RenewAt: q.Lock.GrantedAt.Add(20 * time.Second), Believers: []string{m.id},
		}
		if diff := cmp.Diff(want, q.Lock); diff != "" || s.At.Sub(q.Lock.GrantedAt) > 10*time.Second {
			t.Errorf("at %v: lock (-want +got):\n%s", s.At, diff)
		}
		h := &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: group, ClientID: m.id}
		resp, err := w.stranger().Call(w.ctx, addrOf("broker-a"), &remoting.Command{Code: int32(protocol.GetConsumerRunningInfo), Fields: protocol.Encode(h)})
		if err != nil {
			t.Fatal(err)
		}
		info, err := protocol.DecodeConsumerRunningInfo(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		pq := info.MQTable[first]
		if info.Properties[protocol.PropConsumeOrderly] != "true" || !pq.Locked || pq.LastLockTimestamp == 0 || pq.TryUnlockTimes != 0 {
			t.Errorf("running info: %v, %+v", info.Properties, pq)
		}
	})
}

func TestABroadcastingOrderlyMemberNeedsNoLock(t *testing.T) {
	dir := t.TempDir()
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		locks := w.record(protocol.LockBatchMQ, protocol.UnlockBatchMQ)
		books := []*books{w.orderBook(), w.orderBook()} // each member gets everything
		var members []*member
		for i, book := range books {
			members = append(members, w.joinInOrder(fmt.Sprintf("192.0.2.%d@m", 10+i), book, nil, broadcasting(dir)))
		}
		w.put(first, 50, "", 0)
		w.put(queueOf("broker-a", 1), 50, "", 0)
		for i, m := range members {
			s := m.after(10 * time.Second)
			if n := books[i].succeeded(); n != 100 || queue(s, first).Lock.Used {
				t.Errorf("%s: %d of 100 messages, lock %+v", m.id, n, queue(s, first).Lock)
			}
			if diff := cmp.Diff(seq(0, 50), books[i].got(first)); diff != "" {
				t.Errorf("%s: handed over (-want +got):\n%s", m.id, diff)
			}
		}
		w.stopAll()
		if n := len(locks.all(func(request) bool { return true })); n != 0 {
			t.Errorf("%d requests for locks", n)
		}
	})
}

// TestAResetWhileAnOrderlyListenerRuns has the queue begin anew only when the listener has
// returned, and keeps the lock all the time.
func TestAResetWhileAnOrderlyListenerRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		book := w.orderBook()
		locks := w.record(protocol.UnlockBatchMQ)
		m := w.joinInOrder("192.0.2.10@me", book, inOrder(4*time.Second))
		m.after(9 * time.Second)                        // 0 and 1 are done, 2 is with the listener
		book.Record(ledger.Reset{Queue: first, To: 50}) // first: the commit of the reset may come at once
		w.on("broker-a", func(b *embedded.Broker) { b.ResetOffset(group, topic, 0, 50) })
		w.put(first, 1, "", 0) // ends the pull that is held at 100
		s := m.after(20 * time.Second)
		if got := book.got(first)[:5]; !slices.Equal(got, []int64{0, 1, 2, 50, 51}) {
			t.Errorf("handed over %v", got)
		}
		calls := book.callsOf(first)
		if calls[3].At.Sub(calls[2].At) != 4*time.Second {
			t.Errorf("the first message after the reset came %v after the one before", calls[3].At.Sub(calls[2].At))
		}
		if at := w.committed(first); at < 51 || len(told(s, "was reset")) != 1 {
			t.Errorf("committed %d:\n%s", at, texts(s))
		}
		if n := len(locks.all(func(request) bool { return true })); n != 0 {
			t.Errorf("the lock was given back %d times", n)
		}
		book.checkSoFar()
	})
}
