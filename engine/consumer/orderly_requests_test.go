package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/ledger"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestAResetOfAnOrderlyMemberKeepsTheOrder(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		var got []int64
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Orderly, c.Listener = true, nil
			c.OrderlyListener = func(_ context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
				if c.Queue == first {
					got = append(got, msgs[0].QueueOffset())
				}
				return consume.OrderlySuccess
			}
		})
		w.sendTo(first, 6)
		m.after(10 * time.Second)
		locks := w.record(protocol.LockBatchMQ, protocol.UnlockBatchMQ)
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{first: 3})
		m.after(9 * time.Second)
		w.sendTo(first, 2)
		s := m.after(10 * time.Second)
		if d := cmp.Diff([]int64{0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7}, got); d != "" {
			t.Errorf("order (-want +got):\n%s\n%s", d, texts(s))
		}
		m.caughtUp(s, 2)
		if n := len(locks.all(func(r request) bool { return r.Code == protocol.UnlockBatchMQ })); n != 0 {
			t.Errorf("the lock was given back %d times, want it kept: no other member may begin in between", n)
		}
	})
}

func TestAResetMeetsAListenerThatHoldsAnOrderlyQueueUp(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		book := w.orderBook()
		hold := make(chan struct{})
		a := w.joinInOrder("192.0.2.10@a", book, func(_ context.Context, _ []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if c.Queue == second {
				<-hold
			}
			return consume.OrderlySuccess
		})
		w.sendTo(second, 4)
		a.after(10 * time.Second)
		b := w.joinInOrder("192.0.2.11@b", book, nil) // is to have the second queue, which waits for its listener
		a.after(3 * time.Second)
		book.Record(ledger.Reset{Queue: second, To: 2})
		w.orderTargets("broker-a", map[mq.MessageQueue]int64{second: 2})
		w.sendTo(first, 5)
		a.after(2 * time.Second)
		if got := book.got(first); len(got) != 5 {
			t.Errorf("of the other queue %v came, want all five: the queue that is given up must hold up nothing", got)
		}
		commits := w.record(protocol.UpdateConsumerOffset)
		close(hold)
		a.after(time.Second)
		if list := commits.commits(second); len(list) == 0 || list[0].Commit != 2 {
			t.Errorf("commits %v, want 2 first, for the next owner", list)
		}
		s := b.after(20 * time.Second)
		if d := cmp.Diff([]int64{0, 2, 3}, book.got(second)); d != "" {
			t.Errorf("messages of the queue (-want +got):\n%s\n%s", d, texts(s))
		}
		b.caughtUp(s, 1)
	})
}

func TestAnOrderlyMemberConsumesDirectlyAndTellsOfItsLocks(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		answer := consume.OrderlySuccess
		hold := make(chan struct{})
		w.put(first, 8, "", 0)
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Orderly, c.Listener, c.ManualCommit, c.Batch = true, nil, true, 2
			c.OrderlyListener = func(_ context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
				switch {
				case msgs[0].QueueOffset() == 4:
					<-hold
				case len(msgs) == 2:
					return consume.Commit
				}
				return answer
			}
		})
		m.after(10 * time.Second)
		a := w.admin()
		for _, c := range []struct {
			answer consume.OrderlyStatus
			kind   string
		}{
			{consume.OrderlySuccess, protocol.ResultSuccess}, {consume.SuspendCurrentQueueAMoment, protocol.ResultLater},
			{consume.Commit, protocol.ResultCommit}, {consume.Rollback, protocol.ResultRollback},
		} {
			answer = c.answer
			want := protocol.ConsumeMessageDirectlyResult{Order: true, ConsumeResult: c.kind}
			if r, _ := a.directly(m.id, w.stored(1)); r != want {
				t.Errorf("%v: %+v, want %+v", c.answer, r, want)
			}
		}
		info := a.info(m.id, false)
		if info.Properties[protocol.PropConsumeOrderly] != "true" {
			t.Errorf("properties %v", info.Properties)
		}
		q := info.MQTable[first]
		if q.LastLockTimestamp <= 0 || !q.Locked {
			t.Errorf("lock of the queue: %+v", q)
		}
		q.LastLockTimestamp, q.LastPullTimestamp, q.LastConsumeTimestamp = 0, 0, 0
		want := protocol.ProcessQueueInfo{
			CommitOffset: 4, CachedMsgMinOffset: 6, CachedMsgMaxOffset: 7, CachedMsgCount: 2, Locked: true,
			TransactionMsgCount: 2, TransactionMsgMinOffset: 4, TransactionMsgMaxOffset: 5,
		}
		if d := cmp.Diff(want, q); d != "" {
			t.Error(d)
		}
		close(hold)
	})
}

func TestThreadsOfAnOrderlyMemberChange(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
			time.Sleep(100 * time.Millisecond)
			return consume.OrderlySuccess
		}, func(c *consumer.Config) { c.Threads = 1 })
		w.send(80, "a")
		m.after(3 * time.Second)
		if err := m.push.SetThreads(8); err != nil {
			t.Fatal(err)
		}
		s := m.after(5 * time.Second)
		if s.Group.Threads.Max != 8 {
			t.Errorf("threads %+v", s.Group.Threads)
		}
		if err := m.push.SetThreads(2); err != nil {
			t.Fatal(err)
		}
		s = m.after(10 * time.Second)
		m.caughtUp(s, 8)
		if again := book.check(); again != 0 {
			t.Errorf("%d deliveries again", again)
		}
	})
}
