package consumer_test

import (
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestFB1BusyBrokersAreAskedSlowly(t *testing.T) {
	tests := []struct {
		name    string
		verdict embedded.Verdict
		cause   event.Cause
		told    string
	}{
		{"SYSTEM_BUSY", embedded.Fail(protocol.SystemBusy, "[OVERLOAD]system busy"), event.CauseException, "busy"},
		{"FLOW_CONTROL", embedded.Fail(protocol.FlowControl, "flow"), event.CauseBrokerFlow, "FLOW_CONTROL"},
		{"SYSTEM_ERROR", embedded.Fail(protocol.SystemError, "store is shut"), event.CauseException, "store is shut"},
		{"a code that nobody knows", embedded.Fail(7777, "?"), event.CauseException, "7777"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				books := w.ledger()
				pulls := w.record(protocol.PullMessage)
				w.put(first, 100, "", 0)
				mend := w.onPull(first, func(*embedded.Request, int64) embedded.Verdict { return tt.verdict })
				m := w.join("192.0.2.10@me", nil)
				s := m.after(30 * time.Second)
				if n := perSecond(pulls.pulls(first)); n > 2 {
					t.Errorf("%d pulls a second, want 2 at most", n)
				}
				if q := queue(s, first); q.Task.Cause != tt.cause || q.Failures < 20 {
					t.Errorf("task %+v after %d failures, want it put back because of %q", q.Task, q.Failures, tt.cause)
				}
				if n := len(told(s, tt.told)); n != 1 {
					t.Errorf("told %d times, want once:\n%s", n, texts(s))
				}
				mend()
				m.after(2 * time.Second)
				m.caughtUp(m.after(6*time.Second), 4)
				books.check()
			})
		})
	}
}

// eight are the queues of two brokers with four each.
func (w *world) eight() (all []mq.MessageQueue) {
	for _, b := range w.brokers {
		for id := range int32(4) {
			all = append(all, queueOf(b, id))
		}
	}
	return all
}

// pullsAgain checks that each queue of a broker is pulled within a second from now.
func (w *world) pullsAgain(pulls *requests, broker string) {
	w.t.Helper()
	since := time.Now()
	time.Sleep(time.Second)
	for id := range int32(4) {
		list := pulls.pulls(queueOf(broker, id))
		for len(list) > 0 && list[0].At.Before(since) {
			list = list[1:]
		}
		if len(list) == 0 {
			w.t.Errorf("queue %d was not pulled within a second of the port being open", id)
		}
	}
}

func TestFB2BrokerRestartUnderLoad(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		pulls := w.record(protocol.PullMessage)
		m := w.join("192.0.2.10@me", takes(5*time.Millisecond))
		stop := w.trickle(100*time.Millisecond, w.eight()...)
		m.after(5 * time.Second)
		downs := []time.Duration{10 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, 20 * time.Second, 28 * time.Second}
		for _, down := range downs {
			w.stopBroker("broker-a")
			time.Sleep(down)
			pulls.forget()
			w.startBroker("broker-a")
			w.pullsAgain(pulls, "broker-a")
			m.after(3 * time.Second)
		}
		stop()
		s := m.after(7 * time.Second)
		m.caughtUp(s, 8)
		if n := len(told(s, "assigned, starts at")); n != 10 {
			t.Errorf("queues were assigned %d times, want once each: a restart takes none away:\n%s", n, texts(s))
		}
		books.once()
	})
}

// TestFB2BrokerThatIsAwayForLong: its queues are given up, and taken again when the next
// route names it.
func TestFB2BrokerThatIsAwayForLong(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		m := w.join("192.0.2.10@me", nil)
		w.send(80, "x")
		m.after(7 * time.Second)
		w.stopBroker("broker-a")
		s := m.after(150 * time.Second)
		if len(owned(s)) != 4 || len(told(s, "no longer in the route of "+topic)) != 1 {
			t.Errorf("owns %v:\n%s", owned(s), texts(s))
		}
		w.startBroker("broker-a")
		w.send(80, "y")
		m.after(35 * time.Second)
		m.caughtUp(m.after(5*time.Second), 8)
		books.once()
	})
}

// TestP29BrokerRestartInEachPhaseOfAPull: bytes take 5 ms each way, so that a restart meets
// requests on their way, at the broker, held there, and answers on theirs.
func TestP29BrokerRestartInEachPhaseOfAPull(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		for _, b := range w.brokers {
			w.net.Delay(addrOf(b), 5*time.Millisecond)
		}
		w.createTopic(topic, 4)
		books := w.ledger()
		pulls := w.record(protocol.PullMessage)
		m := w.join("192.0.2.10@me", takes(3*time.Millisecond))
		stop := w.trickle(13*time.Millisecond, w.eight()...)
		m.after(3 * time.Second)
		for phase := range 50 {
			time.Sleep(100*time.Millisecond + time.Duration(phase)*431*time.Microsecond)
			w.stopBroker("broker-a")
			time.Sleep(time.Duration(phase%5) * 300 * time.Millisecond)
			pulls.forget()
			w.startBroker("broker-a")
			w.pullsAgain(pulls, "broker-a")
			if t.Failed() {
				t.Fatalf("in phase %d:\n%s", phase, texts(m.after(0)))
			}
		}
		stop()
		m.caughtUp(m.after(10*time.Second), 8)
		books.check()
	})
}
