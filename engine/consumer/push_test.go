package consumer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

func TestS3AMemberConsumesEverythingAndCommitsIt(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		w.send(1000, "a")
		m := w.join("192.0.2.10@me", nil)
		s := m.after(20 * time.Second)
		if got := distinct(m); got != 1000 {
			t.Errorf("%d of 1000 messages were delivered", got)
		}
		if len(owned(s)) != 8 {
			t.Errorf("owns %v, want all 8 queues", owned(s))
		}
		for _, id := range owned(s) {
			q := queue(s, id)
			if !q.Lag.OK() || q.Lag.V != 0 || q.Committed.V != q.Max.V || q.Max.V == 0 {
				t.Errorf("%v: lag %+v committed %+v max %+v, want everything committed", id, q.Lag, q.Committed, q.Max)
			}
		}
		m.stop()
	})
}

func TestMembersSplitQueuesAndTakeOverWhenOneLeaves(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 8)
		a := w.join("192.0.2.10@a", nil)
		b := w.join("192.0.2.11@b", nil)
		c := w.join("192.0.2.12@c", nil)
		w.send(300, "x")
		time.Sleep(10 * time.Second)
		for m, want := range map[*member]int{a: 3, b: 3, c: 2} {
			if got := owned(m.after(0)); len(got) != want {
				t.Errorf("%s owns %v, want %d queues", m.id, got, want)
			}
		}
		b.stop()
		w.send(300, "y")
		s := a.after(5 * time.Second)
		if got := owned(s); len(got) != 4 {
			t.Errorf("after b left, a owns %v, want 4 queues", got)
		}
		if got := distinct(a, b, c); got != 600 {
			t.Errorf("%d of 600 messages were delivered", got)
		}
		a.stop()
		c.stop()
	})
}

func TestFailedMessagesComeBackThroughTheRetryTopic(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		var times []int32
		m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
			if msg.Tags() != "bad" {
				return consume.Success
			}
			if msg.Topic() != topic {
				t.Errorf("topic of a retried message is %q, want %q", msg.Topic(), topic)
			}
			times = append(times, msg.ReconsumeTimes())
			if msg.ReconsumeTimes() < 2 {
				return consume.ReconsumeLater
			}
			return consume.Success
		}, func(c *consumer.Config) { c.Threads = 1 })
		w.send(10, "good")
		w.send(1, "bad")
		s := m.after(60 * time.Second)
		if len(times) != 3 || times[0] != 0 || times[1] != 1 || times[2] != 2 {
			t.Errorf("reconsume times of the deliveries are %v, want [0 1 2]", times)
		}
		if s.Counters.SentBack != 2 {
			t.Errorf("sent back %d, want 2", s.Counters.SentBack)
		}
		m.stop()
	})
}

func TestFlowControlTripsIsShownAndLetsGo(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.send(200, "x")
		release := make(chan struct{})
		m := w.join("192.0.2.10@me", func(ctx context.Context, _ mq.Message, _ *consume.Context) consume.Status {
			select {
			case <-release:
				return consume.Success
			case <-ctx.Done():
				return consume.ReconsumeLater
			}
		}, func(c *consumer.Config) { c.Pull.Limits.CountPerQueue = 64 })
		id := mq.MessageQueue{Topic: topic, BrokerName: "broker-a", QueueID: 0}
		s := m.after(10 * time.Second)
		q := queue(s, id)
		if q.Flow.Cause != "flow:count" || q.Flow.PutBacks < 10 || q.Count.V != 96 {
			t.Errorf("flow %+v with %d cached, want flow:count above 64 (three pulls of 32)", q.Flow, q.Count.V)
		}
		if q.Mark != snapshot.MarkBad {
			t.Errorf("mark %v (%s), want bad: nothing finishes", q.Mark, q.Note)
		}
		if q.InListener != 20 || s.Group.Threads.Busy != 20 {
			t.Errorf("%d in listener, %d threads busy, want 20", q.InListener, s.Group.Threads.Busy)
		}
		close(release)
		s = m.after(5 * time.Second)
		if q := queue(s, id); q.Flow.Cause != "" || q.Lag.V != 0 || distinct(m) != 200 {
			t.Errorf("after release: flow %+v lag %+v, %d delivered", q.Flow, q.Lag, distinct(m))
		}
		if !said(s, "flow", func(what string) bool { return strings.Contains(what, "count 96 > 64") }) {
			t.Error("no event says that flow control tripped at 96 > 64")
		}
		m.stop()
	})
}

func TestAStoppedMemberLosesNothingThatItFinished(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		m := w.join("192.0.2.10@me", func(ctx context.Context, _ mq.Message, _ *consume.Context) consume.Status {
			time.Sleep(time.Second)
			return consume.Success
		})
		w.send(10, "x")
		m.after(1500 * time.Millisecond)
		m.stop()
		again := w.join("192.0.2.10@again", nil)
		again.after(5 * time.Second)
		if got := distinct(again); got != 0 {
			t.Errorf("%d messages were delivered again, want none: all were finished and committed", got)
		}
		again.stop()
	})
}

func TestFlowControlIsToldOnceAnEpisode(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.send(400, "x")
		m := w.join("192.0.2.10@me", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(400 * time.Millisecond)
			return consume.Success
		}, func(c *consumer.Config) { c.Pull.Limits.CountPerQueue = 64 })
		s := m.after(30 * time.Second)
		told, over := 0, 0
		for _, e := range s.Events.Entries {
			if e.Source == "flow" && e.Level == snapshot.Warn {
				told += e.Count
			}
			if e.Source == "flow" && strings.Contains(e.What, "is over") {
				over++
			}
		}
		if told != 1 || over != 1 {
			t.Errorf("told %d times that flow control trips and %d times that it is over, want once each:\n%v", told, over, s.Events.Entries)
		}
		m.stop()
	})
}
