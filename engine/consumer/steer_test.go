package consumer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

func TestThreadsChangeWhileAMemberRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", takes(time.Second), func(c *consumer.Config) { c.Threads = 2 })
		w.sendTo(first, 400)
		m.after(5 * time.Second)
		if err := m.push.SetThreads(50); err != nil {
			t.Fatal(err)
		}
		s := m.after(time.Second)
		if s.Group.Threads.Max != 50 || s.Group.Threads.Busy != 50 {
			t.Errorf("threads %+v, want 50 busy", s.Group.Threads)
		}
		if err := m.push.SetThreads(1); err != nil {
			t.Fatal(err)
		}
		s = m.after(3 * time.Second)
		if s.Group.Threads.Max != 1 || s.Group.Threads.Busy != 1 {
			t.Errorf("threads %+v, want 1", s.Group.Threads)
		}
		s = m.after(6 * time.Minute)
		if distinct(m) != 400 || repeated(m) != 0 {
			t.Errorf("%d messages, %d again, want each once", distinct(m), repeated(m))
		}
		m.caughtUp(s, 1)
		if len(told(s, "consume threads: 2 → 50")) != 1 || len(told(s, "consume threads: 50 → 1")) != 1 {
			t.Errorf("not told:\n%s", texts(s))
		}
		for _, n := range []int{0, -1, 1001} {
			if m.push.SetThreads(n) == nil {
				t.Errorf("%d threads were accepted", n)
			}
		}
	})
}

func TestLimitsChangeWhileAMemberRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		release := make(chan struct{})
		m := w.join("192.0.2.10@me", holds(release), func(c *consumer.Config) { c.Pull.Limits.CountPerQueue = 32 })
		w.sendTo(first, 300)
		s := m.after(5 * time.Second)
		if q := queue(s, first); q.Count.V != 64 || q.Flow.Cause == "" {
			t.Fatalf("%d cached, flow %+v, want flow control at two pulls", q.Count.V, q.Flow)
		}
		if err := m.push.SetLimits(pull.Limits{CountPerQueue: 200}); err != nil {
			t.Fatal(err)
		}
		s = m.after(40 * time.Millisecond) // sooner than the put-back of 50 ms
		if q := queue(s, first); q.Count.V != 224 || s.Group.Limits.CountPerQueue != 200 || s.Group.Limits.Span != 2000 {
			t.Errorf("%d cached with limits %+v, want 224 above 200 at once", q.Count.V, s.Group.Limits)
		}
		if err := m.push.SetLimits(pull.Limits{CountPerTopic: 100}); err != nil {
			t.Fatal(err)
		}
		s = m.after(time.Second)
		if s.Group.Limits.CountPerQueue != 50 { // with the retry queue there are two
			t.Errorf("limits %+v, want 50 for each of two queues", s.Group.Limits)
		}
		if len(told(s, "limits of a queue are now 50 messages, 100 MiB, span 2000")) != 1 {
			t.Errorf("not told:\n%s", texts(s))
		}
		close(release)
		s = m.after(10 * time.Second)
		m.caughtUp(s, 1)
		err := m.push.SetLimits(pull.Limits{CountPerQueue: -1, MiBPerQueue: 1025, Span: 65536, CountPerTopic: 6553501, MiBPerTopic: -4})
		for _, field := range []string{"CountPerQueue is -1", "MiBPerQueue is 1025", "Span is 65536", "CountPerTopic is 6553501", "MiBPerTopic is -4"} {
			if err == nil || !strings.Contains(err.Error(), field) {
				t.Errorf("the error %v does not say %q", err, field)
			}
		}
	})
}

func TestLimitsForATopicAreSharedOutAnewWhenQueuesComeAndGo(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 7)
		limits := func(c *consumer.Config) { c.Pull.Limits.CountPerTopic, c.Pull.Limits.MiBPerTopic = 4000, 4 }
		a := w.join("192.0.2.10@a", nil, limits)
		s := a.after(10 * time.Second)
		if l := s.Group.Limits; l.CountPerQueue != 500 || l.MiBPerQueue != 1 {
			t.Errorf("limits %+v, want 4000 and 4 MiB shared among 8 queues, one at least", l)
		}
		b := w.join("192.0.2.11@b", nil, limits)
		s = a.after(10 * time.Second)
		if l := s.Group.Limits; l.CountPerQueue != 800 {
			t.Errorf("limits %+v, want 4000 shared among 5 queues", l)
		}
		b.stop()
		if s = a.after(10 * time.Second); s.Group.Limits.CountPerQueue != 500 {
			t.Errorf("limits %+v, want 4000 shared among 8 queues again", s.Group.Limits)
		}
	})
}

// sendOn sends n messages to a topic.
func (w *world) sendOn(topic string, n int, tag string) {
	w.t.Helper()
	for i := range n {
		w.sendOne(client.OutMessage{Topic: topic, Tags: tag, Body: fmt.Appendf(nil, "%s-%s-%d", topic, tag, i)})
	}
}

func TestATopicIsAddedWhileAMemberRuns(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		w.createTopic("more", 3)
		m := w.join("192.0.2.10@me", nil)
		m.after(10 * time.Second)
		w.sendOn("more", 60, "a")
		if err := m.push.Subscribe(consumer.Subscription{Topic: "more"}); err != nil {
			t.Fatal(err)
		}
		s := m.after(5 * time.Second)
		if distinct(m) != 60 {
			t.Errorf("%d messages of the new topic within 5 s, want 60:\n%s", distinct(m), texts(s))
		}
		w.sendOn(topic, 10, "b")
		m.after(10 * time.Second)
		if distinct(m) != 70 || repeated(m) != 0 {
			t.Errorf("%d messages, %d again, want 70 once", distinct(m), repeated(m))
		}
		for _, broker := range w.brokers {
			for id := range int32(3) {
				q := mq.MessageQueue{Topic: "more", BrokerName: broker, QueueID: id}
				if got, want := w.committed(q), w.end(q); got != want {
					t.Errorf("%v: committed %d of %d", q, got, want)
				}
			}
		}
		info := w.admin().info(m.id, false)
		if len(info.SubscriptionSet) != 3 {
			t.Errorf("tells tools of %v", info.SubscriptionSet)
		}
		b := w.join("192.0.2.11@b", nil, func(c *consumer.Config) {
			c.Subscriptions = append(c.Subscriptions, consumer.Subscription{Topic: "more"})
		})
		if s = b.after(10 * time.Second); len(s.Queues) != 2*(2+3+1) {
			t.Errorf("another member sees %d queues", len(s.Queues))
		}
		if got := len(ownedOf(s, "more")); got != 3 {
			t.Errorf("another member owns %d of the six queues of the new topic, want half", got)
		}
	})
}

// ownedOf are our queues of a topic.
func ownedOf(s *snapshot.Snapshot, name string) (out []mq.MessageQueue) {
	for _, q := range s.Queues {
		if q.ID.Topic == name && q.Mine && q.State != snapshot.NotOwned {
			out = append(out, q.ID)
		}
	}
	return out
}

func TestATopicThatComesLaterIsConsumedOnceItIsThere(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		m.after(5 * time.Second)
		if err := m.push.Subscribe(consumer.Subscription{Topic: "late"}); err != nil {
			t.Fatal(err)
		}
		s := m.after(5 * time.Second)
		if len(told(s, "no route yet")) != 1 {
			t.Errorf("not told that there is no route:\n%s", texts(s))
		}
		w.createTopic("late", 1)
		w.sendOn("late", 5, "a")
		m.after(40 * time.Second)
		if distinct(m) != 5 {
			t.Errorf("%d messages, want 5", distinct(m))
		}
	})
}

func TestATopicIsLeftWithItsOffsetsCommitted(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.createTopic("more", 2)
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Subscriptions = append(c.Subscriptions, consumer.Subscription{Topic: "more"})
		})
		m.after(6 * time.Second)
		w.sendOn("more", 20, "a")
		time.Sleep(100 * time.Millisecond) // consumed, not committed yet
		pulls := w.record(protocol.PullMessage)
		if err := m.push.Unsubscribe("more"); err != nil {
			t.Fatal(err)
		}
		s := m.after(time.Second)
		for id := range int32(2) {
			q := mq.MessageQueue{Topic: "more", BrokerName: "broker-a", QueueID: id}
			if at := w.committed(q); at != w.end(q) {
				t.Errorf("%v: committed %d of %d", q, at, w.end(q))
			}
		}
		if got := ownedOf(s, "more"); len(got) != 0 {
			t.Errorf("still owns %v", got)
		}
		for _, topic := range s.Topics {
			if topic.Name == "more" {
				t.Error("the topic is still shown")
			}
		}
		if len(told(s, "unsubscribed from more")) != 1 || len(told(s, "given up: unsubscribed")) != 2 {
			t.Errorf("not told:\n%s", texts(s))
		}
		w.sendOn("more", 20, "b")
		w.sendOn(topic, 10, "c")
		s = m.after(time.Minute)
		if distinct(m) != 30 {
			t.Errorf("%d messages, want 20 and the 10 of the topic that stays", distinct(m))
		}
		m.caughtUp(s, 2)
		if n := len(pulls.all(func(r request) bool { return r.Queue.Topic == "more" })); n != 0 {
			t.Errorf("%d pulls of the topic after it was left", n)
		}
		// And back again: it goes on where it was left.
		if err := m.push.Subscribe(consumer.Subscription{Topic: "more"}); err != nil {
			t.Fatal(err)
		}
		m.after(10 * time.Second)
		if distinct(m) != 50 || repeated(m) != 0 {
			t.Errorf("%d messages, %d again, want 50 once", distinct(m), repeated(m))
		}
	})
}

func TestAnExpressionChangesWhileAMemberRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) { c.Subscriptions[0].Expression = "red" })
		m.after(5 * time.Second)
		w.sendOn(topic, 5, "red")
		w.sendOn(topic, 5, "blue")
		m.after(5 * time.Second)
		if distinct(m) != 5 {
			t.Fatalf("%d messages, want the 5 red ones", distinct(m))
		}
		refused := 0
		if err := m.push.Subscribe(consumer.Subscription{Topic: topic, Expression: "blue || green"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second) // the held pull still has the old filter
		w.sendOn(topic, 7, "red")
		w.sendOn(topic, 7, "green")
		s := m.after(20 * time.Second)
		refused = int(s.Counters.PullsFailed)
		if m.deliveries("orders-green-6") != 1 || m.deliveries("orders-red-6") != 0 || distinct(m) != 12 {
			t.Errorf("%d messages, want the red ones of before and the green ones:\n%s", distinct(m), texts(s))
		}
		if refused != 0 {
			t.Errorf("%d pulls failed, want none: brokers knew each subscription before a pull came with it", refused)
		}
		m.caughtUp(s, 1)
	})
}

func TestSubscriptionsThatCanNotBe(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		m.after(5 * time.Second)
		for name, sub := range map[string]consumer.Subscription{
			"a blank topic": {}, "a bad name": {Topic: "a b"}, "the retry topic": {Topic: mq.RetryTopic(group)},
			"separators alone": {Topic: "t", Expression: "||"},
		} {
			if m.push.Subscribe(sub) == nil {
				t.Errorf("%s was accepted", name)
			}
		}
		if m.push.Unsubscribe(mq.RetryTopic(group)) == nil {
			t.Error("the retry topic was left")
		}
		if err := m.push.Unsubscribe("unknown"); err != nil {
			t.Error(err)
		}
		s := m.after(time.Second)
		if e := told(s, "not subscribed to unknown"); len(e) != 1 || e[0].Level != snapshot.Warn {
			t.Errorf("told %v", e)
		}
	})
}
