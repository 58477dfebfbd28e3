package consumer_test

import (
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// TestP16QueuesAddedAtRunTime: they are pulled within a route interval and five seconds.
func TestP16QueuesAddedAtRunTime(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		pulls := w.record(protocol.PullMessage)
		a := w.join("192.0.2.10@a", nil)
		b := w.join("192.0.2.11@b", nil)
		a.after(17 * time.Second)
		w.createTopic(topic, 8)
		added := time.Now()
		for id := range int32(8) {
			w.sendTo(queueOf("broker-a", id), 3)
		}
		s := a.after(35 * time.Second)
		for id := int32(4); id < 8; id++ {
			list := pulls.pulls(queueOf("broker-a", id))
			if len(list) == 0 || list[0].At.Sub(added) > 35*time.Second {
				t.Errorf("queue %d was not pulled within 35 s", id)
			}
		}
		for m, snap := range map[*member]int{a: len(owned(s)), b: len(owned(b.after(0)))} {
			if snap != 4 {
				t.Errorf("%s owns %d queues, want 4", m.id, snap)
			}
		}
		if distinct(a, b) != 24 {
			t.Errorf("%d of 24 messages were delivered", distinct(a, b))
		}
		a.after(6 * time.Second)
		books.check()
	})
}

func TestFB8QueuesRemovedAtRunTimeAreGivenUp(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		books := w.ledger()
		w.send(80, "x")
		m := w.join("192.0.2.10@me", nil)
		m.after(7 * time.Second)
		w.createTopic(topic, 3)
		s := m.after(35 * time.Second)
		if len(owned(s)) != 3 {
			t.Errorf("owns %v, want 3 queues", owned(s))
		}
		pulls := w.record(protocol.PullMessage)
		m.after(time.Minute)
		if list := pulls.pulls(queueOf("broker-a", 5)); len(list) != 0 {
			t.Errorf("a queue that is gone is pulled: %v", list)
		}
		books.check()
	})
}

func TestFB8PermissionToReadIsTakenAndGivenBack(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		pulls := w.record(protocol.PullMessage)
		w.send(80, "x")
		m := w.join("192.0.2.10@me", nil)
		m.after(7 * time.Second)
		setPerm := func(perm int32) {
			w.on("broker-a", func(b *embedded.Broker) { b.SetPerm(topic, perm) })
		}
		setPerm(protocol.PermWrite)
		w.sendTo(first, 1) // ends the pull that is held, and the next one is refused
		s := m.after(time.Second)
		if len(told(s, "does not permit reading")) == 0 {
			t.Errorf("the refusal is not told:\n%s", texts(s))
		}
		if n := perSecond(pulls.pulls(first)); n > 3 {
			t.Errorf("%d pulls a second of a queue that may not be read", n)
		}
		s = m.after(35 * time.Second)
		if len(owned(s)) != 4 {
			t.Errorf("owns %v, want the 4 queues of the other broker", owned(s))
		}
		w.send(40, "y")
		setPerm(protocol.PermRead | protocol.PermWrite)
		s = m.after(45 * time.Second)
		m.caughtUp(s, 8)
		if n := books.check(); n != 0 || distinct(m) != 121 {
			t.Errorf("%d delivered, %d again", distinct(m), n)
		}
	})
}

func TestFB8TopicIsDeletedAndMadeAnew(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		w.send(80, "x")
		m := w.join("192.0.2.10@me", nil)
		m.after(7 * time.Second)
		w.on("broker-a", func(b *embedded.Broker) { b.DeleteTopic(topic) })
		h := &protocol.DeleteTopicFromNamesrvRequest{Topic: topic}
		if _, err := w.stranger().Call(w.ctx, nameServer, &remoting.Command{Code: int32(protocol.DeleteTopicInNamesrv), Fields: protocol.Encode(h)}); err != nil {
			t.Fatal(err)
		}
		pulls := w.record(protocol.PullMessage)
		s := m.after(65 * time.Second)
		if n := perSecond(pulls.pulls(first)); n > 2 {
			t.Errorf("%d pulls a second of a queue that is gone", n)
		}
		if len(owned(s)) != 0 || len(told(s, "topic is gone")) != 1 {
			t.Errorf("owns %v:\n%s", owned(s), texts(s))
		}
		w.createTopic(topic, 4)
		w.send(40, "y")
		m.after(35 * time.Second)
		s = m.after(6 * time.Second)
		m.caughtUp(s, 4)
		if distinct(m) != 120 {
			t.Errorf("%d of 120 messages were delivered", distinct(m))
		}
	})
}
