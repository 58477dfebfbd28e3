package onapache_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/apachetest"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// quickRetries is the broker that all tests here share: messages sent back come again within
// a second.
func quickRetries() apachetest.Options {
	return apachetest.Options{BrokerConf: []string{"messageDelayLevel=1s 1s 1s 1s 1s 1s 1s 1s 1s 1s"}}
}

func TestApacheEachMessageIsReceivedAndTheOffsetsAreSeen(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, count = "mqscope_all", "mqscope_all", 20_000
	sent, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: count, Batch: 32, Queues: 8})
	if err != nil {
		t.Fatal(err)
	}
	m := joinApache(t, c, group, topic, "127.0.0.1@all", success)
	m.until("all messages", func(*snapshot.Snapshot) bool { return m.distinct() == count })
	m.until("all offsets committed", func(s *snapshot.Snapshot) bool {
		total := int64(0)
		for _, q := range s.Queues {
			if q.ID.Topic == topic && q.Lag.OK() && q.Lag.V == 0 {
				total += q.Committed.V
			}
		}
		return total >= int64(sent.Count)
	})
	progress, err := c.Admin(ctx, "consumerProgress", "-g", group, "-s", "true")
	if err != nil {
		t.Fatal(err)
	}
	if total := diffTotal(progress); total != "0" {
		t.Errorf("consumerProgress says the difference is %q, want 0:\n%s", total, progress)
	}
	if !strings.Contains(progress, "127.0.0.1 ") {
		t.Errorf("consumerProgress does not name our client:\n%s", progress)
	}
	connection, err := c.Admin(ctx, "consumerConnection", "-g", group)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(connection, "127.0.0.1@all") {
		t.Errorf("consumerConnection does not name our client id:\n%s", connection)
	}
}

// diffTotal is the number behind "Diff Total:" in what consumerProgress prints.
func diffTotal(progress string) string {
	for line := range strings.Lines(progress) {
		if _, v, ok := strings.Cut(line, "Diff Total:"); ok {
			return strings.TrimSpace(v)
		}
	}
	return "missing"
}

func TestApacheOurMembersAndAJavaOneSplitTheQueues(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group = "mqscope_split", "mqscope_split"
	if err := c.CreateTopic(ctx, topic, 8); err != nil {
		t.Fatal(err)
	}
	a := joinApache(t, c, group, topic, "127.0.0.1@a", success)
	b := joinApache(t, c, group, topic, "127.0.0.1@b", success)
	j, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) == 2 || len(s.Queues) == 3 })
	if err != nil {
		t.Fatal(err)
	}
	wantSplit(t, topic, a, b, seen.ClientID, func(want []string) bool {
		s, err := j.Wait(ctx, func(s apachetest.Seen) bool { return slices.Equal(s.Queues, want) })
		return err == nil && slices.Equal(s.Queues, want)
	})

	j.Kill()
	wantSplit(t, topic, a, b, "", nil)

	j, err = c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	seen, err = j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	wantSplit(t, topic, a, b, seen.ClientID, nil)
	if _, err := j.Close(ctx); err != nil {
		t.Error(err)
	}
	wantSplit(t, topic, a, b, "", nil)

	b.leave()
	a.until("all queues after the other left", func(s *snapshot.Snapshot) bool { return len(ownedOf(s, topic)) == 8 })
}

// wantSplit waits until a, b and, if named, the Java member own exactly what AVG says.
func wantSplit(t *testing.T, topic string, a, b *ourMember, java string, javaOwns func(want []string) bool) {
	t.Helper()
	members := []string{a.id, b.id}
	if java != "" {
		members = append(members, java)
	}
	slices.Sort(members)
	for _, id := range members {
		want := averagely(topic, 8, members, id)
		switch id {
		case a.id, b.id:
			m := a
			if id == b.id {
				m = b
			}
			m.until(fmt.Sprintf("%v of %v", want, members), func(s *snapshot.Snapshot) bool {
				return slices.Equal(ownedOf(s, topic), want)
			})
		default:
			if javaOwns != nil && !javaOwns(want) {
				t.Errorf("the Java member does not own %v", want)
			}
		}
	}
}

// averagely is the AVG rule, written down once more on its own: consecutive shares, the
// first ones larger by one.
func averagely(topic string, n int, members []string, id string) []string {
	k, i := len(members), slices.Index(members, id)
	size, start := n/k, 0
	for j := range i {
		start += size
		if j < n%k {
			start++
		}
	}
	if i < n%k {
		size++
	}
	var out []string
	for q := start; q < start+size; q++ {
		out = append(out, fmt.Sprintf("%s@broker-a:%d", topic, q))
	}
	return out
}

func TestApacheLaterMessagesComeBackWithTheirCount(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, count = "mqscope_later", "mqscope_later", 100
	if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: count, Queues: 4}); err != nil {
		t.Fatal(err)
	}
	m := joinApache(t, c, group, topic, "127.0.0.1@later", func(msg mq.Message) consume.Status {
		if msg.Topic() != topic {
			t.Errorf("topic of a delivery is %q, want %q", msg.Topic(), topic)
		}
		if msg.ReconsumeTimes() < 2 {
			return consume.ReconsumeLater
		}
		return consume.Success
	})
	m.until("three deliveries of each message", func(*snapshot.Snapshot) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		done := 0
		for _, times := range m.attempts {
			if slices.Contains(times, 2) {
				done++
			}
		}
		return done == count
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, times := range m.attempts {
		if !slices.Equal(times, []int{0, 1, 2}) {
			t.Errorf("%s was delivered with reconsume times %v, want [0 1 2]", key, times)
		}
	}
}

func TestApacheBrokerKilledUnderLoad(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, count = "mqscope_kill", "mqscope_kill", 5_000
	if err := c.CreateTopic(ctx, topic, 8); err != nil {
		t.Fatal(err)
	}
	m := joinApache(t, c, group, topic, "127.0.0.1@kill", success)
	m.until("all queues", func(s *snapshot.Snapshot) bool { return len(ownedOf(s, topic)) == 8 })
	produced := make(chan error, 1)
	go func() {
		_, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: count})
		produced <- err
	}()
	m.until("load", func(*snapshot.Snapshot) bool { return m.distinct() > 500 })
	if err := c.KillBroker(); err != nil {
		t.Fatal(err)
	}
	m.until("the loss to show", func(s *snapshot.Snapshot) bool { return len(s.Cluster.Brokers) > 0 && !s.Cluster.Brokers[0].Up })
	opened := portOpens(ctx, c.Broker)
	if err := c.StartBroker(ctx); err != nil {
		t.Fatal(err)
	}
	at := <-opened
	again := map[mq.MessageQueue]time.Time{}
	m.until("every queue to pull again", func(s *snapshot.Snapshot) bool { return pulledAgain(s, topic, at, again) == 8 })
	t.Logf("the last of the queues was answered again %v after the port was open", latest(again).Sub(at).Round(time.Millisecond))
	if err := <-produced; err != nil {
		t.Fatal(err)
	}
	m.until("every acknowledged message", func(*snapshot.Snapshot) bool { return m.distinct() == count })
}

// portOpens tells when addr first takes a connection.
func portOpens(ctx context.Context, addr string) <-chan time.Time {
	opened := make(chan time.Time, 1)
	go func() {
		for ctx.Err() == nil {
			if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
				opened <- time.Now()
				c.Close()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		opened <- time.Now()
	}()
	return opened
}

// pulledAgain notes when each queue of topic was first answered after its pulls had failed,
// as the event stream tells, and returns how many were.
func pulledAgain(s *snapshot.Snapshot, topic string, after time.Time, at map[mq.MessageQueue]time.Time) int {
	for _, e := range s.Events.Entries {
		if e.Queue.Topic == topic && e.At.After(after) && strings.HasPrefix(e.What, "pulls again") && at[e.Queue].IsZero() {
			at[e.Queue] = e.At
		}
	}
	return len(at)
}

func latest(times map[mq.MessageQueue]time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
