package consumer_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// TestConsumersThatAreAskedRunOnce: a second Run, during the first and after it, is refused and
// disturbs nothing.
func TestConsumersThatAreAskedRunOnce(t *testing.T) {
	for name, start := range map[string]func(w *world) *running{
		"pull":      func(w *world) *running { _, r := w.puller("192.0.2.10@me"); return r },
		"scheduled": func(w *world) *running { _, r := w.scheduled("192.0.2.10@me", newWorker().work); return r },
		"lite":      func(w *world) *running { _, r := w.lite("192.0.2.10@me", subscribing); return r },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 2)
				r := start(w)
				r.after(3 * time.Second)
				if err := r.source.Run(w.ctx); !errors.Is(err, client.ErrAlreadyRun) {
					t.Errorf("while it runs: %v", err)
				}
				if s := r.after(time.Second); s.Source.State != snapshot.Running || len(owned(s)) != 2 {
					t.Errorf("after that: %+v, queues %v", s.Source, owned(s))
				}
				r.stop()
				if err := r.source.Run(w.ctx); !errors.Is(err, client.ErrAlreadyRun) {
					t.Errorf("after its end: %v", err)
				}
			})
		})
	}
}

// TestS0APullConsumerPullsOnlyWhatItIsAskedFor: it is a member and has queues, but pulls,
// remembers and commits nothing by itself; a push consumer of another group does all of it.
func TestS0APullConsumerPullsOnlyWhatItIsAskedFor(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		w.put(first, 50, "", 0)
		pulls, commits := w.watch(protocol.PullMessage), w.watch(protocol.UpdateConsumerOffset)
		p, r := w.puller("192.0.2.10@pull")
		s := r.after(time.Minute)
		if len(owned(s)) != 2 || len(pulls.take()) != 0 || len(commits.take()) != 0 || w.committed(first) != -1 {
			t.Errorf("in a minute the pull consumer has %v and committed %d", owned(s), w.committed(first))
		}
		got, err := p.Pull(w.ctx, first, consumer.Selector{}, 30, 10)
		if err != nil || len(got.Messages) != 10 || got.Messages[0].QueueOffset() != 30 {
			t.Fatalf("asked, it brings %+v, %v", got, err)
		}
		got.Release()
		r.after(20 * time.Second)
		if n := len(pulls.take()); n != 1 || w.committed(first) != -1 {
			t.Errorf("one pull that was asked for led to %d, and to the offset %d", n, w.committed(first))
		}
		r.stop()
		m := w.join("192.0.2.11@push", nil)
		m.after(10 * time.Second)
		if distinct(m) != 50 || w.committed(first) != 50 || len(pulls.take()) < 3 {
			t.Errorf("the push consumer was given %d of 50 and committed %d", distinct(m), w.committed(first))
		}
	})
}

// TestS1PushAndPullSideBySide: what a broker is told by the two, and who may hear of what: a push
// consumer subscribes to its retry topic and gets a new message at once; a pull consumer does
// not subscribe to it and learns of a message when it asks next, or while it waits for it.
func TestS1PushAndPullSideBySide(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		beats := w.watch(protocol.HeartBeat)
		m := w.join("192.0.2.10@push", nil, func(c *consumer.Config) { c.Group = "pushed" })
		p, r := w.puller("192.0.2.11@pull", func(c *consumer.PullConfig) { c.Group = "pulled" })
		defer r.stop()
		r.after(3 * time.Second)
		told := map[string]protocol.ConsumerData{}
		for _, b := range beats.take() {
			data, err := protocol.DecodeHeartbeatData(b.cmd.Body)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range data.ConsumerDataSet {
				told[c.GroupName] = c
			}
		}
		topics := func(c protocol.ConsumerData) (retry, all int) {
			for _, s := range c.SubscriptionDataSet {
				if s.Topic == mq.RetryTopic(c.GroupName) {
					retry++
				}
			}
			return retry, len(c.SubscriptionDataSet)
		}
		for group, want := range map[string]struct {
			kind       mq.ConsumeType
			from       mq.ConsumeFromWhere
			retry, all int
		}{"pushed": {mq.Passively, mq.FromFirstOffset, 1, 2}, "pulled": {mq.Actively, mq.FromLastOffset, 0, 1}} {
			c := told[group]
			if retry, all := topics(c); c.ConsumeType != want.kind || c.ConsumeFromWhere != want.from || retry != want.retry || all != want.all {
				t.Errorf("%s: %v from %v with %d topics, %d of them retry topics", group, c.ConsumeType, c.ConsumeFromWhere, all, retry)
			}
		}

		w.put(first, 1, "", 0)
		if m.after(0); m.deliveries("0-0 ") != 1 {
			t.Error("the push consumer does not have the message at once")
		}
		time.AfterFunc(4*time.Second, func() { w.put(first, 1, "", 0) })
		began := time.Now()
		got, err := p.PullBlockIfNotFound(context.WithoutCancel(w.ctx), first, consumer.Selector{}, 1, 32)
		if err != nil || len(got.Messages) != 1 || time.Since(began) > 4*time.Second {
			t.Errorf("the pull consumer, waiting, got %+v, %v after %v", got, err, time.Since(began))
		}
	})
}

// TestNobodyWaitsForAConsumerThatCouldNotBegin: its calls end as after its end.
func TestNobodyWaitsForAConsumerThatCouldNotBegin(t *testing.T) {
	dir := t.TempDir()
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		broadcast := func(c *consumer.PullConfig) { c.Model, c.OffsetsDir = mq.Broadcasting, dir }
		_, holder := w.puller("192.0.2.10@me", broadcast)
		holder.after(time.Second)
		p, r := w.puller("192.0.2.10@me", broadcast) // wants the same file
		done := make(chan error, 1)
		go func() { done <- second(p.MaxOffset(w.ctx, first)) }()
		if err := <-done; !errors.Is(err, consumer.ErrNotRunning) {
			t.Errorf("a call that waited for it: %v", err)
		}
		if err := second(p.MinOffset(w.ctx, first)); !errors.Is(err, consumer.ErrNotRunning) {
			t.Errorf("a call after it: %v", err)
		}
		if err := r.end(); !errors.Is(err, offset.ErrLocked) {
			t.Errorf("it ended with %v, want that the file is in use", err)
		}
		holder.stop()
	})
}
