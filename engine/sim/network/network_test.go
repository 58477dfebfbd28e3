package network_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/clock"
	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
)

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAHeldPullIsAnsweredWhenAMessageComes(t *testing.T) {
	w := newWorld(t, network.Config{})
	var answer remoting.Answer
	c := w.client("c", remoting.ClientConfig{})
	c.net.Go(w.addr, pullAt(0), 30*time.Second, func(a remoting.Answer) { answer = a })
	w.tl.pass(10 * time.Second)
	if answer.Cmd != nil || answer.Err != nil {
		t.Fatalf("a pull was answered without a message: %v", answer)
	}
	p := w.client("p", remoting.ClientConfig{})
	p.ask("send", time.Second, sendOf("hello"))
	w.tl.pass(3*latency + latency - 1)
	if answer.Cmd != nil {
		t.Error("it was answered before the message had come and the answer could arrive")
	}
	w.tl.pass(1)
	if answer.Err != nil || answer.Took != 10*time.Second+4*latency {
		t.Fatalf("err %v, took %v", answer.Err, answer.Took)
	}
	same(t, bodies(t, answer.Cmd), "hello")
	if answer.Keep() != nil {
		t.Error("there is a buffer to be given back")
	}
	same(t, p.took(), "up", "send: SUCCESS")
}

func TestAPullThatNothingComesForIsAnsweredByTheBrokersTick(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("pull", 30*time.Second, pullAt(0))
	w.tl.pass(14 * time.Second)
	same(t, c.took(), "up")
	w.tl.pass(7 * time.Second)
	same(t, c.took(), "pull: PULL_NOT_FOUND")
}

func TestACallEndsWithItsTimeAndALateAnswerIsCounted(t *testing.T) {
	w := newWorld(t, network.Config{})
	w.cluster.Intercept(embedded.AnyCode, func(*embedded.Request) embedded.Verdict { return embedded.DelayReply(3 * time.Second) })
	c := w.client("c", remoting.ClientConfig{})
	c.ask("send", 2*time.Second, sendOf("x"))
	w.tl.pass(2*time.Second - 1)
	same(t, c.took(), "up")
	w.tl.pass(1)
	same(t, c.took(), "send: "+remoting.ErrTimeout.Error())
	w.tl.pass(2 * time.Second)
	if s := c.net.Stats(); s.LateAnswers != 1 || s.FramesOut != 1 || s.FramesIn != 1 || s.UnknownAnswers != 0 {
		t.Errorf("%+v", s)
	}
	same(t, c.took())
}

func TestAStoppedBrokerLosesItsCallsAndIsDialledUntilItIsBack(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("pull", 30*time.Second, pullAt(0))
	w.tl.pass(time.Second)
	if s := c.net.States(); len(s) != 1 || !s[0].Up || s[0].InFlight != 1 || s[0].OldestCall != time.Second {
		t.Errorf("%+v", s)
	}
	if err := w.cluster.StopBroker(brokerA); err != nil {
		t.Fatal(err)
	}
	same(t, c.took(), "up")
	w.tl.pass(latency)
	same(t, c.took(), "pull: "+remoting.ErrLost.Error(), "down, to be dialled again")
	c.ask("send", time.Second, sendOf("x"))
	w.tl.pass(0)
	same(t, c.took(), "send: "+remoting.ErrUnreachable.Error())
	w.tl.pass(150 * time.Millisecond)
	same(t, c.took(), "down, to be dialled again") // after 50 ms; the next after 100 more
	if w.cluster.StopBroker(brokerA) == nil || w.cluster.StartBroker("nobody") == nil {
		t.Error("what can not be done was done")
	}
	if err := w.cluster.StartBroker(brokerA); err != nil {
		t.Fatal(err)
	}
	w.tl.pass(time.Second)
	same(t, c.took(), "up")
	c.ask("send", time.Second, sendOf("x"))
	w.tl.pass(time.Second)
	same(t, c.took(), "send: SUCCESS")
}

func TestWaitsBetweenDialsDoubleUpToALimit(t *testing.T) {
	w := newWorld(t, network.Config{})
	if err := w.cluster.StopBroker(brokerA); err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	n := w.cluster.Connect(remoting.ClientConfig{Clock: w.tl, OnState: func(s remoting.AddrState) {
		waits = append(waits, s.RetryAt.Sub(w.tl.now))
	}})
	n.Go(w.addr, heartbeatOf("c"), time.Second, func(a remoting.Answer) {
		if !errors.Is(a.Err, remoting.ErrUnreachable) {
			t.Error(a.Err)
		}
	})
	w.tl.pass(2 * time.Minute)
	if len(waits) < 100 {
		t.Fatalf("%d dials in two minutes", len(waits))
	}
	for i, d := range waits {
		want := min(50*time.Millisecond<<min(i, 10), 750*time.Millisecond)
		if d < want*8/10 || d > want*12/10 {
			t.Errorf("wait %d: %v, want about %v", i, d, want)
		}
	}
	seen := len(waits)
	w.tl.pass(5 * time.Second)
	if s := n.States(); len(s) != 0 || len(waits) > seen+1 {
		t.Errorf("it is dialled though nobody wants it: %+v", s)
	}
}

func TestFramesOfOneConnectionKeepTheirOrder(t *testing.T) {
	const many = 200
	var sent []network.Frame
	w := newWorld(t, network.Config{
		Jitter: 50 * time.Millisecond, Rand: rand.New(rand.NewPCG(5, 6)), OnFrame: func(f network.Frame) { sent = append(sent, f) },
	})
	var arrived, answered []string
	w.cluster.Intercept(embedded.AnyCode, func(r *embedded.Request) embedded.Verdict {
		arrived = append(arrived, string(r.Cmd.Body))
		return embedded.Answer(&remoting.Command{})
	})
	c := w.client("c", remoting.ClientConfig{})
	var want []string
	for i := range many {
		name := strconv.Itoa(i)
		want = append(want, name)
		c.net.Go(w.addr, sendOf(name), time.Minute, func(remoting.Answer) { answered = append(answered, name) })
		if i%10 == 0 {
			w.tl.pass(time.Millisecond)
		}
	}
	w.tl.pass(time.Second)
	same(t, arrived, want...)
	same(t, answered, want...)
	spread := map[time.Duration]bool{}
	for _, f := range sent {
		spread[f.Arrives.Sub(f.At)] = true
	}
	if len(sent) != 2*many || len(spread) < 10 {
		t.Errorf("%d frames with %d different times on their way", len(sent), len(spread))
	}
}

func TestAHeartbeatTellsTheOtherMembers(t *testing.T) {
	w := newWorld(t, network.Config{})
	a, b := w.client("a", remoting.ClientConfig{}), w.client("b", remoting.ClientConfig{})
	a.ask("beat", time.Second, heartbeatOf("a"))
	w.tl.pass(time.Second)
	same(t, a.took(), "up", "NOTIFY_CONSUMER_IDS_CHANGED", "beat: SUCCESS")
	b.ask("beat", time.Second, heartbeatOf("b"))
	w.tl.pass(time.Second)
	same(t, a.took(), "NOTIFY_CONSUMER_IDS_CHANGED")
	same(t, b.took(), "up", "NOTIFY_CONSUMER_IDS_CHANGED", "beat: SUCCESS")
	b.net.Forget(w.addr)
	w.tl.pass(time.Second)
	same(t, a.took(), "NOTIFY_CONSUMER_IDS_CHANGED")
	same(t, b.took(), "down, not wanted")
	if s := a.net.Stats(); s.Requests != 3 {
		t.Errorf("%+v", s)
	}
}

func TestABrokerAsksAMemberAndPassesItsAnswerOn(t *testing.T) {
	w := newWorld(t, network.Config{})
	info := func(id string) *remoting.Command {
		return command(protocol.GetConsumerRunningInfo, &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: groupG, ClientID: id}, nil)
	}
	silent := w.client("silent", remoting.ClientConfig{})
	broken := w.client("broken", remoting.ClientConfig{OnRequest: func(_ context.Context, _ string, req *remoting.Command) *remoting.Command {
		if protocol.RequestCode(req.Code) == protocol.NotifyConsumerIDsChanged {
			return nil
		}
		panic("a bug")
	}})
	talking := w.client("talking", remoting.ClientConfig{OnRequest: func(_ context.Context, addr string, req *remoting.Command) *remoting.Command {
		if addr != w.addr {
			t.Errorf("a request came from %s", addr)
		}
		return &remoting.Command{Remark: "here", Body: []byte("{}")}
	}})
	for _, m := range []*member{silent, broken, talking} {
		m.ask("beat", time.Second, heartbeatOf(m.id))
	}
	w.tl.pass(time.Second)
	admin := w.client("admin", remoting.ClientConfig{})
	ask := func(id string) {
		admin.net.Go(w.addr, info(id), time.Minute, func(a remoting.Answer) {
			admin.hear("%s: %v %q %q", id, protocol.ResponseCode(a.Cmd.Code), a.Cmd.Remark, a.Cmd.Body)
		})
	}
	ask("talking")
	ask("broken")
	w.tl.pass(time.Second)
	same(t, admin.took(), "up", `talking: SUCCESS "here" "{}"`, `broken: SYSTEM_ERROR "the client's handler failed, see its log" ""`)
	ask("silent")
	w.tl.pass(9 * time.Second)
	same(t, admin.took())
	w.tl.pass(2 * time.Second)
	if got := admin.took(); len(got) != 1 || !bytes.HasPrefix([]byte(got[0]), []byte("silent: CONSUME_MSG_TIMEOUT")) {
		t.Errorf("%q", got)
	}
	ask("silent")
	w.tl.pass(time.Second)
	silent.net.Forget(w.addr)
	w.tl.pass(time.Second)
	if got := admin.took(); len(got) != 1 {
		t.Errorf("the end of its connection: %q", got)
	}
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

func TestLimitsOfWhatWaits(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{Limits: remoting.Limits{Calls: 2, PendingBytes: 1000}})
	busy := remoting.ErrBusy.Error()
	c.ask("large", time.Second, sendOf(string(make([]byte, 2000))))
	c.ask("second", time.Second, sendOf("x"))
	if err := c.net.OneWay(w.addr, sendOf("x")); !errors.Is(err, remoting.ErrBusy) {
		t.Error(err)
	}
	w.tl.pass(time.Second)
	same(t, c.took(), "second: "+busy, "up", "large: SUCCESS")
	for i := range 3 {
		c.ask(strconv.Itoa(i), time.Second, sendOf("x"))
	}
	w.tl.pass(time.Second)
	same(t, c.took(), "2: "+busy, "0: SUCCESS", "1: SUCCESS")
	c.ask("huge", time.Second, sendOf(string(make([]byte, 17<<20))))
	w.tl.pass(time.Second)
	if got := c.took(); len(got) != 1 || c.net.States()[0].InFlight != 0 {
		t.Errorf("%q", got)
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

// life is what one seed makes of some minutes of a small cluster.
func life(t *testing.T, seed uint64) []byte {
	t.Helper()
	var log bytes.Buffer
	w := newWorld(t, network.Config{
		Cluster: embedded.Config{Brokers: []string{brokerA, "broker-b"}, Rand: rand.New(rand.NewPCG(seed, 1))},
		Jitter:  20 * time.Millisecond, Rand: rand.New(rand.NewPCG(seed, 2)),
		OnFrame: func(f network.Frame) {
			fmt.Fprintf(&log, "%d %d %s %s %x\n", f.At.UnixNano(), f.Arrives.UnixNano(), f.From, f.To, f.Bytes)
		},
	})
	rng := rand.New(rand.NewPCG(7, 7))
	var all []*member
	for i := range 4 {
		all = append(all, w.client("c"+strconv.Itoa(i), remoting.ClientConfig{}))
	}
	for range 200 {
		m := all[rng.IntN(len(all))]
		addr := []string{w.addr, w.cluster.BrokerAddr("broker-b"), w.cluster.NameServerAddr()}[rng.IntN(3)]
		cmd := []*remoting.Command{
			sendOf("x"), pullAt(0), pullAt(1 << 20), heartbeatOf(m.id),
			command(protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil),
		}[rng.IntN(5)]
		m.net.Go(addr, cmd, time.Duration(1+rng.IntN(20))*time.Second, func(a remoting.Answer) { fmt.Fprintln(&log, m.id, answerText(a), a.Took) })
		switch rng.IntN(20) {
		case 0:
			_ = w.cluster.StopBroker(brokerA) // it may have been stopped
		case 1, 2, 3:
			_ = w.cluster.StartBroker(brokerA)
		case 4:
			m.net.Forget(addr)
		}
		w.tl.pass(time.Duration(rng.IntN(1000)) * time.Millisecond)
	}
	w.tl.pass(time.Minute)
	for _, m := range all {
		fmt.Fprintln(&log, m.id, m.heard)
	}
	return log.Bytes()
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	first := life(t, 1)
	if len(first) < 100_000 {
		t.Errorf("only %d bytes happened", len(first))
	}
	for range 5 {
		if !bytes.Equal(first, life(t, 1)) {
			t.Fatal("two runs with the same seed differ")
		}
	}
	if bytes.Equal(first, life(t, 2)) {
		t.Error("another seed gives the same run")
	}
}
