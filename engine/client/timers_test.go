package client

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// TestS3TimersOfAnInstance: what an instance does by the clock (Java:
// MQClientInstance.startScheduledTask). The first route question does not wait 10 ms.
func TestS3TimersOfAnInstance(t *testing.T) {
	bubble(t, func(w *world) {
		ns, a, b := w.twoBrokers()
		began := time.Now()
		i, _ := w.joined()
		time.Sleep(95 * time.Second)
		synctest.Wait()
		// A registration has routes read too, and a connection that is new has a heartbeat of its
		// own: both at the time of the first tick.
		since := func(list []time.Time) (out []time.Duration) {
			for _, at := range list {
				out = append(out, at.Sub(began))
			}
			return slices.Compact(out)
		}
		sec := time.Second
		if diff := cmp.Diff([]time.Duration{0, 30 * sec, 60 * sec, 90 * sec}, since(ns.times(protocol.GetRouteInfoByTopic))); diff != "" {
			t.Errorf("route questions (-want +got):\n%s", diff)
		}
		for name, f := range map[string]*fake{"a": a, "b": b} {
			if diff := cmp.Diff([]time.Duration{sec, 31 * sec, 61 * sec, 91 * sec}, since(f.times(protocol.HeartBeat))); diff != "" {
				t.Errorf("heartbeats to %s (-want +got):\n%s", name, diff)
			}
		}
		if n := len(i.net.States()); n != 3 {
			t.Errorf("%d connections, want one to the name server and one to each broker", n)
		}
	})
}

// TestS1RouteOfATopicIsAskedOfANameServer: request 105 with the topic, and what becomes of the
// answer (Java: MQClientAPIImpl.getTopicRouteInfoFromNameServer).
func TestS1RouteOfATopicIsAskedOfANameServer(t *testing.T) {
	answer := routeOf(2, "a="+ba)
	for _, c := range []struct {
		name   string
		answer handler
		err    error
		class  Class
		queues int
		takes  time.Duration
	}{
		{"a route", func(*remoting.Command) *remoting.Command { return &remoting.Command{Body: answer.EncodeStandard()} }, nil, OK, 2, 0},
		{"a topic that does not exist", code(protocol.TopicNotExist, "No topic route info"), ErrNoRoute, Missing, 0, 0},
		{"no body", code(protocol.Success, ""), nil, Broken, 0, 0},
		{"a body that is no route", func(*remoting.Command) *remoting.Command { return &remoting.Command{Body: []byte("{")} }, nil, Broken, 0, 0},
		{"no answer", silent, remoting.ErrTimeout, Lost, 0, 3 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				ns := w.serve(ns1)
				ns.answer(protocol.GetRouteInfoByTopic, c.answer)
				i := w.client(Config{})
				began := time.Now()
				err := i.RefreshRoutes(w.ctx, "T")
				if Classify(err) != c.class || c.err != nil && !errors.Is(err, c.err) {
					t.Errorf("error %v of class %v", err, Classify(err))
				}
				if took := time.Since(began); took != c.takes {
					t.Errorf("it took %v, want %v", took, c.takes)
				}
				if queues, _ := i.Queues("T"); len(queues) != c.queues {
					t.Errorf("queues %v", queues)
				}
				list := ns.got(105)
				if len(list) != 1 {
					t.Fatalf("asked %d times", len(list))
				}
				if h := decode[protocol.GetRouteInfoRequest](t, list[0]); h.Topic != "T" {
					t.Errorf("header %+v", h)
				}
			})
		})
	}
}

// TestS2WhatIsNotSentToASlave: a slave keeps no offsets, and a pull that it gets says none
// (Java: PullSysFlag.clearCommitOffsetFlag in PullAPIWrapper.pullKernelImpl); the address is
// found in the route as it is at that moment.
func TestS2WhatIsNotSentToASlave(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba+","+bb)})
		master, slave := w.serve(ba), w.serve(bb)
		empty := pullReply(protocol.PullNotFound, &protocol.PullMessageResponse{NextBeginOffset: 100, MaxOffset: 100, SuggestWhichBrokerID: 1}, nil)
		master.answer(protocol.PullMessage, empty)
		slave.answer(protocol.PullMessage, empty)
		i, _ := w.joined()
		synctest.Wait()
		for _, c := range []struct {
			id     int64
			server *fake
			found  route.Found
			flags  int32
			commit int64
		}{
			{0, master, route.Found{BrokerName: "a", Addr: ba}, 3, 90},
			{1, slave, route.Found{BrokerName: "a", ID: 1, Addr: bb}, 2, 0},
			{7, master, route.Found{BrokerName: "a", Addr: ba}, 3, 90}, // no such slave: the master stands in
		} {
			c.server.forget()
			got := pullOnce(w, i, queue("a", 0), c.id)
			if got.Status != mq.NoNewMsg || got.Suggest != 1 || got.Broker != c.found {
				t.Errorf("broker id %d: %+v", c.id, got)
			}
			list := c.server.got(protocol.PullMessage)
			if len(list) != 1 {
				t.Fatalf("broker id %d: %d pulls at %s", c.id, len(list), c.server.addr)
			}
			if h := decode[protocol.PullMessageRequest](t, list[0]); h.SysFlag != c.flags || h.CommitOffset != c.commit {
				t.Errorf("broker id %d: flags %d and offset %d, want %d and %d", c.id, h.SysFlag, h.CommitOffset, c.flags, c.commit)
			}
		}
	})
}
