package consumer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

func brokerSide(c *consumer.Config) { c.BrokerRebalance = true }

// allotted says who allots a topic, as a snapshot shows it.
func allotted(s *snapshot.Snapshot, name string) (who, note string) {
	for _, t := range s.Topics {
		if t.Name == name {
			return t.AllottedBy, t.AllotNote
		}
	}
	return "", "no such topic"
}

// split checks that members together own n queues of topic, each once, and returns how many each has.
func (w *world) split(n int, members ...*member) (counts []int) {
	w.t.Helper()
	owners := map[mq.MessageQueue]string{}
	for _, m := range members {
		mine := owned(m.after(0))
		counts = append(counts, len(mine))
		for _, q := range mine {
			if other, taken := owners[q]; taken {
				w.t.Errorf("%v is owned by %s and %s", q, other, m.id)
			}
			owners[q] = m.id
		}
	}
	if len(owners) != n {
		w.t.Errorf("%d queues are owned, want %d", len(owners), n)
	}
	return counts
}

func TestBrokersDivideTheQueues(t *testing.T) {
	for _, tt := range []struct {
		name   string
		others func(*consumer.Config)
	}{
		{"among members that all let them", brokerSide},
		{"beside a member that divides by itself", func(*consumer.Config) {}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 2, func(w *world) {
				w.createTopic(topic, 4)
				a := w.join("192.0.2.10@a", nil, brokerSide)
				s := a.after(5 * time.Second)
				if who, note := allotted(s, topic); who != "broker" || note != "" || len(owned(s)) != 8 {
					t.Errorf("%d queues by %q (%s), want 8 by the broker\n%s", len(owned(s)), who, note, texts(s))
				}
				b := w.join("192.0.2.11@b", nil, tt.others)
				w.send(100, "x")
				s = a.after(30 * time.Second)
				if counts := w.split(8, a, b); !slices.Equal(counts, []int{4, 4}) {
					t.Errorf("split is %v\n%s", counts, texts(s))
				}
				for i := range s.Queues {
					if q := &s.Queues[i]; q.ID.Topic == topic && !q.Owner.OK() {
						t.Errorf("owner of %v is not known: %s", q.ID, q.Owner.Reason)
					}
				}
				if len(s.Members) != 2 {
					t.Errorf("members %v", s.Members)
				}
				a.stop()
				w.send(100, "y")
				s = b.after(30 * time.Second)
				b.caughtUp(s, 8)
				if distinct(a, b) != 200 {
					t.Errorf("%d messages, want 200", distinct(a, b))
				}
			})
		})
	}
}

func TestTheBrokerIsToldTheStrategy(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		circle := func(c *consumer.Config) { c.Strategy = rebalance.AveragelyByCircle{} }
		a := w.join("192.0.2.10@a", nil, brokerSide, circle)
		b := w.join("192.0.2.11@b", nil, brokerSide, circle)
		s := a.after(30 * time.Second)
		w.split(4, a, b)
		if got, want := owned(s), []mq.MessageQueue{queueOf("broker-a", 0), queueOf("broker-a", 2)}; !slices.Equal(got, want) {
			t.Errorf("a owns %v, want %v", got, want)
		}
	})
}

// TestMembersDivideWhereTheBrokerDoesNot is the fallback of clients before 5.3.2.
func TestMembersDivideWhereTheBrokerDoesNot(t *testing.T) {
	for _, tt := range []struct {
		name    string
		verdict embedded.Verdict
		asked   int // times for a topic
		note    string
	}{
		{"since it does not know the request", embedded.Fail(protocol.RequestCodeNotSupported, " request type 400 not supported"), 1, "request type 400 not supported"},
		{"since it never answers", embedded.Drop, 3, "did not answer 3 questions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				asked := w.record(protocol.QueryAssignment)
				w.onCode(protocol.QueryAssignment, func(*embedded.Request) embedded.Verdict { return tt.verdict })
				a := w.join("192.0.2.10@a", nil, brokerSide)
				b := w.join("192.0.2.11@b", nil, brokerSide)
				w.send(50, "x")
				s := a.after(2 * time.Minute)
				if counts := w.split(4, a, b); !slices.Equal(counts, []int{2, 2}) {
					t.Errorf("split is %v\n%s", counts, texts(s))
				}
				who, note := allotted(s, topic)
				if who != "AVG" || !strings.Contains(note, tt.note) || len(told(s, tt.note, "members do, by AVG")) == 0 {
					t.Errorf("by %q (%s), want by AVG since %q, and that it is told\n%s", who, note, tt.note, texts(s))
				}
				// Two members have two topics each, the retry topic of the group is one.
				if n := len(asked.all(func(request) bool { return true })); n != 4*tt.asked {
					t.Errorf("asked %d times, want %d by each member for each topic", n, tt.asked)
				}
				if distinct(a, b) != 50 {
					t.Errorf("%d messages, want 50", distinct(a, b))
				}
			})
		})
	}
}

func TestABrokerThatForgotItsMembersTakesNoQueueAway(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a := w.join("192.0.2.10@a", nil, brokerSide)
		w.send(10, "x")
		a.after(10 * time.Second)
		for _, down := range []time.Duration{100 * time.Millisecond, 5 * time.Second, 45 * time.Second} {
			w.stopBroker("broker-a")
			a.after(down)
			w.startBroker("broker-a")
			w.put(first, 1, "", 0)
			s := a.after(40 * time.Second)
			if len(owned(s)) != 4 || len(told(s, "given up")) > 0 {
				t.Errorf("after %v owns %v\n%s", down, owned(s), texts(s))
			}
			if who, _ := allotted(s, topic); who != "broker" {
				t.Errorf("after %v %q allots", down, who)
			}
		}
		if n := distinct(a); n != 13 {
			t.Errorf("%d messages, want 13", n)
		}
	})
}

// TestABrokerThatIsDownAtTheStartIsAskedWhenItIsBack: being away says nothing of what it can.
func TestABrokerThatIsDownAtTheStartIsAskedWhenItIsBack(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		w.net.Refuse(addrOf("broker-a"), errors.New("down"))
		w.net.Refuse(addrOf("broker-b"), errors.New("down"))
		a := w.join("192.0.2.10@a", nil, brokerSide)
		a.after(20 * time.Second)
		w.net.Refuse(addrOf("broker-a"), nil)
		w.net.Refuse(addrOf("broker-b"), nil)
		s := a.after(40 * time.Second)
		if who, note := allotted(s, topic); who != "broker" || len(owned(s)) != 4 {
			t.Errorf("%d queues by %q (%s), want 4 by the broker\n%s", len(owned(s)), who, note, texts(s))
		}
	})
}

func TestWithoutServerLoadBalancingOnlyOurQueuesAreKnown(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a := w.join("192.0.2.10@a", nil, brokerSide)
		w.join("192.0.2.11@b", nil, brokerSide)
		s := a.after(time.Minute)
		if len(owned(s)) != 4 || len(told(s, "all 4 queues although there are 2 members")) != 1 {
			t.Errorf("owns %v, want all, and that it is told\n%s", owned(s), texts(s))
		}
	}, func(c *embedded.Config) { c.NoServerLoadBalancing = true })
}

// requestMode sets the mode of topic for the group, at every broker.
func (w *world) requestMode(c *remoting.Client, mode string) {
	w.t.Helper()
	for _, b := range w.brokers {
		resp, err := c.Call(w.ctx, addrOf(b), &remoting.Command{
			Code: int32(protocol.SetMessageRequestMode),
			Body: protocol.SetMessageRequestModeRequest{ConsumerGroup: group, Topic: topic, Mode: mode}.Encode(),
		})
		if err != nil || resp.Code != 0 {
			w.t.Fatalf("set the mode to %s: %v %v", mode, resp, err)
		}
	}
}

func TestATopicToBePoppedIsToldAndPulledOn(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a := w.join("192.0.2.10@a", nil, brokerSide)
		a.after(10 * time.Second)
		admin := w.stranger()
		w.requestMode(admin, protocol.ModePop)
		s := a.after(time.Minute)
		if n := len(told(s, "to be popped by group g", "setConsumeMode -c CLUSTER -t orders -g g -m PULL")); n != 1 || len(owned(s)) != 4 {
			t.Errorf("told %d times, owns %v\n%s", n, owned(s), texts(s))
		}
		w.requestMode(admin, protocol.ModePull)
		b := w.join("192.0.2.11@b", nil, brokerSide)
		a.after(30 * time.Second)
		w.split(4, a, b)
	})
}

// TestWhatCameBackOfPoppedMessagesIsConsumed covers a topic that was switched from POP to PULL.
func TestWhatCameBackOfPoppedMessagesIsConsumed(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		retry := mq.PopRetryTopic(topic, group)
		a := w.join("192.0.2.10@a", nil, brokerSide)
		if s := a.after(10 * time.Second); slices.ContainsFunc(s.Topics, func(t snapshot.Topic) bool { return t.Name == retry }) {
			t.Errorf("%s is subscribed to though nothing was popped", retry)
		}
		w.createTopic(retry, 1)
		w.put(mq.MessageQueue{Topic: retry, BrokerName: "broker-a"}, 3, "", 0)
		s := a.after(time.Minute)
		if distinct(a) != 3 || len(told(s, "was popped by this group once")) != 1 {
			t.Errorf("%d messages, want the 3 that came back\n%s", distinct(a), texts(s))
		}
		if err := a.push.Unsubscribe(topic); err != nil {
			t.Fatal(err)
		}
		if s = a.after(5 * time.Second); len(s.Group.Subscriptions) != 1 {
			t.Errorf("subscriptions are left: %v", s.Group.Subscriptions)
		}
	})
}

func TestPullConsumersDoNotAskForAssignments(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		asked := w.record(protocol.QueryAssignment)
		a := w.join("192.0.2.10@a", nil)
		s := a.after(30 * time.Second)
		if who, note := allotted(s, topic); who != "AVG" || note != "" {
			t.Errorf("by %q (%s)", who, note)
		}
		if n := len(asked.all(func(request) bool { return true })); n > 0 {
			t.Errorf("asked for assignments %d times without being told to", n)
		}
	})
}
