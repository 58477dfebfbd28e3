package client

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// connected is an instance with group G and topic T, and the connection that broker a has
// of it.
func (w *world) connected(change func(*Registration)) (*Instance, *listener, *remoting.Peer) {
	w.t.Helper()
	_, a := w.oneBroker()
	i := w.client(Config{})
	l := &listener{}
	s, err := protocol.ParseSubscription("T", "A || B", 1700000000000)
	if err != nil {
		w.t.Fatal(err)
	}
	l.subs = append(l.subs, s)
	r := l.registration("G")
	if change != nil {
		change(&r)
	}
	if err := i.Register(r); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	told[event.RebalanceWanted](l)
	told[event.Entry](l)
	return i, l, a.lastPeer()
}

func TestMembersChangedWakesTheGroupItNames(t *testing.T) {
	bubble(t, func(w *world) {
		i, l, p := w.connected(nil)
		other := w.register(i, "H", "T")
		told[event.RebalanceWanted](other)
		notify := func(group string) {
			req := &remoting.Command{Code: int32(protocol.NotifyConsumerIDsChanged),
				Fields: protocol.Encode(&protocol.NotifyConsumerIDsChangedRequest{ConsumerGroup: group})}
			if err := p.Send(req); err != nil {
				t.Fatal(err)
			}
		}
		notify("G")
		notify("unknown")
		if e := last[event.RebalanceWanted](t, l); !strings.Contains(e.Why, ba) {
			t.Errorf("told %+v", e)
		}
		wantTold[event.RebalanceWanted](t, other, 0)
	})
}

func TestRequestsOfBrokers(t *testing.T) {
	reset := &protocol.ResetOffsetRequest{Topic: "T", Group: "G", QueueID: -1, Timestamp: -1}
	tests := []struct {
		name   string
		code   protocol.RequestCode
		fields remoting.Fields
		body   []byte
		want   protocol.ResponseCode
		remark string
	}{
		{"an offset reset", protocol.ResetConsumerClientOffset, protocol.Encode(reset), []byte(`{"offsetTable":{}}`), protocol.SystemError, "does not reset offsets on request"},
		{"an offset reset with a body that is none", protocol.ResetConsumerClientOffset, protocol.Encode(reset), []byte("junk"), protocol.SystemError, "can not be read"},
		{"an offset reset of another group", protocol.ResetConsumerClientOffset, protocol.Encode(&protocol.ResetOffsetRequest{Group: "X"}), nil, protocol.SystemError, `no consumer of group "X"`},
		{"an offset reset without fields", protocol.ResetConsumerClientOffset, nil, nil, protocol.SystemError, "topic"},
		{"a message to be consumed at once", protocol.ConsumeMessageDirectly, protocol.Encode(&protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: "G"}), []byte("junk"), protocol.SystemError, "on request"},
		{"a reply message that nobody waits for", protocol.PushReplyMessageToClient, protocol.Encode(&protocol.ReplyMessageRequest{ProducerGroup: "P", Topic: "T", DefaultTopic: "D", BornHost: "h:1", StoreHost: "h:2"}), []byte("body"), protocol.Success, ""},
		{"a reply message without fields", protocol.PushReplyMessageToClient, nil, nil, protocol.SystemError, "producerGroup"},
		{"running info of another group", protocol.GetConsumerRunningInfo, protocol.Encode(&protocol.GetConsumerRunningInfoRequest{ConsumerGroup: "X\x1b[2J"}), nil, protocol.SystemError, `no consumer of group "X\x1b[2J"`},
		{"running info without fields", protocol.GetConsumerRunningInfo, nil, nil, protocol.SystemError, "consumerGroup"},
		{"status of another group", protocol.GetConsumerStatusFromClient, protocol.Encode(&protocol.GetConsumerStatusRequest{Topic: "T", Group: "X"}), nil, protocol.SystemError, `no consumer of group "X"`},
		{"status of a group that does not tell", protocol.GetConsumerStatusFromClient, protocol.Encode(&protocol.GetConsumerStatusRequest{Topic: "T", Group: "G"}), nil, protocol.SystemError, "does not tell"},
		{"status without fields", protocol.GetConsumerStatusFromClient, nil, nil, protocol.SystemError, "topic"},
		{"a change of members that wants an answer", protocol.NotifyConsumerIDsChanged, protocol.Encode(&protocol.NotifyConsumerIDsChangedRequest{ConsumerGroup: "G"}), nil, protocol.Success, ""},
		{"a change of members of nobody", protocol.NotifyConsumerIDsChanged, nil, nil, protocol.SystemError, "consumerGroup"},
		{"a request for a broker", protocol.PullMessage, nil, nil, protocol.RequestCodeNotSupported, "request type 11"},
		{"an unknown code", 12345, nil, nil, protocol.RequestCodeNotSupported, "request type 12345"},
		{"a negative code", -7, nil, nil, protocol.RequestCodeNotSupported, "request type -7"},
	}
	bubble(t, func(w *world) {
		i, _, p := w.connected(nil)
		for _, tt := range tests {
			resp, err := p.Call(within(w, time.Second), &remoting.Command{Code: int32(tt.code), Fields: tt.fields, Body: tt.body})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if protocol.ResponseCode(resp.Code) != tt.want || !strings.Contains(resp.Remark, tt.remark) {
				t.Errorf("%s: answered %d %q, want %d and %q", tt.name, resp.Code, resp.Remark, tt.want, tt.remark)
			}
			if strings.ContainsAny(resp.Remark, "\x1b\n\r") {
				t.Errorf("%s: the remark %q has control characters", tt.name, resp.Remark)
			}
		}
		if n, err := i.HeartbeatAll(w.ctx); n != 1 || err != nil {
			t.Errorf("after all that: %d heartbeats, %v", n, err)
		}
	})
}

func TestHandlerThatPanicsEndsNothing(t *testing.T) {
	bubble(t, func(w *world) {
		i, _, p := w.connected(func(r *Registration) {
			r.RunningInfo = func(context.Context) (protocol.ConsumerRunningInfo, error) { panic("in the registration") }
		})
		req := &remoting.Command{Code: int32(protocol.GetConsumerRunningInfo),
			Fields: protocol.Encode(&protocol.GetConsumerRunningInfoRequest{ConsumerGroup: "G", ClientID: "c"})}
		for range 3 {
			resp, err := p.Call(within(w, time.Second), req)
			if err != nil || resp.Code != int32(protocol.SystemError) {
				t.Errorf("%+v, %v", resp, err)
			}
		}
		if s := i.ServiceState(); s != Running {
			t.Errorf("state is %v", s)
		}
	})
}

func TestP25RoundThatPanicsIsFollowedByOthers(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		i := w.client(Config{})
		bad := false
		l := &listener{}
		r := l.registration("G")
		good := r.Subscriptions
		r.Subscriptions = func() []protocol.SubscriptionData {
			l.mu.Lock()
			b := bad
			l.mu.Unlock()
			if b {
				panic("in the registration")
			}
			return good()
		}
		s, _ := protocol.ParseSubscription("T", "*", 1)
		l.subs = append(l.subs, s)
		if err := i.Register(r); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		l.mu.Lock()
		bad = true
		l.mu.Unlock()
		time.Sleep(time.Minute)
		l.mu.Lock()
		bad = false
		l.mu.Unlock()
		a.forget()
		time.Sleep(time.Minute)
		if n := len(a.got(protocol.HeartBeat)); n != 2 {
			t.Errorf("%d heartbeats in the minute after, want 2", n)
		}
	})
}

// TestEventsComeInOrder has many goroutines queue events of a group while others deliver to
// a consumer that takes its time: none is lost, one is told at a time, and each goroutine's
// come in its order.
func TestEventsComeInOrder(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i := w.client(Config{})
		const tellers, each = 8, 50
		next := map[string]int{}
		came := 0
		var inside atomic.Int32
		r := (&listener{}).registration("G")
		r.Notify = func(e event.Event) {
			if inside.Add(1) != 1 {
				t.Error("two events are told at once")
			}
			defer inside.Add(-1)
			time.Sleep(time.Millisecond)
			if e, ok := e.(event.Entry); ok {
				if e.Count != next[e.Where] {
					t.Errorf("teller %s: event %d came when %d was next", e.Where, e.Count, next[e.Where])
				}
				next[e.Where]++
				came++
			}
		}
		if err := i.Register(r); err != nil {
			t.Fatal(err)
		}
		for n := range tellers {
			w.wg.Go(func() {
				for k := range each {
					i.tellGroup("G", event.Entry{Where: strconv.Itoa(n), Count: k})
				}
			})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if came != tellers*each {
			t.Errorf("%d events came, want %d", came, tellers*each)
		}
	})
}
