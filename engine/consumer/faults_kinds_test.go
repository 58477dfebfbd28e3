package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
)

// pulls makes brokers let fn decide on each pull of a queue, lite or not.
func (w *mode) pulls(q mq.MessageQueue, fn func(r *embedded.Request, offset int64) embedded.Verdict) {
	for _, code := range []protocol.RequestCode{protocol.PullMessage, protocol.LitePullMessage} {
		w.onCode(code, func(r *embedded.Request) embedded.Verdict {
			var h protocol.PullMessageRequest
			if protocol.Decode(r.Cmd.Fields, &h) != nil || (mq.MessageQueue{Topic: h.Topic, BrokerName: r.Broker, QueueID: h.QueueID}) != q {
				return embedded.Pass
			}
			return fn(r, h.QueueOffset)
		})
	}
}

// TestP01NoKindTakesAFailedOffsetQueryForZero: the query fails for a minute, over several
// rebalances; nothing is pulled and nothing committed until there is a clean answer.
func TestP01NoKindTakesAFailedOffsetQueryForZero(t *testing.T) {
	inKind(t, []string{"orderly", "scheduled", "lite"}, 1, func(w *mode) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		w.commit(first, 60)
		mend := w.onCode(protocol.QueryConsumerOffset, func(*embedded.Request) embedded.Verdict {
			return embedded.Fail(protocol.SystemError, "no disk")
		})
		pulled := 0
		w.pulls(first, func(*embedded.Request, int64) embedded.Verdict { pulled++; return embedded.Pass })
		p := w.start("192.0.2.10@me", "*")
		defer p.stop()
		p.after(65 * time.Second)
		if pulled != 0 || w.committed(first) != 60 {
			w.errorf("%d pulls, %d is committed", pulled, w.committed(first))
		}
		mend()
		p.after(10 * time.Second)
		w.caughtUp(p, first, 60)
		if got := w.of("", first); got[0] != 60 {
			w.errorf("it begins at %d", got[0])
		}
	})
}

// TestP09BroadcastingConsumersFollowACorrection: the file says 5, the broker has nothing before
// 100. They start at 100, tell it once, and the file says so.
func TestP09BroadcastingConsumersFollowACorrection(t *testing.T) {
	inKind(t, []string{"broadcasting", "broadcasting lite"}, 1, func(w *mode) {
		w.createTopic(topic, 1)
		w.put(first, 150, "", 0)
		w.on("broker-a", func(b *embedded.Broker) { b.Trim(topic, 0, 100) })
		w.begin(5)
		p := w.start("192.0.2.10@me", "*")
		s := p.after(10 * time.Second)
		if got := w.of("", first); len(got) != 50 || got[0] != 100 {
			w.errorf("it got %d messages: %v", len(got), got[:min(1, len(got))])
		}
		w.caughtUp(p, first, 100)
		if n := len(told(s, "offset 5 is illegal", "100")); n != 1 {
			w.errorf("told %d times:\n%s", n, texts(s))
		}
		p.stop()
		p = w.start("192.0.2.10@me", "*")
		p.after(5 * time.Second)
		if n := len(w.of("", first)); n != 50 {
			w.errorf("after a restart %d messages came again", n-50)
		}
		p.stop()
	})
}

// TestP13NoKindShowsALagOfWhatNobodyWants: a thousand messages of another tag, by the broker's
// hash and by the exact tag.
func TestP13NoKindShowsALagOfWhatNobodyWants(t *testing.T) {
	for _, tag := range []string{"other", "BBBB"} {
		inKind(t, further, 1, func(w *mode) {
			w.createTopic(topic, 1)
			w.put(first, 1000, tag, 0)
			p := w.start("192.0.2.10@me", "AaAa")
			defer p.stop()
			s := p.after(13 * time.Second) // two intervals: a lite consumer commits what was polled before
			if q := queue(s, first); q.Lag.V != 0 || !q.Lag.OK() || w.stored(p, first) != 1000 {
				w.errorf("tag %s: lag %+v, offset %d", tag, q.Lag, w.stored(p, first))
			}
			if n := len(w.of("", first)); n != 0 {
				w.errorf("tag %s: %d messages were delivered", tag, n)
			}
		})
	}
}

// TestP16EveryKindFindsQueuesAddedAtRunTime within a route interval.
func TestP16EveryKindFindsQueuesAddedAtRunTime(t *testing.T) {
	inKind(t, further, 1, func(w *mode) {
		w.createTopic(topic, 4)
		p := w.start("192.0.2.10@me", "*")
		defer p.stop()
		p.after(10 * time.Second)
		w.createTopic(topic, 8)
		for id := range int32(8) {
			w.put(queueOf("broker-a", id), 10, "", 0)
		}
		s := p.after(35 * time.Second)
		for id := range int32(8) {
			if list := w.missing("", queueOf("broker-a", id), 0, 10); len(list) != 0 {
				w.errorf("%d messages of queue %d were not delivered\n%s", len(list), id, texts(s))
			}
		}
	})
}

// TestP18NoKindLeavesAnythingOfMembersThatComeAndGo, on a topic without messages: P17, workers of
// queues that were taken away end.
func TestP18NoKindLeavesAnythingOfMembersThatComeAndGo(t *testing.T) {
	inKind(t, further, 1, func(w *mode) {
		w.createTopic(topic, 8)
		p := w.start("192.0.2.10@stays", "*")
		defer p.stop()
		p.after(30 * time.Second)
		before := runtime.NumGoroutine()
		for n := range 25 {
			guest := w.start(fmt.Sprintf("192.0.2.11@guest%d", n), "*")
			time.Sleep(1500 * time.Millisecond)
			guest.stop()
			time.Sleep(1500 * time.Millisecond)
		}
		s := p.after(30 * time.Second)
		synctest.Wait()
		if now := runtime.NumGoroutine(); now > before+5 {
			w.errorf("%d goroutines after 25 members came and went, %d before", now, before)
		}
		if len(owned(s)) != 8 {
			w.errorf("it owns %v", owned(s))
		}
	})
}

// TestP19NoKindLeavesAnythingOfStartsAndStops, in every phase of a start (P53): the bubble of the
// test fails when a goroutine is left.
func TestP19NoKindLeavesAnythingOfStartsAndStops(t *testing.T) {
	inKind(t, further, 1, func(w *mode) {
		w.createTopic(topic, 2)
		for i := range 75 {
			w.put(first, 1, "", 0)
			p := w.start("192.0.2.10@me", "*")
			time.Sleep(time.Duration(i%25) * 100 * time.Millisecond)
			p.stop()
		}
		p := w.start("192.0.2.10@me", "*")
		p.after(15 * time.Second)
		w.caughtUp(p, first, 0)
		p.stop()
	})
}

// TestP21FailedStartsOfEveryKindLeaveNothing: the instance has the group already.
func TestP21FailedStartsOfEveryKindLeaveNothing(t *testing.T) {
	inKind(t, further, 1, func(w *mode) {
		w.createTopic(topic, 2)
		holder, r := w.puller("192.0.2.10@me", func(c *consumer.PullConfig) { c.Group = group })
		defer r.stop()
		<-holder.Ready()
		member := consumer.MemberConfig{Group: group}
		if w.broadcast() {
			member.Model, member.OffsetsDir = mq.Broadcasting, w.dir
		}
		var make func() (source, error)
		switch {
		case w.name == "scheduled":
			make = func() (source, error) {
				return consumer.NewScheduled(consumer.ScheduledConfig{PullConfig: consumer.PullConfig{MemberConfig: member}}, r.instance)
			}
		case strings.HasSuffix(w.name, "lite"):
			make = func() (source, error) { return consumer.NewLite(consumer.LiteConfig{MemberConfig: member}, r.instance) }
		default:
			cfg := consumer.Config{Group: group, Model: member.Model, OffsetsDir: member.OffsetsDir, Subscriptions: []consumer.Subscription{{Topic: topic}}, Listener: discard}
			if w.orderly() {
				cfg.Orderly, cfg.Listener = true, nil
				cfg.OrderlyListener = func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
					return consume.OrderlySuccess
				}
			}
			make = func() (source, error) { return consumer.NewPush(cfg, r.instance) }
		}
		r.after(3 * time.Second)
		before := runtime.NumGoroutine()
		for range 100 {
			s, err := make()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Run(w.ctx); !errors.Is(err, client.ErrDuplicateGroup) {
				w.errorf("ended with %v, want ErrDuplicateGroup", err)
			}
		}
		synctest.Wait()
		if now := runtime.NumGoroutine(); now > before+5 {
			w.errorf("%d goroutines after 100 starts that failed, %d before", now, before)
		}
		if s := r.after(time.Second); len(owned(s)) != 2 {
			w.errorf("the consumer that was there owns %v", owned(s))
		}
	})
}

// TestP28EveryKindPullsAgainAfterTwoMinutesOfPartition, all of its queues within five seconds.
func TestP28EveryKindPullsAgainAfterTwoMinutesOfPartition(t *testing.T) {
	inKind(t, further, 2, func(w *mode) {
		w.createTopic(topic, 4)
		p := w.start("192.0.2.10@me", "*")
		defer p.stop()
		p.after(10 * time.Second)
		all := []string{addrOf("broker-a"), addrOf("broker-b"), nameServer}
		for _, at := range all {
			w.net.Blackhole(at, true)
		}
		p.after(120 * time.Second)
		for _, at := range all {
			w.net.Blackhole(at, false)
		}
		for _, q := range w.eight() {
			w.put(q, 5, "", 0)
		}
		s := p.after(5 * time.Second)
		for _, q := range w.eight() {
			if list := w.missing("", q, 0, 5); len(list) != 0 {
				w.errorf("%v: %d messages were not delivered within 5 s\n%s", q, len(list), texts(s))
			}
		}
	})
}

// TestP34OverlappingAnswersOfEveryKind: each answer brings half of the one before again. Nothing
// stays behind, and in order nothing is skipped.
func TestP34OverlappingAnswersOfEveryKind(t *testing.T) {
	inKind(t, further, 1, func(w *mode) {
		w.createTopic(topic, 1)
		w.put(first, 320, "", 0)
		w.pulls(first, overlapping(w.records(first)))
		p := w.start("192.0.2.10@me", "*")
		defer p.stop()
		s := p.after(20 * time.Second)
		w.caughtUp(p, first, 0)
		if q := queue(s, first); w.name != "scheduled" && (q.Count.V != 0 || q.Bytes.V != 0 || q.Span.V != 0) {
			w.errorf("left in the process queue: count %d, bytes %d, span %d", q.Count.V, q.Bytes.V, q.Span.V)
		}
	})
}

// TestP40BroadcastingConsumersGoOnFromThePreviousGeneration when the offsets file is damaged.
func TestP40BroadcastingConsumersGoOnFromThePreviousGeneration(t *testing.T) {
	inKind(t, []string{"broadcasting", "broadcasting lite"}, 1, func(w *mode) {
		w.createTopic(topic, 1)
		p := w.start("192.0.2.10@me", "*")
		for range 3 { // so that there is a previous generation, which has 20 at least
			w.put(first, 20, "", 0)
			p.after(13 * time.Second)
		}
		p.stop()
		path := filepath.Join(w.dir, offset.DirName("192.0.2.10@me"), group, "offsets.json")
		if err := os.WriteFile(path, []byte(`{"offsetTable":{{"brokerNa`), 0o600); err != nil {
			t.Fatal(err)
		}
		before := len(w.of("", first))
		p = w.start("192.0.2.10@me", "*")
		defer p.stop()
		s := p.after(13 * time.Second)
		again := w.of("", first)[before:]
		if len(again) > 40 || len(again) > 0 && again[0] < 20 || len(told(s, "offsets.json")) == 0 {
			w.errorf("%d messages came again from %v on, told:\n%s", len(again), again[:min(1, len(again))], texts(s))
		}
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), ":60") {
			w.errorf("within an interval the file says %q, %v", text, err)
		}
	})
}

// TestP41BroadcastingConsumersWithOddIDs have a file each, and find it again.
func TestP41BroadcastingConsumersWithOddIDs(t *testing.T) {
	inKind(t, []string{"broadcasting", "broadcasting lite"}, 1, func(w *mode) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		ids := []string{"192.0.2.10@a:b", `192.0.2.10@*?"<>|`, "192.0.2.10@../../x", "192.0.2.10@" + strings.Repeat("n", 300), "192.0.2.10@a/b"}
		for range 2 {
			for _, id := range ids {
				p := w.start(id, "*")
				p.after(10 * time.Second)
				p.stop()
			}
		}
		for _, id := range ids {
			if got := w.of(id, first); len(got) != 10 {
				w.errorf("%s got %d messages in two lives, want each of 10 once", id, len(got))
			}
		}
	})
}

// TestP54CallbacksThatPanicEveryThirdTime: of a scheduled consumer, as of the listeners.
func TestP54CallbacksThatPanicEveryThirdTime(t *testing.T) {
	inKind(t, []string{"scheduled", "orderly", "broadcasting"}, 1, func(w *mode) {
		w.createTopic(topic, 2)
		for id := range int32(2) {
			w.put(queueOf("broker-a", id), 60, "", 0)
		}
		calls := 0
		third := func() {
			if calls++; calls%3 == 0 {
				panic("every third")
			}
		}
		var p player
		const id = "192.0.2.10@me"
		if w.name == "scheduled" {
			callback := w.callback(id, "*")
			_, r := w.scheduled(id, func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
				w.mu.Lock()
				bad := calls%3 == 2
				calls++
				w.mu.Unlock()
				if bad {
					panic("every third")
				}
				return callback(ctx, q, c)
			})
			p = r
		} else {
			p = w.member(id, 0, oneThread, func(c *consumer.Config) {
				c.SuspendTime = 10 * time.Millisecond
				plain, ordered := c.Listener, c.OrderlyListener
				if c.Listener != nil {
					c.Listener = func(ctx context.Context, m []mq.Message, x *consume.Context) consume.Status {
						s := plain(ctx, m, x)
						third()
						return s
					}
					return
				}
				c.OrderlyListener = func(ctx context.Context, m []mq.Message, x *consume.OrderlyContext) consume.OrderlyStatus {
					s := ordered(ctx, m, x)
					third()
					return s
				}
			})
		}
		defer p.stop()
		s := p.after(time.Minute)
		for id := range int32(2) {
			w.caughtUp(p, queueOf("broker-a", id), 0)
		}
		if got := told(s, "every third"); len(got) == 0 || got[0].Level < event.Warn {
			w.errorf("not told:\n%s", texts(s))
		}
	})
}

// TestP31OrderlyAndBroadcastingMembersInANamespace: locks, offsets and files go by the long names,
// the application sees the short ones.
func TestP31OrderlyAndBroadcastingMembersInANamespace(t *testing.T) {
	const long, longGroup = "ns%orders", "ns%g"
	inKind(t, []string{"orderly", "broadcasting"}, 1, func(w *mode) {
		w.createTopic(long, 2)
		stored := mq.MessageQueue{Topic: long, BrokerName: "broker-a"}
		w.put(stored, 20, "", 0)
		var topics []string
		locked := map[string]int{}
		w.onCode(protocol.LockBatchMQ, func(r *embedded.Request) embedded.Verdict {
			if b, err := protocol.DecodeLockBatchRequest(r.Cmd.Body); err != nil || len(b.Queues) == 0 {
				t.Errorf("a lock request: %v", err)
			} else {
				locked[b.ConsumerGroup+" "+b.Queues[0].Topic]++
			}
			return embedded.Pass
		})
		p := w.member("192.0.2.10@me", 0, oneThread, func(c *consumer.Config) {
			c.Namespace = "ns"
			c.ConsumeHooks = []consumer.ConsumeHook{consumeHook{
				before: func(c *consumer.Consumption) { topics = append(topics, c.Messages[0].Topic()) },
				after:  func(*consumer.Consumption) {},
			}}
		})
		s := p.after(8 * time.Second)
		p.stop()
		if len(topics) != 20 || topics[0] != topic {
			w.errorf("%d messages came, the first of topic %v:\n%s", len(topics), topics[:min(1, len(topics))], texts(s))
		}
		if w.orderly() {
			at := int64(-1)
			w.on("broker-a", func(b *embedded.Broker) { at, _ = b.Store.Commits.Get(longGroup, long, 0) })
			if at != 20 || locked[longGroup+" "+long] == 0 || locked[longGroup+" "+mq.RetryTopic(longGroup)] == 0 || len(locked) != 2 {
				w.errorf("the broker has %d of the group, locks were asked for as %v", at, locked)
			}
			return
		}
		text, err := os.ReadFile(filepath.Join(w.dir, offset.DirName("192.0.2.10@me"), offset.DirName(longGroup), "offsets.json"))
		if err != nil || !strings.Contains(string(text), long) || !strings.Contains(string(text), ":20") {
			w.errorf("the file says %q, %v", text, err)
		}
	})
}
