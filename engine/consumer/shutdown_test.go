package consumer_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// TestShutdownOrder: what brokers see of a member that leaves, in order: no further pull, the
// offsets of what its last listeners did, its goodbye, and nothing of the group after that.
func TestShutdownOrder(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		for _, b := range w.brokers {
			w.net.Delay(addrOf(b), 5*time.Millisecond)
		}
		w.createTopic(topic, 4)
		books := w.ledger()
		var mu sync.Mutex
		var lastEnd time.Time
		m := w.join("192.0.2.10@me", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(1300 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			lastEnd = time.Now()
			return consume.Success
		})
		w.send(200, "x")
		m.after(4 * time.Second)
		seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset, protocol.UnregisterClient, protocol.HeartBeat)
		leaves := time.Now()
		m.leave()
		time.Sleep(300 * time.Millisecond)
		w.send(40, "y") // ends the pulls that are held while listeners are waited for
		m.stop()
		mu.Lock()
		ended := lastEnd
		mu.Unlock()
		if took := time.Since(leaves); ended.Sub(leaves) < 500*time.Millisecond || took > 2*time.Second {
			t.Errorf("the last listener ended %v after leaving, Run %v after it: want the first to be waited for, and nothing else", ended.Sub(leaves), took)
		}
		time.Sleep(time.Minute)
		for _, broker := range w.brokers {
			bye := seen.all(func(r request) bool { return r.Broker == broker && r.Code == protocol.UnregisterClient })
			if len(bye) != 1 {
				t.Fatalf("%s had %d goodbyes, want 1", broker, len(bye))
			}
			commits := map[mq.MessageQueue]int64{}
			for _, r := range seen.all(func(r request) bool { return r.Broker == broker }) {
				switch {
				case r.Code == protocol.UnregisterClient:
				case r.At.After(bye[0].At):
					t.Errorf("%s got %v after the goodbye", broker, r)
				case r.Code == protocol.PullMessage && r.At.Sub(leaves) > 10*time.Millisecond:
					t.Errorf("%s got a pull %v after leaving", broker, r.At.Sub(leaves))
				case r.Code == protocol.UpdateConsumerOffset && r.At.After(ended):
					commits[r.Queue] = r.Commit
				}
			}
			if len(commits) != 4 {
				t.Errorf("%s got commits %v after the last listener ended, want one for each queue", broker, commits)
			}
		}
		next := w.join("192.0.2.11@next", nil)
		next.caughtUp(next.after(10*time.Second), 8)
		if n := books.check(); n != 0 || distinct(m, next) != 240 {
			t.Errorf("%d of 240 messages were delivered, %d again", distinct(m, next), n)
		}
	})
}

// TestShutdownGivesNothingNewToListeners: what waits for a thread when a member leaves is for
// the next one.
func TestShutdownGivesNothingNewToListeners(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.send(300, "x")
		m := w.join("192.0.2.10@me", takes(time.Second))
		m.after(1500 * time.Millisecond)
		before := distinct(m)
		m.stop()
		if n := distinct(m); n != before || before < 20 || before > 40 {
			t.Errorf("%d messages delivered, %d when it left", n, before)
		}
		next := w.join("192.0.2.11@next", nil)
		next.caughtUp(next.after(7*time.Second), 2)
		if distinct(m, next) != 300 || repeated(m, next) != 0 {
			t.Errorf("%d of 300 delivered, %d again", distinct(m, next), repeated(m, next))
		}
	})
}

// TestListenerThatNeverReturnsDoesNotHoldUpTheEnd: its goroutine is all that stays behind, and
// the error names what it has.
func TestListenerThatNeverReturnsDoesNotHoldUpTheEnd(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 50, "", 0)
		release := make(chan struct{})
		m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.QueueOffset() == 17 || msg.QueueOffset() == 31 {
				<-release
			}
			return consume.Success
		})
		m.after(10 * time.Second)
		seen := w.record(protocol.UpdateConsumerOffset, protocol.UnregisterClient)
		leaves := time.Now()
		err := m.end()
		// Three seconds in peace, two with an ended context.
		if took := time.Since(leaves); took < 5*time.Second || took > 5100*time.Millisecond {
			t.Errorf("Run returned after %v, want 5 s", took)
		}
		hung, ok := errors.AsType[*consumer.HungError](err)
		if !ok || hung.Queue != first || hung.Offset != 17 && hung.Offset != 31 || hung.Listeners != 2 || hung.Age < 14*time.Second {
			t.Fatalf("ended with %v, want a HungError about offset 17 or 31 of %v", err, first)
		}
		for _, part := range []string{"2 listeners", topic, "broker-a", "queue 0", "14.", "s "} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error %q does not say %q", err, part)
			}
		}
		s := m.push.Snapshot()
		if got := told(s, "left behind"); len(got) != 1 || got[0].Level != event.Error || s.Source.State != snapshot.Ended {
			t.Errorf("state %v, told:\n%s", s.Source.State, texts(s))
		}
		if got := w.committed(first); got != 17 {
			t.Errorf("%d committed, want 17", got)
		}
		if n := len(seen.all(func(r request) bool { return r.Code == protocol.UnregisterClient })); n != 1 {
			t.Errorf("%d goodbyes, want one", n)
		}
		seen.forget()
		close(release) // what it answers now is nobody's any more
		time.Sleep(10 * time.Second)
		if list := seen.all(everything); len(list) != 0 {
			t.Errorf("after its end brokers got %v", list)
		}
		next := w.join("192.0.2.11@next", nil)
		next.caughtUp(next.after(7*time.Second), 1)
		if next.deliveries("0-17 ") != 1 || next.deliveries("0-16 ") != 0 {
			t.Error("the next member does not go on at the message that hung")
		}
	})
}

func TestListenerThatHeedsItsContextEndsInTime(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 5, "", 0)
		m := w.join("192.0.2.10@me", takes(time.Hour), func(c *consumer.Config) { c.Drain = 700 * time.Millisecond })
		m.after(time.Second)
		leaves := time.Now()
		m.stop()
		if took := time.Since(leaves); took != 700*time.Millisecond {
			t.Errorf("Run returned after %v, want the 700 ms that listeners have", took)
		}
		if got := w.committed(first); got > 0 {
			t.Errorf("%d committed, nothing was consumed", got)
		}
		if s := m.push.Snapshot(); len(told(s, "listeners still run after 700ms")) != 1 {
			t.Errorf("not told:\n%s", texts(s))
		}
	})
}

func TestShutdownDoesNotWaitForDeadBrokers(t *testing.T) {
	faults := map[string]func(w *world){
		"silent":  func(w *world) { w.net.Blackhole(addrOf("broker-b"), true) },
		"stopped": func(w *world) { w.stopBroker("broker-b") },
		"all silent": func(w *world) {
			for _, addr := range []string{addrOf("broker-a"), addrOf("broker-b"), nameServer} {
				w.net.Blackhole(addr, true)
			}
		},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 2, func(w *world) {
				w.createTopic(topic, 4)
				m := w.join("192.0.2.10@me", nil)
				w.send(80, "x")
				m.after(2 * time.Second)
				fault(w)
				m.after(20 * time.Second)
				leaves := time.Now()
				m.stop()
				if took := time.Since(leaves); took > 2500*time.Millisecond {
					t.Errorf("leaving took %v", took)
				}
				if name != "all silent" {
					if got, want := w.committed(first), w.end(first); got != want {
						t.Errorf("the other broker has %d committed of %d", got, want)
					}
				}
				for _, addr := range []string{addrOf("broker-a"), addrOf("broker-b"), nameServer} {
					w.net.Blackhole(addr, false)
				}
			})
		})
	}
}

// TestP20StopWhileAnswersArrive: the end comes at each of many moments of a busy member.
func TestP20StopWhileAnswersArrive(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.net.Delay(addrOf("broker-a"), time.Millisecond)
		w.createTopic(topic, 4)
		books := w.ledger()
		stop := w.trickle(30*time.Millisecond, w.eight()[:4]...)
		for i := range 100 {
			m := w.join("192.0.2.10@me", takes(time.Duration(i%7)*time.Millisecond))
			time.Sleep(600*time.Millisecond + time.Duration(i)*137*time.Microsecond)
			m.stop()
		}
		stop()
		m := w.join("192.0.2.10@me", nil)
		m.caughtUp(m.after(15*time.Second), 4)
		books.once()
	})
}

// TestShutdownWhileAnOffsetIsBeingRepaired: nothing of the repair comes after the goodbye.
func TestShutdownWhileAnOffsetIsBeingRepaired(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		w.commit(first, 500)
		w.onCode(protocol.UpdateConsumerOffset, func(*embedded.Request) embedded.Verdict {
			return embedded.DelayReply(3 * time.Second)
		})
		m := w.join("192.0.2.10@me", nil)
		m.after(time.Second)
		seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
		m.stop()
		synctest.Wait()
		seen.forget()
		time.Sleep(time.Minute)
		if list := seen.all(everything); len(list) != 0 {
			t.Errorf("after its end brokers got %v", list)
		}
		if got := w.committed(first); got != 100 {
			t.Errorf("%d committed, want the corrected 100", got)
		}
	})
}
