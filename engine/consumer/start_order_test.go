package consumer_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// TestS4WhatFollowsTheStart: the routes of the topics, a heartbeat to each broker, and only then
// the first rebalance with its questions, and the first pulls half a second later
// (Java: DefaultMQPushConsumerImpl.start from updateTopicSubscribeInfoWhenSubscriptionChanged on).
func TestS4WhatFollowsTheStart(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 1)
		w.createTopic("other", 1)
		seen := w.record(protocol.GetRouteInfoByTopic, protocol.HeartBeat, protocol.GetConsumerListByGroup,
			protocol.QueryConsumerOffset, protocol.PullMessage)
		w.net.Delay(nameServer, time.Millisecond)
		for _, b := range w.brokers {
			w.net.Delay(addrOf(b), time.Millisecond)
		}
		began := time.Now()
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Subscriptions = append(c.Subscriptions, consumer.Subscription{Topic: "other"})
		})
		m.after(2 * time.Second)
		at := map[protocol.RequestCode]time.Duration{} // of the first of each
		routes, beaten := 0, map[string]bool{}         // before the question for members
		for _, r := range seen.all(everything) {
			if _, ok := at[r.Code]; !ok {
				at[r.Code] = r.At.Sub(began)
			}
			if _, asked := at[protocol.GetConsumerListByGroup]; asked {
				continue
			}
			switch r.Code {
			case protocol.GetRouteInfoByTopic:
				routes++
			case protocol.HeartBeat:
				if routes < 2 {
					t.Error("a heartbeat went out before the routes of both topics were asked for")
				}
				beaten[r.Broker] = true
			}
		}
		order := []protocol.RequestCode{
			protocol.GetRouteInfoByTopic, protocol.HeartBeat, protocol.GetConsumerListByGroup, protocol.QueryConsumerOffset, protocol.PullMessage,
		}
		if !slices.IsSortedFunc(order, func(a, b protocol.RequestCode) int { return cmp.Compare(at[a], at[b]) }) || len(at) != len(order) {
			t.Errorf("first requests at %v, want them in the order %v", at, order)
		}
		if len(beaten) != 2 {
			t.Errorf("members were asked for when heartbeats had gone to %v", beaten)
		}
		if wait := at[protocol.PullMessage] - at[protocol.QueryConsumerOffset]; wait < 500*time.Millisecond || wait > 520*time.Millisecond {
			t.Errorf("the first pull came %v after the question for its offset", wait)
		}
	})
}

// TestS4ServiceStatesOfAPushConsumer: it runs once, and whoever starts it again is told so.
func TestS4ServiceStatesOfAPushConsumer(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", nil)
		if s := m.push.Snapshot(); s.Source.State == snapshot.Running {
			t.Errorf("before it was started its state is %v", s.Source.State)
		}
		if s := m.after(2 * time.Second); s.Source.State != snapshot.Running {
			t.Errorf("state %v", s.Source.State)
		}
		if err := m.push.Run(w.ctx); !errors.Is(err, client.ErrAlreadyRun) {
			t.Errorf("started while it runs: %v", err)
		}
		w.send(5, "x")
		m.after(2 * time.Second)
		if distinct(m) != 5 {
			t.Errorf("%d of 5 messages after the start that failed", distinct(m))
		}
		m.stop()
		if s := m.push.Snapshot(); s.Source.State != snapshot.Ended {
			t.Errorf("state %v after the end", s.Source.State)
		}
		if err := m.push.Run(w.ctx); !errors.Is(err, client.ErrAlreadyRun) {
			t.Errorf("started after its end: %v", err)
		}
	})
}

// TestS4SubscriptionsOfAPushConsumer: what heartbeats tell. When CLUSTERING the retry topic is
// subscribed too, never when BROADCASTING; the version of a topic is the time at which the
// subscription was made, or at which its queues changed.
func TestS4SubscriptionsOfAPushConsumer(t *testing.T) {
	for _, model := range []mq.MessageModel{mq.Clustering, mq.Broadcasting} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.createTopic("other", 1)
			beats := w.watch(protocol.HeartBeat)
			born := time.Now().UnixMilli()
			m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
				c.Model, c.OffsetsDir = model, t.TempDir()
				c.Subscriptions = []consumer.Subscription{{Topic: topic, Expression: " TagA ||  TagB || "}, {Topic: "other"}}
			})
			m.after(10 * time.Second)
			want := []protocol.SubscriptionData{
				{Topic: topic, SubString: " TagA ||  TagB || ", TagsSet: []string{"TagA", "TagB"}, CodeSet: []int32{mq.HashJava("TagA"), mq.HashJava("TagB")}, ExpressionType: "TAG"},
				{Topic: "other", SubString: "*", ExpressionType: "TAG"},
			}
			if model == mq.Clustering {
				want = append(want, protocol.SubscriptionData{Topic: "%RETRY%g", SubString: "*", ExpressionType: "TAG"})
			}
			byTopic := func(a, b protocol.SubscriptionData) int { return cmp.Compare(a.Topic, b.Topic) }
			slices.SortFunc(want, byTopic)
			last := int64(0)
			list := beats.take()
			for n, b := range list {
				data, err := protocol.DecodeHeartbeatData(b.cmd.Body)
				if err != nil {
					t.Fatal(err)
				}
				if len(data.ConsumerDataSet) == 0 {
					continue // of the producer
				}
				c := data.ConsumerDataSet[0]
				if c.GroupName != group || c.ConsumeType != mq.Passively || c.MessageModel != model || c.ConsumeFromWhere != mq.FromFirstOffset {
					t.Errorf("heartbeat %d tells of %+v", n, c)
				}
				got := slices.Clone(c.SubscriptionDataSet)
				slices.SortFunc(got, byTopic)
				for i := range got {
					if got[i].SubVersion < born {
						t.Errorf("heartbeat %d: version %d of %s is before the start", n, got[i].SubVersion, got[i].Topic)
					}
					last = max(last, got[i].SubVersion)
					got[i].SubVersion = 0
					slices.Sort(got[i].TagsSet)
					got[i].CodeSet, got[i].TagsSet = nilIfEmpty(got[i].CodeSet), nilIfEmpty(got[i].TagsSet)
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("%v, heartbeat %d (-want +got):\n%s", model, n, diff)
				}
			}
			if last == born || len(list) < 2 {
				t.Errorf("%v: of %d heartbeats none tells a version that is newer than the start, though queues came", model, len(list))
			}
		})
	}
}

func nilIfEmpty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}

// TestS4RebalanceTakesOverTheConfig: group, model, strategy and client id of the consumer are
// those of its rebalance (Java: the setters of RebalanceImpl in DefaultMQPushConsumerImpl.start).
func TestS4RebalanceTakesOverTheConfig(t *testing.T) {
	ids := func(list ...int32) (out []mq.MessageQueue) {
		for _, id := range list {
			out = append(out, queueOf("broker-a", id))
		}
		return out
	}
	for _, c := range []struct {
		name   string
		change func(*consumer.Config)
		a, b   []mq.MessageQueue
	}{
		{"AVG is the default", func(*consumer.Config) {}, ids(0, 1), ids(2, 3)},
		{"AVG_BY_CIRCLE", func(c *consumer.Config) { c.Strategy = rebalance.AveragelyByCircle{} }, ids(0, 2), ids(1, 3)},
		{"CONFIG", func(c *consumer.Config) { c.Strategy = rebalance.ByConfig{Queues: ids(3)} }, ids(3), ids(3)},
		{"BROADCASTING", func(c *consumer.Config) { c.Model, c.OffsetsDir = mq.Broadcasting, t.TempDir() }, ids(0, 1, 2, 3), ids(0, 1, 2, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				a := w.join("192.0.2.10@a", nil, c.change)
				b := w.join("192.0.2.11@b", nil, c.change)
				stranger := w.join("192.0.2.00@other", nil, c.change, func(c *consumer.Config) { c.Group = "another-group" })
				time.Sleep(5 * time.Second)
				for m, want := range map[*member][]mq.MessageQueue{a: c.a, b: c.b} {
					s := m.after(0)
					if diff := gocmp.Diff(want, owned(s)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", m.id, diff)
					}
					if s.Group.Name != group || s.Group.ClientID != m.id {
						t.Errorf("the picture is of %s in %s", s.Group.ClientID, s.Group.Name)
					}
				}
				if n := len(owned(stranger.after(0))); n != 4 && n != 1 {
					t.Errorf("a member of another group has %d queues", n)
				}
			})
		})
	}
}

// alsoOn starts a consumer of another group on m's instance. What it was given is sent on the
// channel; stop ends it.
func (m *member) alsoOn(name string) (got <-chan string, stop func()) {
	m.w.t.Helper()
	seen := make(chan string, 1000)
	push, err := consumer.NewPush(consumer.Config{
		Group: name, From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: topic}},
		Listener: func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
			for _, msg := range msgs {
				seen <- string(msg.Body())
			}
			return consume.Success
		},
	}, m.instance)
	if err != nil {
		m.w.t.Fatal(err)
	}
	ctx, leave := context.WithCancel(m.w.ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if err := push.Run(ctx); err != nil {
			m.w.t.Errorf("group %s: %v", name, err)
		}
	})
	return seen, func() { leave(); running.Wait() }
}

// TestS3GroupsShareTheirInstance: consumers of different groups on one instance have one
// connection to each broker and one heartbeat, and one that leaves takes only its group with it
// (Java: MQClientManager's table of instances, MQClientInstance.consumerTable).
func TestS3GroupsShareTheirInstance(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		beats, goodbyes := w.watch(protocol.HeartBeat), w.watch(protocol.UnregisterClient)
		m := w.join("192.0.2.10@me", nil)
		_, stop := m.alsoOn("second")
		m.after(3 * time.Second)
		groups := func() []string {
			t.Helper()
			var names []string
			for _, b := range beats.take() {
				data, err := protocol.DecodeHeartbeatData(b.cmd.Body)
				if err != nil {
					t.Fatal(err)
				}
				if data.ClientID == m.id {
					names = nil
					for _, c := range data.ConsumerDataSet {
						names = append(names, c.GroupName)
					}
				}
			}
			slices.Sort(names)
			return names
		}
		if got := groups(); !slices.Equal(got, []string{group, "second"}) {
			t.Errorf("the last heartbeat names %v, want both groups", got)
		}
		if n := len(m.instance.Brokers()); n != 1 {
			t.Errorf("%d connections to brokers", n)
		}
		stop()
		if list := headersOf[protocol.UnregisterClientRequest](w, goodbyes.take()); len(list) != 1 || list[0].ConsumerGroup != "second" {
			t.Errorf("goodbyes %+v, want that of the group that left", list)
		}
		w.send(4, "x")
		m.after(35 * time.Second)
		if got := groups(); !slices.Equal(got, []string{group}) || distinct(m) != 4 {
			t.Errorf("then heartbeats name %v, and %d of 4 messages are delivered", got, distinct(m))
		}
	})
}

// TestS2EachPullGoesToTheConsumerOfItsGroup: each message comes to the listener of each group
// once; pulls of a group that has left, which would find no consumer, are not made any more
// (Java: PullMessageService.pullMessage with MQClientInstance.selectConsumer).
func TestS2EachPullGoesToTheConsumerOfItsGroup(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		m := w.join("192.0.2.10@me", nil)
		got, stop := m.alsoOn("second")
		m.after(3 * time.Second)
		w.send(20, "x")
		m.after(2 * time.Second)
		bodies := map[string]int{}
		for range len(got) {
			bodies[<-got]++
		}
		if distinct(m) != 20 || repeated(m) != 0 || len(bodies) != 20 {
			t.Errorf("%d messages came to the one group, %d again, and %d to the other", distinct(m), repeated(m), len(bodies))
		}
		stop()
		pulls := w.watch(protocol.PullMessage)
		w.send(20, "y") // ends the pulls that the broker holds, of the group that left too
		m.after(time.Minute)
		for _, h := range headersOf[protocol.PullMessageRequest](w, pulls.take()) {
			if h.ConsumerGroup != group {
				t.Errorf("a pull for %s, which has left", h.ConsumerGroup)
			}
		}
		if distinct(m) != 40 || len(got) != 0 {
			t.Errorf("%d messages came to the group that is there, %d to the one that left", distinct(m), len(got))
		}
	})
}

// TestS2HeaderOfAPull: each field of the request, as a push consumer sends it
// (Java: PullMessageRequestHeader in PullAPIWrapper.pullKernelImpl).
func TestS2HeaderOfAPull(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 40, "TagA", 0)
		beats, pulls := w.watch(protocol.HeartBeat), w.watch(protocol.PullMessage)
		m := w.join("192.0.2.10@me", nil, tagged("TagA || TagB"))
		m.after(3 * time.Second)
		version := int64(0)
		for _, b := range beats.take() {
			data, err := protocol.DecodeHeartbeatData(b.cmd.Body)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range data.ConsumerDataSet {
				for _, s := range c.SubscriptionDataSet {
					if s.Topic == topic {
						version = max(version, s.SubVersion)
					}
				}
			}
		}
		var got []protocol.PullMessageRequest
		list := pulls.take()
		for i, h := range headersOf[protocol.PullMessageRequest](w, list) {
			if h.Topic != topic {
				continue
			}
			got = append(got, h)
			if list[i].cmd.Code != 11 || list[i].cmd.IsOneWay() || len(list[i].cmd.Body) != 0 {
				t.Errorf("request code %d, one-way %v, %d bytes of body", list[i].cmd.Code, list[i].cmd.IsOneWay(), len(list[i].cmd.Body))
			}
		}
		if len(got) != 3 {
			t.Fatalf("%d pulls, want one of 32, one of 8 and one that is held", len(got))
		}
		want := protocol.PullMessageRequest{
			ConsumerGroup: group, Topic: topic, MaxMsgNums: 32, MaxMsgBytes: protocol.Some[int32](262144), SysFlag: 2,
			SuspendTimeoutMillis: 15000, SubVersion: version, ExpressionType: "TAG",
		}
		want.BName = "broker-a"
		for i, next := range []int64{0, 32, 40} {
			want.QueueOffset = next
			want.SysFlag, want.CommitOffset = 2, 0
			if done := got[i].CommitOffset; done > 0 { // what was consumed meanwhile goes along
				want.SysFlag, want.CommitOffset = 3, done
			}
			if diff := gocmp.Diff(want, got[i], gocmp.AllowUnexported(protocol.Opt[int32]{}, protocol.Opt[bool]{}, protocol.Opt[int64]{})); diff != "" {
				t.Errorf("pull %d (-want +got):\n%s", i, diff)
			}
			if got[i].CommitOffset > next {
				t.Errorf("pull %d commits %d", i, got[i].CommitOffset)
			}
		}
	})
}

// TestS3APullBrings32MessagesAtMost: the limit of one pull is a number of messages, 32 or what
// is configured, not 32 MiB; of large messages a broker brings fewer, 256 KiB of them.
func TestS3APullBrings32MessagesAtMost(t *testing.T) {
	for _, c := range []struct {
		batch, size int
		most        int64
	}{{0, 0, 32}, {10, 0, 10}, {0, 100 << 10, 2}} {
		t.Run(fmt.Sprintf("batch %d, bodies of %d", c.batch, c.size), func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 100, "", c.size)
				pulls := w.record(protocol.PullMessage)
				m := w.join("192.0.2.10@me", nil, func(cfg *consumer.Config) { cfg.Pull.Batch = c.batch })
				m.after(10 * time.Second)
				var most, last int64
				for _, r := range pulls.pulls(first) {
					most, last = max(most, r.Offset-last), r.Offset
				}
				if most != c.most || last != 100 || distinct(m) != 100 {
					t.Errorf("the largest pull brought %d messages, want %d; the last one begins at %d, %d were delivered", most, c.most, last, distinct(m))
				}
				synctest.Wait()
			})
		})
	}
}
