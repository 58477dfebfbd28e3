package onapache_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/ondemand"
	"mqscope/engine/snapshot"
)

// asking is one of our consumers that are asked for messages, on the real cluster.
type asking struct {
	t      *testing.T
	id     string
	source askedSource
	stop   context.CancelFunc
	done   chan error
}

type opener = func(engine.Config, ondemand.App) (*ondemand.Source, error)

// askedSource is such a consumer, with or without an application of the engine's.
type askedSource interface {
	Run(ctx context.Context) error
	Snapshot() *snapshot.Snapshot
	Updates() <-chan struct{}
}

// ask runs a consumer of ours; its group begins at the first message.
func ask(t *testing.T, c *apachetest.Cluster, open opener, group, topic, id string, change ...func(*engine.Config)) *asking {
	t.Helper()
	cfg := engine.Config{
		NameServers: []string{c.NameServer}, ClientID: id, UnitName: "STREAM",
		Consumer: consumer.Config{Group: group, From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: topic}}},
	}
	for _, fn := range change {
		fn(&cfg)
	}
	source, err := open(cfg, ondemand.App{AutoCommit: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	a := &asking{t: t, id: id + "@STREAM", source: source, done: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	go func() { a.done <- source.Run(ctx) }()
	t.Cleanup(a.leave)
	return a
}

// runOn runs the consumer on an instance, and work, which may be nil, beside it.
func (a *asking) runOn(instance *client.Instance, work func(ctx context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	go func() {
		instanceCtx, end := context.WithCancel(context.Background())
		var members sync.WaitGroup
		var instanceErr, workErr error
		members.Go(func() { instanceErr = instance.Run(instanceCtx) })
		if work != nil {
			members.Go(func() {
				if err := work(ctx); ctx.Err() == nil {
					workErr = err
				}
			})
		}
		err := a.source.Run(ctx)
		end()
		members.Wait()
		a.done <- errors.Join(err, instanceErr, workErr)
	}()
	a.t.Cleanup(a.leave)
}

// leave stops the consumer cleanly; a second call does nothing.
func (a *asking) leave() {
	a.stop()
	select {
	case err, ok := <-a.done:
		if ok {
			close(a.done)
		}
		if err != nil {
			a.t.Errorf("%s: %v", a.id, err)
		}
	case <-time.After(30 * time.Second):
		a.t.Errorf("%s did not end", a.id)
	}
}

// until waits for a snapshot that cond holds for.
func (a *asking) until(what string, cond func(s *snapshot.Snapshot) bool) *snapshot.Snapshot {
	a.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-a.source.Updates():
			if s := a.source.Snapshot(); cond(s) {
				return s
			}
		case <-deadline:
			s := a.source.Snapshot()
			a.t.Fatalf("waited for %s: received %d, queues %v, source %+v", what, s.Counters.Received, ownedOf(s, ""), s.Source)
		}
	}
}

// committedAll tells whether the queues of topic are all ours, read to their end and committed.
func committedAll(s *snapshot.Snapshot, topic string, queues int, messages int64) bool {
	n, sum := 0, int64(0)
	for _, q := range s.Queues {
		if q.ID.Topic == topic && q.State == snapshot.Pulling && q.Lag.OK() && q.Lag.V == 0 && q.Committed.OK() {
			n++
			sum += q.Committed.V
		}
	}
	return n == queues && sum == messages
}

// TestApacheConsumersThatAreAskedTakeTurnsWithOurs lets ours and Java's consume one after the
// other: each begins exactly where the other ended.
func TestApacheConsumersThatAreAskedTakeTurnsWithOurs(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	for _, tt := range []struct {
		name string
		open opener
		java apachetest.PollKind
	}{
		{"pull", ondemand.OpenPull, apachetest.Pull},
		{"scheduled", ondemand.OpenScheduled, apachetest.Schedule},
		{"lite", ondemand.OpenLite, apachetest.Lite},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			topic := "mqscope_ask_" + tt.name
			group := topic
			produce := func(first, count int) {
				t.Helper()
				if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, First: first, Count: count, Queues: 4}); err != nil {
					t.Fatal(err)
				}
			}
			produce(0, 1000)
			ours := ask(t, c, tt.open, group, topic, "127.0.0.1@"+tt.name)
			ours.until("a thousand messages committed", func(s *snapshot.Snapshot) bool { return committedAll(s, topic, 4, 1000) })
			connection, err := c.Admin(ctx, "consumerConnection", "-g", group)
			if err != nil {
				t.Fatal(err)
			}
			wantLines(t, connection, ours.id, "CONSUME_ACTIVELY", "CLUSTERING", topic)
			ours.leave()
			progress, err := c.Admin(ctx, "consumerProgress", "-g", group)
			if err != nil || diffTotal(progress) != "0" {
				t.Errorf("consumerProgress: %v\n%s", err, progress)
			}

			produce(1000, 200)
			j, err := c.JavaPoller(ctx, apachetest.Poller{Kind: tt.java, Group: group, Topic: topic, IDs: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Received) >= 200 }); err != nil {
				t.Fatal(err)
			}
			seen, err := j.Close(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if keys := keysOf(seen.Received); len(seen.Received) != 200 || len(keys) != 200 || keys[0] != "k1000" {
				t.Errorf("Java took %d messages with %d keys from %v on, want the 200 that ours had not", len(seen.Received), len(keys), keys[:1])
			}

			produce(1200, 100)
			again := ask(t, c, tt.open, group, topic, "127.0.0.1@again-"+tt.name)
			s := again.until("the rest committed", func(s *snapshot.Snapshot) bool { return committedAll(s, topic, 4, 1300) })
			if s.Counters.Received != 100 {
				t.Errorf("after Java ours took %d messages, want the 100 that it had not", s.Counters.Received)
			}
		})
	}
}

// wantLines checks that text has all of the words.
func wantLines(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in\n%s", word, text)
		}
	}
}

// keysOf are the different keys, sorted.
func keysOf(list []apachetest.Received) []string {
	var keys []string
	for _, r := range list {
		keys = append(keys, r.Keys)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func TestApacheLiteConsumersSplitQueuesWithOurs(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group = "mqscope_ask_split", "mqscope_ask_split"
	if err := c.CreateTopic(ctx, topic, 8); err != nil {
		t.Fatal(err)
	}
	a := ask(t, c, ondemand.OpenLite, group, topic, "127.0.0.1@a")
	b := ask(t, c, ondemand.OpenPull, group, topic, "127.0.0.1@b")
	j, err := c.JavaPoller(ctx, apachetest.Poller{Kind: apachetest.Lite, Group: group, Topic: topic})
	if err != nil {
		t.Fatal(err)
	}
	java, err := j.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	members := []string{a.id, b.id, java.ClientID}
	slices.Sort(members)
	for _, m := range []*asking{a, b} {
		want := averagely(topic, 8, members, m.id)
		m.until(fmt.Sprint(want, " of ", members), func(s *snapshot.Snapshot) bool { return slices.Equal(ownedOf(s, topic), want) })
	}
	want := averagely(topic, 8, members, java.ClientID)
	if _, err := j.Wait(ctx, func(s apachetest.Seen) bool { return slices.Equal(s.Queues, want) }); err != nil {
		t.Errorf("Java's member should own %v: %v", want, err)
	}
	if _, err := j.Close(ctx); err != nil {
		t.Error(err)
	}
	members = []string{a.id, b.id}
	slices.Sort(members)
	for _, m := range []*asking{a, b} {
		want := averagely(topic, 8, members, m.id)
		m.until(fmt.Sprint(want, " after Java left"), func(s *snapshot.Snapshot) bool { return slices.Equal(ownedOf(s, topic), want) })
	}
}
