package network_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
)

func TestASilentConnectionIsClosedAndAHalfOpenOneReplaced(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("send", time.Second, sendOf("x"))
	w.tl.pass(100 * time.Second)
	c.took()
	c.ask("pull", 30*time.Second, pullAt(1)) // held until 115 s and more
	w.tl.pass(119 * time.Second)
	same(t, c.took(), "pull: PULL_NOT_FOUND")
	w.tl.pass(25 * time.Second)
	same(t, c.took(), "down, not wanted")

	w.drop(protocol.SendMessageV2)
	for range 4 {
		c.ask("send", 3*time.Second, sendOf("x"))
		w.tl.pass(4 * time.Second)
	}
	timeout := "send: " + remoting.ErrTimeout.Error()
	same(t, c.took(), "up", timeout, timeout, timeout, "down, to be dialled again", "up", timeout)
}

func TestForgetEndsCallsALittleLater(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("pull", 30*time.Second, pullAt(0))
	w.tl.pass(time.Second)
	c.took()
	c.net.Forget(w.addr)
	c.ask("beat", time.Second, heartbeatOf("c"))
	same(t, c.took())
	w.tl.pass(time.Second)
	same(t, c.took(), "pull: "+remoting.ErrClosed.Error(), "up", "NOTIFY_CONSUMER_IDS_CHANGED", "beat: SUCCESS")
	c.net.Forget("nobody:1")
}

func TestRunEndsEverything(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	ctx, cancel := context.WithCancel(clock.On(t.Context(), w.tl))
	w.tl.After(5*time.Second, cancel)
	c.ask("pull", 30*time.Second, pullAt(0))
	c.ask("beat", time.Second, heartbeatOf("c"))
	if err := c.net.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if d := w.tl.now.Sub(start); d != 5*time.Second {
		t.Errorf("it ran for %v", d)
	}
	same(t, c.took(), "up", "beat: SUCCESS", "NOTIFY_CONSUMER_IDS_CHANGED", "pull: "+remoting.ErrClosed.Error(), "down, not wanted")
	c.ask("late", time.Second, heartbeatOf("c"))
	if err := c.net.OneWay(w.addr, heartbeatOf("c")); !errors.Is(err, remoting.ErrClosed) {
		t.Error(err)
	}
	w.tl.pass(time.Second)
	same(t, c.took(), "late: "+remoting.ErrClosed.Error())
	w.cluster.Inspect(func(s *embedded.State) {
		if c := s.Broker(brokerA).Members(groupG); len(c) != 0 {
			t.Errorf("members of a closed connection: %v", c)
		}
	})
	if c.net.Run(ctx) == nil {
		t.Error("it ran twice")
	}
}

func TestCallWaits(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	cmd, err := c.net.Call(t.Context(), w.addr, sendOf("x"))
	if err != nil || cmd.Code != 0 || w.tl.now.Sub(start) != 4*latency {
		t.Errorf("%v, %v after %v", cmd, err, w.tl.now.Sub(start))
	}
	w.drop(protocol.SendMessageV2)
	for _, test := range []struct {
		name string
		ctx  func() (context.Context, context.CancelFunc)
		want error
		took time.Duration
	}{
		{"no deadline", func() (context.Context, context.CancelFunc) { return t.Context(), func() {} }, remoting.ErrTimeout, 3 * time.Second},
		{"a deadline", func() (context.Context, context.CancelFunc) {
			return clock.WithTimeout(t.Context(), w.tl, time.Second)
		}, remoting.ErrTimeout, time.Second},
		{"a cancel", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			w.tl.After(2*time.Second, cancel)
			return ctx, cancel
		}, context.Canceled, 2 * time.Second},
		{"ended before", func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		}, context.Canceled, 0},
	} {
		ctx, cancel := test.ctx()
		from := w.tl.now
		_, err := c.net.Call(ctx, w.addr, sendOf("x"))
		if !errors.Is(err, test.want) || w.tl.now.Sub(from) != test.took {
			t.Errorf("%s: %v after %v", test.name, err, w.tl.now.Sub(from))
		}
		cancel()
	}
	if s := c.net.States(); len(s) != 1 || s[0].InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

func TestHooksSeeRequestsAndAnswers(t *testing.T) {
	w := newWorld(t, network.Config{})
	var seen []string
	w.cluster.Intercept(embedded.AnyCode, func(r *embedded.Request) embedded.Verdict {
		if !r.Outgoing {
			v, _ := r.Cmd.Fields.Get("sign")
			seen = append(seen, fmt.Sprint(protocol.RequestCode(r.Cmd.Code), " signed by ", v, ", one-way: ", r.Cmd.IsOneWay()))
		}
		return nil
	})
	c := w.client("c", remoting.ClientConfig{Hooks: []remoting.RPCHook{{
		Before: func(addr string, req *remoting.Command) {
			if len(req.Body) == 3 {
				panic("a bug")
			}
			req.Fields.Set("sign", "me")
		},
		After: func(addr string, req, resp *remoting.Command) {
			seen = append(seen, fmt.Sprint("answer to ", protocol.RequestCode(req.Code), " ", resp.Code))
		},
	}}})
	cmd := sendOf("x")
	c.ask("send", time.Second, cmd)
	if err := c.net.OneWay(w.addr, cmd); err != nil {
		t.Error(err)
	}
	c.ask("bug", time.Second, sendOf("bug"))
	w.tl.pass(time.Second)
	same(t, seen, "SEND_MESSAGE_V2 signed by me, one-way: false", "SEND_MESSAGE_V2 signed by me, one-way: true", "answer to SEND_MESSAGE_V2 0")
	same(t, c.took(), "bug: remoting: an RPC hook panicked before a request to "+w.addr+": a bug", "up", "send: SUCCESS")
	if _, ok := cmd.Fields.Get("sign"); ok {
		t.Error("a hook changed the caller's request")
	}
}

func TestTheNameServerCanBeStopped(t *testing.T) {
	w := newWorld(t, network.Config{})
	w.addr = w.cluster.NameServerAddr()
	route := command(protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil)
	c := w.client("c", remoting.ClientConfig{})
	c.ask("route", time.Second, route)
	w.tl.pass(time.Second)
	same(t, c.took(), "up", "route: SUCCESS")
	w.cluster.StopNameServer()
	w.tl.pass(latency)
	c.ask("route", time.Second, route)
	w.cluster.StartNameServer()
	w.tl.pass(time.Second)
	c.ask("route", time.Second, route)
	w.tl.pass(time.Second)
	same(t, c.took(), "down, to be dialled again", "route: "+remoting.ErrUnreachable.Error(), "up", "route: SUCCESS")
}

func TestAnInterceptorClosesConnections(t *testing.T) {
	w := newWorld(t, network.Config{})
	remove := w.cluster.Intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.CloseConn })
	c := w.client("c", remoting.ClientConfig{})
	c.ask("beat", time.Minute, heartbeatOf("c"))
	c.ask("send", time.Minute, sendOf("x"))
	w.tl.pass(time.Second)
	same(t, c.took(), "up", "NOTIFY_CONSUMER_IDS_CHANGED", "beat: SUCCESS", "send: "+remoting.ErrLost.Error(), "down, to be dialled again", "up")
	w.cluster.Inspect(func(s *embedded.State) {
		if c := s.Broker(brokerA).Members(groupG); len(c) != 0 {
			t.Errorf("members of a closed connection: %v", c)
		}
	})
	remove()
	c.ask("send", time.Minute, sendOf("x"))
	w.tl.pass(time.Second)
	same(t, c.took(), "send: SUCCESS")
}

func TestWhatAStepAnswersGoesOutBeforeItsConnectionIsClosed(t *testing.T) {
	w := newWorld(t, network.Config{})
	w.cluster.Intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.CloseAfter })
	c := w.client("c", remoting.ClientConfig{})
	c.ask("pull", time.Minute, pullAt(0))
	w.tl.pass(time.Second)
	c.ask("send", time.Minute, sendOf("x"))
	w.tl.pass(time.Second)
	same(t, c.took(), "up", "pull: SUCCESS", "send: "+remoting.ErrLost.Error(), "down, to be dialled again", "up")
}

func TestAnAddressForgottenWhileItIsDialledIsNotConnected(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("send", time.Second, sendOf("x"))
	c.net.Forget(w.addr)
	w.tl.pass(time.Second)
	same(t, c.took(), "send: "+remoting.ErrClosed.Error(), "down, not wanted")
}

func TestCallsThatExpireShowThatNothingComes(t *testing.T) {
	w := newWorld(t, network.Config{})
	w.drop(protocol.SendMessageV2)
	c := w.client("c", remoting.ClientConfig{})
	for range 4 {
		ctx, cancel := clock.WithTimeout(t.Context(), w.tl, 3*time.Second)
		if _, err := c.net.Call(ctx, w.addr, sendOf("x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
	}
	w.tl.pass(time.Second)
	same(t, c.took(), "up", "down, to be dialled again", "up")
}

func TestAConnectionWithACallInFlightIsNotIdle(t *testing.T) {
	w := newWorld(t, network.Config{})
	w.cluster.Intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.DelayReply(150 * time.Second) })
	c := w.client("c", remoting.ClientConfig{})
	c.ask("send", 200*time.Second, sendOf("x"))
	w.tl.pass(160 * time.Second)
	same(t, c.took(), "up", "send: SUCCESS")
	w.tl.pass(2 * time.Minute)
	same(t, c.took(), "down, not wanted")
}

func TestTheClusterIsCalledInsideAStep(t *testing.T) {
	w := newWorld(t, network.Config{})
	w.cluster.Intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict {
		w.cluster.Inspect(func(s *embedded.State) {
			if b := s.Broker(brokerA); !b.Running || b.MaxOffset(topicT, 0) != 0 {
				t.Error("a step has an effect before it is made")
			}
		})
		if err := w.cluster.StopBroker(brokerA); err != nil {
			t.Error(err)
		}
		return nil
	})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("send", time.Second, sendOf("x"))
	w.tl.pass(40 * time.Millisecond)
	same(t, c.took(), "up", "send: SUCCESS", "down, to be dialled again")
	w.cluster.Inspect(func(s *embedded.State) {
		if b := s.Broker(brokerA); b.Running || b.MaxOffset(topicT, 0) != 1 {
			t.Error("the step was not made, or the broker was not stopped")
		}
	})
}
