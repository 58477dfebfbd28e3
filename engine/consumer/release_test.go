package consumer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// TestALockIsReleasedByHandAfterTheListener: the broker keeps the lock until what runs is
// committed, then another member may have it; ours goes on where that left off.
func TestALockIsReleasedByHandAfterTheListener(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		other := w.locker("192.0.2.66@other")
		held := make(chan struct{})
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, func(_ context.Context, msgs []mq.Message, _ *consume.OrderlyContext) consume.OrderlyStatus {
			if msgs[0].QueueOffset() == 4 {
				<-held
			}
			return consume.OrderlySuccess
		})
		w.sendTo(first, 10)
		m.after(2 * time.Second)
		m.push.ReleaseLock(first)
		m.after(3 * time.Second)
		if got := w.take(other, first); len(got) != 0 || w.committed(first) > 4 {
			t.Errorf("the lock is free (%v) and %d is committed while the listener has offset 4", got, w.committed(first))
		}
		close(held)
		m.after(time.Second)
		if w.committed(first) != 5 {
			t.Errorf("committed %d, want 5: what ran is done", w.committed(first))
		}
		if got := w.take(other, first); len(got) != 1 {
			t.Error("another member does not get the lock")
		}
		if q := queue(m.after(time.Second), first); q.State != snapshot.Resolving || book.succeeded() != 5 {
			t.Errorf("%v, %d messages succeeded, want 5 and no more", q.State, book.succeeded())
		}
		if err := other.UnlockBatch(w.ctx, group, first.BrokerName, []mq.MessageQueue{first}); err != nil {
			t.Error(err)
		}
		m.after(time.Second)
		if book.succeeded() != 5 {
			t.Error("taken back at once")
		}
		m.after(20 * time.Second)
		synctest.Wait()
		if book.succeeded() != 10 || book.check() != 0 {
			t.Errorf("%d of 10 messages succeeded", book.succeeded())
		}
	})
}
