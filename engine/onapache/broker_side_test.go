package onapache_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/snapshot"
)

func brokerSide(c *engine.Config) { c.Consumer.BrokerRebalance = true }

// allottedBy says who divides a topic.
func allottedBy(s *snapshot.Snapshot, topic string) string {
	i := slices.IndexFunc(s.Topics, func(t snapshot.Topic) bool { return t.Name == topic })
	if i < 0 {
		return "no such topic"
	}
	return s.Topics[i].AllottedBy
}

// queuesOf prints queues from one to another, without the last, of a topic on the first broker.
func queuesOf(c *apachetest.Cluster, topic string, from, to int) (list []string) {
	for id := from; id < to; id++ {
		list = append(list, fmt.Sprintf("%s@%s:%d", topic, c.BrokerName, id))
	}
	return list
}

// TestApacheBrokerDividesTheQueues has Apache's broker divide a topic among two of our members
// and a Java one, all of which leave it to the broker.
func TestApacheBrokerDividesTheQueues(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, queues, messages = "mqscope_allotted", "mqscope_allotted", 8, 400
	if err := c.CreateTopic(ctx, topic, queues); err != nil {
		t.Fatal(err)
	}
	const idA, idB, idJ = "127.0.0.1@a", "127.0.0.1@b", "127.0.0.1@c"
	java, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic, ID: idJ, BrokerSide: true, IDs: true})
	if err != nil {
		t.Fatal(err)
	}
	a := joinApache(t, c, group, topic, idA, success, brokerSide)
	b := joinApache(t, c, group, topic, idB, success, brokerSide)
	owns := func(m *ourMember, from, to int) *snapshot.Snapshot {
		t.Helper()
		want := queuesOf(c, topic, from, to)
		return m.until(fmt.Sprintf("%v by the broker", want), func(s *snapshot.Snapshot) bool {
			return allottedBy(s, topic) == "broker" && slices.Equal(ownedOf(s, topic), want)
		})
	}
	owns(a, 0, 3)
	owns(b, 3, 6)
	if _, err := java.Wait(ctx, func(s apachetest.Seen) bool { return slices.Equal(s.Queues, queuesOf(c, topic, 6, 8)) }); err != nil {
		t.Errorf("the Java member: %v", err)
	}
	if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: messages}); err != nil {
		t.Fatal(err)
	}
	if _, err := java.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Received) == messages/queues*2 }); err != nil {
		t.Errorf("the Java member: %v", err)
	}
	a.until("the messages of its queues", func(*snapshot.Snapshot) bool { return a.distinct() == messages/queues*3 })
	// All subscribe alike, the retry topic of popped messages apart, which Java's member adds.
	if s := a.live.Snapshot(); len(s.Members) != 3 || slices.ContainsFunc(s.Events.Entries, func(e snapshot.Entry) bool { return strings.Contains(e.What, "subscribes to") }) {
		t.Errorf("members %v, or one is said to differ", s.Members)
	}
	if _, err := java.Close(ctx); err != nil {
		t.Error(err)
	}
	owns(a, 0, 4)
	owns(b, 4, 8)
}

// TestApacheBrokerMeansATopicToBePopped sets the mode with Apache's tool, and back with the
// command that the event names.
func TestApacheBrokerMeansATopicToBePopped(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group = "mqscope_to_pop", "mqscope_to_pop"
	if err := c.CreateTopic(ctx, topic, 4); err != nil {
		t.Fatal(err)
	}
	a := joinApache(t, c, group, topic, "127.0.0.1@a", success, brokerSide)
	a.until("all queues", func(s *snapshot.Snapshot) bool { return len(ownedOf(s, topic)) == 4 })
	mode := func(name string) {
		t.Helper()
		out, err := c.Admin(ctx, "setConsumeMode", "-c", "DefaultCluster", "-t", topic, "-g", group, "-m", name)
		if err != nil || !strings.Contains(out, "success") {
			t.Fatalf("setConsumeMode %s: %v\n%s", name, err, out)
		}
	}
	says := func(s *snapshot.Snapshot) bool {
		return slices.ContainsFunc(s.Events.Entries, func(e snapshot.Entry) bool {
			return e.Level == snapshot.Error && strings.Contains(e.What, "to be popped by group "+group) &&
				strings.Contains(e.What, "mqadmin setConsumeMode -c CLUSTER -t "+topic+" -g "+group+" -m PULL")
		})
	}
	mode("POP")
	s := a.until("word that the topic is to be popped", says)
	if got := ownedOf(s, topic); len(got) != 4 {
		t.Errorf("owns %v, want all as before", got)
	}
	mode("PULL")
	b := joinApache(t, c, group, topic, "127.0.0.1@b", success, brokerSide)
	b.until("its half", func(s *snapshot.Snapshot) bool { return len(ownedOf(s, topic)) == 2 })
	a.until("the other half", func(s *snapshot.Snapshot) bool { return len(ownedOf(s, topic)) == 2 })
}

// TestFR6AJavaMemberWithOtherTags is seen by what the Java member tells of itself.
func TestFR6AJavaMemberWithOtherTags(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, id = "mqscope_differ", "mqscope_differ", "127.0.0.1@java"
	if err := c.CreateTopic(ctx, topic, 4); err != nil {
		t.Fatal(err)
	}
	a := joinApache(t, c, group, topic, "127.0.0.1@a", success)
	a.until("all queues", func(s *snapshot.Snapshot) bool { return len(ownedOf(s, topic)) == 4 })
	java, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic, ID: id, Tag: "REFUND||PAID"})
	if err != nil {
		t.Fatal(err)
	}
	want := snapshot.Difference{Topic: topic, Ours: "*", Theirs: "PAID || REFUND"}
	s := a.until("word that the Java member has other tags", func(s *snapshot.Snapshot) bool {
		return slices.ContainsFunc(s.Members, func(m snapshot.Member) bool { return m.ID == id && len(m.Differs) > 0 })
	})
	for _, m := range s.Members {
		for _, d := range m.Differs {
			if d.TheirsIsNewer = false; d != want {
				t.Errorf("%s differs: %+v, want %+v", m.ID, d, want)
			}
		}
	}
	if _, err := java.Close(ctx); err != nil {
		t.Error(err)
	}
}
