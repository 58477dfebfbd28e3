package consumer_test

import (
	"slices"
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// TestBelieversOfALock: who holds the locks of other members' queues is what they say; a
// hand-over is never two owners.
func TestBelieversOfALock(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, inOrder(0))
		w.put(first, 100, "", 0)
		a.after(5 * time.Second)
		b := w.joinInOrder("192.0.2.11@b", book, inOrder(0))
		a.push.WatchLocks(true)
		b.push.WatchLocks(true)
		doubles := func(s *snapshot.Snapshot) bool {
			return slices.ContainsFunc(s.Queues, func(q snapshot.Queue) bool { return len(q.Lock.Believers) > 1 })
		}
		watch := func(d time.Duration, members ...*member) {
			t.Helper()
			for range d / (250 * time.Millisecond) {
				for _, m := range members {
					if s := m.after(0); doubles(s) {
						t.Fatalf("%s sees two owners\n%s", m.id, texts(s))
					}
				}
			}
		}
		watch(time.Minute, a, b)
		s := a.after(0)
		for id := range int32(4) {
			want := "192.0.2.10@a"
			if id > 1 {
				want = "192.0.2.11@b"
			}
			if got := queue(s, queueOf("broker-a", id)).Lock.Believers; !slices.Equal(got, []string{want}) {
				t.Errorf("queue %d: %v believe to own it, want %s", id, got, want)
			}
		}
		b.stop()
		watch(time.Minute, a)
		book.check()
	})
}

// TestTwoMembersThatBelieveToOwnAQueueAreTold has one that says it holds a lock that is ours.
func TestTwoMembersThatBelieveToOwnAQueueAreTold(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		book := w.orderBook()
		a := w.joinInOrder("192.0.2.10@a", book, inOrder(0))
		w.joinInOrder("192.0.2.11@b", book, inOrder(0))
		a.push.WatchLocks(true)
		s := a.after(30 * time.Second)
		if got := queue(s, first).Lock.Believers; len(got) != 1 || len(told(s, "believe to hold its lock")) > 0 {
			t.Fatalf("%v believe to own it\n%s", got, texts(s))
		}
		lies := w.onCode(protocol.GetConsumerRunningInfo, func(*embedded.Request) embedded.Verdict {
			info := protocol.ConsumerRunningInfo{
				MQTable:         map[mq.MessageQueue]protocol.ProcessQueueInfo{first: {Locked: true}},
				SubscriptionSet: []protocol.SubscriptionData{{Topic: topic, SubString: "*", ExpressionType: protocol.ExpressionTAG}},
			}
			return embedded.Answer(&remoting.Command{Body: info.Encode()})
		})
		s = a.after(50 * time.Second)
		if got := queue(s, first).Lock.Believers; !slices.Equal(got, []string{"192.0.2.10@a", "192.0.2.11@b"}) {
			t.Errorf("%v believe to own it\n%s", got, texts(s))
		}
		if n := len(told(s, "192.0.2.10@a", "192.0.2.11@b", "believe to hold its lock")); n != 1 {
			t.Errorf("told %d times, want once\n%s", n, texts(s))
		}
		lies()
		s = a.after(30 * time.Second)
		if got := queue(s, first).Lock.Believers; len(got) != 1 {
			t.Errorf("%v believe to own it after the other one has seen better", got)
		}
		a.push.WatchLocks(false)
		a.after(5 * time.Second)
		asked := w.record(protocol.GetConsumerRunningInfo)
		a.after(2 * time.Minute)
		if n := len(asked.all(func(request) bool { return true })); n > 0 {
			t.Errorf("members were asked %d times while nobody looked at locks", n)
		}
	})
}
