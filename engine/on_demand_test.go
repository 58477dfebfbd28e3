package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/embedded/store"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

// onDemand is an embedded cluster with two topics in a bubble.
type onDemand struct {
	t       *testing.T
	ctx     context.Context
	net     *memnet.Network
	cluster *embedded.Cluster
}

func inCluster(t *testing.T, test func(w *onDemand)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		cluster, err := embedded.New(embedded.Config{NameServerAddr: "ns:9876", BrokerAddrs: []string{"broker:10911"}, Listen: network.Listen})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- cluster.Run(ctx) }()
		<-cluster.Ready()
		test(&onDemand{t, ctx, network, cluster})
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func (w *onDemand) put(topic string, queue int32, n int) {
	w.cluster.Inspect(func(s *embedded.State) {
		for range n {
			if _, err := s.Broker("broker-a").Put(topic, queue, []byte("body")); err != nil {
				w.t.Error(err)
			}
		}
	})
}

// left is how many messages of a topic the group has not committed.
func (w *onDemand) left(group, topic string, queues int32) (n int64) {
	w.cluster.Inspect(func(s *embedded.State) {
		b := s.Broker("broker-a")
		for id := range queues {
			_, end := store.Bounds(b.Store.Lookup(topic, id))
			at, _ := b.Store.Commits.Get(group, topic, id)
			n += end - at
		}
	})
	return n
}

func (w *onDemand) commit(group string, q mq.MessageQueue, at int64) {
	w.cluster.Inspect(func(s *embedded.State) {
		s.Broker(q.BrokerName).Store.Commits.Put(group, q.Topic, q.QueueID, at)
	})
}

type opener = func(engine.Config, engine.App) (*engine.OnDemand, error)

func openers() map[string]opener {
	return map[string]opener{"pull": engine.OpenPull, "scheduled": engine.OpenScheduled, "lite": engine.OpenLite}
}

func (w *onDemand) config() engine.Config {
	return engine.Config{
		NameServers: []string{"ns:9876"}, ClientID: "192.0.2.1@me", Dial: w.net.Dial,
		Consumer: consumer.Config{Group: "g", From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: "one"}, {Topic: "two", Expression: "*"}}},
	}
}

func TestSourcesOfConsumersThatAreAsked(t *testing.T) {
	for name, open := range openers() {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(w *onDemand) {
				for topic, queues := range map[string]int{"one": 4, "two": 1} {
					if err := w.cluster.CreateTopic(topic, queues); err != nil {
						t.Fatal(err)
					}
				}
				for id := range int32(4) {
					w.put("one", id, 100)
				}
				w.put("two", 0, 50)
				source, err := open(w.config(), engine.App{Work: 10 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				join, err := source.Preview(w.ctx)
				if err != nil || len(join.Members) != 0 || join.Queues != 5 {
					t.Errorf("preview %+v, %v", join, err)
				}
				ctx, leave := context.WithCancel(w.ctx)
				ended := make(chan error, 1)
				go func() { ended <- source.Run(ctx) }()
				shown := func(d time.Duration) *snapshot.Snapshot {
					time.Sleep(d)
					source.Snapshot()
					time.Sleep(time.Second)
					return source.Snapshot()
				}
				s := shown(20 * time.Second)
				if n := w.left("g", "one", 4) + w.left("g", "two", 1); n != 0 {
					t.Errorf("%d messages are not committed", n)
				}
				if s.Group.Mode() != name+" CLUSTERING" || s.Source.State != snapshot.Running || len(s.Queues) != 5 || s.Counters.Received != 450 {
					t.Errorf("the picture says %q, %v, %d queues, received %d", s.Group.Mode(), s.Source.State, len(s.Queues), s.Counters.Received)
				}
				for _, q := range s.Queues {
					if !q.Mine || !q.Lag.OK() || q.Lag.V != 0 || q.Mark != snapshot.MarkOK {
						t.Errorf("%v: mine %v, lag %+v, mark %v (%s)", q.ID, q.Mine, q.Lag, q.Mark, q.Note)
					}
				}

				source.Do(engine.Pause{})
				shown(30 * time.Second) // what was out came back
				w.put("one", 0, 10)
				s = shown(15 * time.Second)
				if got := w.left("g", "one", 4); got < 9 || !s.Mode.Paused || s.Queues[0].State != snapshot.QueuePaused {
					t.Errorf("while paused %d of 10 messages are left, the picture says paused %v, %v", got, s.Mode.Paused, s.Queues[0].State)
				}
				source.Do(engine.Resume{})
				s = shown(15 * time.Second)
				if got := w.left("g", "one", 4); got != 0 || s.Mode.Paused {
					t.Errorf("after the pause %d messages are left, the picture says paused %v", got, s.Mode.Paused)
				}
				source.Do(engine.Watch{Queues: []snapshot.MessageQueue{s.Queues[0].ID}})
				source.Do(engine.SetThreads{N: 3})
				s = shown(time.Second)
				if len(s.Histories) != 1 || !strings.Contains(s.Events.Entries[len(s.Events.Entries)-1].What, "only a push consumer") {
					t.Errorf("%d histories, last told %q", len(s.Histories), s.Events.Entries[len(s.Events.Entries)-1].What)
				}

				w.put("two", 0, 5)
				time.Sleep(time.Second)
				leave()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if got := w.left("g", "two", 1); got != 0 && name != "lite" { // a lite consumer commits with later polls
					t.Errorf("%d messages are left at the end", got)
				}
			})
		})
	}
}

func TestWhatIsWrongWithASourceThatIsAsked(t *testing.T) {
	for name, open := range openers() {
		for _, tc := range []struct {
			name   string
			change func(*engine.Config, *engine.App)
			want   string
		}{
			{"no name server", func(c *engine.Config, _ *engine.App) { c.NameServers = nil }, "name server"},
			{"no topic", func(c *engine.Config, _ *engine.App) { c.Consumer.Subscriptions = nil }, "no topic"},
			{"an illegal group", func(c *engine.Config, _ *engine.App) { c.Consumer.Group = "a b" }, `group "a b"`},
			{"an illegal topic", func(c *engine.Config, _ *engine.App) { c.Consumer.Subscriptions[0].Topic = "a b" }, `topic "a b"`},
			{"only separators", func(c *engine.Config, _ *engine.App) { c.Consumer.Subscriptions[0].Expression = "||" }, "separators"},
		} {
			w := &onDemand{net: memnet.New()}
			cfg, app := w.config(), engine.App{}
			tc.change(&cfg, &app)
			if _, err := open(cfg, app); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: %v, want %q", name, tc.name, err, tc.want)
			}
		}
	}
}

func TestALiteSourceWithAssignedQueues(t *testing.T) {
	inCluster(t, func(w *onDemand) {
		if err := w.cluster.CreateTopic("one", 2); err != nil {
			t.Fatal(err)
		}
		w.put("one", 0, 10)
		w.put("one", 1, 10)
		cfg := w.config()
		cfg.Consumer.Subscriptions = cfg.Consumer.Subscriptions[:1]
		cfg.Consumer.Pull = pull.Config{Batch: 3}
		source, err := engine.OpenLite(cfg, engine.App{Queues: []mq.MessageQueue{{Topic: "one", BrokerName: "broker-a", QueueID: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(w.ctx)
		ended := make(chan error, 1)
		go func() { ended <- source.Run(ctx) }()
		time.Sleep(15 * time.Second)
		if got := w.left("g", "one", 2); got != 10 {
			t.Errorf("%d messages are left, want those of the other queue", got)
		}
		leave()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestASourceRunsOnce(t *testing.T) {
	inCluster(t, func(w *onDemand) {
		if err := w.cluster.CreateTopic("one", 1); err != nil {
			t.Fatal(err)
		}
		source, err := engine.OpenPull(w.config(), engine.App{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(w.ctx)
		ended := make(chan error, 1)
		go func() { ended <- source.Run(ctx) }()
		time.Sleep(5 * time.Second)
		if err := source.Run(ctx); !errors.Is(err, client.ErrAlreadyRun) {
			t.Errorf("running it again: %v", err)
		}
		leave()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
