package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

func tagged(expression string) func(*consumer.Config) {
	return func(c *consumer.Config) { c.Subscriptions[0].Expression = expression }
}

func TestP11TagsWithTheSameHashAreToldApart(t *testing.T) {
	if mq.HashJava("AaAa") != mq.HashJava("BBBB") {
		t.Fatal("the tags do not have the same hash")
	}
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.Tags() != "AaAa" {
				t.Errorf("a message with tag %q was delivered", msg.Tags())
			}
			return consume.Success
		}, tagged("AaAa"))
		for range 20 {
			w.send(5, "AaAa")
			w.send(5, "BBBB")
			time.Sleep(100 * time.Millisecond)
		}
		s := m.after(6 * time.Second)
		if n := m.deliveries("AaAa-4"); n != 20 || distinct(m) != 5 || s.Counters.Filtered != 100 {
			t.Errorf("the fifth was delivered %d times, %d filtered, want 20 and 100", n, s.Counters.Filtered)
		}
		m.caughtUp(s, 2)
	})
}

func TestP12TagsWithNegativeHashesAreMatched(t *testing.T) {
	// Java's hash of these wraps around: -1707235836, -1582595708, -2147483648.
	tags := []string{strings.Repeat("long-tag-", 11), strings.Repeat("long-tag-", 13), "polygenelubricants"}
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		for _, tag := range tags {
			if mq.HashJava(tag) >= 0 {
				t.Fatalf("the hash of %q is not negative", tag)
			}
			w.send(3, tag)
			w.send(3, tag+"-other")
		}
		m := w.join("192.0.2.10@me", nil, tagged(strings.Join(tags, " || ")))
		m.caughtUp(m.after(6*time.Second), 1)
		for _, tag := range tags {
			if m.deliveries(tag+"-2") != 1 {
				t.Errorf("messages with tag %q were not delivered", tag)
			}
		}
		if distinct(m) != 9 {
			t.Errorf("%d messages were delivered, want 9", distinct(m))
		}
	})
}

func TestP13MessagesThatNobodyWantsLeaveNoLag(t *testing.T) {
	tests := []struct {
		name   string
		tag    string // of the messages that are not wanted
		before int    // wanted ones stored before them, whose listener takes two seconds
	}{
		{"the broker filters them", "other", 0},
		{"FB10: only their hash matches, the member filters them", "BBBB", 0},
		{"behind messages that take long, filtered by the broker", "other", 5},
		{"behind messages that take long, filtered by the member", "BBBB", 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, tt.before, "AaAa", 0)
				w.put(first, 1000, tt.tag, 0)
				m := w.join("192.0.2.10@me", takes(2*time.Second), tagged("AaAa"))
				// Half a second until the first pull, two in the listener, five until offsets are sent.
				s := m.after(7600 * time.Millisecond)
				m.caughtUp(s, 1)
				if distinct(m) != tt.before {
					t.Errorf("%d messages were delivered, want %d", distinct(m), tt.before)
				}
			})
		})
	}
}

// TestFB10FilteredMessagesDoNotHideWhatIsNotResolved: the offset may pass what was filtered
// out, not a message that is still in a listener before it.
func TestFB10FilteredMessagesDoNotHideWhatIsNotResolved(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "AaAa", 0)
		w.put(first, 500, "other", 0)
		w.put(first, 100, "BBBB", 0)
		seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
		hold := make(chan struct{})
		m := w.join("192.0.2.10@me", func(ctx context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.QueueOffset() == 7 {
				<-hold
			}
			return consume.Success
		}, tagged("AaAa"))
		m.after(time.Minute)
		for _, c := range seen.commits(first) {
			if c.Commit > 7 {
				t.Fatalf("%d was committed while 7 is in a listener", c.Commit)
			}
		}
		if got := w.committed(first); got != 7 {
			t.Errorf("%d committed, want 7", got)
		}
		close(hold)
		m.caughtUp(m.after(6*time.Second), 1)
	})
}

// TestP34OverlappingAnswers: each answer brings half of the one before again.
func TestP34OverlappingAnswers(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 320, "", 0)
		books := w.ledger()
		all := w.records(first)
		w.onPull(first, overlapping(all))
		m := w.join("192.0.2.10@me", takes(300*time.Millisecond))
		s := m.after(15 * time.Second)
		q := queue(s, first)
		if q.Count.V != 0 || q.Bytes.V != 0 || q.Span.V != 0 || len(s.Windows[first].Runs) != 0 {
			t.Errorf("left in the process queue: count %d, bytes %d, span %d, %v", q.Count.V, q.Bytes.V, q.Span.V, s.Windows[first].Runs)
		}
		if distinct(m) != 320 || s.Counters.Duplicates == 0 {
			t.Errorf("%d of 320 delivered, %d duplicates counted", distinct(m), s.Counters.Duplicates)
		}
		if len(told(s, "brings messages again")) == 0 {
			t.Errorf("nothing says that messages come again:\n%s", texts(s))
		}
		m.caughtUp(s, 1)
		books.check()
		if n := m.deliveries(fmt.Sprintf("0-%d ", 100)); n != 1 {
			t.Errorf("a message that was cached when it came again was delivered %d times", n)
		}
	})
}

// TestAPushSubscriptionBySQL: a broker that has SQL92 switched off is found at the start; once
// it lets the expression pass, heartbeats and pulls carry its type, and the refusals of pulls
// say what to do.
func TestAPushSubscriptionBySQL(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		beats, pulls := w.watch(protocol.HeartBeat), w.watch(protocol.PullMessage)
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Subscriptions[0].Expression, c.Subscriptions[0].Type = "a > 5", protocol.ExpressionSQL92
		})
		s := m.after(2 * time.Second)
		const refused, remedy = "does not support consumer to filter message by", "set enablePropertyFilter=true at the broker, or select by tags"
		if s.Source.State != snapshot.Failing || !strings.Contains(s.Source.Err, refused) || !strings.Contains(s.Source.Err, remedy) {
			t.Errorf("the source is %+v", s.Source)
		}
		w.cluster.Intercept(int32(protocol.CheckClientConfig), func(*embedded.Request) embedded.Verdict {
			return embedded.Answer(&remoting.Command{})
		})
		s = m.after(20 * time.Second)
		asked := headersOf[protocol.PullMessageRequest](w, pulls.take())
		asked = slices.DeleteFunc(asked, func(h protocol.PullMessageRequest) bool { return h.Topic != topic })
		if len(asked) == 0 || asked[0].ExpressionType != protocol.ExpressionSQL92 || asked[0].Subscription != "" {
			t.Errorf("pulls are %+v, want the type alone: brokers know the expression by heartbeats", asked)
		}
		if len(told(s, refused, remedy)) == 0 {
			t.Errorf("refused pulls are not told with what to do:\n%s", texts(s))
		}
		for _, b := range beats.take() {
			d, err := protocol.DecodeHeartbeatData(b.cmd.Body)
			if err != nil || len(d.ConsumerDataSet) != 1 {
				continue
			}
			for _, sub := range d.ConsumerDataSet[0].SubscriptionDataSet {
				if sub.Topic == topic && (sub.ExpressionType != protocol.ExpressionSQL92 || sub.SubString != "a > 5") {
					t.Errorf("a heartbeat says %+v", sub)
				}
			}
		}
	})
}
