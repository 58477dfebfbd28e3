package client

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestSecondPortOfABroker(t *testing.T) {
	for _, c := range []struct{ addr, want string }{
		{"10.0.0.1:10911", "10.0.0.1:10909"}, {"[::1]:10911", "[::1]:10909"}, {"broker-a:3", "broker-a:1"},
		{"broker-a:2", "broker-a:2"}, {"broker-a", "broker-a"}, {"broker-a:x", "broker-a:x"},
	} {
		i := &Instance{cfg: Config{VIPChannel: true}}
		if got := i.lane(c.addr); got != c.want {
			t.Errorf("%s: %s, want %s", c.addr, got, c.want)
		}
		i.cfg.VIPChannel = false
		if got := i.lane(c.addr); got != c.addr {
			t.Errorf("%s without it: %s", c.addr, got)
		}
	}
}

// TestOnlyPullsAndHeartbeatsTakeTheFirstPort has a broker whose two ports note what comes.
func TestOnlyPullsAndHeartbeatsTakeTheFirstPort(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
		host, _, err := net.SplitHostPort(ba)
		if err != nil {
			t.Fatal(err)
		}
		first := w.serve(ba)
		i := w.client(Config{VIPChannel: true})
		second := w.serve(i.lane(ba))
		if !strings.HasPrefix(second.addr, host) || second.addr == ba {
			t.Fatalf("second port is at %s", second.addr)
		}
		w.register(i, "G", "T")
		time.Sleep(2 * time.Second)
		q := queue("a", 0)
		offsetAnswer := func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Fields: protocol.Encode(&protocol.OffsetResponse{Offset: 7})}
		}
		for _, code := range []protocol.RequestCode{protocol.QueryConsumerOffset, protocol.GetMaxOffset, protocol.GetMinOffset} {
			second.answer(code, offsetAnswer)
		}
		if at, found, err := i.QueryOffset(w.ctx, "G", q); at != 7 || !found || err != nil {
			t.Errorf("offset %d %v %v", at, found, err)
		}
		_, err = i.MaxOffset(w.ctx, q)
		_, err2 := i.MinOffset(w.ctx, q)
		err3 := i.CommitOffset("G", q, 7)
		err4 := i.CommitOffsetSync(w.ctx, "G", q, 8)
		_, err5 := i.LockBatch(w.ctx, "G", "a", []mq.MessageQueue{q})
		err6 := i.UnlockBatchOneWay("G", "a", []mq.MessageQueue{q})
		_, err7 := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
		for n, err := range []error{err, err2, err3, err4, err6, err7} {
			if err != nil {
				t.Errorf("call %d: %v", n, err)
			}
		}
		_ = err5 // the fake answers without a body
		var pulled sync.WaitGroup
		pulled.Add(1)
		i.Pull(q, mq.MasterID, &protocol.PullMessageRequest{ConsumerGroup: "G", Topic: "T"}, time.Second, func(PullAnswer) { pulled.Done() })
		pulled.Wait()
		if err := i.Unregister(w.ctx, "G"); err != nil {
			t.Error(err)
		}
		wantCodes(t, "first port", first, protocol.HeartBeat, protocol.PullMessage, protocol.UnregisterClient)
		wantCodes(t, "second port", second, protocol.QueryConsumerOffset, protocol.GetMaxOffset, protocol.GetMinOffset,
			protocol.UpdateConsumerOffset, protocol.LockBatchMQ, protocol.UnlockBatchMQ, protocol.SendMessageV2)
	})
}

// wantCodes checks which kinds of requests a server got.
func wantCodes(t *testing.T, name string, f *fake, want ...protocol.RequestCode) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	var got []protocol.RequestCode
	for _, r := range f.seen {
		if code := protocol.RequestCode(r.Code); !slices.Contains(got, code) {
			got = append(got, code)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s got %v, want %v", name, got, want)
	}
}

func TestAnOutageOfTheSecondPortIsToldToTheCaller(t *testing.T) {
	bubble(t, func(w *world) {
		w.oneBroker()
		i := w.client(Config{VIPChannel: true})
		w.register(i, "G", "T")
		time.Sleep(2 * time.Second)
		_, err := i.MaxOffset(w.ctx, queue("a", 0))
		if c := Classify(err); c != Unreachable || !strings.Contains(err.Error(), i.lane(ba)) {
			t.Errorf("%v is %v, want unreachable with the address that was tried", err, c)
		}
		if !i.Brokers()[0].Up {
			t.Error("the broker's first port counts as down")
		}
	})
}

func TestUnitNameBecomesPartOfTheClientID(t *testing.T) {
	for unit, want := range map[string]string{"": "10.1.2.9@x", "u1": "10.1.2.9@x@u1", " ": "10.1.2.9@x"} {
		i, err := New(Config{NameServers: []string{ns1}, ClientID: "10.1.2.9@x", UnitName: unit,
			Dial: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }})
		if err != nil {
			t.Fatal(err)
		}
		if i.ClientID() != want {
			t.Errorf("unit %q: %s, want %s", unit, i.ClientID(), want)
		}
	}
}
