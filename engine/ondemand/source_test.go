package ondemand_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mqscope/engine"
	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/enginetest"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/ondemand"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

type opener = func(engine.Config, ondemand.App) (*ondemand.Source, error)

func openers() map[string]opener {
	return map[string]opener{"pull": ondemand.OpenPull, "scheduled": ondemand.OpenScheduled, "lite": ondemand.OpenLite}
}

func config(w *enginetest.Cluster) engine.Config {
	return engine.Config{
		NameServers: []string{"ns:9876"}, ClientID: "192.0.2.1@me", Dial: w.Net.Dial,
		Consumer: consumer.Config{Group: "g", From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: "one"}, {Topic: "two", Expression: "*"}}},
	}
}

func TestSourcesOfConsumersThatAreAsked(t *testing.T) {
	for name, open := range openers() {
		t.Run(name, func(t *testing.T) {
			enginetest.InCluster(t, func(w *enginetest.Cluster) {
				for topic, queues := range map[string]int{"one": 4, "two": 1} {
					if err := w.CreateTopic(topic, queues); err != nil {
						t.Fatal(err)
					}
				}
				for id := range int32(4) {
					w.Put("one", id, 100)
				}
				w.Put("two", 0, 50)
				source, err := open(config(w), ondemand.App{Work: 10 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				join, err := source.Preview(w.Ctx)
				if err != nil || len(join.Members) != 0 || join.Queues != 5 {
					t.Errorf("preview %+v, %v", join, err)
				}
				ctx, leave := context.WithCancel(w.Ctx)
				ended := make(chan error, 1)
				go func() { ended <- source.Run(ctx) }()
				shown := func(d time.Duration) *snapshot.Snapshot {
					time.Sleep(d)
					source.Snapshot()
					time.Sleep(time.Second)
					return source.Snapshot()
				}
				s := shown(20 * time.Second)
				if n := w.Left("g", "one", 4) + w.Left("g", "two", 1); n != 0 {
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
				w.Put("one", 0, 10)
				s = shown(15 * time.Second)
				if got := w.Left("g", "one", 4); got < 9 || !s.Mode.Paused || s.Queues[0].State != snapshot.QueuePaused {
					t.Errorf("while paused %d of 10 messages are left, the picture says paused %v, %v", got, s.Mode.Paused, s.Queues[0].State)
				}
				source.Do(engine.Resume{})
				s = shown(15 * time.Second)
				if got := w.Left("g", "one", 4); got != 0 || s.Mode.Paused {
					t.Errorf("after the pause %d messages are left, the picture says paused %v", got, s.Mode.Paused)
				}
				source.Do(engine.Watch{Queues: []snapshot.MessageQueue{s.Queues[0].ID}})
				source.Do(engine.SetThreads{N: 3})
				s = shown(time.Second)
				if len(s.Histories) != 1 || !strings.Contains(s.Events.Entries[len(s.Events.Entries)-1].What, "only a push consumer") {
					t.Errorf("%d histories, last told %q", len(s.Histories), s.Events.Entries[len(s.Events.Entries)-1].What)
				}

				w.Put("two", 0, 5)
				time.Sleep(time.Second)
				leave()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if got := w.Left("g", "two", 1); got != 0 && name != "lite" { // a lite consumer commits with later polls
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
			change func(*engine.Config, *ondemand.App)
			want   string
		}{
			{"no name server", func(c *engine.Config, _ *ondemand.App) { c.NameServers = nil }, "name server"},
			{"no topic", func(c *engine.Config, _ *ondemand.App) { c.Consumer.Subscriptions = nil }, "no topic"},
			{"an illegal group", func(c *engine.Config, _ *ondemand.App) { c.Consumer.Group = "a b" }, `group "a b"`},
			{"an illegal topic", func(c *engine.Config, _ *ondemand.App) { c.Consumer.Subscriptions[0].Topic = "a b" }, `topic "a b"`},
			{"only separators", func(c *engine.Config, _ *ondemand.App) { c.Consumer.Subscriptions[0].Expression = "||" }, "separators"},
		} {
			w := &enginetest.Cluster{Net: memnet.New()}
			cfg, app := config(w), ondemand.App{}
			tc.change(&cfg, &app)
			if _, err := open(cfg, app); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: %v, want %q", name, tc.name, err, tc.want)
			}
		}
	}
}

func TestALiteSourceWithAssignedQueues(t *testing.T) {
	enginetest.InCluster(t, func(w *enginetest.Cluster) {
		if err := w.CreateTopic("one", 2); err != nil {
			t.Fatal(err)
		}
		w.Put("one", 0, 10)
		w.Put("one", 1, 10)
		cfg := config(w)
		cfg.Consumer.Subscriptions = cfg.Consumer.Subscriptions[:1]
		cfg.Consumer.Pull = pull.Config{Batch: 3}
		source, err := ondemand.OpenLite(cfg, ondemand.App{Queues: []mq.MessageQueue{{Topic: "one", BrokerName: "broker-a", QueueID: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(w.Ctx)
		ended := make(chan error, 1)
		go func() { ended <- source.Run(ctx) }()
		time.Sleep(15 * time.Second)
		if got := w.Left("g", "one", 2); got != 10 {
			t.Errorf("%d messages are left, want those of the other queue", got)
		}
		leave()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestASourceRunsOnce(t *testing.T) {
	enginetest.InCluster(t, func(w *enginetest.Cluster) {
		if err := w.CreateTopic("one", 1); err != nil {
			t.Fatal(err)
		}
		source, err := ondemand.OpenPull(config(w), ondemand.App{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(w.Ctx)
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
