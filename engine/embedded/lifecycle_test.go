package embedded_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestAStoppedBrokerKeepsItsDataAndForgetsItsClients(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c, other := w.client("c1"), w.client("c2")
		c.heartbeat(sub(t, topicT, anything, 1))
		c.send(topicT, 0, "", "kept")
		c.sendProps(topicT, 0, "delayed", protocol.Property{Name: mq.PropertyDelayLevel, Value: "2"})
		c.want(protocol.Success, addrA, protocol.UpdateConsumerOffset, &protocol.UpdateConsumerOffsetRequest{ConsumerGroup: groupG, Topic: topicT, CommitOffset: 1}, nil)
		lock := protocol.LockBatchRequest{ClientID: "c1", ConsumerGroup: groupG, Queues: []mq.MessageQueue{{Topic: topicT, BrokerName: brokerA}}}
		c.want(protocol.Success, addrA, protocol.LockBatchMQ, &protocol.LockBatchMQRequest{}, lock.Encode())
		h := pullHeader(topicT, 0, 1, anything)
		h.SysFlag |= suspend
		held := c.goCall(addrA, protocol.PullMessage, h, nil)
		synctest.Wait()

		if err := w.cluster.StopBroker(brokerA); err != nil {
			t.Fatal(err)
		}
		if resp := <-held; resp != nil {
			t.Errorf("the held pull was answered with %d", resp.Code)
		}
		if _, err := w.net.Dial(t.Context(), "tcp", addrA); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial to a stopped broker: %v", err)
		}
		route := &protocol.GetRouteInfoRequest{Topic: topicT}
		c.want(protocol.TopicNotExist, nsAddr, protocol.GetRouteInfoByTopic, route, nil)
		if err := w.cluster.StopBroker(brokerA); err == nil {
			t.Error("stopped twice")
		}

		time.Sleep(time.Minute) // the delayed message falls due
		if err := w.cluster.StartBroker(brokerA); err != nil {
			t.Fatal(err)
		}
		if err := w.cluster.StartBroker(brokerA); err == nil {
			t.Error("started twice")
		}
		time.Sleep(5 * time.Second) // clients dial again
		c.want(protocol.Success, nsAddr, protocol.GetRouteInfoByTopic, route, nil)
		if diff := cmp.Diff([]string{"kept", "delayed"}, c.pull(pullHeader(topicT, 0, 0, anything)).Bodies); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		w.cluster.Inspect(func(s *embedded.State) {
			b := s.Broker(brokerA)
			if offset, ok := b.Committed(groupG, topicT, 0); !ok || offset != 1 {
				t.Errorf("committed %d %v", offset, ok)
			}
			if b.Members(groupG) != nil || b.Held() != 0 {
				t.Errorf("members %v, %d held pulls", b.Members(groupG), b.Held())
			}
			if owner := b.LockOwner(groupG, lock.Queues[0]); owner != "" {
				t.Errorf("%s still has its lock", owner)
			}
		})
		other.want(protocol.SubscriptionNotExist, addrA, protocol.PullMessage, &protocol.PullMessageRequest{ConsumerGroup: groupG, Topic: topicT}, nil)
		want := []embedded.NoticeKind{embedded.BrokerStarted, embedded.BrokerStopped, embedded.BrokerStarted}
		var got []embedded.NoticeKind
		for _, n := range w.notices {
			got = append(got, n.Kind)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
		if err := w.cluster.StopBroker("nobody"); err == nil {
			t.Error("an unknown broker was stopped")
		}
	})
}

func TestAStoppedNameServerComesBackWithItsTables(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		c := w.client("c1")
		route := &protocol.GetRouteInfoRequest{Topic: mq.AutoCreateTopic}
		c.want(protocol.Success, nsAddr, protocol.GetRouteInfoByTopic, route, nil)
		w.cluster.StopNameServer()
		if resp, err := c.try(nsAddr, protocol.GetRouteInfoByTopic, route, nil); err == nil {
			t.Errorf("a stopped name server answered %d", resp.Code)
		}
		w.createTopic(topicT, 2)
		if err := w.cluster.StartNameServer(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		c.want(protocol.Success, nsAddr, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil)
	})
}

func TestInspectWorksBeforeAndAfterRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		cluster, err := embedded.New(embedded.Config{Listen: network.Listen})
		if err != nil {
			t.Fatal(err)
		}
		put := func(body string) {
			t.Helper()
			cluster.Inspect(func(s *embedded.State) {
				if _, err := s.Broker(brokerA).Put(topicT, 0, []byte(body)); err != nil {
					t.Error(err)
				}
			})
		}
		if err := cluster.CreateTopic(topicT, 1); err != nil {
			t.Fatal(err)
		}
		if err := cluster.StartBroker(brokerA); !errors.Is(err, embedded.ErrNotRunning) {
			t.Errorf("start before Run: %v", err)
		}
		put("before")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- cluster.Run(ctx) }()
		<-cluster.Ready()
		put("during")
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		put("after")
		cluster.Inspect(func(s *embedded.State) {
			for i, want := range []string{"before", "during", "after"} {
				if m, ok := s.Broker(brokerA).Message(topicT, 0, int64(i)); !ok || string(m.Body()) != want {
					t.Errorf("message %d is not %q", i, want)
				}
			}
		})
		if err := cluster.Run(t.Context()); err == nil {
			t.Error("ran twice")
		}
	})
}

func TestRunEndsWhenAnAddressIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		ln, err := network.Listen(t.Context(), "tcp", addrA)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		cluster, err := embedded.New(embedded.Config{Listen: network.Listen, BrokerAddrs: []string{addrA}})
		if err != nil {
			t.Fatal(err)
		}
		if err := cluster.Run(t.Context()); !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), addrA) {
			t.Errorf("%v", err)
		}
	})
}

func TestRealSocketsServeAndEndWithoutALeftover(t *testing.T) {
	cluster, err := embedded.New(embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- cluster.Run(ctx) }()
	<-cluster.Ready()
	client := remoting.NewClient(remoting.ClientConfig{})
	go func() { ended <- client.Run(ctx) }()
	if err := cluster.CreateTopic(topicT, 1); err != nil {
		t.Fatal(err)
	}
	addr := cluster.BrokerAddr(brokerA)
	call := func(code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
		t.Helper()
		callCtx, done := context.WithTimeout(t.Context(), 10*time.Second)
		defer done()
		resp, err := client.Call(callCtx, addr, &remoting.Command{Code: int32(code), Fields: protocol.Encode(h), Body: body})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	call(protocol.SendMessageV2, sendHeader(topicT, 0), []byte("over TCP"))
	resp := call(protocol.PullMessage, pullHeader(topicT, 0, 0, anything), nil)
	if resp.Code != 0 || !strings.Contains(string(resp.Body), "over TCP") {
		t.Errorf("%d %q", resp.Code, resp.Body)
	}
	h := pullHeader(topicT, 0, 1, anything)
	h.SysFlag |= suspend
	lost := make(chan error, 1)
	client.Go(addr, &remoting.Command{Code: int32(protocol.PullMessage), Fields: protocol.Encode(h)}, 30*time.Second, func(a remoting.Answer) { lost <- a.Err })
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := <-lost; err == nil {
		t.Error("a held pull was answered at the end")
	}
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}
