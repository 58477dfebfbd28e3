package network_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
	"mqscope/engine/sim/stage"
)

// rig is a stage with a cluster and instances, and what they said.
type rig struct {
	t       *testing.T
	stage   *stage.Stage
	ctx     context.Context //nolint:containedctx // ends the instances
	seed    uint64
	cluster *network.Cluster
	heard   []string
	frames  bytes.Buffer
}

func (r *rig) hear(format string, args ...any) {
	r.heard = append(r.heard, fmt.Sprintf(format, args...))
}

// connect starts an instance.
func (r *rig) connect(id string) *client.Instance {
	r.t.Helper()
	i, err := client.New(client.Config{
		NameServers: []string{r.cluster.NameServerAddr()}, ClientID: id, Clock: r.stage,
		Rand: rand.New(rand.NewPCG(r.seed, 3)), Connect: r.cluster.Connect,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.stage.Go(id, func() {
		if err := i.Run(r.ctx); err != nil {
			r.t.Error(err)
		}
		r.hear("%s has ended", id)
	})
	return i
}

// registration is a group that takes two seconds to tell its offsets.
func (r *rig) registration() client.Registration {
	return client.Registration{
		Group: groupG, Type: mq.Passively, Model: mq.Clustering,
		Subscriptions: func() []protocol.SubscriptionData {
			sub, err := protocol.ParseSubscription(topicT, "*", 1)
			if err != nil {
				r.t.Error(err)
			}
			return []protocol.SubscriptionData{sub}
		},
		Notify: func(e event.Event) { r.hear("%T", e) },
		Offsets: func(ctx context.Context, _ string) (map[mq.MessageQueue]int64, error) {
			r.hear("asked for offsets")
			return map[mq.MessageQueue]int64{}, clock.Sleep(ctx, r.stage, 2*time.Second)
		},
	}
}

func (r *rig) pull(i *client.Instance, offset int64) {
	i.Pull(mq.MessageQueue{Topic: topicT, BrokerName: brokerA}, mq.MasterID, &protocol.PullMessageRequest{
		ConsumerGroup: groupG, Topic: topicT, QueueOffset: offset, MaxMsgNums: 32,
		SysFlag: protocol.PullSuspend, SuspendTimeoutMillis: 15000,
	}, 30*time.Second, func(a client.PullAnswer) { r.hear("%v, %d bytes, next %d", a.Status, len(a.Data), a.Next) })
}

// status has the broker ask the member for its offsets.
func (r *rig) status() {
	admin := r.cluster.Connect(remoting.ClientConfig{Clock: r.stage})
	cmd, err := admin.Call(r.ctx, r.cluster.BrokerAddr(brokerA), command(protocol.InvokeBrokerToGetConsumerStatus,
		&protocol.GetConsumerStatusRequest{Topic: topicT, Group: groupG}, nil))
	if err != nil {
		r.t.Error(err)
		return
	}
	r.hear("status: %s", cmd.Body)
}

func (r *rig) members() {
	r.cluster.Inspect(func(s *embedded.State) { r.hear("members %v", s.Broker(brokerA).Members(groupG)) })
}

// instances has two real instances live on a stage while the broker restarts, and returns what
// was heard and all frames.
func instances(t *testing.T, seed uint64) (heard []string, frames []byte) {
	t.Helper()
	s := stage.New(start, rand.New(rand.NewPCG(seed, 1)))
	defer s.Close()
	ctx, cancel := context.WithCancel(s.Context())
	r := &rig{t: t, stage: s, ctx: ctx, seed: seed}
	cluster, err := network.New(network.Config{
		Timeline: s, Latency: latency, Jitter: latency, Rand: rand.New(rand.NewPCG(seed, 2)),
		OnFrame: func(f network.Frame) { fmt.Fprintf(&r.frames, "%d %s %s %x\n", f.At.UnixNano(), f.From, f.To, f.Bytes) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.cluster = cluster
	cluster.CreateTopic(topicT, 1)
	consumer, producer := r.connect("127.0.0.1@consumer"), r.connect("127.0.0.1@producer")
	if err := consumer.Register(r.registration()); err != nil {
		t.Fatal(err)
	}
	s.After(time.Second, func() { r.pull(consumer, 0) })
	s.After(5*time.Second, func() {
		_, err := producer.Send(ctx, client.OutMessage{Topic: topicT, Body: []byte("hello")})
		r.hear("sent: %v", err)
		r.pull(consumer, 1)
	})
	s.After(10*time.Second, r.status)
	s.After(15*time.Second, func() { r.hear("stop: %v", cluster.StopBroker(brokerA)) })
	s.After(16*time.Second, func() { r.hear("start: %v", cluster.StartBroker(brokerA)) })
	s.Run(start.Add(25 * time.Second))
	r.members()
	cancel()
	s.Run(start.Add(30 * time.Second))
	r.members()
	return r.heard, r.frames.Bytes()
}

func TestRealInstancesLiveOnTheNetwork(t *testing.T) {
	heard, frames := instances(t, 1)
	same(t, heard,
		"event.RouteChanged", "event.BrokerReachable", "event.RebalanceWanted", "event.RebalanceWanted",
		"sent: <nil>", "FOUND, 216 bytes, next 1",
		"asked for offsets", `status: {"consumerTable":{"127.0.0.1@consumer":{}},"messageQueueTable":{}}`,
		"stop: <nil>", "FAILED, 0 bytes, next 1", "event.BrokerLost", "event.RouteChanged",
		"start: <nil>", "event.RebalanceWanted", "event.BrokerReachable", "event.RebalanceWanted",
		"members [127.0.0.1@consumer]", "127.0.0.1@consumer has ended", "127.0.0.1@producer has ended", "members []")
	for range 3 {
		again, other := instances(t, 1)
		same(t, again, heard...)
		if !bytes.Equal(frames, other) {
			t.Fatal("two runs with the same seed differ")
		}
	}
}
