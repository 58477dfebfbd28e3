package consumer_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consumer"
	"mqscope/engine/event"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// grip is a person who holds the pulls of a member, or not.
type grip struct {
	loose        atomic.Bool
	open, closed atomic.Int32 // turns that stayed open, and others
}

func (g *grip) Holds() bool { return !g.loose.Load() }

func (g *grip) Turned(open bool) {
	if open {
		g.open.Add(1)
	} else {
		g.closed.Add(1)
	}
}

// pulls are the pulls of the topic that brokers got since the last call, as "queue@offset".
func (w *world) pulls(s *seenRequests) (out []string) {
	for _, h := range headersOf[protocol.PullMessageRequest](w, s.take()) {
		if h.Topic == topic {
			out = append(out, fmt.Sprintf("%d@%d", h.QueueID, h.QueueOffset))
		}
	}
	slices.Sort(out)
	return out
}

// held are the queues of the topic whose requests a person holds.
func held(s *snapshot.Snapshot) (out []int32) {
	for i := range s.Sched.Tasks {
		if t := &s.Sched.Tasks[i]; t.Held && t.Queue.Topic == topic {
			out = append(out, t.Queue.QueueID)
		}
	}
	slices.Sort(out)
	return out
}

func TestPullsWaitForAPersonAndEverythingElseGoesOn(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		w.driver = &grip{}
		w.send(40, "a")
		pulls, beats := w.watch(protocol.PullMessage), w.watch(protocol.HeartBeat)
		m := w.join("192.0.2.10@me", takes(0))
		// Longer than a queue may be without a pull before it counts as lost.
		s := m.after(10 * time.Minute)
		if got := w.pulls(pulls); got != nil || distinct(m) != 0 {
			t.Errorf("pulled %v, %d messages", got, distinct(m))
		}
		if got := held(s); !slices.Equal(got, []int32{0, 1, 2, 3}) || s.Sched.Drives != group {
			t.Errorf("held %v, drives %q", got, s.Sched.Drives)
		}
		if n := len(beats.take()); n < 10 {
			t.Errorf("%d heartbeats in ten minutes", n)
		}
		if len(told(s, "not pulled for")) != 0 || len(told(s, "given up")) != 0 {
			t.Errorf("queues were given up:\n%s", texts(s))
		}
		m.push.Release(first)
		s = m.after(time.Second)
		if got := w.pulls(pulls); got != nil || s.Sched.Current.Queue != first || s.Sched.Current.Task == 0 {
			t.Errorf("pulled %v in a turn that is open, current %+v", got, s.Sched.Current)
		}
		m.push.CarryOn()
		s = m.after(time.Second)
		if got := w.pulls(pulls); !slices.Equal(got, []string{"0@0"}) || distinct(m) != 10 || s.Sched.Current.Task != 0 {
			t.Errorf("one turn pulled %v, %d messages, current %+v", got, distinct(m), s.Sched.Current)
		}
		if got := held(s); !slices.Equal(got, []int32{0, 1, 2, 3}) { // the first one is back
			t.Errorf("held %v", got)
		}
		other := w.other("192.0.2.20@other")
		s = m.after(30 * time.Second)
		if len(owned(s)) != 2 || len(owned(other.push.Snapshot())) != 2 {
			t.Errorf("a second member, and we have %v, it %v", owned(s), owned(other.push.Snapshot()))
		}
	})
}

// other joins a member that nobody drives.
func (w *world) other(id string) *member {
	w.driver = nil
	return w.join(id, takes(0))
}

func TestASecondReleaseCarriesTheFirstTurnOn(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.driver = &grip{}
		pulls := w.watch(protocol.PullMessage)
		m := w.join("192.0.2.10@me", takes(0))
		m.after(5 * time.Second)
		m.push.Release(first)
		m.push.Release(queueOf("broker-a", 1))
		s := m.after(time.Second)
		if got := w.pulls(pulls); !slices.Equal(got, []string{"0@0"}) || s.Sched.Current.Queue.QueueID != 1 {
			t.Errorf("pulled %v, current %+v", got, s.Sched.Current)
		}
		m.push.CarryOn()
		m.push.CarryOn() // nothing is open any more
		m.after(time.Second)
		if got := w.pulls(pulls); !slices.Equal(got, []string{"1@0"}) {
			t.Errorf("pulled %v", got)
		}
		m.push.Release(first) // its pull is out
		m.push.Release(queueOf("broker-a", 7))
		m.after(time.Second)
		if got := w.pulls(pulls); got != nil {
			t.Errorf("pulled %v without a request", got)
		}
	})
}

func TestAllPullsGoOnWhenNobodyHoldsThem(t *testing.T) {
	for _, how := range []string{"nobody drives", "the driver lets go"} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 3)
			g := &grip{}
			w.driver = g
			w.send(30, "a")
			m := w.join("192.0.2.10@me", takes(0))
			m.after(time.Minute)
			m.push.Release(first)
			m.after(time.Second)
			if how == "nobody drives" {
				m.push.Drive(nil)
			} else {
				g.loose.Store(true)
				m.push.CarryOn()
			}
			s := m.after(10 * time.Second)
			m.caughtUp(s, 3)
			if g.open.Load() != 1 || (g.closed.Load() > 0) != (how == "the driver lets go") {
				t.Errorf("%s: %d turns open, %d not", how, g.open.Load(), g.closed.Load())
			}
			if got := held(s); got != nil || s.Sched.Current.Task != 0 || (s.Sched.Drives == "") != (how == "nobody drives") {
				t.Errorf("%s: held %v, current %v, drives %q", how, got, s.Sched.Current, s.Sched.Drives)
			}
		})
	}
}

// TestAQueueThatIsGivenUpInTheMidstOfItsTurn: its pull is not sent, and its request is over.
func TestAQueueThatIsGivenUpInTheMidstOfItsTurn(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 2)
			w.driver = &grip{}
			pulls := w.watch(protocol.PullMessage)
			book := w.orderBook()
			var m *member
			if ordered {
				m = w.joinInOrder("192.0.2.20@me", book, nil)
			} else {
				m = w.join("192.0.2.20@me", takes(0))
			}
			m.after(5 * time.Second)
			m.push.Release(first)
			m.after(time.Second)
			w.driver = nil
			if ordered {
				w.joinInOrder("192.0.2.10@other", book, nil)
			} else {
				w.join("192.0.2.10@other", takes(0)) // takes queue 0
			}
			s := m.after(25 * time.Second)
			if got := owned(s); len(got) != 1 || got[0] == first {
				t.Fatalf("in order %v: we have %v", ordered, got)
			}
			if !slices.ContainsFunc(s.Sched.Tasks, func(t snapshot.SchedTask) bool { return t.Queue.QueueID == 1 && t.Held }) ||
				slices.ContainsFunc(s.Sched.Tasks, func(t snapshot.SchedTask) bool { return t.Queue == first }) {
				t.Errorf("in order %v: tasks %+v", ordered, s.Sched.Tasks)
			}
			w.pulls(pulls)
			m.push.CarryOn()
			m.after(100 * time.Millisecond) // the other one waits at the broker meanwhile
			if got := w.pulls(pulls); got != nil {
				t.Errorf("in order %v: it pulled all the same: %v", ordered, got)
			}
			for range 2 { // and the other goes on as ever: in order, the start offset is read anew first
				m.push.Release(queueOf("broker-a", 1))
				m.push.CarryOn()
				m.after(time.Second)
			}
			if got := w.pulls(pulls); !slices.Contains(got, "1@0") {
				t.Errorf("in order %v: pulled %v", ordered, got)
			}
		})
	}
}

// TestLocksAreRenewedWhilePullsAreHeld: an orderly member keeps its queues, and goes on where it
// was.
func TestLocksAreRenewedWhilePullsAreHeld(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		g := &grip{}
		w.driver = g
		w.send(20, "a")
		locks := w.watch(protocol.LockBatchMQ)
		book := w.orderBook()
		m := w.joinInOrder("192.0.2.10@me", book, nil)
		m.after(5 * time.Second)
		m.push.Release(first)
		s := m.after(10 * time.Minute) // with an open turn
		if n := len(locks.take()); n < 20 {
			t.Errorf("%d lock requests in ten minutes", n)
		}
		other := w.locker("192.0.2.66@other")
		if got := w.take(other, first, queueOf("broker-a", 1)); len(got) != 0 {
			t.Errorf("another member gets the locks of %v", got)
		}
		leases := 0
		for _, l := range s.Sched.Outside {
			if l.Until.After(s.At) {
				leases++
			}
		}
		if leases != 3 { // that of the retry topic too
			t.Errorf("outside: %+v at %v", s.Sched.Outside, s.At)
		}
		g.loose.Store(true)
		m.push.CarryOn()
		m.after(5 * time.Second)
		if book.succeeded() != 20 || book.check() != 0 {
			t.Errorf("%d of 20 messages succeeded", book.succeeded())
		}
	})
}

// TestLeavingInTheMidstOfATurn: what was consumed is committed, the group is left, and the pull of
// the open turn is never sent.
func TestLeavingInTheMidstOfATurn(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.driver = &grip{}
		w.send(20, "a")
		pulls, goodbye := w.watch(protocol.PullMessage), w.watch(protocol.UnregisterClient)
		m := w.join("192.0.2.10@me", takes(10*time.Millisecond))
		m.after(5 * time.Second)
		m.push.Release(first)
		m.push.CarryOn()
		m.after(time.Second)
		m.push.Release(queueOf("broker-a", 1))
		m.after(time.Second)
		w.pulls(pulls)
		m.leave()
		m.push.CarryOn() // too late
		m.push.Drive(nil)
		if err := <-m.done; err != nil {
			t.Fatal(err)
		}
		if got := w.pulls(pulls); got != nil {
			t.Errorf("pulled %v while it left", got)
		}
		if w.committed(first) != 10 || distinct(m) != 10 || len(goodbye.take()) != 1 {
			t.Errorf("committed %d, %d messages", w.committed(first), distinct(m))
		}
	})
}

// TestAnOldOffsetDoesNotStay: a pull that a person held for long carries along the offset of when
// it was decided; the broker is told the newer one again.
func TestAnOldOffsetDoesNotStay(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.driver = &grip{}
		w.send(32, "a")
		m := w.join("192.0.2.10@me", takes(100*time.Millisecond), func(c *consumer.Config) { c.Threads = 1 })
		m.after(5 * time.Second)
		m.push.Release(first)
		m.push.CarryOn()
		m.after(time.Second)
		m.push.Release(first)
		m.after(90 * time.Second) // all is consumed, and committed often enough
		if w.committed(first) != 32 {
			t.Fatalf("committed %d", w.committed(first))
		}
		m.push.CarryOn()
		synctest.Wait()
		if at := w.committed(first); at == 32 {
			t.Errorf("the pull carried along %d: this test tests nothing", at)
		}
		m.after(6 * time.Second)
		if w.committed(first) != 32 {
			t.Errorf("%d stays committed", w.committed(first))
		}
	})
}

// TestThePictureOfWhatIsHeld: a row says that a person holds it and since when, and what goes on
// outside counts down.
func TestThePictureOfWhatIsHeld(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.driver = &grip{}
		m := w.join("192.0.2.10@me", takes(0))
		s := m.after(5 * time.Second)
		for _, task := range s.Sched.Tasks {
			if task.State != snapshot.TaskReady || task.Cause != event.CauseByHand || !task.Held || task.Due.After(s.At) || task.Due.IsZero() {
				t.Errorf("task %+v", task)
			}
		}
		m.push.Release(first)
		m.push.CarryOn()
		s = m.after(time.Second)
		var got []string
		for _, l := range s.Sched.Outside {
			got = append(got, fmt.Sprint(l.What, " ", l.Until.Sub(s.At).Round(time.Second)))
		}
		if diff := cmp.Diff([]string{"pull of orders/broker-a/0 14s"}, got); diff != "" {
			t.Errorf("outside (-want +got):\n%s", diff)
		}
	})
}
