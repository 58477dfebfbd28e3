package consumer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// trickle sends a message to each queue every d until the function it returns is called.
func (w *world) trickle(d time.Duration, queues ...mq.MessageQueue) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			for _, q := range queues {
				// What a broker that is cut off does not take counts for nothing here.
				_, _ = w.producer.Send(w.ctx, w.outTo(q))
			}
			select {
			case <-time.After(d):
			case <-quit:
				return
			case <-w.ctx.Done():
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// TestFN3HalfOpenConnectionIsReplaced: the broker falls silent without a word, and goes on to
// believe that the old connection lives.
func TestFN3HalfOpenConnectionIsReplaced(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		pulls := w.record(protocol.PullMessage)
		m := w.join("192.0.2.10@me", nil)
		w.send(100, "x")
		m.after(20 * time.Second)
		silent := time.Now()
		repair := w.wire.halfOpen(addrOf("broker-a"))
		pulls.forget()
		w.send(100, "y")
		s := m.after(35 * time.Second)
		for id := range int32(4) {
			list := pulls.pulls(queueOf("broker-a", id))
			if len(list) == 0 || list[0].At.Sub(silent) > 35*time.Second {
				t.Errorf("queue %d was not pulled within 35 s: %v", id, list)
			}
		}
		if n := distinct(m); n != 200 || len(owned(s)) != 4 {
			t.Errorf("%d of 200 messages were delivered, %v owned", n, owned(s))
		}
		if !said(s, "remote", func(what string) bool { return strings.Contains(what, "half open") }) {
			t.Errorf("the replaced connection is not told:\n%s", texts(s))
		}
		s = m.after(150 * time.Second) // the broker takes the old connection for dead meanwhile
		m.caughtUp(s, 4)
		books.once()
		repair()
	})
}

// TestFN5SlowNetwork: every byte takes 400 ms each way. Nothing is taken for dead, no queue
// moves, heartbeats are not held up by what the pulls bring.
func TestFN5SlowNetwork(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		a := w.join("192.0.2.10@a", nil)
		b := w.join("192.0.2.11@b", nil)
		a.after(5 * time.Second)
		for _, addr := range []string{addrOf("broker-a"), addrOf("broker-b"), nameServer} {
			w.net.Delay(addr, 400*time.Millisecond)
		}
		beats := w.record(protocol.HeartBeat)
		stop := w.trickle(time.Second, w.eight()...)
		for range 15 {
			for _, q := range w.eight() {
				w.put(q, 32, "", 4<<10)
			}
			time.Sleep(8 * time.Second)
		}
		stop()
		for _, m := range []*member{a, b} {
			s := m.after(15 * time.Second)
			m.caughtUp(s, 4)
			moved := slices.DeleteFunc(told(s, "given up"), func(e snapshot.Entry) bool { return e.Queue.Topic != topic })
			if len(moved) > 4 || len(told(s, "lost")) != 0 { // four when the second one joined
				t.Errorf("%s was shaken by mere slowness:\n%s", m.id, texts(s))
			}
		}
		// Two members, two brokers, a heartbeat each 30 s for two minutes and a quarter.
		if n := len(beats.all(everything)); n < 16 || n > 24 {
			t.Errorf("%d heartbeats, want about 18", n)
		}
		books.once()
	})
}

// TestFN8PartitionFromOneBrokerOfTwo: the queues of the other one flow, those there stand
// still and say so; they go on where they stood.
func TestFN8PartitionFromOneBrokerOfTwo(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		seen := w.record(protocol.QueryConsumerOffset, protocol.PullMessage)
		m := w.join("192.0.2.10@me", nil)
		w.send(100, "x")
		m.after(10 * time.Second)
		seen.forget()
		b := addrOf("broker-b")
		for range 3 {
			w.net.Blackhole(b, true)
			time.Sleep(50 * time.Second)
			began := distinct(m)
			for range 20 {
				w.sendTo(queueOf("broker-a", 1), 1)
			}
			s := m.after(time.Second)
			if n := distinct(m) - began; n != 20 {
				t.Errorf("%d of 20 messages of the other broker were delivered", n)
			}
			stuck := queue(s, queueOf("broker-b", 1))
			if stuck.Mark != snapshot.MarkBad || stuck.LastError == "" {
				t.Errorf("a queue that can not be pulled is marked %v, error %q", stuck.Mark, stuck.LastError)
			}
			w.net.Blackhole(b, false)
			m.after(10 * time.Second)
			for id := range int32(4) {
				w.sendTo(queueOf("broker-b", id), 5)
			}
			m.caughtUp(m.after(7*time.Second), 8)
		}
		at := map[mq.MessageQueue]int64{}
		for _, r := range seen.all(func(r request) bool { return r.Queue.Topic == topic }) {
			if r.Code == protocol.QueryConsumerOffset || r.Offset < at[r.Queue] {
				t.Errorf("a queue started anew: %v", r)
			}
			at[r.Queue] = r.Offset
		}
		books.check()
	})
}

func TestFN9WithoutNameServerTheLastRouteGoesOn(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		m := w.join("192.0.2.10@me", nil)
		stop := w.trickle(time.Second, queueOf("broker-a", 0), queueOf("broker-b", 3))
		m.after(10 * time.Second)
		w.net.Blackhole(nameServer, true)
		for range 5 {
			s := m.after(time.Minute)
			if len(owned(s)) != 8 {
				t.Fatalf("owns %v, want all 8 queues", owned(s))
			}
			if ns := s.Cluster.NameServers[0]; ns.Up || ns.Err == "" {
				t.Errorf("name server %+v, want it to be down", ns)
			}
		}
		w.net.Blackhole(nameServer, false)
		s := m.after(time.Minute)
		if ns := s.Cluster.NameServers[0]; !ns.Up {
			t.Errorf("name server %+v, want it to be up again", ns)
		}
		stop()
		m.caughtUp(m.after(7*time.Second), 8)
		if n := books.check(); n != 0 || distinct(m) < 2*360 {
			t.Errorf("%d delivered, %d again", distinct(m), n)
		}
	})
}

// TestFN9NameServerWithoutBrokers is the reverse: routes are read, no broker answers.
func TestFN9NameServerWithoutBrokers(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		books := w.ledger()
		m := w.join("192.0.2.10@me", nil)
		w.send(40, "x")
		m.after(10 * time.Second)
		for _, b := range w.brokers {
			w.net.Refuse(addrOf(b), errors.New("no route to host"))
			w.net.CutAll(addrOf(b))
		}
		s := m.after(5 * time.Minute)
		if len(owned(s)) != 4 {
			t.Errorf("owns %v, want all 4 queues", owned(s))
		}
		for _, b := range s.Cluster.Brokers {
			if b.Up || !strings.Contains(b.Err, "no route to host") || b.RetryAt.IsZero() {
				t.Errorf("broker %+v, want it down, with the next try", b)
			}
		}
		for _, b := range w.brokers {
			w.net.Refuse(addrOf(b), nil)
		}
		m.after(2 * time.Second)
		w.send(40, "y")
		m.caughtUp(m.after(7*time.Second), 4)
		books.once()
	})
}

func TestP28AllQueuesPullAgainAfterTwoMinutesOfPartition(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 8)
		books := w.ledger()
		pulls := w.record(protocol.PullMessage)
		m := w.join("192.0.2.10@me", nil)
		w.send(100, "x")
		m.after(10 * time.Second)
		for _, at := range []string{addrOf("broker-a"), addrOf("broker-b"), nameServer} {
			w.net.Blackhole(at, true)
		}
		m.after(120 * time.Second)
		pulls.forget()
		for _, at := range []string{addrOf("broker-a"), addrOf("broker-b"), nameServer} {
			w.net.Blackhole(at, false)
		}
		healed := time.Now()
		m.after(5 * time.Second)
		for _, broker := range w.brokers {
			for id := range int32(8) {
				list := pulls.pulls(queueOf(broker, id))
				if len(list) == 0 || list[0].At.Sub(healed) > 5*time.Second {
					t.Errorf("%s queue %d was not pulled within 5 s", broker, id)
				}
			}
		}
		w.send(100, "y")
		m.caughtUp(m.after(7*time.Second), 16)
		books.check()
	})
}
