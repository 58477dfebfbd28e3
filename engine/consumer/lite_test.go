package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// lite starts a lite consumer that prepare has told what to consume.
func (w *world) lite(id string, prepare func(c *consumer.Lite) error, change ...func(*consumer.LiteConfig)) (*consumer.Lite, *running) {
	w.t.Helper()
	cfg := consumer.LiteConfig{MemberConfig: consumer.MemberConfig{Group: group}, From: mq.FromFirstOffset}
	for _, fn := range change {
		fn(&cfg)
	}
	return start(w, id, func(i *client.Instance) (*consumer.Lite, error) {
		c, err := consumer.NewLite(cfg, i)
		if err == nil {
			err = prepare(c)
		}
		return c, err
	})
}

// subscribing is the usual preparation.
func subscribing(c *consumer.Lite) error { return c.Subscribe(topic, consumer.Selector{}, nil) }

func manual(c *consumer.LiteConfig) { c.ManualCommit = true }

// poll polls once and returns bodies.
func poll(w *world, c *consumer.Lite, wait time.Duration) []string {
	w.t.Helper()
	p, err := c.PollFor(w.ctx, wait)
	if err != nil {
		w.t.Fatal(err)
	}
	defer p.Release()
	return bodies(p.Messages)
}

// pollAll polls until nothing comes for wait.
func pollAll(w *world, c *consumer.Lite, wait time.Duration) (all []string) {
	w.t.Helper()
	for {
		got := poll(w, c, wait)
		if len(got) == 0 {
			return all
		}
		all = append(all, got...)
	}
}

func numbers(queue, from, to int) (out []string) {
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("%d-%d ", queue, i))
	}
	return out
}

func TestALiteConsumerPollsAllAndCommits(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		for id := range int32(4) {
			w.put(queueOf("broker-a", id), 100, "", 0)
		}
		pulls, beats := w.watch(protocol.LitePullMessage), w.watch(protocol.HeartBeat)
		began := time.Now()
		c, r := w.lite("192.0.2.10@me", subscribing)
		all := pollAll(w, c, 5*time.Second)
		slices.Sort(all)
		if len(all) != 400 || len(slices.Compact(all)) != 400 {
			t.Errorf("%d messages were polled", len(all))
		}
		if _, err := c.Poll(w.ctx); err != nil {
			t.Error(err)
		}
		s := r.after(6 * time.Second)
		for id := range int32(4) {
			if q := queueOf("broker-a", id); w.committed(q) != 100 || queue(s, q).Lag.V != 0 {
				t.Errorf("%v: %d committed, lag %+v", q, w.committed(q), queue(s, q).Lag)
			}
		}
		for _, h := range headersOf[protocol.PullMessageRequest](w, pulls.take()) {
			want := protocol.PullMessageRequest{
				ConsumerGroup: group, Topic: topic, QueueID: h.QueueID, QueueOffset: h.QueueOffset, MaxMsgNums: 10, SysFlag: 22,
				SuspendTimeoutMillis: 20000, Subscription: "*", ExpressionType: "TAG", MaxMsgBytes: protocol.Some[int32](2147483647),
			}
			want.BName = "broker-a"
			if diff := cmp.Diff(want, h, cmp.AllowUnexported(protocol.Opt[int32]{}, protocol.Opt[bool]{}, protocol.Opt[int64]{})); diff != "" {
				t.Fatalf("request (-want, as Java sends it, +got):\n%s", diff)
			}
		}
		beat, err := protocol.DecodeHeartbeatData(beats.take()[0].cmd.Body)
		if err != nil || beat.ConsumerDataSet[0].ConsumeType != mq.Actively || beat.ConsumerDataSet[0].SubscriptionDataSet[0].SubVersion != began.UnixMilli() {
			t.Errorf("heartbeat %+v, %v", beat, err)
		}
		if s.Group.Mode() != "lite CLUSTERING" || s.Group.Limits.PullBatch != 10 || s.Counters.Consumed != 400 {
			t.Errorf("the picture says %q, batch %d, consumed %d", s.Group.Mode(), s.Group.Limits.PullBatch, s.Counters.Consumed)
		}
		r.stop()
		if _, err := c.Poll(w.ctx); !errors.Is(err, consumer.ErrNotRunning) {
			t.Errorf("a poll after the end: %v", err)
		}
	})
}

func TestI30PollsCommitWhatEarlierPollsReturned(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 30, "", 0)
		c, r := w.lite("192.0.2.10@me", subscribing)
		committed := func(want int64) {
			t.Helper()
			at, found, err := c.Committed(w.ctx, first)
			if !found {
				at = -1
			}
			if err != nil || at != want {
				t.Errorf("%d is committed, %v, want %d", at, err, want)
			}
		}
		if diff := cmp.Diff(numbers(0, 0, 10), poll(w, c, 5*time.Second)); diff != "" {
			t.Error(diff)
		}
		committed(0) // the first poll commits at once, but there was nothing before it: the broker says 0
		if diff := cmp.Diff(numbers(0, 10, 20), poll(w, c, time.Second)); diff != "" {
			t.Error(diff)
		}
		committed(0) // five seconds have not gone by
		time.Sleep(5 * time.Second)
		poll(w, c, time.Second)
		committed(20)
		r.stop()
		if w.committed(first) != 20 {
			t.Errorf("the broker has %d, want 20: the last poll is not committed", w.committed(first))
		}
		c, r = w.lite("192.0.2.11@again", subscribing)
		if diff := cmp.Diff(numbers(0, 20, 30), pollAll(w, c, 3*time.Second)); diff != "" {
			t.Errorf("after the restart:\n%s", diff)
		}
		r.stop()
	})
}

func TestCommitsByHand(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		w.put(first, 10, "", 0)
		w.put(second, 10, "", 0)
		c, r := w.lite("192.0.2.10@me", subscribing, manual)
		defer r.stop()
		pollAll(w, c, 3*time.Second)
		r.after(6 * time.Second)
		if w.committed(first) > 0 { // the 0 that it said itself may be sent back
			t.Errorf("the broker has %d though nobody committed", w.committed(first))
		}
		if err := c.Commit(w.ctx); err != nil {
			t.Error(err)
		}
		if at, found, err := c.Committed(w.ctx, first); at != 10 || !found || err != nil || w.committed(first) > 0 {
			t.Errorf("committed in memory: %d %v %v, the broker has %d", at, found, err, w.committed(first))
		}
		r.after(5 * time.Second)
		if w.committed(first) != 10 || w.committed(second) != 10 {
			t.Errorf("five seconds later the broker has %d and %d", w.committed(first), w.committed(second))
		}
		w.put(first, 5, "", 0)
		w.put(second, 5, "", 0)
		pollAll(w, c, time.Second)
		if err := c.CommitSync(w.ctx); err != nil || w.committed(first) != 15 || w.committed(second) != 15 {
			t.Errorf("committed synchronously: %v, the broker has %d and %d", err, w.committed(first), w.committed(second))
		}
		if err := c.CommitOffsets(w.ctx, map[mq.MessageQueue]int64{first: 3, queueOf("broker-x", 0): 9}, true); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if w.committed(first) != 3 || w.committed(second) != 15 {
			t.Errorf("given offsets: the broker has %d and %d", w.committed(first), w.committed(second))
		}
		if at, found, _ := c.Committed(w.ctx, second); at != 15 || !found {
			t.Errorf("persisting one queue made memory forget the other: %d %v", at, found)
		}
		if err := c.CommitQueues(w.ctx, []mq.MessageQueue{first}, true); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if w.committed(first) != 15 {
			t.Errorf("what was polled of one queue: the broker has %d", w.committed(first))
		}
		if err := c.CommitOffsets(w.ctx, map[mq.MessageQueue]int64{first: -1}, true); err == nil {
			t.Error("P02: a negative offset is committed")
		}
		if _, _, err := c.Committed(w.ctx, queueOf("broker-x", 0)); err == nil {
			t.Error("the offset of a queue that does not exist is known")
		}
	})
}

func TestSeek(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		c, r := w.lite("192.0.2.10@me", subscribing, manual)
		defer r.stop()
		poll(w, c, 3*time.Second)
		r.after(time.Second) // more is cached
		want := func(what string, seek func() error, from, to int) {
			t.Helper()
			if err := seek(); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if diff := cmp.Diff(numbers(0, from, to), poll(w, c, 3*time.Second)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		want("forward", func() error { return c.Seek(w.ctx, first, 50) }, 50, 60)
		want("backward", func() error { return c.Seek(w.ctx, first, 20) }, 20, 30)
		want("on", func() error { return nil }, 30, 40)
		want("to the beginning", func() error { return c.SeekToBegin(w.ctx, first) }, 0, 10)
		if err := c.SeekToEnd(w.ctx, first); err != nil {
			t.Error(err)
		}
		if err := c.CommitSync(w.ctx); err != nil || w.committed(first) != 100 {
			t.Errorf("a seek moves what is committed next: %d, %v", w.committed(first), err)
		}
		if got := poll(w, c, time.Second); len(got) != 0 {
			t.Errorf("at the end: %v", got)
		}
		w.put(first, 1, "", 0)
		if diff := cmp.Diff(numbers(0, 100, 101), poll(w, c, time.Second)); diff != "" {
			t.Errorf("a held pull after the seek:\n%s", diff)
		}
		for name, err := range map[string]error{
			"beyond the end":       c.Seek(w.ctx, first, 102),
			"P02: below zero":      c.Seek(w.ctx, first, -1),
			"a queue not ours":     c.Seek(w.ctx, queueOf("broker-a", 7), 0),
			"its beginning":        c.SeekToBegin(w.ctx, queueOf("broker-a", 7)),
			"the end of one other": c.SeekToEnd(w.ctx, mq.MessageQueue{Topic: "x", BrokerName: "broker-a"}),
		} {
			if err == nil {
				t.Errorf("%s is no error", name)
			}
		}
	})
}

func TestPauseAndResume(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		second := queueOf("broker-a", 1)
		c, r := w.lite("192.0.2.10@me", subscribing, manual)
		defer r.stop()
		r.after(3 * time.Second)
		if err := c.Pause(w.ctx, first, queueOf("broker-x", 3)); err != nil {
			t.Fatal(err)
		}
		w.put(first, 15, "", 0) // its pull was out already
		w.put(second, 5, "", 0)
		came := len(pollAll(w, c, 5*time.Second)) - 5
		w.put(first, 5, "", 0)
		if got := poll(w, c, 30*time.Second); came < 1 || came > 10 || len(got) != 0 {
			t.Errorf("while it is paused: %d, then %v, want what the pull brought that was out, and nothing more", came, got)
		}
		s := r.after(0)
		if q := queue(s, first); q.State != snapshot.QueuePaused || q.Task.Cause != "paused" || s.Mode.Paused {
			t.Errorf("the picture says %v, waits for %q, paused %v", q.State, q.Task.Cause, s.Mode.Paused)
		}
		began := time.Now()
		if err := c.Resume(w.ctx, first); err != nil {
			t.Fatal(err)
		}
		if got := poll(w, c, 30*time.Second); len(got) == 0 || time.Since(began) != 0 {
			t.Errorf("after the resume: %v after %v", got, time.Since(began))
		} else if rest := pollAll(w, c, time.Second); came+len(got)+len(rest) != 20 {
			t.Errorf("%d, %d and %d messages of 20 were polled", came, len(got), len(rest))
		}
	})
}

func TestFlowControlOfALiteConsumer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*consumer.LiteConfig)
		cause  string
		cached int
	}{
		{"by count", func(c *consumer.LiteConfig) { c.Limits = pull.Limits{CountPerQueue: 25} }, "flow:count", 30},
		{"by span", func(c *consumer.LiteConfig) { c.Limits = pull.Limits{Span: 15} }, "flow:span", 20},
		{"by all queues together", func(c *consumer.LiteConfig) { c.ThresholdForAll = 35 }, "flow:all", 40},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 200, "", 0)
				c, r := w.lite("192.0.2.10@me", subscribing, tc.change)
				s := r.after(10 * time.Second)
				q := queue(s, first)
				if string(q.Flow.Cause) != tc.cause || q.Count.V != tc.cached || q.Flow.PutBacks < 50 {
					t.Errorf("flow %+v with %d cached, want %s and %d", q.Flow, q.Count.V, tc.cause, tc.cached)
				}
				if len(told(s, "put back 50ms")) != 1 {
					t.Errorf("flow control is not told once:\n%s", texts(s))
				}
				began := time.Now()
				all := pollAll(w, c, time.Second)
				if diff := cmp.Diff(numbers(0, 0, 200), all); diff != "" {
					t.Errorf("polled (-want +got):\n%s", diff)
				}
				if took := time.Since(began); took > 1100*time.Millisecond {
					t.Errorf("polling took %v: room does not wake pulls", took)
				}
				r.stop()
			})
		})
	}
}

func TestAssignedQueues(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		for _, b := range w.brokers {
			w.put(queueOf(b, 0), 10, "", 0)
			w.put(queueOf(b, 1), 10, "", 0)
		}
		w.on("broker-b", func(b *embedded.Broker) { b.Store.Commits.Put(group, topic, 1, 4) })
		beats, lists := w.watch(protocol.HeartBeat), w.watch(protocol.GetConsumerListByGroup)
		b1 := queueOf("broker-b", 1)
		c, r := w.lite("192.0.2.10@me", func(c *consumer.Lite) error { return c.Assign(first, b1) })
		if err := c.Subscribe(topic, consumer.Selector{}, nil); !errors.Is(err, consumer.ErrSubscriptionType) {
			t.Errorf("subscribing after assigning: %v", err)
		}
		all := pollAll(w, c, 5*time.Second)
		slices.Sort(all)
		want := append(numbers(0, 0, 10), numbers(1, 4, 10)...)
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("the first ten of one queue, the other from where the group was (-want +got):\n%s", diff)
		}
		poll(w, c, 0) // commits what was polled before
		if got, err := c.Assignment(w.ctx); err != nil || !slices.Equal(got, []mq.MessageQueue{first, b1}) {
			t.Errorf("assigned are %v, %v", got, err)
		}
		if err := c.Assign(queueOf("broker-a", 1), b1); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(numbers(1, 0, 10), pollAll(w, c, 5*time.Second)); diff != "" {
			t.Errorf("after another assignment (-want +got):\n%s", diff)
		}
		poll(w, c, 6*time.Second)
		s := r.after(6 * time.Second)
		if w.committed(first) != 10 || w.committed(b1) != 10 || w.committed(queueOf("broker-a", 1)) != 10 {
			t.Errorf("committed are %d, %d and %d", w.committed(first), w.committed(b1), w.committed(queueOf("broker-a", 1)))
		}
		if got := owned(s); len(got) != 2 {
			t.Errorf("the picture shows %v as ours", got)
		}
		for _, b := range beats.take() {
			if beat, err := protocol.DecodeHeartbeatData(b.cmd.Body); err != nil || len(beat.ConsumerDataSet[0].SubscriptionDataSet) != 0 {
				t.Errorf("a heartbeat tells of subscriptions: %+v, %v", beat, err)
			}
		}
		if n := len(lists.take()); n != 0 {
			t.Errorf("%d member lists were asked for", n)
		}
		r.stop()
	})
}

func TestAssigningAfterSubscribingIsRefused(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		c, r := w.lite("192.0.2.10@me", subscribing)
		defer r.stop()
		if err := c.Assign(first); !errors.Is(err, consumer.ErrSubscriptionType) {
			t.Errorf("assigning after subscribing: %v", err)
		}
		for name, err := range map[string]error{
			"an illegal topic":        c.Subscribe("a/b", consumer.Selector{}, nil),
			"only separators":         c.Subscribe("t", consumer.ByTag("||"), nil),
			"assigning without topic": c.Assign(mq.MessageQueue{BrokerName: "b"}),
			"watching nothing":        c.WatchTopic("", nil),
		} {
			if err == nil {
				t.Errorf("%s is no error", name)
			}
		}
		if _, err := c.PollFor(w.ctx, -1); err == nil {
			t.Error("a negative time to wait is no error")
		}
	})
}

func TestP02NoPullFromAnUnknownStartOffset(t *testing.T) {
	for name, prepare := range map[string]func(*consumer.Lite) error{
		"assigned":   func(c *consumer.Lite) error { return c.Assign(first) },
		"subscribed": subscribing,
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 10, "", 0)
				w.on("broker-a", func(b *embedded.Broker) { b.Store.Commits.Put(group, topic, 0, 3) })
				pulls, commits := w.watch(protocol.LitePullMessage), w.watch(protocol.UpdateConsumerOffset)
				heal := w.cluster.Intercept(int32(protocol.QueryConsumerOffset), func(*embedded.Request) embedded.Verdict {
					return embedded.Fail(protocol.SystemError, "out of memory")
				})
				c, r := w.lite("192.0.2.10@me", prepare)
				s := r.after(20 * time.Second)
				if n, m := len(pulls.take()), len(commits.take()); n != 0 || m != 0 {
					t.Errorf("%d pulls and %d commits with an unknown start offset", n, m)
				}
				if q := queue(s, first); q.State != snapshot.Resolving || q.Lag.OK() || q.Next.OK() {
					t.Errorf("the picture says %v, lag %+v, next %+v", q.State, q.Lag, q.Next)
				}
				heal()
				if diff := cmp.Diff(numbers(0, 3, 10), pollAll(w, c, 5*time.Second)); diff != "" {
					t.Errorf("polled (-want +got):\n%s", diff)
				}
				for _, h := range headersOf[protocol.PullMessageRequest](w, pulls.take()) {
					if h.QueueOffset < 3 {
						t.Errorf("a pull at %d", h.QueueOffset)
					}
				}
				r.stop()
			})
		})
	}
}

func TestWhereALiteGroupStarts(t *testing.T) {
	for _, tc := range []struct {
		from mq.ConsumeFromWhere
		want int
	}{{mq.FromFirstOffset, 0}, {mq.FromTimestamp, 10}, {mq.FromLastOffset, 20}} {
		for _, assign := range []bool{false, true} {
			t.Run(fmt.Sprint(tc.from, assign), func(t *testing.T) {
				inWorld(t, 1, func(w *world) {
					w.createTopic(topic, 1)
					// A broker says 0 instead of "none" while offset 0 is in memory.
					w.cluster.Intercept(int32(protocol.QueryConsumerOffset), func(*embedded.Request) embedded.Verdict {
						return embedded.Fail(protocol.QueryNotFound, "none")
					})
					w.put(first, 10, "", 0)
					time.Sleep(time.Minute)
					middle := time.Now()
					time.Sleep(time.Minute)
					w.put(first, 10, "", 0)
					c, r := w.lite("192.0.2.10@me", func(c *consumer.Lite) error {
						if assign {
							return c.Assign(first)
						}
						return subscribing(c)
					}, func(c *consumer.LiteConfig) { c.From, c.Timestamp = tc.from, middle })
					r.after(5 * time.Second)
					w.put(first, 5, "", 0)
					if diff := cmp.Diff(numbers(0, tc.want, 25), pollAll(w, c, 5*time.Second)); diff != "" {
						t.Errorf("polled (-want +got):\n%s", diff)
					}
					r.stop()
				})
			})
		}
	}
}

func TestLiteTagsAreExactAndFilteredMessagesDoNotLag(t *testing.T) {
	for name, prepare := range map[string]func(*consumer.Lite) error{
		"subscribed": func(c *consumer.Lite) error { return c.Subscribe(topic, consumer.ByTag("AaAa"), nil) },
		"assigned": func(c *consumer.Lite) error {
			if err := c.SetSubExpressionForAssign(topic, "AaAa"); err != nil {
				return err
			}
			return c.Assign(first)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 20, "BBBB", 0) // the same hash
				w.put(first, 3, "AaAa", 0)
				c, r := w.lite("192.0.2.10@me", prepare)
				if diff := cmp.Diff(numbers(0, 20, 23), pollAll(w, c, 5*time.Second)); diff != "" {
					t.Errorf("P11: polled (-want +got):\n%s", diff)
				}
				w.put(first, 1000, "other", 0)
				for range 3 {
					poll(w, c, 5*time.Second)
				}
				s := r.after(5 * time.Second)
				if q := queue(s, first); w.committed(first) != 1023 || q.Lag.V != 0 {
					t.Errorf("P13: the broker has %d of 1023, lag %+v", w.committed(first), q.Lag)
				}
				if err := c.SetSubExpressionForAssign(topic, "x"); err == nil {
					t.Error("the expression can be set after the start")
				}
				r.stop()
			})
		})
	}
}

func TestQueuesMoveBetweenLiteConsumers(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		var calls []string
		a, ra := w.lite("192.0.2.10@a", func(c *consumer.Lite) error {
			return c.Subscribe(topic, consumer.Selector{}, func(_ context.Context, topic string, all, mine []mq.MessageQueue) {
				calls = append(calls, fmt.Sprintf("%s %d of %d", topic, len(mine), len(all)))
			})
		}, manual)
		ra.after(3 * time.Second)
		for id := range int32(4) {
			w.put(queueOf("broker-a", id), 20, "", 0)
		}
		got := pollAll(w, a, time.Second)
		if len(got) != 80 {
			t.Fatalf("%d messages were polled", len(got))
		}
		if err := a.CommitOffsets(w.ctx, map[mq.MessageQueue]int64{queueOf("broker-a", 3): 15}, true); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b, rb := w.lite("192.0.2.11@b", subscribing, manual)
		again := pollAll(w, b, 5*time.Second)
		slices.Sort(again)
		want := append(numbers(2, 0, 20), numbers(3, 15, 20)...)
		slices.Sort(want)
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("the new owner polls what was polled but not committed (-want +got):\n%s", diff)
		}
		rb.stop()
		ra.after(3 * time.Second)
		ra.stop()
		if calls[0] != "orders 4 of 4" || calls[len(calls)-1] != "orders 4 of 4" || !slices.Contains(calls, "orders 2 of 4") {
			t.Errorf("the listener was told %v", calls)
		}
	})
}

func TestUnsubscribing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.createTopic("other", 1)
		w.put(first, 30, "", 0)
		c, r := w.lite("192.0.2.10@me", func(c *consumer.Lite) error {
			return errors.Join(subscribing(c), c.Subscribe("other", consumer.Selector{}, nil))
		}, manual)
		defer r.stop()
		poll(w, c, 5*time.Second)
		if err := c.Commit(w.ctx); err != nil {
			t.Error(err)
		}
		c.Unsubscribe(topic)
		if got := poll(w, c, 10*time.Second); len(got) != 0 {
			t.Errorf("a topic that was left is polled: %v", got)
		}
		if w.committed(first) != 10 {
			t.Errorf("what was committed is lost: the broker has %d", w.committed(first))
		}
		if got, err := c.Assignment(w.ctx); err != nil || len(got) != 1 || got[0].Topic != "other" {
			t.Errorf("it has %v, %v", got, err)
		}
		if err := subscribing(c); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(numbers(0, 10, 30), pollAll(w, c, 25*time.Second)); diff != "" {
			t.Errorf("subscribed again (-want +got):\n%s", diff)
		}
	})
}

func TestPollsThatAreGivenUpLoseNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		c, r := w.lite("192.0.2.10@me", subscribing)
		r.after(3 * time.Second)
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			for i := range 200 {
				w.put(queueOf("broker-a", int32(i%2)), 1, "", 0)
				time.Sleep(7 * time.Millisecond)
			}
		}()
		seen := map[string]int{}
		for i := range 2000 {
			ctx, cancel := context.WithTimeout(w.ctx, time.Duration(i%4)*time.Millisecond)
			p, err := c.Poll(ctx)
			cancel()
			if err != nil {
				continue
			}
			for _, body := range bodies(p.Messages) {
				seen[body]++
			}
			p.Release()
		}
		<-stop
		for _, body := range pollAll(w, c, 3*time.Second) {
			seen[body]++
		}
		if len(seen) != 200 {
			t.Errorf("%d of 200 messages were polled", len(seen))
		}
		for body, n := range seen {
			if n != 1 {
				t.Errorf("%s was polled %d times", body, n)
			}
		}
		r.stop()
	})
}

func TestAPollWaitsForItsTurnAndTime(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		c, r := w.lite("192.0.2.10@me", subscribing)
		defer r.stop()
		r.after(3 * time.Second)
		began := time.Now()
		if p, err := c.Poll(w.ctx); err != nil || len(p.Messages) != 0 || time.Since(began) != 5*time.Second {
			t.Errorf("nothing comes: %v after %v", err, time.Since(began))
		}
		began = time.Now()
		time.AfterFunc(2*time.Second, func() { w.put(first, 1, "", 0) })
		if got := poll(w, c, time.Minute); len(got) != 1 || time.Since(began) != 2*time.Second {
			t.Errorf("a message comes: %v after %v", got, time.Since(began))
		}
		done := make(chan error, 1)
		go func() { _, err := c.PollFor(w.ctx, time.Hour); done <- err }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(w.ctx, time.Second)
		defer cancel()
		if _, err := c.PollFor(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second poll meanwhile: %v", err)
		}
		r.stop()
		if err := <-done; !errors.Is(err, consumer.ErrNotRunning) {
			t.Errorf("the poll that waited for the end: %v", err)
		}
	})
}

func TestTopicQueuesAreWatched(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		var calls []string
		c, r := w.lite("192.0.2.10@me", subscribing)
		defer r.stop()
		err := c.WatchTopic(topic, func(_ context.Context, topic string, queues []mq.MessageQueue) {
			calls = append(calls, fmt.Sprintf("%s %d", topic, len(queues)))
		})
		if err != nil {
			t.Fatal(err)
		}
		r.after(60 * time.Second)
		if len(calls) != 0 {
			t.Errorf("told of %v though nothing changed", calls)
		}
		w.createTopic(topic, 5)
		r.after(31 * time.Second)
		w.createTopic(topic, 6)
		r.after(31 * time.Second)
		if diff := cmp.Diff([]string{"orders 5", "orders 6"}, calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

func TestALiteConsumerFollowsAnIllegalOffset(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		w.on("broker-a", func(b *embedded.Broker) { b.Store.Commits.Put(group, topic, 0, 500) })
		c, r := w.lite("192.0.2.10@me", subscribing)
		s := r.after(3 * time.Second)
		w.put(first, 2, "", 0)
		if diff := cmp.Diff(numbers(0, 10, 12), pollAll(w, c, 5*time.Second)); diff != "" {
			t.Errorf("polled (-want +got):\n%s", diff)
		}
		if q := queue(s, first); q.Illegal != 1 || len(told(s, "illegal")) != 1 {
			t.Errorf("%d illegal offsets, told:\n%s", q.Illegal, texts(s))
		}
		r.stop()
	})
	// A broker that never stops saying so is asked slowly.
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		next := int64(0)
		pulls := 0
		w.cluster.Intercept(int32(protocol.LitePullMessage), func(*embedded.Request) embedded.Verdict {
			pulls++
			return embedded.Edit(func(resp *remoting.Command) {
				next = 1 - next
				resp.Code = int32(protocol.PullOffsetMoved)
				resp.Fields.Set("nextBeginOffset", fmt.Sprint(next))
			})
		})
		w.put(first, 10, "", 0)
		_, r := w.lite("192.0.2.10@me", subscribing)
		r.after(30 * time.Second)
		if pulls > 60 {
			t.Errorf("%d pulls in half a minute", pulls)
		}
		r.stop()
	})
}

// TestALiteConsumerFollowsAReset: what was pulled before is not polled any more, and the next
// offset that a broker gets is the new one.
func TestALiteConsumerFollowsAReset(t *testing.T) {
	for _, back := range []bool{false, true} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 100, "", 0)
			time.Sleep(time.Second)
			second := time.Now()
			w.put(first, 50, "", 0)
			c, r := w.lite("192.0.2.10@me", subscribing)
			defer r.stop()
			for range 12 {
				poll(w, c, 3*time.Second)
			}
			r.after(6 * time.Second) // all is cached, what was polled is committed
			poll(w, c, 3*time.Second)
			from := 100
			sent := w.watch(protocol.UpdateConsumerOffset)
			if back {
				from = 0
				w.admin().reset(time.Unix(0, 0))
			} else {
				w.admin().reset(second)
			}
			w.put(first, 1, "", 0) // has the pull return that its broker holds
			s := r.after(3 * time.Second)
			if diff := cmp.Diff(numbers(0, from, from+10), poll(w, c, 3*time.Second)); diff != "" {
				t.Errorf("polled after the reset (-want +got):\n%s", diff)
			}
			if len(told(s, "illegal", "its offset was reset")) != 1 {
				t.Errorf("told:\n%s", texts(s))
			}
			r.after(6 * time.Second)
			for _, h := range headersOf[protocol.UpdateConsumerOffsetRequest](w, sent.take()) {
				if h.CommitOffset < int64(from) || h.CommitOffset > int64(from)+10 {
					t.Errorf("offset %d was sent after the reset to %d", h.CommitOffset, from)
				}
			}
			if diff := cmp.Diff(numbers(0, from+10, 151), pollAll(w, c, 5*time.Second)); diff != "" {
				t.Errorf("the rest (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPullFailuresOfALiteConsumerWait(t *testing.T) {
	for _, tc := range []struct {
		name string
		code protocol.ResponseCode
		gap  []time.Duration
	}{
		{"flow control of the broker: 20 ms, then a second", protocol.FlowControl, []time.Duration{20 * time.Millisecond, time.Second, time.Second}},
		{"an error: a second", protocol.SystemError, []time.Duration{time.Second, time.Second, time.Second}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 3, "", 0)
				c, r := w.lite("192.0.2.10@me", subscribing)
				poll(w, c, 5*time.Second)
				r.after(time.Second) // the next pull is held
				pulls := w.watch(protocol.LitePullMessage)
				n := 0
				w.cluster.Intercept(int32(protocol.LitePullMessage), func(*embedded.Request) embedded.Verdict {
					if n++; n <= 3 {
						return embedded.Fail(tc.code, "not now")
					}
					return embedded.Pass
				})
				w.put(first, 1, "", 0) // answers the pull that is held
				if got := poll(w, c, time.Second); len(got) != 1 {
					t.Errorf("polled %v", got)
				}
				r.after(10 * time.Second)
				var gaps []time.Duration
				list := pulls.take()
				for i := 1; i < 4; i++ {
					gaps = append(gaps, list[i].at.Sub(list[i-1].at))
				}
				if diff := cmp.Diff(tc.gap, gaps); diff != "" {
					t.Errorf("time between pulls (-want +got):\n%s", diff)
				}
				r.stop()
			})
		})
	}
}

func TestALiteConsumerGoesOnAfterItsBrokerRestarts(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 10, "", 0)
		c, r := w.lite("192.0.2.10@me", subscribing)
		if got := pollAll(w, c, 3*time.Second); len(got) != 10 {
			t.Errorf("polled %v", got)
		}
		poll(w, c, 6*time.Second)
		w.stopBroker("broker-a")
		time.Sleep(time.Minute)
		w.startBroker("broker-a")
		w.put(first, 10, "", 0)
		if diff := cmp.Diff(numbers(0, 10, 20), pollAll(w, c, 30*time.Second)); diff != "" {
			t.Errorf("polled (-want +got):\n%s", diff)
		}
		r.stop()
	})
}

func TestABroadcastingLiteConsumer(t *testing.T) {
	dir := t.TempDir()
	broadcast := func(c *consumer.LiteConfig) { c.Model, c.OffsetsDir = mq.Broadcasting, dir }
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		commits := w.watch(protocol.UpdateConsumerOffset)
		a, ra := w.lite("192.0.2.10@a", subscribing, broadcast)
		b, rb := w.lite("192.0.2.11@b", subscribing, broadcast)
		for name, c := range map[string]*consumer.Lite{"a": a, "b": b} {
			if got := pollAll(w, c, 25*time.Second); len(got) != 10 {
				t.Errorf("%s polled %v", name, got)
			}
		}
		if err := a.CommitSync(w.ctx); err != nil {
			t.Error(err)
		}
		ra.stop()
		rb.stop()
		w.put(first, 1, "", 0)
		a, ra = w.lite("192.0.2.10@a", subscribing, broadcast)
		if got := pollAll(w, a, 25*time.Second); !slices.Equal(got, numbers(0, 10, 11)) {
			t.Errorf("after a restart it polls %v", got)
		}
		ra.stop()
		if n := len(commits.take()); n != 0 {
			t.Errorf("%d offsets went to the broker", n)
		}
	})
}

func TestHooksOfALiteConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		var handed int
		c, r := w.lite("192.0.2.10@me", subscribing, func(c *consumer.LiteConfig) {
			c.ConsumeHooks = []consumer.ConsumeHook{consumeHook{
				before: func(*consumer.Consumption) {},
				after:  func(c *consumer.Consumption) { handed += len(c.Messages) },
			}}
			c.FilterHooks = []consumer.FilterHook{func(f *consumer.Filtering) {
				f.Messages = slices.DeleteFunc(f.Messages, func(m mq.Message) bool { return m.QueueOffset() != 4 })
			}}
		})
		if diff := cmp.Diff(numbers(0, 4, 5), pollAll(w, c, 5*time.Second)); diff != "" || handed != 1 {
			t.Errorf("%d were handed over, polled:\n%s", handed, diff)
		}
		poll(w, c, 6*time.Second)
		s := r.after(6 * time.Second)
		if q := queue(s, first); w.committed(first) != 10 || q.Filtered != 9 {
			t.Errorf("the broker has %d, %d were filtered", w.committed(first), q.Filtered)
		}
		r.stop()
	})
}

func TestAnIdleLiteConsumerKeepsItsQueues(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		c, r := w.lite("192.0.2.10@me", subscribing)
		r.after(3 * time.Second)
		if err := c.Pause(w.ctx, first, queueOf("broker-a", 1)); err != nil {
			t.Fatal(err)
		}
		s := r.after(20 * time.Minute)
		if len(owned(s)) != 2 || len(told(s, "given up")) != 0 || !s.Mode.Paused {
			t.Errorf("after twenty minutes it has %v:\n%s", owned(s), texts(s))
		}
		r.stop()
	})
}

func TestLiteConfigIsChecked(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*consumer.LiteConfig)
		want   string
	}{
		{"the default is right", func(*consumer.LiteConfig) {}, ""},
		{"a commit interval below a second", func(c *consumer.LiteConfig) { c.AutoCommitInterval = 999 * time.Millisecond }, "AutoCommitInterval is 999ms"},
		{"a start that is deprecated", func(c *consumer.LiteConfig) { c.From = mq.FromMaxOffset }, "can not start from"},
		{"a batch too large", func(c *consumer.LiteConfig) { c.PullBatch = 1025 }, "PullBatch is 1025"},
		{"a limit below 1", func(c *consumer.LiteConfig) { c.Limits.Span = -1 }, "Limits.Span is -1"},
		{"hold and timeout", func(c *consumer.LiteConfig) { c.Hold = time.Minute }, "HoldTimeout"},
		{"a negative time", func(c *consumer.LiteConfig) { c.PollTimeout = -1 }, "PollTimeout"},
	} {
		cfg := consumer.LiteConfig{MemberConfig: consumer.MemberConfig{Group: "g"}}
		tc.change(&cfg)
		err := cfg.Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

func TestALiteSubscriptionBySQL(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 3, "", 0)
		checks, pulls := w.watch(protocol.CheckClientConfig), w.watch(protocol.LitePullMessage)
		began := time.Now()
		_, r := w.lite("192.0.2.10@me", func(c *consumer.Lite) error { return c.Subscribe(topic, consumer.BySQL("a > 5"), nil) })
		s := r.after(5 * time.Second)
		if len(checks.take()) == 0 || s.Source.State != snapshot.Failing || !strings.Contains(s.Source.Err, "SQL92") {
			t.Errorf("a broker without SQL92: the source is %+v", s.Source)
		}
		for _, h := range headersOf[protocol.PullMessageRequest](w, pulls.take()) {
			if h.ExpressionType != "SQL92" || h.Subscription != "a > 5" || h.SubVersion != began.UnixMilli() || h.SysFlag != 22 {
				t.Errorf("request %+v", h)
			}
		}
		r.stop()
	})
}
