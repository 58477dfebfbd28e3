package consumer_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// wants makes a member subscribe to these topics, each with tags after a colon.
func wants(list ...string) func(*consumer.Config) {
	return func(c *consumer.Config) {
		c.Subscriptions = nil
		for _, text := range list {
			name, expression, _ := strings.Cut(text, ":")
			c.Subscriptions = append(c.Subscriptions, consumer.Subscription{Topic: name, Expression: expression})
		}
	}
}

func memberOf(s *snapshot.Snapshot, id string) snapshot.Member {
	i := slices.IndexFunc(s.Members, func(m snapshot.Member) bool { return m.ID == id })
	if i < 0 {
		return snapshot.Member{}
	}
	return s.Members[i]
}

// unread are the queues that a snapshot says nobody reads.
func unread(s *snapshot.Snapshot) (ids []mq.MessageQueue) {
	for _, q := range s.Queues {
		if strings.Contains(q.Note, "read by nobody") && q.Mark == snapshot.MarkBad {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// TestFR6AMemberWithoutATopic: half of the topic's queues are allotted to a member that does
// not want them. That is told by both, shown at the queues, and over once it subscribes.
func TestFR6AMemberWithoutATopic(t *testing.T) {
	const idA, idB = "192.0.2.10@a", "192.0.2.11@b"
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		w.createTopic("pays", 4)
		pays := func(id int32) mq.MessageQueue {
			return mq.MessageQueue{Topic: "pays", BrokerName: "broker-a", QueueID: id}
		}
		a := w.join(idA, nil, wants(topic, "pays"))
		a.after(7 * time.Second) // heartbeats of two members come at different times
		b := w.join(idB, nil, wants(topic))
		a.after(90 * time.Second) // until both know of each other
		for id := range int32(4) {
			w.put(pays(id), 10, "", 0)
		}
		s := a.after(20 * time.Second)
		want := []snapshot.Difference{{Topic: "pays", Ours: "*"}}
		if diff := cmp.Diff(want, memberOf(s, idB).Differs); diff != "" {
			t.Errorf("a sees b differ (-want +got):\n%s", diff)
		}
		if n := len(told(s, idB, "pays only here", "read by nobody", "Make all members")); n != 1 {
			t.Errorf("told %d times, want once\n%s", n, texts(s))
		}
		if diff := cmp.Diff([]mq.MessageQueue{pays(2), pays(3)}, unread(s)); diff != "" {
			t.Errorf("queues that nobody reads (-want +got):\n%s", diff)
		}
		sb := b.after(0)
		if diff := cmp.Diff([]snapshot.Difference{{Topic: "pays", Theirs: "*"}}, memberOf(sb, idA).Differs); diff != "" || len(told(sb, idA, "pays only there")) != 1 {
			t.Errorf("b sees a differ (-want +got):\n%s\n%s", diff, texts(sb))
		}
		if m := memberOf(sb, idB); m.Told.State != snapshot.NotApplicable || len(m.Differs) > 0 {
			t.Errorf("b differs from itself: %+v", m)
		}
		if n := distinct(a); n > 20 {
			t.Errorf("a was given %d messages of 2 queues with 10 each", n)
		}

		if err := b.push.Subscribe(consumer.Subscription{Topic: "pays"}); err != nil {
			t.Fatal(err)
		}
		s = a.after(6 * time.Minute)
		if got := memberOf(s, idB).Differs; len(got) > 0 || len(unread(s)) > 0 || len(told(s, idB, "subscribes as this member does now")) != 1 {
			t.Errorf("b still differs: %v, unread %v\n%s", got, unread(s), texts(s))
		}
		if n := distinct(a, b); n != 40 {
			t.Errorf("%d messages of 40", n)
		}
	})
}

func TestFR6MembersWithDifferentTags(t *testing.T) {
	const idA, idB = "192.0.2.10@a", "192.0.2.11@b"
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a := w.join(idA, nil, wants(topic+":PAID || OPEN"))
		a.after(time.Second)
		a.after(6 * time.Second)
		b := w.join(idB, nil, wants(topic+":REFUND"))
		s := a.after(time.Minute)
		got := memberOf(s, idB).Differs
		want := []snapshot.Difference{{Topic: topic, Ours: "OPEN || PAID", Theirs: "REFUND"}}
		// Whose version is the newer one changes with each queue that moves.
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(snapshot.Difference{}, "TheirsIsNewer")); diff != "" || len(told(s, idB, "OPEN || PAID here and REFUND there", "the rest is skipped")) != 1 {
			t.Errorf("a sees b differ (-want +got):\n%s\n%s", diff, texts(s))
		}
		b.stop()
		if s = a.after(30 * time.Second); len(s.Members) != 1 {
			t.Errorf("members %v after b left", s.Members)
		}
	})
}

// TestMembersThatSubscribeAlikeAreLeftAlone: brokers are asked, and no member is.
func TestMembersThatSubscribeAlikeAreLeftAlone(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		members, brokers := w.record(protocol.GetConsumerRunningInfo), w.record(protocol.GetConsumerConnectionList)
		a := w.join("192.0.2.10@a", nil, wants(topic+":A || B"))
		a.after(5 * time.Second)
		w.join("192.0.2.11@b", nil, wants(topic+":B||A"))
		w.join("192.0.2.12@c", nil, wants(topic+": B || A "))
		s := a.after(5*time.Minute + 30*time.Second)
		for _, m := range s.Members {
			if len(m.Differs) > 0 || m.Told.OK() {
				t.Errorf("%+v", m)
			}
		}
		if got := told(s, "subscribes"); len(got) > 0 {
			t.Errorf("told %v", got)
		}
		any := func(request) bool { return true }
		if n := len(members.all(any)); n > 0 {
			t.Errorf("members were asked %d times", n)
		}
		if n := len(brokers.all(any)); n < 45 || n > 90 {
			t.Errorf("brokers were asked %d times in 5.5 minutes, want about every 20 s by each of 3", n)
		}
	})
}

// TestAMemberThatDoesNotTell: what others think of us stays as it was, and the reason is shown.
func TestAMemberThatDoesNotTell(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.onCode(protocol.GetConsumerRunningInfo, func(*embedded.Request) embedded.Verdict {
			return embedded.Fail(protocol.ConsumeMsgTimeout, "consumer <g> <b> timeout")
		})
		a := w.join("192.0.2.10@a", nil, wants(topic+":A"))
		a.after(7 * time.Second)
		w.join("192.0.2.11@b", nil, wants(topic+":B"))
		s := a.after(2 * time.Minute)
		if m := memberOf(s, "192.0.2.11@b"); m.Told.OK() || !strings.Contains(m.Told.Reason, "it does not tell") || len(m.Differs) > 0 {
			t.Errorf("%+v", m)
		}
		if len(owned(s)) != 1 {
			t.Errorf("owns %v", owned(s))
		}
	})
}

func TestAnAskedMemberThatIsSilentDoesNotHoldUpTheEnd(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		asked := w.record(protocol.GetConsumerRunningInfo)
		w.onCode(protocol.GetConsumerRunningInfo, func(*embedded.Request) embedded.Verdict { return embedded.Drop })
		a := w.join("192.0.2.10@a", nil, wants(topic+":A"))
		a.after(7 * time.Second)
		w.join("192.0.2.11@b", nil, wants(topic+":B"))
		a.after(6 * time.Second)
		if n := len(asked.all(func(request) bool { return true })); n == 0 {
			t.Error("nobody was asked")
		}
		begin := time.Now()
		a.stop()
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

// TestFR6LiteConsumersSeeEachOther: consumers that are asked for messages watch their group alike.
func TestFR6LiteConsumersSeeEachOther(t *testing.T) {
	const idA, idB = "192.0.2.10@a", "192.0.2.11@b"
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		with := func(tag string) func(c *consumer.Lite) error {
			return func(c *consumer.Lite) error { return c.Subscribe(topic, consumer.Selector{Expression: tag}, nil) }
		}
		_, a := w.lite(idA, with("A"))
		a.after(7 * time.Second)
		_, b := w.lite(idB, with("B"))
		s := a.after(2 * time.Minute)
		if got := memberOf(s, idB).Differs; len(got) != 1 || got[0].Ours != "A" || got[0].Theirs != "B" {
			t.Errorf("a sees b differ: %+v\n%s", got, texts(s))
		}
		a.stop()
		b.stop()
	})
}
