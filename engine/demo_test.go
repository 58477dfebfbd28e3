package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/memnet"
	"mqscope/engine/snapshot"
)

// TestTheDemoShowsLife plays a minute and a half of the demo and looks for each thing that
// its script promises.
func TestTheDemoShowsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		demo, err := engine.OpenDemo(engine.DemoConfig{Seed: 1, Listen: network.Listen, Dial: network.Dial})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- demo.Run(ctx) }()
		members := map[int]bool{}
		owned := map[int]bool{}
		flow := false
		var s *snapshot.Snapshot
		for range 90 {
			time.Sleep(time.Second)
			s = demo.Snapshot()
			members[len(s.Members)] = true
			mine := 0
			for _, q := range s.Queues {
				if q.State != snapshot.NotOwned {
					mine++
				}
				flow = flow || q.Flow.Cause == "flow:count"
			}
			owned[mine] = true
		}
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if s.Source.Kind != snapshot.Demo {
			t.Errorf("source %v, want DEMO", s.Source.Kind)
		}
		if !members[3] || !members[2] {
			t.Errorf("member counts seen %v, want 3 and 2: one leaves and comes back", members)
		}
		if len(owned) < 3 {
			t.Errorf("numbers of our queues seen %v, want them to change", owned)
		}
		if !flow {
			t.Error("no queue ever tripped flow control")
		}
		if s.Counters.SentBack == 0 || s.Counters.Consumed < 1000 {
			t.Errorf("%d sent back, %d consumed: want failures and a lively group", s.Counters.SentBack, s.Counters.Consumed)
		}
		retried := false
		for _, q := range s.Queues {
			retried = retried || strings.HasPrefix(q.ID.Topic, "%RETRY%") && q.Found > 0
		}
		if !retried {
			t.Error("nothing came back through the retry topic to this member")
		}
	})
}
