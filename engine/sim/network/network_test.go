package network_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
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
	same(t, c.took()) // not inside Go
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
	if err := w.cluster.StopBroker(brokerA); err != nil {
		t.Fatal(err)
	}
	w.tl.pass(latency)
	if wait := c.net.States()[0].RetryAt.Sub(w.tl.now); wait > 60*time.Millisecond {
		t.Errorf("after a good connection the first wait is %v", wait)
	}
}

func TestWhatIsUnderWayToABrokerThatStopsIsLost(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	c.ask("first", time.Second, sendOf("x"))
	w.tl.pass(time.Second)
	c.ask("second", time.Second, sendOf("x"))
	if err := w.cluster.StopBroker(brokerA); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.StartBroker(brokerA); err != nil {
		t.Fatal(err)
	}
	w.tl.pass(time.Second)
	same(t, c.took(), "up", "first: SUCCESS", "second: "+remoting.ErrLost.Error(), "down, to be dialled again", "up")
	w.cluster.Inspect(func(s *embedded.State) {
		if n := s.Broker(brokerA).MaxOffset(topicT, 0); n != 1 {
			t.Errorf("%d messages are stored", n)
		}
	})
}

func TestAnsweredCallsLeaveNothingOnTheTimeline(t *testing.T) {
	w := newWorld(t, network.Config{})
	c := w.client("c", remoting.ClientConfig{})
	for range 100 {
		c.ask("send", time.Hour, sendOf("x"))
		w.tl.pass(time.Second)
	}
	if n := len(w.tl.due); n > 5 {
		t.Errorf("%d things are left", n)
	}
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
