package network_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
	"mqscope/engine/sim/stage"
)

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

func TestRequestsOfServersAreHandledSomeAtATime(t *testing.T) {
	s := stage.New(start, rand.New(rand.NewPCG(1, 1)))
	defer s.Close()
	cluster, err := network.New(network.Config{Timeline: s})
	if err != nil {
		t.Fatal(err)
	}
	running, most := 0, 0
	member := cluster.Connect(remoting.ClientConfig{
		Clock: s, Limits: remoting.Limits{Requests: 4},
		OnRequest: func(ctx context.Context, _ string, req *remoting.Command) *remoting.Command {
			if req.IsOneWay() {
				return nil
			}
			running++
			defer func() { running-- }()
			most = max(most, running)
			if err := clock.Sleep(ctx, s, time.Second); err != nil {
				t.Error(err)
			}
			return &remoting.Command{}
		},
	})
	s.Go("member", func() {
		if err := member.Run(s.Context()); err != nil {
			t.Error(err)
		}
	})
	addr := cluster.BrokerAddr(brokerA)
	member.Go(addr, heartbeatOf("member"), time.Second, func(remoting.Answer) {})
	s.Run(start.Add(time.Second))
	admin := cluster.Connect(remoting.ClientConfig{Clock: s})
	counts := map[string]int{}
	ask := func() {
		info := &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: groupG, ClientID: "member"}
		admin.Go(addr, command(protocol.GetConsumerRunningInfo, info, nil), time.Minute, func(a remoting.Answer) { counts[answerText(a)]++ })
	}
	for i := range 20 {
		s.After(time.Duration(i)*10*time.Millisecond, ask)
	}
	s.Run(start.Add(time.Minute))
	if most != 8 || counts["SUCCESS"] != 12 || counts["SYSTEM_BUSY"] != 8 || member.Stats().RequestsRefused != 8 {
		t.Errorf("at most %d at a time, %v", most, counts)
	}
	for i := range 10 {
		s.After(time.Duration(i)*time.Second, ask)
	}
	s.Run(start.Add(2 * time.Minute))
	if counts["SUCCESS"] != 22 {
		t.Errorf("later %v", counts)
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
