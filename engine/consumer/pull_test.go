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
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

func TestS1StartAndShutdownOfAPullConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		beats, goodbyes, commits := w.watch(protocol.HeartBeat), w.watch(protocol.UnregisterClient), w.watch(protocol.UpdateConsumerOffset)
		p, r := w.puller("192.0.2.10@me")
		r.after(2 * time.Second)
		beat, err := protocol.DecodeHeartbeatData(beats.take()[0].cmd.Body)
		if err != nil {
			t.Fatal(err)
		}
		want := []protocol.ConsumerData{{
			GroupName: group, ConsumeType: mq.Actively, MessageModel: mq.Clustering, ConsumeFromWhere: mq.FromLastOffset,
			SubscriptionDataSet: []protocol.SubscriptionData{{ExpressionType: "TAG", SubString: "*", Topic: topic}},
		}}
		if diff := cmp.Diff(want, beat.ConsumerDataSet, cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) }),
			cmp.Transformer("nil32", func(s []int32) []int32 { return append([]int32{}, s...) })); diff != "" {
			t.Errorf("heartbeat (-want +got):\n%s", diff)
		}
		queues, err := p.FetchMessageQueuesInBalance(w.ctx, topic)
		if err != nil || len(queues) != 4 {
			t.Fatalf("two seconds after the start it has %v, %v", queues, err)
		}
		if err := p.UpdateConsumeOffset(w.ctx, queues[1], 7); err != nil {
			t.Error(err)
		}
		r.stop()
		if n := len(commits.take()); n < 1 || n > 2 || w.committed(queues[1]) != 7 {
			t.Errorf("%d commits, the broker has %d, want only those of 7", n, w.committed(queues[1]))
		}
		if n := len(goodbyes.take()); n != 1 {
			t.Errorf("%d goodbyes", n)
		}
		for name, err := range map[string]error{
			"pull":   second(p.Pull(w.ctx, first, consumer.Selector{}, 0, 1)),
			"fetch":  second(p.FetchSubscribeMessageQueues(w.ctx, topic)),
			"update": p.UpdateConsumeOffset(w.ctx, first, 1),
			"max":    second(p.MaxOffset(w.ctx, first)),
			"async":  p.PullAsync(w.ctx, first, consumer.Selector{}, 0, 1, func(*consumer.PullResult, error) {}),
		} {
			if !errors.Is(err, consumer.ErrNotRunning) {
				t.Errorf("%s after the end: %v, want ErrNotRunning", name, err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestAPullConsumerWaitsUntilItRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		i := w.instance("192.0.2.10@me", w.wire.Dial)
		p, err := consumer.NewPull(consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: group}}, i)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Second)
		defer cancel()
		if _, err := p.MaxOffset(ctx, first); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("before Run: %v", err)
		}
		again, err := consumer.NewPull(consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: group}}, i)
		if err != nil {
			t.Fatal(err)
		}
		r := w.startOn(i, "me", p)
		<-p.Ready()
		if err := again.Run(w.ctx); !errors.Is(err, client.ErrDuplicateGroup) {
			t.Errorf("a second consumer of the group on the instance: %v", err)
		}
		r.stop()
	})
}

func TestS1ConfigOfAPullConsumer(t *testing.T) {
	ok := func() consumer.PullConfig {
		return consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: "g"}, Topics: []string{"t"}}
	}
	for _, c := range []struct {
		name   string
		change func(*consumer.PullConfig)
		want   []string // parts of the error
	}{
		{"the default is right", func(*consumer.PullConfig) {}, nil},
		{"a call must outlast the hold", func(c *consumer.PullConfig) { c.HoldTimeout = 19 * time.Second }, []string{"HoldTimeout is 19s and Hold is 20s"}},
		{"the hold may be longer with the timeout", func(c *consumer.PullConfig) { c.Hold, c.HoldTimeout = time.Minute, time.Minute }, nil},
		{"names", func(c *consumer.PullConfig) { c.Group, c.Topics = "a b", []string{"x/y"} }, []string{`group "a b"`, `topic "x/y"`}},
		{"the reserved group", func(c *consumer.PullConfig) { c.Group = "DEFAULT_CONSUMER" }, []string{"reserved"}},
		{"broadcasting needs a folder", func(c *consumer.PullConfig) { c.Model = mq.Broadcasting }, []string{"OffsetsDir"}},
		{"an unknown model", func(c *consumer.PullConfig) { c.Model = mq.UnknownModel }, []string{"UNKNOWN is not allowed"}},
		{"a selector of no topic", func(c *consumer.PullConfig) {
			c.Selectors = map[string]consumer.Selector{"u": consumer.ByTag("a")}
		}, []string{`"u"`}},
		{"a selector of separators", func(c *consumer.PullConfig) {
			c.Selectors = map[string]consumer.Selector{"t": consumer.ByTag("||")}
		}, []string{"separators"}},
		{"negative numbers", func(c *consumer.PullConfig) { c.Timeout, c.Drain, c.MaxReconsume = -1, -1, -2 }, []string{"Timeout", "Drain", "MaxReconsume"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := ok()
			c.change(&cfg)
			err := cfg.Validate()
			if (err == nil) != (len(c.want) == 0) {
				t.Fatalf("got %v, want faults %v", err, c.want)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
		})
	}
}

func TestS1QueuesOfATopic(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		w.createTopic("other", 1)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(2 * time.Second)
		want := []mq.MessageQueue{queueOf("broker-a", 0), queueOf("broker-a", 1), queueOf("broker-b", 0), queueOf("broker-b", 1)}
		got, err := p.FetchSubscribeMessageQueues(w.ctx, topic)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		got, err = p.FetchSubscribeMessageQueues(w.ctx, "other")
		if err != nil || len(got) != 2 {
			t.Errorf("a topic that is not registered: %v, %v", got, err)
		}
		if mine, err := p.FetchMessageQueuesInBalance(w.ctx, "other"); err != nil || len(mine) != 0 {
			t.Errorf("queues of a topic that is not registered: %v, %v", mine, err)
		}
		if _, err = p.FetchSubscribeMessageQueues(w.ctx, "missing"); !errors.Is(err, client.ErrNoRoute) {
			t.Errorf("a topic that does not exist: %v", err)
		}
	})
}

func TestS1PullAndPullBlockIfNotFound(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 40, "", 10)
		pulls := w.watch(protocol.PullMessage)
		p, r := w.puller("192.0.2.10@me", unregistered)
		defer r.stop()

		got, err := p.Pull(w.ctx, first, consumer.Selector{}, 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != mq.Found || got.Next != 32 || got.Min != 0 || got.Max != 40 || len(got.Messages) != 32 || string(got.Messages[31].Body()) != "0-31 xxxxx" {
			t.Errorf("got %v next %d of [%d,%d) with %d messages", got.Status, got.Next, got.Min, got.Max, len(got.Messages))
		}
		kept := got.Messages[0].Clone()
		got.Release()
		got.Release()
		if string(kept.Body()) != "0-0 xxxxxx" {
			t.Errorf("a clone says %q after the release", kept.Body())
		}

		began := time.Now()
		got, err = p.Pull(w.ctx, first, consumer.Selector{}, 40, 32)
		if err != nil || got.Status != mq.NoNewMsg || got.Next != 40 || time.Since(began) != 0 {
			t.Errorf("at the end: %+v, %v after %v, want NO_NEW_MSG at once", got, err, time.Since(began))
		}
		began = time.Now()
		got, err = p.PullBlockIfNotFound(w.ctx, first, consumer.Selector{}, 40, 32)
		if held := time.Since(began); err != nil || got.Status != mq.NoNewMsg || held < 15*time.Second || held > 25*time.Second {
			t.Errorf("blocking at the end: %+v, %v after %v, want NO_NEW_MSG after the hold of 20s", got, err, held)
		}
		time.AfterFunc(3*time.Second, func() { w.put(first, 1, "", 10) })
		began = time.Now()
		got, err = p.PullBlockIfNotFound(w.ctx, first, consumer.Selector{}, 40, 32)
		if err != nil || got.Status != mq.Found || time.Since(began) != 3*time.Second {
			t.Errorf("blocking until a message comes: %+v, %v after %v", got, err, time.Since(began))
		}

		var flags []int32
		for _, h := range headersOf[protocol.PullMessageRequest](w, pulls.take()) {
			flags = append(flags, h.SysFlag)
			want := protocol.PullMessageRequest{
				ConsumerGroup: group, Topic: topic, QueueOffset: h.QueueOffset, MaxMsgNums: 32, SysFlag: h.SysFlag,
				SuspendTimeoutMillis: 20000, Subscription: "*", ExpressionType: "TAG", MaxMsgBytes: protocol.Some[int32](2147483647),
			}
			want.BName = "broker-a"
			if diff := cmp.Diff(want, h, cmp.AllowUnexported(protocol.Opt[int32]{}, protocol.Opt[bool]{}, protocol.Opt[int64]{})); diff != "" {
				t.Errorf("request (-want, as Java sends it, +got):\n%s", diff)
			}
		}
		if !slices.Equal(flags, []int32{4, 4, 6, 6}) {
			t.Errorf("flags %v, want 4 for a pull and 6 for a blocking one", flags)
		}
	})
}

func TestS1PullStatusesAndTheExactTag(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 3, "AaAa", 0)
		w.put(first, 2, "BBBB", 0)
		w.put(first, 1, "", 0)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		for _, c := range []struct {
			name   string
			sel    consumer.Selector
			offset int64
			status mq.PullStatus
			next   int64
			bodies []string
		}{
			{"P11: a tag that has the hash of another is told from it", consumer.ByTag("AaAa"), 0, mq.Found, 6, []string{"0-0 ", "0-1 ", "0-2 "}},
			{"two tags", consumer.ByTag("AaAa || BBBB"), 2, mq.Found, 6, []string{"0-2 ", "0-3 ", "0-4 "}},
			{"found, but nothing that is wanted", consumer.ByTag("BBBB"), 0, mq.Found, 3, nil},
			{"nothing matches", consumer.ByTag("other"), 0, mq.NoMatchedMsg, 6, nil},
			{"everything", consumer.Selector{}, 4, mq.Found, 6, []string{"0-4 ", "0-5 "}},
			{"the end", consumer.Selector{}, 6, mq.NoNewMsg, 6, nil},
			{"beyond the end", consumer.Selector{}, 1 << 20, mq.OffsetIllegal, 6, nil},
		} {
			n := 32
			if c.name == "found, but nothing that is wanted" {
				n = 3
			}
			got, err := p.Pull(w.ctx, first, c.sel, c.offset, n)
			if err != nil || got.Status != c.status || got.Next != c.next {
				t.Errorf("%s: %+v, %v, want %v and %d", c.name, got, err, c.status, c.next)
				continue
			}
			if diff := cmp.Diff(append([]string{}, c.bodies...), bodies(got.Messages)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
			got.Release()
		}
		s := r.after(time.Second)
		q := queue(s, first)
		if q.Illegal != 1 || q.LastPull.V.Status != "OFFSET_ILLEGAL" || q.Max.V != 6 || q.Filtered != 5 || s.Counters.Filtered != 5 {
			t.Errorf("the picture says illegal %d, last %v, max %d, filtered %d", q.Illegal, q.LastPull.V.Status, q.Max.V, q.Filtered)
		}
		if q.Count.State != snapshot.NotApplicable {
			t.Errorf("cached messages of a pull consumer are %+v, want not applicable", q.Count)
		}
	})
}

func TestS1ArgumentsOfAPull(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		pulls := w.watch(protocol.PullMessage)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		all := consumer.Selector{}
		for name, ask := range map[string]consumer.Ask{
			"no queue":             {Select: all, MaxNums: 1},
			"no broker":            {Queue: mq.MessageQueue{Topic: topic}, MaxNums: 1},
			"P02: negative offset": {Queue: first, Offset: -1, MaxNums: 1},
			"no messages":          {Queue: first},
			"too many bytes":       {Queue: first, MaxNums: 1, MaxBytes: 1 << 40},
			"negative bytes":       {Queue: first, MaxNums: 1, MaxBytes: -1},
			"separators":           {Queue: first, MaxNums: 1, Select: consumer.ByTag("||")},
			"an empty expression":  {Queue: first, MaxNums: 1, Select: consumer.BySQL("")},
			"negative timeout":     {Queue: first, MaxNums: 1, Timeout: -1},
		} {
			if _, err := p.Do(w.ctx, ask); err == nil {
				t.Errorf("%s is no error", name)
			}
			if err := p.DoAsync(w.ctx, ask, func(*consumer.PullResult, error) { t.Errorf("%s: the callback was called", name) }); err == nil {
				t.Errorf("%s is no error of an asynchronous pull", name)
			}
		}
		if err := p.PullAsync(w.ctx, first, all, 0, 1, nil); err == nil {
			t.Error("no callback is no error")
		}
		if n := len(pulls.take()); n != 0 {
			t.Errorf("%d pulls were sent", n)
		}
	})
}

func TestS1FailuresOfAPullAreErrors(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(time.Second)
		verdict := embedded.Verdict(embedded.Pass)
		w.cluster.Intercept(int32(protocol.PullMessage), func(*embedded.Request) embedded.Verdict { return verdict })
		for _, c := range []struct {
			name    string
			verdict embedded.Verdict
			block   bool
			class   client.Class
			after   time.Duration
		}{
			{"no answer to a pull takes 10s", embedded.Drop, false, client.Lost, 10 * time.Second},
			{"no answer to a blocking pull takes 30s", embedded.Drop, true, client.Lost, 30 * time.Second},
			{"an error of the broker", embedded.Fail(protocol.SystemError, "oops"), false, client.Failed, 0},
			{"no permission", embedded.Fail(protocol.NoPermission, "no"), true, client.Refused, 0},
			{"an answer without sense", embedded.Answer(&remoting.Command{}), false, client.Broken, 0},
			{"a closed connection", embedded.CloseConn, false, client.Lost, 0},
		} {
			time.Sleep(10 * time.Second) // connected again
			verdict = c.verdict
			began := time.Now()
			got, err := p.Do(w.ctx, consumer.Ask{Queue: first, MaxNums: 1, Block: c.block})
			if got != nil || client.Classify(err) != c.class || time.Since(began).Round(time.Millisecond) != c.after {
				t.Errorf("%s: %v, %v of class %v after %v, want %v after %v", c.name, got, err, client.Classify(err), time.Since(began), c.class, c.after)
			}
			if err != nil && !strings.Contains(err.Error(), "orders") {
				t.Errorf("%s: %q does not say what was tried", c.name, err)
			}
		}
		verdict = embedded.Pass
		s := r.after(10 * time.Second)
		if q := queue(s, first); q.Failures != 6 || s.Counters.PullsFailed != 6 {
			t.Errorf("the picture counts %d and %d failures", q.Failures, s.Counters.PullsFailed)
		}
		ctx, cancel := context.WithTimeout(w.ctx, 2*time.Second)
		defer cancel()
		if _, err := p.PullBlockIfNotFound(ctx, first, consumer.Selector{}, 0, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller that gives up: %v", err)
		}
	})
}

func TestS1ATopicThatIsPulledIsSubscribedButNotTold(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		beats := w.watch(protocol.HeartBeat)
		p, r := w.puller("192.0.2.10@me", unregistered)
		defer r.stop()
		if s := r.after(5 * time.Second); s.Source.State != snapshot.Running || len(s.Queues) != 0 {
			t.Errorf("without a topic: %+v, queues %v", s.Source, s.Queues)
		}
		if _, err := p.Pull(w.ctx, first, consumer.Selector{}, 0, 1); err != nil {
			t.Fatal(err)
		}
		s := r.after(5 * time.Second)
		if got := owned(s); len(got) != 4 {
			t.Errorf("it owns %v, want all queues of the topic it pulled from", got)
		}
		list := beats.take()
		if len(list) == 0 {
			t.Error("no heartbeat was sent")
		}
		for _, b := range list {
			beat, err := protocol.DecodeHeartbeatData(b.cmd.Body)
			if err != nil || len(beat.ConsumerDataSet) != 1 || len(beat.ConsumerDataSet[0].SubscriptionDataSet) != 0 {
				t.Errorf("a heartbeat tells of %+v, %v", beat.ConsumerDataSet, err)
			}
		}
		w.createTopic(topic, 8)
		if got := owned(r.after(70 * time.Second)); len(got) != 8 {
			t.Errorf("P16: after the topic grew it owns %v", got)
		}
	})
}

func TestS1OffsetsOfAPullConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 50, "", 0)
		other := queueOf("broker-a", 1)
		w.on("broker-a", func(b *embedded.Broker) { b.Store.Commits.Put(group, topic, 0, 20) })
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(2 * time.Second)
		want := func(what string, q mq.MessageQueue, fromStore bool, at int64, found bool) {
			t.Helper()
			got, ok, err := p.FetchConsumeOffset(w.ctx, q, fromStore)
			if err != nil || got != at || ok != found {
				t.Errorf("%s: %d %v %v, want %d %v", what, got, ok, err, at, found)
			}
		}
		want("the broker's, as memory has none", first, false, 20, true)
		w.on("broker-a", func(b *embedded.Broker) { b.Store.Commits.Put(group, topic, 0, 25) })
		want("memory keeps what was read", first, false, 20, true)
		want("the store is asked", first, true, 25, true)
		want("and kept", first, false, 25, true)
		if err := p.UpdateConsumeOffset(w.ctx, first, 30); err != nil {
			t.Error(err)
		}
		want("what was set", first, false, 30, true)
		want("the broker does not have it yet", first, true, 25, true)
		want("the store is kept in memory, as in Java", first, false, 25, true)
		if err := errors.Join(p.UpdateConsumeOffset(w.ctx, first, 30), p.UpdateConsumeOffset(w.ctx, first, 10)); err != nil {
			t.Error(err)
		}
		want("backwards too", first, false, 10, true)
		r.after(5 * time.Second)
		if got := w.committed(first); got != 10 {
			t.Errorf("after five seconds the broker has %d, want 10", got)
		}
		if err := errors.Join(p.UpdateConsumeOffset(w.ctx, first, 33), p.Persist(w.ctx, first)); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := w.committed(first); got != 33 {
			t.Errorf("persisted at once: the broker has %d, want 33", got)
		}
		if err := p.UpdateConsumeOffsetToBroker(w.ctx, other, 0, false); err != nil {
			t.Error(err)
		}
		if got := w.committed(other); got != 0 {
			t.Errorf("offset 0 is recorded: the broker has %d", got)
		}
		if err := p.UpdateConsumeOffset(w.ctx, first, -1); err == nil {
			t.Error("P02: a negative offset is taken")
		}
		w.cluster.Intercept(int32(protocol.QueryConsumerOffset), func(*embedded.Request) embedded.Verdict {
			return embedded.Fail(protocol.SystemError, "oops")
		})
		if _, _, err := p.FetchConsumeOffset(w.ctx, first, true); err == nil {
			t.Error("P01: a failed query is an offset")
		}
	})
}

func TestS1AnOffsetOfAQueueThatIsNotOursIsForgotten(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		a, ra := w.puller("192.0.2.10@a")
		defer ra.stop()
		_, rb := w.puller("192.0.2.11@b")
		defer rb.stop()
		ra.after(3 * time.Second)
		mine, err := a.FetchMessageQueuesInBalance(w.ctx, topic)
		if err != nil || !slices.Equal(mine, []mq.MessageQueue{first}) {
			t.Fatalf("a has %v, %v", mine, err)
		}
		theirs := queueOf("broker-a", 1)
		if err := errors.Join(a.UpdateConsumeOffset(w.ctx, first, 5), a.UpdateConsumeOffset(w.ctx, theirs, 6)); err != nil {
			t.Fatal(err)
		}
		s := ra.after(6 * time.Second)
		if w.committed(first) != 5 || w.committed(theirs) != -1 {
			t.Errorf("the broker has %d and %d, want 5 and none", w.committed(first), w.committed(theirs))
		}
		if _, found, err := a.FetchConsumeOffset(w.ctx, theirs, false); found || err != nil {
			t.Errorf("memory still has the offset of another's queue: %v", err)
		}
		if len(told(s, "forgotten", "not ours")) != 1 {
			t.Errorf("nothing says that an offset was forgotten:\n%s", texts(s))
		}
		if err := errors.Join(a.UpdateConsumeOffset(w.ctx, theirs, 6), a.Persist(w.ctx, theirs)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if w.committed(theirs) != 6 {
			t.Errorf("persisted by hand: the broker has %d", w.committed(theirs))
		}
	})
}

func TestS1HooksOfAPullConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 3, "", 0)
		var calls []string
		hook := consumeHook{
			before: func(c *consumer.Consumption) {
				calls = append(calls, fmt.Sprintf("before %d %v", len(c.Messages), c.Success))
			},
			after: func(c *consumer.Consumption) {
				calls = append(calls, fmt.Sprintf("after %d %v %s", len(c.Messages), c.Success, c.Status))
				panic("a bad hook")
			},
		}
		p, r := w.puller("192.0.2.10@me", func(c *consumer.PullConfig) {
			c.ConsumeHooks = []consumer.ConsumeHook{hook}
			c.FilterHooks = []consumer.FilterHook{
				func(f *consumer.Filtering) { f.Messages = f.Messages[:2] },
				func(f *consumer.Filtering) { f.Messages = nil; panic("a bad filter") },
				func(f *consumer.Filtering) { calls = append(calls, "filter "+f.Group+" "+f.Queue.Topic) },
			}
		})
		defer r.stop()
		got, err := p.Pull(w.ctx, first, consumer.Selector{}, 0, 32)
		if err != nil || len(got.Messages) != 2 || got.Next != 3 {
			t.Errorf("got %+v, %v, want two messages and the next offset", got, err)
		}
		if _, err := p.Pull(w.ctx, first, consumer.Selector{}, 3, 32); err != nil {
			t.Error(err)
		}
		done := make(chan int, 1)
		if err := p.PullAsync(w.ctx, first, consumer.Selector{}, 0, 32, func(r *consumer.PullResult, _ error) { done <- len(r.Messages) }); err != nil {
			t.Error(err)
		}
		if n := <-done; n != 2 {
			t.Errorf("an asynchronous pull brings %d messages", n)
		}
		want := []string{
			"filter g orders", "before 2 false", "after 2 true CONSUME_SUCCESS",
			"before 0 false", "after 0 true CONSUME_SUCCESS", "filter g orders",
		}
		if diff := cmp.Diff(want, calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if s := r.after(time.Second); len(told(s, "a bad hook")) == 0 || len(told(s, "a bad filter")) == 0 {
			t.Errorf("panics of hooks are not told:\n%s", texts(s))
		}
	})
}

type consumeHook struct{ before, after func(*consumer.Consumption) }

func (h consumeHook) Before(c *consumer.Consumption) { h.before(c) }
func (h consumeHook) After(c *consumer.Consumption)  { h.after(c) }

func TestS1PullsBySQL(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		pulls := w.watch(protocol.PullMessage)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(time.Second)
		_, err := p.PullBlockIfNotFound(w.ctx, first, consumer.BySQL("a > 5"), 0, 10)
		if be, ok := errors.AsType[*protocol.BrokerError](err); !ok || be.Code != protocol.SystemError {
			t.Errorf("a broker that has SQL92 switched off: %v", err)
		}
		sent := pulls.take()
		h := headersOf[protocol.PullMessageRequest](w, sent)[0]
		if h.ExpressionType != "SQL92" || h.Subscription != "a > 5" || h.SubVersion != sent[0].at.UnixMilli() || h.SysFlag != 6 {
			t.Errorf("request %+v", h)
		}
	})
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.cluster.Intercept(int32(protocol.HeartBeat), func(*embedded.Request) embedded.Verdict { return embedded.Fail(protocol.SystemError, "no") })
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		pulls := w.watch(protocol.PullMessage)
		if _, err := p.Pull(w.ctx, first, consumer.BySQL("a > 5"), 0, 10); err == nil || len(pulls.take()) != 0 {
			t.Errorf("a broker whose version nobody knows: %v", err)
		}
	})
}

func TestS1AsynchronousPulls(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		p, r := w.puller("192.0.2.10@me")
		type outcome struct {
			r   *consumer.PullResult
			err error
		}
		done := make(chan outcome, 10)
		callback := func(r *consumer.PullResult, err error) { done <- outcome{r, err} }
		began := time.Now()
		for id := range int32(4) {
			if err := p.PullBlockIfNotFoundAsync(w.ctx, queueOf("broker-a", id), consumer.Selector{}, 0, 1, callback); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) != 0 {
			t.Error("an asynchronous pull does not return at once")
		}
		time.AfterFunc(2*time.Second, func() { w.put(first, 1, "", 0) })
		if o := <-done; o.err != nil || o.r.Status != mq.Found || time.Since(began) != 2*time.Second {
			t.Errorf("the first outcome is %+v, %v after %v", o.r, o.err, time.Since(began))
		}
		if err := p.PullAsync(w.ctx, first, consumer.Selector{}, 0, 1, func(*consumer.PullResult, error) { panic("in the callback") }); err != nil {
			t.Error(err)
		}
		s := r.after(time.Second)
		if len(told(s, "in the callback")) != 1 {
			t.Errorf("a panic of a callback is not told:\n%s", texts(s))
		}
		if q := queue(s, queueOf("broker-a", 1)); q.Task.State != snapshot.TaskParked {
			t.Errorf("the pull that is held shows as %v", q.Task.State)
		}
		r.stop() // three are still held
		for range 3 {
			if o := <-done; o.err == nil {
				t.Errorf("a pull that the end of the consumer ended brought %+v", o.r)
			}
		}
	})
}

func TestS0TheListenerIsToldOfQueues(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a, ra := w.puller("192.0.2.10@a", unregistered)
		var calls []string
		listen := func(_ context.Context, topic string, all, mine []mq.MessageQueue) {
			calls = append(calls, fmt.Sprintf("%s %d of %d", topic, len(mine), len(all)))
		}
		if err := errors.Join(a.RegisterMessageQueueListener(topic, listen), a.RegisterMessageQueueListener("later", nil)); err != nil {
			t.Fatal(err)
		}
		ra.after(3 * time.Second)
		_, rb := w.puller("192.0.2.11@b")
		ra.after(3 * time.Second)
		rb.stop()
		ra.after(3 * time.Second)
		w.createTopic("later", 1)
		ra.after(60 * time.Second)
		if diff := cmp.Diff([]string{"orders 4 of 4", "orders 2 of 4", "orders 4 of 4", "later 1 of 1"}, calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if err := a.RegisterTopic("no/topic"); err == nil {
			t.Error("an illegal topic is registered")
		}
		ra.stop()
	})
}

func TestAListenerThatNeverReturnsIsLeftBehind(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		p, r := w.puller("192.0.2.10@a")
		forever := make(chan struct{})
		if err := p.RegisterMessageQueueListener(topic, func(context.Context, string, []mq.MessageQueue, []mq.MessageQueue) { <-forever }); err != nil {
			t.Fatal(err)
		}
		r.after(5 * time.Second)
		began := time.Now()
		err := r.end()
		if stuck, ok := errors.AsType[*consumer.StuckError](err); !ok || stuck.Calls != 1 || stuck.What != "message queue listener" {
			t.Errorf("the end says %v", err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the end took %v", took)
		}
		close(forever)
	})
}

func TestS1SendMessageBack(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 1, "x", 0)
		back := w.watch(protocol.ConsumerSendMsgBack)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(2 * time.Second)
		got, err := p.Pull(w.ctx, first, consumer.Selector{}, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.SendMessageBack(w.ctx, got.Messages[0], 1, ""); err != nil {
			t.Fatal(err)
		}
		h := headersOf[protocol.ConsumerSendMsgBackRequest](w, back.take())[0]
		if h.Group != group || h.DelayLevel != 1 || h.OriginTopic != topic || h.MaxReconsumeTimes != protocol.Some[int32](16) {
			t.Errorf("request %+v", h)
		}
		retry := mq.MessageQueue{Topic: mq.RetryTopic(group), BrokerName: "broker-a"}
		time.Sleep(5 * time.Second)
		again, err := p.Pull(w.ctx, retry, consumer.Selector{}, 0, 1)
		if err != nil || len(again.Messages) != 1 || again.Messages[0].ReconsumeTimes() != 1 {
			t.Errorf("the retry topic brings %+v, %v", again, err)
		}
	})
}

func TestS1AdminCalls(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.sendOne(client.OutMessage{Topic: topic, Keys: "k1", Body: []byte("one")})
		time.Sleep(10 * time.Second)
		middle := time.Now()
		w.sendOne(client.OutMessage{Topic: topic, Keys: "k2", Body: []byte("two")})
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		for _, c := range []struct {
			name string
			call func() (int64, error)
			want int64
		}{
			{"max", func() (int64, error) { return p.MaxOffset(w.ctx, first) }, 2},
			{"min", func() (int64, error) { return p.MinOffset(w.ctx, first) }, 0},
			{"search", func() (int64, error) { return p.SearchOffset(w.ctx, first, middle) }, 1},
			{"earliest", func() (int64, error) {
				at, err := p.EarliestMsgStoreTime(w.ctx, first)
				return middle.Sub(at).Milliseconds(), err
			}, 10_000},
		} {
			if got, err := c.call(); err != nil || got != c.want {
				t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
			}
		}
		found, err := p.QueryMessage(w.ctx, topic, "k2", 5, middle.Add(-time.Hour), middle.Add(time.Hour))
		if err != nil || len(found) != 1 || string(found[0].Body()) != "two" {
			t.Fatalf("by key: %v, %v", bodies(found), err)
		}
		m, err := p.ViewMessage(w.ctx, topic, found[0].ID())
		if err != nil || string(m.Body()) != "two" {
			t.Errorf("by id: %v", err)
		}
	})
}

func TestABroadcastingPullConsumer(t *testing.T) {
	dir := t.TempDir()
	broadcast := func(c *consumer.PullConfig) { c.Model, c.OffsetsDir = mq.Broadcasting, dir }
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		commits := w.watch(protocol.UpdateConsumerOffset)
		p, r := w.puller("192.0.2.10@me", broadcast)
		_, rb := w.puller("192.0.2.11@other", broadcast)
		r.after(2 * time.Second)
		mine, err := p.FetchMessageQueuesInBalance(w.ctx, topic)
		if err != nil || len(mine) != 2 {
			t.Errorf("each member has all queues, this one %v, %v", mine, err)
		}
		if _, found, err := p.FetchConsumeOffset(w.ctx, first, false); found || err != nil {
			t.Errorf("nothing was saved yet: %v %v", found, err)
		}
		if err := p.UpdateConsumeOffset(w.ctx, first, 12); err != nil {
			t.Error(err)
		}
		rb.stop()
		r.stop()
		p, r = w.puller("192.0.2.10@me", broadcast)
		if at, found, err := p.FetchConsumeOffset(w.ctx, first, true); at != 12 || !found || err != nil {
			t.Errorf("after a restart the file says %d %v %v, want 12", at, found, err)
		}
		r.stop()
		if n := len(commits.take()); n != 0 {
			t.Errorf("%d offsets went to the broker", n)
		}
	})
}

func TestWithoutRebalanceNoQueueIsOurs(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 3, "", 0)
		p, r := w.puller("192.0.2.10@me", func(c *consumer.PullConfig) { c.NoRebalance = true })
		defer r.stop()
		if got := owned(r.after(30 * time.Second)); len(got) != 0 {
			t.Errorf("it owns %v", got)
		}
		if got, err := p.Pull(w.ctx, first, consumer.Selector{}, 0, 10); err != nil || len(got.Messages) != 3 {
			t.Errorf("a pull brings %+v, %v", got, err)
		}
		q := queue(r.after(time.Second), first)
		if q.State != snapshot.NotOwned || q.Max.V != 3 || q.Next.V != 3 || q.Found != 3 {
			t.Errorf("the picture of a queue that is pulled though it is not ours: %+v", q)
		}
	})
}

func TestThePictureOfAPullConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		w.on("broker-a", func(b *embedded.Broker) { b.Store.Commits.Put(group, topic, 0, 40) })
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		s := r.after(5 * time.Second)
		q := queue(s, first)
		if q.State != snapshot.Pulling || q.Committed.V != 40 || q.Max.V != 100 || q.Lag.V != 60 || q.Next.OK() {
			t.Errorf("before a pull: committed %+v max %+v lag %+v next %+v", q.Committed, q.Max, q.Lag, q.Next)
		}
		got, err := p.Pull(w.ctx, first, consumer.Selector{}, 40, 32)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.UpdateConsumeOffset(w.ctx, first, got.Next); err != nil {
			t.Fatal(err)
		}
		s = r.after(6 * time.Second)
		q = queue(s, first)
		if q.Next.V != 72 || q.Committed.V != 72 || q.Lag.V != 28 || q.Found != 32 || q.LastPull.V.Count != 32 {
			t.Errorf("after it: next %+v committed %+v lag %+v", q.Next, q.Committed, q.Lag)
		}
		if s.Counters.Pulls != 1 || s.Counters.Received != 32 || s.Counters.Commits == 0 || len(s.Members) != 1 || len(s.Topics) != 1 {
			t.Errorf("counters %+v, members %v, topics %v", s.Counters, s.Members, s.Topics)
		}
		if len(s.Cluster.Brokers) != 1 || !s.Cluster.Brokers[0].Up || s.Group.Name != group {
			t.Errorf("cluster %+v", s.Cluster)
		}
	})
}

func TestAPullConsumerSurvivesARestartOfItsBroker(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 10, "", 0)
		p, r := w.puller("192.0.2.10@me")
		defer r.stop()
		r.after(2 * time.Second)
		if err := p.UpdateConsumeOffset(w.ctx, first, 4); err != nil {
			t.Fatal(err)
		}
		w.stopBroker("broker-a")
		if _, err := p.Pull(w.ctx, first, consumer.Selector{}, 4, 10); err == nil {
			t.Error("a broker that is down answered")
		}
		r.after(20 * time.Second)
		w.startBroker("broker-a")
		s := r.after(20 * time.Second)
		if got, err := p.Pull(w.ctx, first, consumer.Selector{}, 4, 10); err != nil || len(got.Messages) != 6 {
			t.Errorf("after the restart: %+v, %v", got, err)
		}
		if w.committed(first) != 4 || len(owned(s)) != 2 {
			t.Errorf("the broker has %d, it owns %v\n%s", w.committed(first), owned(s), texts(s))
		}
	})
}

func TestSplitAmongPullConsumersAndAPushMember(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 6)
		_, ra := w.puller("192.0.2.10@a")
		defer ra.stop()
		_, rb := w.puller("192.0.2.11@b")
		defer rb.stop()
		time.Sleep(5 * time.Second)
		if a, b := owned(ra.after(0)), owned(rb.after(0)); len(a) != 3 || len(b) != 3 {
			t.Errorf("a owns %v, b %v", a, b)
		}
		rb.stop()
		if a := owned(ra.after(3 * time.Second)); len(a) != 6 {
			t.Errorf("after b left, a owns %v", a)
		}
	})
}
