package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
)

func TestCommandsSteerAConsumerWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		cluster, err := embedded.New(embedded.Config{NameServerAddr: "ns:9876", BrokerAddrs: []string{"broker:10911"}, Listen: network.Listen})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		go func() { ended <- cluster.Run(ctx) }()
		<-cluster.Ready()
		for _, topic := range []string{"ns%one", "ns%two"} {
			if err := cluster.CreateTopic(topic, 2); err != nil {
				t.Fatal(err)
			}
		}
		live, err := engine.Open(engine.Config{
			NameServers: []string{"ns:9876"}, ClientID: "192.0.2.1@me", UnitName: "unit", Dial: network.Dial,
			Consumer: consumer.Config{
				Namespace: "ns", Group: "g", Subscriptions: []consumer.Subscription{{Topic: "one"}},
				Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success },
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		liveCtx, leave := context.WithCancel(ctx)
		go func() { ended <- live.Run(liveCtx) }()
		time.Sleep(5 * time.Second)
		live.Do(engine.SetThreads{N: 7})
		live.Do(engine.SetLimits{Limits: pull.Limits{CountPerQueue: 77}})
		live.Do(engine.Subscribe{Subscription: consumer.Subscription{Topic: "two"}})
		time.Sleep(5 * time.Second)
		live.Do(engine.Unsubscribe{Topic: "one"})
		live.Do(engine.SetThreads{N: 5000})
		live.Do("dance")
		time.Sleep(time.Second)
		live.Snapshot() // read, so that a newer one is made
		time.Sleep(time.Second)
		s := live.Snapshot()
		if s.Group.Threads.Max != 7 || s.Group.Limits.CountPerQueue != 77 || s.Group.ClientID != "192.0.2.1@me@unit" {
			t.Errorf("threads %+v, limits %+v, client %s", s.Group.Threads, s.Group.Limits, s.Group.ClientID)
		}
		var topics []string
		for _, sub := range s.Group.Subscriptions {
			topics = append(topics, sub.Topic)
		}
		if got := strings.Join(topics, " "); got != "%RETRY%ns%g ns%two" {
			t.Errorf("subscribes to %s", got)
		}
		var wrong []string
		for _, e := range s.Events.Entries {
			if what, ok := strings.CutPrefix(e.What, "not done: "); ok {
				wrong = append(wrong, what)
			}
		}
		if len(wrong) != 2 || !strings.Contains(wrong[0], "5000 consume threads") || !strings.Contains(wrong[1], "knows no command string") {
			t.Errorf("told %q", wrong)
		}
		leave()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
