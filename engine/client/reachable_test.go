package client

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/protocol"
)

// A pull over a new connection is refused until the broker has had the heartbeat that names
// the group, so that consumers must not hear of the connection before.
func TestABrokerIsReachableOnceItHasHadAHeartbeat(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		w.net.Delay(ba, 100*time.Millisecond)
		_, l := w.joined()
		time.Sleep(5 * time.Second)
		told[event.BrokerReachable](l)
		told[event.RebalanceWanted](l)
		a.forget()
		w.net.CutAll(ba)
		// Backing off takes 40 to 60 ms, dialling 200 ms, the heartbeat and its answer 200 ms.
		time.Sleep(400 * time.Millisecond)
		if n := len(a.got(protocol.HeartBeat)); n != 1 {
			t.Fatalf("a had %d heartbeats, want 1", n)
		}
		wantTold[event.BrokerReachable](t, l, 0) // it has not answered the heartbeat yet
		time.Sleep(100 * time.Millisecond)
		wantTold[event.BrokerReachable](t, l, 1)
		wantTold[event.RebalanceWanted](t, l, 1)
	})
}

func TestABrokerThatRefusesTheHeartbeatIsReachable(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.HeartBeat, code(protocol.NoPermission, "no such user"))
		i, l := w.joined()
		time.Sleep(500 * time.Millisecond)
		if _, err := i.MaxOffset(w.ctx, queue("a", 0)); err == nil {
			t.Fatal("a scripted broker answered a max offset")
		}
		wantTold[event.BrokerReachable](t, l, 1)
		wantTold[event.RebalanceWanted](t, l, 0) // a has no members
	})
}

// The heartbeats that go out by the clock wait for no answer either.
func TestFreshConnectionDoesNotWaitForThePeriodicHeartbeat(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		_, l := w.joined()
		time.Sleep(5 * time.Second)
		b.answer(protocol.HeartBeat, silent)
		time.Sleep(26*time.Second + 500*time.Millisecond) // the second heartbeat was due at 31 s
		told[event.BrokerReachable](l)
		a.forget()
		began := time.Now()
		w.net.CutAll(ba)
		time.Sleep(time.Second)
		if at := a.times(protocol.HeartBeat); len(at) != 1 || at[0].Sub(began) > 100*time.Millisecond {
			t.Errorf("heartbeats at %v after the cut, want one with the new connection", at)
		}
		wantTold[event.BrokerReachable](t, l, 1)
	})
}
