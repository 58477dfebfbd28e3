package consumer_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// lists makes brokers answer these member lists instead of their own; nil is an error.
func (w *world) lists(ids func() []string) (remove func()) {
	return w.onCode(protocol.GetConsumerListByGroup, func(*embedded.Request) embedded.Verdict {
		list := ids()
		if list == nil {
			return embedded.Fail(protocol.SystemError, "no consumer for this group, g")
		}
		return embedded.Answer(&remoting.Command{Body: protocol.ConsumerList{ConsumerIDs: list}.Encode()})
	})
}

// notify makes a broker tell the members of the group that it changed.
func (w *world) notify(c *remoting.Client) error {
	h := &protocol.UnregisterClientRequest{ClientID: "nobody", ConsumerGroup: group}
	return c.OneWay(addrOf("broker-a"), &remoting.Command{Code: int32(protocol.UnregisterClient), Fields: protocol.Encode(h)})
}

func TestFR1MemberListsThatDoNotTakeQueuesAway(t *testing.T) {
	const me, other = "192.0.2.10@me", "192.0.2.9@other"
	tests := []struct {
		name  string
		lists [][]string // one pass each, the last one stays
		told  string
	}{
		{"an empty list, however often", [][]string{{}, {}, {}, {}}, "member list is empty: keeps 8 queues"},
		{"a failing list, however often", [][]string{nil, nil, nil, nil}, "member list unknown"},
		{"a list without me, once", [][]string{{other}, {me}}, "omits this client: keeps 8 queues"},
		{"a list without me, and again later", [][]string{{other}, {me}, {other}, {me}}, "omits this client: keeps 8 queues"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 2, func(w *world) {
				w.createTopic(topic, 4)
				books := w.ledger()
				m := w.join(me, nil)
				m.after(30 * time.Second)
				var mu sync.Mutex
				asked := 0
				w.lists(func() []string {
					mu.Lock()
					defer mu.Unlock()
					// A pass asks for two topics: the subscribed one and the retry topic.
					list := tt.lists[min(asked/2, len(tt.lists)-1)]
					asked++
					return list
				})
				offsets := w.record(protocol.QueryConsumerOffset)
				w.send(100, "x")
				s := m.after(90 * time.Second)
				if len(owned(s)) != 8 || len(told(s, "given up")) != 0 || len(offsets.all(func(request) bool { return true })) != 0 {
					t.Errorf("owns %v, want all 8 queues all the time:\n%s", owned(s), texts(s))
				}
				if len(told(s, tt.told)) == 0 {
					t.Errorf("not told that %q:\n%s", tt.told, texts(s))
				}
				m.caughtUp(s, 8)
				books.check()
			})
		})
	}
}

func TestFR1ConfirmedListsWithoutMeTakeQueuesAwayAndTheyComeBack(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		m := w.join("192.0.2.10@me", takes(10*time.Millisecond))
		w.send(100, "x")
		m.after(7 * time.Second)
		heartbeats := w.record(protocol.HeartBeat)
		back := w.lists(func() []string { return []string{"192.0.2.8@x", "192.0.2.9@y"} })
		s := m.after(25 * time.Second)
		if len(owned(s)) != 0 || len(told(s, "go on omitting this client")) == 0 {
			t.Errorf("owns %v:\n%s", owned(s), texts(s))
		}
		if len(heartbeats.all(func(request) bool { return true })) < 3 {
			t.Error("it does not announce itself again")
		}
		w.send(100, "y")
		back()
		m.caughtUp(m.after(9*time.Second), 4)
		books.once()
	})
}

// TestFR2MembersSeeDifferentLists: for half a minute each of two members is told that it is
// alone. Messages come twice meanwhile; nothing is lost, and both agree afterwards.
func TestFR2MembersSeeDifferentLists(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		books := w.ledger()
		var mu sync.Mutex
		clients := map[string]string{} // by address
		w.onCode(protocol.HeartBeat, func(r *embedded.Request) embedded.Verdict {
			h, err := protocol.DecodeHeartbeatData(r.Cmd.Body)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			clients[r.From] = h.ClientID
			return embedded.Pass
		})
		a := w.join("192.0.2.10@a", nil)
		b := w.join("192.0.2.11@b", nil)
		stop := w.trickle(100*time.Millisecond, first, queueOf("broker-a", 7))
		a.after(5 * time.Second)
		agree := w.onCode(protocol.GetConsumerListByGroup, func(r *embedded.Request) embedded.Verdict {
			mu.Lock()
			defer mu.Unlock()
			list := protocol.ConsumerList{ConsumerIDs: []string{clients[r.From]}}
			return embedded.Answer(&remoting.Command{Body: list.Encode()})
		})
		s := a.after(30 * time.Second)
		if len(owned(s)) != 8 || len(owned(b.after(0))) != 8 {
			t.Errorf("owns %v, want all queues while it thinks itself alone", owned(s))
		}
		agree()
		stop()
		a.after(25 * time.Second)
		a.caughtUp(a.after(0), 4)
		b.caughtUp(b.after(0), 4)
		if n := books.check(); n == 0 || n > distinct(a, b)+20 {
			t.Errorf("%d deliveries beyond the first of %d messages, want some, and each at most once more", n, distinct(a, b))
		}
	})
}

func TestFR4StormOfNotificationsLeadsToOnePassASecond(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		books := w.ledger()
		m := w.join("192.0.2.10@me", nil)
		stop := w.trickle(50*time.Millisecond, first)
		m.after(10 * time.Second)
		asked := w.record(protocol.GetConsumerListByGroup)
		stranger := w.stranger()
		before := runtime.NumGoroutine()
		for range 10_000 {
			if err := w.notify(stranger); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if n := runtime.NumGoroutine(); n > before+10 {
			t.Errorf("%d goroutines, %d before the storm", n, before)
		}
		list := asked.all(func(request) bool { return true })
		if len(list) < 18 || len(list) > 24 || perSecond(list) > 2 {
			t.Errorf("%d member lists in 10 s, %d in one, want two a second: one for each topic", len(list), perSecond(list))
		}
		stop()
		s := m.after(7 * time.Second)
		if len(told(s, "given up")) != 0 {
			t.Error("queues were given up")
		}
		m.caughtUp(s, 8)
		books.once()
	})
}

func TestFR5MembersJoinAndLeaveEvery200Milliseconds(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		for _, b := range w.brokers {
			w.net.Delay(addrOf(b), 2*time.Millisecond)
		}
		w.createTopic(topic, 4)
		books := w.ledger()
		var all []mq.MessageQueue
		for _, b := range w.brokers {
			for id := range int32(4) {
				all = append(all, queueOf(b, id))
			}
		}
		var mu sync.Mutex
		waited := map[string]time.Duration{} // until the first delivery
		listener := func(ctx context.Context, msg mq.Message, c *consume.Context) consume.Status {
			mu.Lock()
			if _, known := waited[string(msg.Body())]; !known {
				waited[string(msg.Body())] = time.Since(msg.StoreTime())
			}
			mu.Unlock()
			// The first of four takes longest: those behind it are resolved before.
			return takes(time.Duration(80-20*(msg.QueueOffset()%4))*time.Millisecond)(ctx, msg, c)
		}
		stay := w.join("192.0.2.10@stay", listener)
		stop := w.trickle(400*time.Millisecond, slices.Concat(all, all)...)
		var guests []*member
		for i := range 300 { // a minute
			switch {
			case len(guests) < 3 || i%3 == 0:
				id := fmt.Sprintf("192.0.2.%d@guest-%d", 11+i%200, i)
				guests = append(guests, w.join(id, listener))
			default:
				leaver := guests[i%len(guests)]
				guests = without(guests, leaver)
				leaver.leave() // it goes while others come
			}
			time.Sleep(200 * time.Millisecond)
		}
		stop()
		for _, g := range guests {
			g.stop()
		}
		s := stay.after(12 * time.Second)
		stay.caughtUp(s, 8)
		for body, d := range waited {
			if d > 5*time.Second {
				t.Errorf("%s waited %v for an owner of its queue", body, d)
			}
		}
		again, handovers := books.check(), 0
		for _, m := range w.members {
			handovers += len(told(m.push.Snapshot(), "assigned, starts at"))
		}
		// The old owner may go on for up to a second, in which each queue gets five messages.
		if handovers < 100 || again > 2*handovers {
			t.Errorf("%d deliveries beyond the first of %d messages, in %d hand-overs", again, distinct(w.members...), handovers)
		}
	})
}

func TestP14ConcurrentTriggersLeaveOnePullerForEachQueue(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		m := w.join("192.0.2.10@me", nil)
		m.after(1500 * time.Millisecond)
		stranger := w.stranger()
		for round := range 4 {
			w.createTopic(topic, 4+4*round)
			var triggers sync.WaitGroup
			for range 100 {
				triggers.Go(func() {
					if err := w.notify(stranger); err != nil {
						t.Error(err)
					}
					_ = m.instance.RefreshRoutes(w.ctx)
				})
			}
			triggers.Wait()
			m.after(700 * time.Millisecond)
		}
		s := m.after(5 * time.Second)
		if len(owned(s)) != 16 {
			t.Errorf("owns %v, want 16 queues", owned(s))
		}
		pulls := w.record(protocol.PullMessage)
		s = m.after(60 * time.Second)
		for _, id := range owned(s) {
			// The broker holds an idle pull for 15 to 20 s.
			if n := len(pulls.pulls(id)); n < 3 || n > 4 {
				t.Errorf("%v was pulled %d times in a minute, want 3 or 4", id, n)
			}
		}
		if n := m.instance.Brokers()[0].InFlight; n != 17 {
			t.Errorf("%d calls in flight, want one for each of 16 queues and the retry queue", n)
		}
	})
}

func TestP18FiveHundredJoinsAndLeavesOnAnEmptyTopic(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		m := w.join("192.0.2.10@me", nil)
		m.after(5 * time.Second)
		before := runtime.NumGoroutine()
		for i := range 500 {
			guest := w.join(fmt.Sprintf("192.0.2.11@guest-%d", i), nil)
			time.Sleep(50 * time.Millisecond)
			guest.stop()
		}
		s := m.after(5 * time.Second)
		if n := runtime.NumGoroutine(); n > before+5 {
			t.Errorf("%d goroutines, %d before", n, before)
		}
		if len(owned(s)) != 8 || s.MembersKnown.V != 1 {
			t.Errorf("owns %v of %d members", owned(s), s.MembersKnown.V)
		}
	})
}

func TestP30ClientIDThatTwoEnginesUseIsTold(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		a := w.join("192.0.2.10@same", nil)
		a.after(10 * time.Second)
		b := w.join("192.0.2.10@same", nil)
		w.send(40, "x")
		for _, m := range []*member{a, b} {
			s := m.after(15 * time.Second)
			got := told(s, `client id "192.0.2.10@same" is 2 times in the member list`)
			if len(got) != 1 || got[0].Level != event.Error {
				t.Errorf("told %v, want one error within a heartbeat:\n%s", got, texts(s))
			}
			if !strings.Contains(s.Group.RebalanceNote, "2 times") {
				t.Errorf("the pass says %q", s.Group.RebalanceNote)
			}
			if len(owned(s)) != 4 || m.deliveries("x-39") != 1 {
				t.Errorf("owns %v, and got the last message %d times: no queue may be left unread", owned(s), m.deliveries("x-39"))
			}
			if n := len(s.Members); n != 1 {
				t.Errorf("%d members are shown, want one", n)
			}
		}
		b.stop()
		s := a.after(45 * time.Second)
		if strings.Contains(s.Group.RebalanceNote, "2 times") || s.Source.State != snapshot.Running {
			t.Errorf("after the other left, the pass says %q", s.Group.RebalanceNote)
		}
	})
}

// A rebalance announces a new subscription version. Brokers refuse pulls that carry it before
// they heard of it, and a refused pull waits for a second.
func TestARebalanceDoesNotHoldUpThePullsThatRun(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		for _, b := range w.brokers {
			w.net.Delay(addrOf(b), 10*time.Millisecond)
		}
		w.createTopic(topic, 4)
		var mu sync.Mutex
		refused, slow := 0, false
		w.onCode(protocol.PullMessage, func(*embedded.Request) embedded.Verdict {
			return embedded.Edit(func(resp *remoting.Command) {
				mu.Lock()
				defer mu.Unlock()
				if protocol.ResponseCode(resp.Code) == protocol.SubscriptionNotLatest {
					refused++
				}
			})
		})
		w.onCode(protocol.HeartBeat, func(r *embedded.Request) embedded.Verdict {
			mu.Lock()
			defer mu.Unlock()
			h, err := protocol.DecodeHeartbeatData(r.Cmd.Body)
			if err != nil {
				t.Error(err)
			}
			if slow && r.Broker == "broker-b" && h.ClientID == "192.0.2.10@me" {
				return embedded.Drop
			}
			return embedded.Pass
		})
		m := w.join("192.0.2.10@me", nil)
		stop := w.trickle(20*time.Millisecond, w.eight()...)
		for i := range 6 {
			m.after(2 * time.Second)
			mu.Lock()
			slow = i > 2 // one broker hears nothing of the later ones
			mu.Unlock()
			guest := w.join("192.0.2.11@guest", nil)
			guest.after(2 * time.Second)
			guest.stop()
		}
		stop()
		if refused != 0 {
			t.Errorf("%d pulls were refused because their subscription was newer than the broker's", refused)
		}
	})
}
