package onapache_test

import (
	"context"
	"slices"
	"testing"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/snapshot"
)

// believersOf are the client ids that believe to hold the lock of each queue of a topic; nil
// while that is not known of one.
func believersOf(s *snapshot.Snapshot, topic string) (all []string) {
	for _, q := range s.Queues {
		if q.ID.Topic != topic {
			continue
		}
		if len(q.Lock.Believers) == 0 {
			return nil
		}
		all = append(all, q.Lock.Believers...)
	}
	return all
}

// TestApacheLocksOfAJavaMember: whose the locks of a Java member's queues are is known from what
// it says, and when it leaves they are ours without a moment of two owners.
func TestApacheLocksOfAJavaMember(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, ours, theirs = "mqscope_believed", "mqscope_believed", "127.0.0.1@a", "127.0.0.1@java"
	if err := c.CreateTopic(ctx, topic, 4); err != nil {
		t.Fatal(err)
	}
	java, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic, ID: theirs, Orderly: true})
	if err != nil {
		t.Fatal(err)
	}
	m := joinApache(t, c, group, topic, ours, success, (&handings{}).inOrder(ours, 0))
	m.live.Do(engine.Watch{Locks: true})
	believe := func(what string, want ...string) {
		t.Helper()
		m.until(what, func(s *snapshot.Snapshot) bool {
			got := believersOf(s, topic)
			for i := range s.Queues {
				if ids := s.Queues[i].Lock.Believers; len(ids) > 1 {
					t.Errorf("%v: %v believe to own it", s.Queues[i].ID, ids)
				}
			}
			return slices.Equal(got, want)
		})
	}
	believe("two locks of each", ours, ours, theirs, theirs)
	if _, err := java.Close(ctx); err != nil {
		t.Error(err)
	}
	believe("all locks", ours, ours, ours, ours)
}
